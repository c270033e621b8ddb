"""The language server: it keeps what it knows of the project, and answers for open files.

One thread does all the work, since the analysis is for one; the loop of the server goes on
answering meanwhile. A text that changes again before its turn is not looked at. Where a look takes
long, the findings of the last one are published for the lines that still stand, and their rewrites
are offered: what each edits is found out when it is chosen.

After an edit that other files feel, findings are published twice: at once, by what was known of the
other files before, and when the writer has stopped, by what is found out about them anew. Rewrites
are offered after that. A file that is opened is looked at twice, too: the second look tells apart
what edits of it leave as it is.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Mapping, Sequence
from pathlib import Path

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

import nnx_migrate
from nnx_migrate.api.choices import Choices
from nnx_migrate.api.migrating import migrate_text
from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.engine.projects.known import KnownFiles, Look
from nnx_migrate.server.answers import FIX_ALL, SOURCE, Answers
from nnx_migrate.server.tidying import Tidying
from nnx_migrate.sources.config_values import ConfigError

#: Seconds without a key, before a text that is being typed is looked at.
_PAUSE = 0.3
#: Seconds without a key, before other files are looked at anew, for which a next edit has to wait.
_REST = 1.0
#: Seconds that a look may take, before what was found before is published meanwhile: with the pause
#: before it, less than one.
_PATIENCE = 0.5
#: Said where a rewrite was offered by what was found before, and chosen.
_GONE = "there is nothing to rewrite here any more; see the findings of the file as it is now"
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
        self._latest = ""
        self._tidying = Tidying(self._thread)

    def look(self, uri: str, pause: float = 0, *, hasty: bool = False) -> None:
        """Look at a text, and publish what comes of it.

        Args:
            uri: names it.
            pause: seconds in which it may change again.
            hasty: publish what can be told at once, too.
        """
        if hasty:
            self._latest = uri
        self._tidying.put_off()
        before = self._tasks.get(uri)
        if before is not None:
            before.cancel()
        self._tasks[uri] = asyncio.ensure_future(self._looked(uri, pause, hasty=hasty))

    def look_at_all(self) -> None:
        """Look at all open texts again: what one says depends on the others."""
        for uri in list(self._tasks):
            self.look(uri)

    def typed(self, uri: str) -> None:
        """Look at a text when its writer pauses."""
        self.look(uri, self._pause, hasty=True)

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

    async def actions(
        self, uri: str, asked: types.Range, only: Sequence[str] | None
    ) -> list[types.CodeAction]:
        """The rewrites of a range; without their edits where a look takes long.

        Args:
            uri: names the text.
            asked: the range.
            only: kinds of actions; None for any.
        """
        last = self._last.get(uri)
        patience = None if last is None or not self._resolves else _PATIENCE
        looked = asyncio.ensure_future(self.answers(uri))
        await asyncio.wait([looked], timeout=patience)
        if last is None or looked.done():
            found = await looked
            return [] if found is None else found.actions(asked, only)
        document = self.workspace.get_text_document(uri)
        offered = last.actions_later(document.source, asked, only)
        for each in offered:
            each.data = {"uri": uri, "version": document.version}
        return offered

    async def resolved(self, action: types.CodeAction) -> types.CodeAction:
        """An action with its edit, which may be none: the text, or what is known, has changed."""
        if action.edit is None and isinstance(action.data, Mapping):
            found = await self.answers(str(action.data["uri"]))
            if found is not None and found.version == action.data["version"]:
                action.edit = found.edit_of(action)
            if action.edit is None:
                self._show(types.MessageType.Info, _GONE)
        return action

    @property
    def _resolves(self) -> bool:
        """Whether the editor asks for the edit of an action when it is chosen."""
        known = get_capability(
            self.client_capabilities,
            "text_document.code_action.resolve_support.properties",
            [],
        )
        return "edit" in (known or ())

    async def hover(self, uri: str, position: types.Position) -> types.Hover | None:
        """The page of a rule, at once where its line stands as it was when it was looked at."""
        last, text = self._last.get(uri), self.workspace.get_text_document(uri).source
        page = None if last is None else last.hover_later(text, position)
        if page is None and (found := await self.answers(uri)) is not None:
            page = found.hover(position)
        return page

    async def _looked(self, uri: str, pause: float, *, hasty: bool) -> Answers | None:
        await asyncio.sleep(pause)
        path = to_fs_path(uri)
        if path is None:
            return None
        found = await self._looked_at(uri, Path(path), hasty=hasty)
        self._tidying.later()
        return found

    async def _looked_at(self, uri: str, path: Path, *, hasty: bool) -> Answers | None:
        if not hasty:
            return (await self._answered(uri, path, Look.WHOLE))[0]
        found, is_preliminary = await self._answered(uri, path, Look.AT_ONCE)
        if is_preliminary:
            await asyncio.sleep(_REST)
            # Who goes through many files edits the last of them.
            look = Look.FOR_EDITS if uri == self._latest else Look.WHOLE
            found, _ = await self._answered(uri, path, look)
        return found

    async def _answered(self, uri: str, path: Path, look: Look) -> tuple[Answers | None, bool]:
        """Publish what comes of a text; with whether that is preliminary."""
        document = self.workspace.get_text_document(uri)
        text, version = document.source, document.version
        loop = asyncio.get_running_loop()
        moved = loop.call_later(_PATIENCE, self._publish_moved, uri, version, text)
        try:
            result, is_preliminary = await loop.run_in_executor(
                self._thread, self._migrate, text, path, look
            )
        except ConfigError as error:
            self._complain(str(error))
            self._publish(uri, version, [])
            return None, False
        finally:
            moved.cancel()
        self._told = ""
        if is_preliminary and result.status is FileStatus.FAILED:
            return None, True  # what was known of other files may not fit
        found = Answers(uri, version, text, result, self.workspace.position_codec)
        self._last[uri] = found
        self._publish(uri, version, found.diagnostics())
        return found, is_preliminary

    def _publish_moved(self, uri: str, version: int | None, text: str) -> None:
        """Publish what was found before, on the lines that still stand, while a look takes long."""
        last = self._last.get(uri)
        if last is not None and last.text != text:
            self._publish(uri, version, last.diagnostics_later(text))

    def _migrate(self, text: str, path: Path, look: Look) -> tuple[FileResult, bool]:
        self._known.look = look
        result = migrate_text(text, path, known=self._known, **self._choices)
        return result, self._known.is_preliminary

    def _publish(self, uri: str, version: int | None, diagnostics: list[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=diagnostics)
        )

    def _complain(self, message: str) -> None:
        """Show a message, once and not for each file."""
        if message != self._told:
            self._told = message
            self._show(types.MessageType.Error, message)

    def _show(self, kind: types.MessageType, message: str) -> None:
        self.window_show_message(types.ShowMessageParams(kind, f"{SOURCE}: {message}"))


def made_server(choices: Choices) -> MigrationServer:
    """A server that answers an editor.

    Args:
        choices: what was chosen on the command line.
    """
    server = MigrationServer(choices)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.look(params.text_document.uri, hasty=True)

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
        types.CodeActionOptions(
            code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL], resolve_provider=True
        ),
    )
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        asked = params.context.only
        only = None if asked is None else [_value(kind) for kind in asked]
        return await server.actions(params.text_document.uri, params.range, only)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolved(action: types.CodeAction) -> types.CodeAction:
        return await server.resolved(action)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await server.hover(params.text_document.uri, params.position)

    return server


def _value(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind
