"""Makes a client."""

from __future__ import annotations

import os
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from .api import Api
from .requests import Connection
from .types import Unset

# Records that are printed show a field that is absent as this word.
setattr(Unset, "__repr__", lambda _: "UNSET")


def api_client(
    base_url: str | None = None,
    api_key: str | None = None,
    uid: str | None = None,
    *,
    retries: int = 3,
    timeout: float = 60.0,
    **httpx_args: Any,
) -> Api:
    """A client of the service at `base_url`, with an API key, for the user `uid`.

    What is not given is read from VAP_BASE_URL, VAP_API_KEY and VAP_USER. `retries` is how often a failed request is sent
    again, `timeout` how many seconds one attempt may take; `httpx_args` are those of httpx.Client, such as `verify`.
    """
    address = os.environ.get("VAP_BASE_URL") if base_url is None else base_url
    if not address:
        raise ValueError("base_url is missing: give the address of the service, or set VAP_BASE_URL.")
    parts = urlsplit(address)
    if parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
        raise ValueError(
            f"base_url must begin with https://, unlike {address}: the API key would be sent unencrypted. "
            "Only a loopback address, such as 127.0.0.1, may begin with http://."
        )
    key = os.environ.get("VAP_API_KEY") if api_key is None else api_key
    if key and not (key.isascii() and key.isprintable()):
        raise ValueError("api_key has a character that a header cannot carry. Was it copied from an example?")
    user = os.environ.get("VAP_USER") if uid is None else uid
    return Api(Connection(address, key, user, retries, timeout, httpx_args))


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
