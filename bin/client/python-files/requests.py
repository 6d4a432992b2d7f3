"""Calls operations: one object each, which knows where its parameters go."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, closing
from typing import Any, Generic, ParamSpec, TypeVar
from urllib.parse import quote

import httpx

from .errors import ApiError
from .limits import RequestLimits
from .retries import RetryingTransport

P = ParamSpec("P")
R = TypeVar("R")
Item = TypeVar("Item")


class Connection:
    """The settings that all requests of a client share."""

    def __init__(
        self, base_url: str, api_key: str | None, uid: str | None, retries: int, timeout: float, httpx_args: dict[str, Any]
    ) -> None:
        self.uid = uid
        self.limits: RequestLimits | None = None
        headers = {"X-Authorization": api_key} if api_key else {}
        # A redirect would take the API key to another address.
        settings = {"base_url": base_url, "headers": headers, "timeout": timeout, **httpx_args, "follow_redirects": False}
        self.client = httpx.Client(transport=RetryingTransport(retries), **settings)
        self.async_client = httpx.AsyncClient(transport=RetryingTransport(retries), **settings)

    def send_form(self, url: str, fields: Mapping[str, Any], name: str, content: bytes) -> None:
        """Sends a file by a presigned form, without the API key. Sending it again is safe: it always stores the same file."""
        try:
            _check(self.client.send(_form(url, fields, name, content)))
        except httpx.HTTPError as error:
            raise ApiError.from_exception(error)

    async def send_form_async(self, url: str, fields: Mapping[str, Any], name: str, content: bytes) -> None:
        try:
            _check(await self.async_client.send(_form(url, fields, name, content)))
        except httpx.HTTPError as error:
            raise ApiError.from_exception(error)


def _form(url: str, fields: Mapping[str, Any], name: str, content: bytes) -> httpx.Request:
    return httpx.Request("POST", url, data=dict(fields), files={"file": (name, content)})


def _check(response: httpx.Response) -> None:
    if not response.is_success:
        raise ApiError.from_response(response)


def _segment(name: str, value: Any) -> str:
    """The segment of a path. No encoding keeps `.` and `..`: the request would go to the path above."""
    text = "" if value is None else str(value)
    parameter = re.sub("(?=[A-Z])", "_", name).lower()
    if text == "":
        raise ApiError("misconfigured", f"{parameter} is missing.")
    if text in (".", ".."):
        raise ApiError("misconfigured", f"{parameter} must not be {text}, which no path can carry.")
    return quote(text, safe="")


class _Record(dict[str, Any]):
    """A dict that is given for a nested record, and is sent as it is."""

    def to_dict(self) -> dict[str, Any]:
        return {name: value.to_dict() if hasattr(value, "to_dict") else value for name, value in self.items()}


def _record(value: Any) -> Any:
    if isinstance(value, dict):
        return _Record({name: _record(one) for name, one in value.items()})
    return [_record(one) for one in value] if isinstance(value, list) else value


class Operation(Generic[P, R]):
    """An operation. Call it with its parameters, or await its `asyncio`; both raise an ApiError when the request fails."""

    def __init__(
        self,
        connection: Connection,
        method: str,
        path: str,
        params: Callable[P, Any],
        response: Callable[[Any], R],
        *,
        query: Sequence[str] = (),
        body: str | None = None,
        takes_uid: bool = False,
    ) -> None:
        self._connection = connection
        self._method = method
        self._path = path
        self._params = params
        self._response = response
        self._query = query
        self._body = body
        self._takes_uid = takes_uid

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._send(self._fields(*args, **kwargs))

    async def asyncio(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._send_async(self._fields(*args, **kwargs))

    def _fields(self, *args: P.args, **kwargs: P.kwargs) -> dict[str, Any]:
        params = self._params(*map(_record, args), **{name: _record(value) for name, value in kwargs.items()})  # type: ignore[arg-type]
        fields: dict[str, Any] = params.to_dict() if params is not None else {}
        if self._takes_uid and self._connection.uid is not None:
            fields.setdefault("uid", self._connection.uid)
        return fields

    def _send(self, fields: Mapping[str, Any]) -> R:
        client = self._connection.client
        try:
            return self._read(client.send(self._request(client, fields)))
        except httpx.HTTPError as error:
            raise ApiError.from_exception(error)

    async def _send_async(self, fields: Mapping[str, Any]) -> R:
        client = self._connection.async_client
        try:
            return self._read(await client.send(self._request(client, fields)))
        except httpx.HTTPError as error:
            raise ApiError.from_exception(error)

    def _request(self, client: httpx.Client | httpx.AsyncClient, given: Mapping[str, Any]) -> httpx.Request:
        fields = dict(given)
        names = [part[1:-1] for part in self._path.split("/") if part.startswith("{")]
        path = self._path.format(**{name: _segment(name, fields.pop(name)) for name in names})
        query = {name: fields.pop(name) for name in self._query if fields.get(name) is not None}
        content: dict[str, Any] = {}
        if self._body == "json":
            content = {"json": fields}
        elif self._body == "form":
            # A file is a tuple of its name, content and type.
            content = {
                "files": [
                    (name, one if isinstance(one, tuple) else (None, str(one)))
                    for name, value in fields.items()
                    for one in (value if isinstance(value, list) else [value])
                ]
            }
        return client.build_request(self._method, path, params=query, **content)

    def _read(self, response: httpx.Response) -> R:
        self._connection.limits = RequestLimits.from_headers(response.headers)
        _check(response)
        if self._response is str:
            return self._response(response.text)
        try:
            body = response.json()
        except ValueError as error:
            kind = response.headers.get("content-type", "without a type")
            message = f"The response is not JSON ({kind}). Is base_url the address of the service?"
            raise ApiError("unexpected_response", message, status=response.status_code) from error
        return self._response(body)


class ListOperation(Operation[P, R], Generic[P, R, Item]):
    """A list. Calling it returns one page. `items` yields every item of all pages, and `items_async` does so for `async for`."""

    def __init__(
        self,
        connection: Connection,
        method: str,
        path: str,
        params: Callable[P, Any],
        response: Callable[[Any], R],
        items: Callable[[R], Sequence[Item]],
        *,
        query: Sequence[str] = (),
        takes_uid: bool = False,
    ) -> None:
        super().__init__(connection, method, path, params, response, query=query, takes_uid=takes_uid)
        self._items = items

    def items(self, *args: P.args, **kwargs: P.kwargs) -> Iterator[Item]:
        fields = self._fields(*args, **kwargs)
        while True:
            page = self._send(fields)
            yield from self._items(page)
            cursor = getattr(page, "next_cursor", None)
            if not cursor:
                return
            fields = {**fields, "cursor": cursor}

    async def items_async(self, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[Item]:
        fields = self._fields(*args, **kwargs)
        while True:
            page = await self._send_async(fields)
            for item in self._items(page):
                yield item
            cursor = getattr(page, "next_cursor", None)
            if not cursor:
                return
            fields = {**fields, "cursor": cursor}


class StreamOperation(Operation[P, str]):
    """An operation whose response is a stream. Calling it returns the whole text; `parts` yields each part as it arrives."""

    def parts(self, *args: P.args, **kwargs: P.kwargs) -> Iterator[dict[str, Any]]:
        client = self._connection.client
        try:
            response = client.send(self._request(client, self._fields(*args, **kwargs)), stream=True)
            with closing(response):
                if not response.is_success:
                    response.read()
                    _check(response)
                for line in response.iter_lines():
                    if line == _STREAM_END:
                        return
                    if line.startswith(_DATA):
                        yield json.loads(line.removeprefix(_DATA))
        except httpx.HTTPError as error:
            raise ApiError.from_exception(error)
        raise ApiError("unreachable", _STREAM_CUT)

    async def parts_async(self, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[dict[str, Any]]:
        client = self._connection.async_client
        try:
            response = await client.send(self._request(client, self._fields(*args, **kwargs)), stream=True)
            async with aclosing(response):
                if not response.is_success:
                    await response.aread()
                    _check(response)
                async for line in response.aiter_lines():
                    if line == _STREAM_END:
                        return
                    if line.startswith(_DATA):
                        yield json.loads(line.removeprefix(_DATA))
        except httpx.HTTPError as error:
            raise ApiError.from_exception(error)
        raise ApiError("unreachable", _STREAM_CUT)


_DATA = "data: "
_STREAM_END = "data: [DONE]"
_STREAM_CUT = "The connection was lost before the answer was complete."


def items_of(page: type[R], items: Callable[[R], Sequence[Item]]) -> Callable[[R], Sequence[Item]]:
    """The items of a page. The type of the page gives a type checker that of `items`, which is a lambda."""
    return items


def no_params() -> None:
    """The parameters of an operation that has none."""
