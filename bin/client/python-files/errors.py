"""The errors that a request raises when it fails."""

from __future__ import annotations

from typing import Any

import httpx

from .limits import RequestLimits

_CODES = {404: "not_found", 413: "payload_too_large", 429: "rate_limited", 504: "timeout"}


class ApiError(Exception):
    """A request failed.

    `code` is one of the service's error codes, or the client's own: `unreachable` and `timeout` when there was no
    response (then `status` is None), `unexpected_response` for a success that is not the service's, and `misconfigured`
    for a request that cannot be sent. `limits` is what the response says about the limit of the key, and about a wait.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        details: list[dict[str, Any]] | None = None,
        limits: RequestLimits | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}" + (f" (request {request_id})" if request_id else ""))
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.details = details or []
        self.limits = limits

    @classmethod
    def from_response(cls, response: httpx.Response) -> ApiError:
        """The error of a response; one of a gateway or proxy, without a code, gets the code of its status."""
        status = response.status_code
        if response.is_redirect:
            message = "The address redirects elsewhere, where the API key was not sent. Is base_url the address of the service?"
            return cls("misconfigured", message, status=status)
        try:
            body = response.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            body = {}
        code = body.get("error")
        if not isinstance(code, str):
            code = _CODES.get(status, "internal_error" if status >= 500 else "invalid_request")
        return cls(
            code,
            str(body.get("message") or f"The gateway responded {status}."),
            status=status,
            request_id=response.headers.get("x-request-id"),
            details=body.get("details"),
            limits=RequestLimits.from_headers(response.headers),
        )

    @classmethod
    def from_exception(cls, error: httpx.HTTPError) -> ApiError:
        """The error of a request that got no response."""
        if isinstance(error, httpx.LocalProtocolError):
            # The text of the error has the value of a header, such as the API key: it is in no traceback, either.
            failure = cls("misconfigured", "A header of the request has a value that cannot be sent.")
            failure.__cause__ = None
            return failure
        code = "timeout" if isinstance(error, httpx.TimeoutException) else "unreachable"
        failure = cls(code, str(error) or type(error).__name__)
        failure.__cause__ = error
        return failure
