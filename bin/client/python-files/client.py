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
    address = _setting("VAP_BASE_URL", base_url)
    if not address:
        raise ValueError("base_url is missing: give the address of the service, or set VAP_BASE_URL.")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("base_url must begin with http:// or https://.")
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise ValueError(
            f"base_url must begin with https://, unlike http://{parts.hostname}: the API key would be sent unencrypted. "
            "Only a loopback address, such as 127.0.0.1, may begin with http://."
        )
    key = _setting("VAP_API_KEY", api_key)
    if key and not (key.isascii() and key.isprintable()):
        raise ValueError("api_key has a character that a header cannot carry. Was it copied from an example?")
    return Api(Connection(address, key, _setting("VAP_USER", uid), retries, timeout, httpx_args))


def _setting(variable: str, given: str | None) -> str | None:
    """A setting without the white space that is often around what was copied into a file of settings."""
    value = os.environ.get(variable) if given is None else given
    return None if value is None else value.strip("\ufeff").strip()


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
