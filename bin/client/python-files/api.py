"""The client: the operations of the service, and what several of them do together."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, Protocol, TypeVar

from . import operations
from .errors import ApiError
from .models import (
    BlockListImport,
    CreateBlockListImportParamsMode,
    CreateBlockListImportResponse,
    CreateDocumentUploadsParamsFilesItem,
    CreateDocumentUploadsResponse,
    CreateDocumentUploadsResponseUploadsItem,
    Document,
    Erasure,
    RefusedFile,
    Website,
)
from .limits import RequestLimits
from .requests import Connection
from .types import UNSET, Unset


@dataclass(frozen=True)
class UploadedDocument:
    """A document whose file was uploaded, and is being read."""

    document_id: str
    name: str


@dataclass(frozen=True)
class UploadResult:
    """The documents of the uploaded files, and the files that are not accepted."""

    documents: list[UploadedDocument]
    failed: list[RefusedFile]
    #: The presigned forms by which the files were sent.
    uploads: list[CreateDocumentUploadsResponseUploadsItem] = field(repr=False)


class Documents(operations.Documents):
    """The operations `documents` of a client, uploads of files, and waiting for their texts."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._connection = connection

    def upload_files(
        self, agent_id: str, files: Sequence[str | os.PathLike[str]], *, uid: str | Unset = UNSET
    ) -> UploadResult:
        """Uploads up to 10 files of up to 10 MB each. `documents` has their documents, `failed` the files that are not accepted."""
        contents = [(Path(file).name, Path(file).read_bytes()) for file in files]
        response = self.create_uploads(agent_id=agent_id, files=_sizes(contents), uid=uid)
        for form in _forms(response, contents):
            self._connection.send_form(*form)
        return _uploaded(response)

    async def upload_files_async(
        self, agent_id: str, files: Sequence[str | os.PathLike[str]], *, uid: str | Unset = UNSET
    ) -> UploadResult:
        contents = [(Path(file).name, Path(file).read_bytes()) for file in files]
        response = await self.create_uploads.asyncio(agent_id=agent_id, files=_sizes(contents), uid=uid)
        for form in _forms(response, contents):
            await self._connection.send_form_async(*form)
        return _uploaded(response)

    def wait_until_ready(
        self, agent_id: str, document_id: str, *, uid: str | Unset = UNSET, max_wait_seconds: float = 600.0
    ) -> Document:
        """Waits until the text of a document has been read and its status is `ready` or `failed`. The result does not contain the texts."""

        def read() -> Document:
            for document in self.list.items(agent_id=agent_id, content=False, uid=uid):
                if document.id == document_id:
                    return document
            _raise_not_found("document", document_id)

        return _wait_for_end(read, max_wait_seconds)

    async def wait_until_ready_async(
        self, agent_id: str, document_id: str, *, uid: str | Unset = UNSET, max_wait_seconds: float = 600.0
    ) -> Document:
        async def read() -> Document:
            async for document in self.list.items_async(agent_id=agent_id, content=False, uid=uid):
                if document.id == document_id:
                    return document
            _raise_not_found("document", document_id)

        return await _wait_for_end_async(read, max_wait_seconds)


class Websites(operations.Websites):
    """The operations `websites` of a client, and waiting for their pages."""

    def wait_until_ready(
        self, agent_id: str, website_id: str, *, uid: str | Unset = UNSET, max_wait_seconds: float = 600.0
    ) -> Website:
        """Waits until a website has been read and its status is `ready` or `failed`. The result does not contain the texts."""

        def read() -> Website:
            for website in self.list.items(agent_id=agent_id, content=False, uid=uid):
                if website.id == website_id:
                    return website
            _raise_not_found("website", website_id)

        return _wait_for_end(read, max_wait_seconds)

    async def wait_until_ready_async(
        self, agent_id: str, website_id: str, *, uid: str | Unset = UNSET, max_wait_seconds: float = 600.0
    ) -> Website:
        async def read() -> Website:
            async for website in self.list.items_async(agent_id=agent_id, content=False, uid=uid):
                if website.id == website_id:
                    return website
            _raise_not_found("website", website_id)

        return await _wait_for_end_async(read, max_wait_seconds)


class BlockList(operations.BlockList):
    """The operations `block_list` of a client, and imports of files."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._connection = connection

    def import_file(
        self,
        file: str | os.PathLike[str],
        *,
        agent_id: str | Unset = UNSET,
        mode: CreateBlockListImportParamsMode = "add",
        reason: str | Unset = UNSET,
        uid: str | Unset = UNSET,
    ) -> CreateBlockListImportResponse:
        """Creates an import and uploads its file, of up to 64 MB. `wait_until_imported` waits for its end."""
        content = Path(file).read_bytes()
        response = self.create_import(size=len(content), agent_id=agent_id, mode=mode, reason=reason, uid=uid)
        self._connection.send_form(response.url, response.fields.to_dict(), "numbers", content)
        return response

    async def import_file_async(
        self,
        file: str | os.PathLike[str],
        *,
        agent_id: str | Unset = UNSET,
        mode: CreateBlockListImportParamsMode = "add",
        reason: str | Unset = UNSET,
        uid: str | Unset = UNSET,
    ) -> CreateBlockListImportResponse:
        content = Path(file).read_bytes()
        create = self.create_import.asyncio
        response = await create(size=len(content), agent_id=agent_id, mode=mode, reason=reason, uid=uid)
        await self._connection.send_form_async(response.url, response.fields.to_dict(), "numbers", content)
        return response

    def wait_until_imported(
        self, import_id: str, *, uid: str | Unset = UNSET, max_wait_seconds: float = 600.0
    ) -> BlockListImport:
        """Waits until a file of numbers has been imported and the status of its import is `done` or `failed`."""
        return _wait_for_end(lambda: self.get_import(import_id=import_id, uid=uid), max_wait_seconds)

    async def wait_until_imported_async(
        self, import_id: str, *, uid: str | Unset = UNSET, max_wait_seconds: float = 600.0
    ) -> BlockListImport:
        return await _wait_for_end_async(lambda: self.get_import.asyncio(import_id=import_id, uid=uid), max_wait_seconds)


class Erasures(operations.Erasures):
    """The operations `erasures` of a client, and waiting for their end."""

    def wait_until_done(self, erasure_id: str, *, uid: str | Unset = UNSET, max_wait_seconds: float = 600.0) -> Erasure:
        """Waits until a person has been erased and the status of the erasure is `done` or `failed`."""
        return _wait_for_end(lambda: self.get(erasure_id=erasure_id, uid=uid), max_wait_seconds)

    async def wait_until_done_async(
        self, erasure_id: str, *, uid: str | Unset = UNSET, max_wait_seconds: float = 600.0
    ) -> Erasure:
        return await _wait_for_end_async(lambda: self.get.asyncio(erasure_id=erasure_id, uid=uid), max_wait_seconds)


class Api(operations.Api):
    """A client of the service, with its operations by group."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.documents: Documents = Documents(connection)
        self.websites: Websites = Websites(connection)
        self.block_list: BlockList = BlockList(connection)
        self.erasures: Erasures = Erasures(connection)

    @property
    def limits(self) -> RequestLimits | None:
        """What the latest response says about the limit of the key, and about a wait. None before the first one."""
        return self._connection.limits


def _sizes(contents: Sequence[tuple[str, bytes]]) -> list[CreateDocumentUploadsParamsFilesItem]:
    return [CreateDocumentUploadsParamsFilesItem(name=name, size=len(content)) for name, content in contents]


def _forms(
    response: CreateDocumentUploadsResponse, contents: Sequence[tuple[str, bytes]]
) -> Iterator[tuple[str, Mapping[str, Any], str, bytes]]:
    """The forms of the accepted files, which are in the order of the files. Two files may have one name."""
    waiting = list(contents)
    for upload in response.uploads:
        index = next((index for index, (name, _) in enumerate(waiting) if name == upload.name), 0)
        name, content = waiting.pop(index)
        yield upload.url, upload.fields.to_dict(), name, content


def _uploaded(response: CreateDocumentUploadsResponse) -> UploadResult:
    documents = [UploadedDocument(upload.document_id, upload.name) for upload in response.uploads]
    return UploadResult(documents, response.failed, response.uploads)


def _raise_not_found(kind: str, identifier: str) -> NoReturn:
    raise ApiError(f"{kind}_not_found", f"There is no {kind} {identifier}.", status=404)


class _State(Protocol):
    @property
    def status(self) -> str: ...


StateT = TypeVar("StateT", bound=_State)

_END_STATUSES = ("ready", "done", "failed")


def _pauses(max_wait_seconds: float) -> Iterator[float]:
    """The seconds between two reads of a state, more and more, until `max_wait_seconds` have passed."""
    end = time.monotonic() + max_wait_seconds
    pause = 0.2
    while time.monotonic() + pause <= end:
        yield pause
        pause = min(pause * 1.5, 3.0)


def _timeout(state: _State, max_wait_seconds: float) -> ApiError:
    return ApiError("timeout", f"The status is still {state.status} after {max_wait_seconds:g} seconds.")


def _wait_for_end(read: Callable[[], StateT], max_wait_seconds: float) -> StateT:
    """Reads a state again and again, at longer and longer intervals."""
    state = read()
    for pause in _pauses(max_wait_seconds):
        if state.status in _END_STATUSES:
            return state
        time.sleep(pause)
        state = read()
    if state.status not in _END_STATUSES:
        raise _timeout(state, max_wait_seconds)
    return state


async def _wait_for_end_async(read: Callable[[], Awaitable[StateT]], max_wait_seconds: float) -> StateT:
    state = await read()
    for pause in _pauses(max_wait_seconds):
        if state.status in _END_STATUSES:
            return state
        await asyncio.sleep(pause)
        state = await read()
    if state.status not in _END_STATUSES:
        raise _timeout(state, max_wait_seconds)
    return state
