"""The language server: it keeps what it knows of the project, and answers for open files.

One thread does all the work, since the analysis is for one; the loop of the server goes on
answering meanwhile. A text that changes again before its turn is not looked at.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

import nnx_migrate
from nnx_migrate.api.choices import Choices
from nnx_migrate.api.migrating import migrate_text
from nnx_migrate.engine.projects.known import KnownFiles
from nnx_migrate.server.answers import FIX_ALL, SOURCE, Answers
from nnx_migrate.sources.config_values import ConfigError

#: Seconds without a key, before a text that is being typed is looked at.
_PAUSE = 0.3
#: Of so many files, those that were edited last, it is kept what holds whatever they say.
_EDITED = 2


class MigrationServer(LanguageServer):
    """What is open, and what is known of it.

    Args:
        choices: what was chosen on the command line.
        pause: seconds to wait for the next change of a text.
    """

    def __init__(self, choices: Choices, pause: float = _PAUSE) -> None:
        super().__init__(
            SOURCE,
            nnx_migrate.__version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
        )
        self._choices = choices
        self._pause = pause
        self._known = KnownFiles(edited=_EDITED)
        self._thread = concurrent.futures.ThreadPoolExecutor(1, "nnx-migrate")
        self._tasks: dict[str, asyncio.Task[Answers | None]] = {}
        self._last: dict[str, Answers] = {}
        self._told = ""

    def look(self, uri: str, pause: float = 0) -> None:
        """Look at a text, and publish what comes of it.

        Args:
            uri: names it.
            pause: seconds in which it may change again.
        """
        before = self._tasks.get(uri)
        if before is not None:
            before.cancel()
        self._tasks[uri] = asyncio.ensure_future(self._looked(uri, pause))

    def look_at_all(self) -> None:
        """Look at all open texts again: what one says depends on the others."""
        for uri in list(self._tasks):
            self.look(uri)

    def typed(self, uri: str) -> None:
        """Look at a text when its writer pauses."""
        self.look(uri, self._pause)

    def forget(self, uri: str) -> None:
        """Say nothing more of a text that was closed."""
        task = self._tasks.pop(uri, None)
        if task is not None:
            task.cancel()
        self._last.pop(uri, None)
        self._publish(uri, None, [])

    async def answers(self, uri: str) -> Answers | None:
        """What is known of a text as it is now; None where it cannot be looked at."""
        while (task := self._tasks.get(uri)) is not None:
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                if self._tasks.get(uri) is task:
                    raise
        return None

    async def hover(self, uri: str, position: types.Position) -> types.Hover | None:
        """The page of a rule, at once where its line stands as it was when it was looked at."""
        last, text = self._last.get(uri), self.workspace.get_text_document(uri).source
        page = None if last is None else last.hover_later(text, position)
        if page is None and (found := await self.answers(uri)) is not None:
            page = found.hover(position)
        return page

    async def _looked(self, uri: str, pause: float) -> Answers | None:
        await asyncio.sleep(pause)
        path = to_fs_path(uri)
        if path is None:
            return None
        document = self.workspace.get_text_document(uri)
        text, version = document.source, document.version
        loop = asyncio.get_running_loop()
        try:
            result = await loop.run_in_executor(self._thread, self._migrate, text, Path(path))
        except ConfigError as error:
            self._complain(str(error))
            self._publish(uri, version, [])
            return None
        self._told = ""
        found = Answers(uri, version, text, result, self.workspace.position_codec)
        self._last[uri] = found
        self._publish(uri, version, found.diagnostics())
        return found

    def _migrate(self, text: str, path: Path) -> nnx_migrate.FileResult:
        return migrate_text(text, path, known=self._known, **self._choices)

    def _publish(self, uri: str, version: int | None, diagnostics: list[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=diagnostics)
        )

    def _complain(self, message: str) -> None:
        """Show a message, once and not for each file."""
        if message != self._told:
            self._told = message
            self.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, f"{SOURCE}: {message}")
            )


def made_server(choices: Choices) -> MigrationServer:
    """A server that answers an editor.

    Args:
        choices: what was chosen on the command line.
    """
    server = MigrationServer(choices)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.look(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.typed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.look_at_all()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.forget(params.text_document.uri)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL]),
    )
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        found = await server.answers(params.text_document.uri)
        asked = params.context.only
        only = None if asked is None else [_value(kind) for kind in asked]
        return [] if found is None else found.actions(params.range, only)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await server.hover(params.text_document.uri, params.position)

    return server


def _value(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind
