"""Repeats failed requests so that the service carries each out once."""

from http import HTTPMethod
from uuid import uuid4

import httpx
from httpx_retries import Retry, RetryTransport


class _RequestInProgressError(httpx.HTTPError):
    """The first attempt of the request is still running: 409 with Retry-After."""


def _check_progress(response: httpx.Response) -> None:
    if response.status_code == 409 and "retry-after" in response.headers:
        raise _RequestInProgressError("The first attempt is still running.")


class RetryingTransport(RetryTransport):
    """Repeats a request after a lost connection, a timeout, 429, 5xx, or 409 with Retry-After.

    Every POST and PATCH has an Idempotency-Key, so that the service carries it out once. The chat is never repeated.
    """

    def __init__(self, retries: int) -> None:
        super().__init__(
            retry=Retry(
                total=retries,
                allowed_methods=list(HTTPMethod),
                status_forcelist=[429, *range(500, 600)],
                retry_on_exceptions=[*Retry.RETRYABLE_EXCEPTIONS, _RequestInProgressError],
                backoff_factor=0.25,
                backoff_jitter=0.5,
                max_backoff_wait=60.0,
                validate_response=_check_progress,
            )
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return super().handle_request(_prepared(request))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await super().handle_async_request(_prepared(request))


def _prepared(request: httpx.Request) -> httpx.Request:
    if request.url.path.endswith("/chat/build"):
        request.extensions["retry"] = Retry(total=0)
    elif request.method in ("POST", "PATCH"):
        request.headers.setdefault("Idempotency-Key", str(uuid4()))
    return request
