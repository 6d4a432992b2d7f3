"""What responses say about the limit of their key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class RequestLimits:
    """The headers `RateLimit-Policy`, `RateLimit` and `Retry-After` of a response. A key without a limit has no `limit`."""

    #: The requests of a window, and its seconds.
    limit: int | None
    window_seconds: int | None
    #: The requests that are left, and the seconds until there are more.
    remaining: int | None
    reset_seconds: int | None
    #: The seconds after which the same request may succeed.
    retry_after_seconds: int | None

    @classmethod
    def from_headers(cls, headers: Mapping[str, str]) -> RequestLimits:
        policy, state = headers.get("ratelimit-policy", ""), headers.get("ratelimit", "")
        wait = headers.get("retry-after", "")
        return cls(
            limit=_parameter(policy, "q"),
            window_seconds=_parameter(policy, "w"),
            remaining=_parameter(state, "r"),
            reset_seconds=_parameter(state, "t"),
            retry_after_seconds=int(wait) if re.fullmatch("[0-9]+", wait) else None,
        )


def _parameter(field: str, name: str) -> int | None:
    """A parameter of the item "key" of a structured field. Items of gateways and proxies may stand beside it."""
    item = re.search(r'(?:^|,)\s*"key"((?:\s*;[^,;]+)*)', field)
    found = re.search(rf";\s*{name}=([0-9]+)", item[1]) if item else None
    return int(found[1]) if found else None
