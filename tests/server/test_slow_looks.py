"""While a look takes long, what was found before is shown where its lines stand."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

import nnx_migrate
from tests.cli.conftest import TRAIN
from tests.server.test_server import FIX_ALL, actions, made, opened, told

#: A server that looks at a text that imports `slow` only when the file that it names is there.
_SERVER = """
import pathlib, re, time
from nnx_migrate.server.serving import MigrationServer, made_server

look = MigrationServer._migrate

def when_let(self, text, path, how):
    if gate := re.match("import slow  # (.*)", text):
        while not pathlib.Path(gate[1]).exists():
            time.sleep(0.01)
    return look(self, text, path, how)

MigrationServer._migrate = when_let
made_server({}).start_io()
"""


_STARTED = ClientServerConfig(
    server_command=[sys.executable, "-c", _SERVER], server_env=dict(os.environ)
)


@pytest_lsp.fixture(config=_STARTED)  # type: ignore[untyped-decorator]
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    """An editor that has started the server."""
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=types.ClientCapabilities())
    )
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=_STARTED)  # type: ignore[untyped-decorator]
async def resolving(lsp_client: LanguageClient) -> AsyncIterator[None]:
    """An editor that asks for the edit of an action when it is chosen."""
    support = types.ClientCodeActionResolveOptions(properties=["edit"])
    actions = types.CodeActionClientCapabilities(resolve_support=support)
    document = types.TextDocumentClientCapabilities(code_action=actions)
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=types.ClientCapabilities(text_document=document))
    )
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_findings_move_with_their_lines_until_the_look_ends(
    client: LanguageClient, tmp_path: Path
) -> None:
    text, gate = _two_steps(), tmp_path / "go"
    uri = await opened(client, tmp_path / "train.py", text)
    first, last = sorted(client.diagnostics[uri], key=lambda each: each.range.start.line)
    edited = text.replace("nnx.value_and_grad", "jax.value_and_grad", 1)
    _change(client, uri, f"import slow  # {gate}\n\n{edited}")
    await told(client)
    # The line of the first one was edited, so nothing is said of it before it is looked at.
    [moved] = client.diagnostics[uri]
    assert moved.range.start.line == last.range.start.line + 2
    assert moved.range.start.character == last.range.start.character
    assert moved.message == last.message
    places = [
        (each.location.range.start.line, each.message) for each in moved.related_information or ()
    ]
    was = [
        (each.location.range.start.line, each.message) for each in last.related_information or ()
    ]
    assert set(places) <= {(line + 2, message) for line, message in was}
    assert places
    gate.touch()
    assert await actions(client, uri, moved.range, "quickfix")
    assert moved in client.diagnostics[uri]
    assert first not in client.diagnostics[uri]


@pytest.mark.asyncio
@pytest.mark.parametrize("gone", [False, True])
async def test_rewrites_are_offered_at_once_and_made_when_chosen(
    resolving: LanguageClient, tmp_path: Path, gone: bool
) -> None:
    client, text, gate = resolving, _two_steps(), tmp_path / "go"
    uri = await opened(client, tmp_path / "train.py", text)
    _, last = sorted(client.diagnostics[uri], key=lambda each: each.range.start.line)
    edited = f"import slow  # {gate}\n\n{text}"
    if gone:
        # The line of the second one stands, and means another thing.
        edited = edited.replace("from flax import nnx", "import jax as nnx")
    _change(client, uri, edited)
    await told(client)
    [moved] = [each for each in client.diagnostics[uri] if each.range.start.line > 20]
    assert moved.range.start.line == last.range.start.line + 2
    [fix] = await actions(client, uri, moved.range, "quickfix")
    assert fix.edit is None
    assert [each.range for each in fix.diagnostics or ()] == [moved.range]
    [whole] = await actions(client, uri, moved.range, FIX_ALL)
    assert whole.edit is None
    gate.touch()
    chosen = await client.code_action_resolve_async(fix)
    if gone:
        assert chosen.edit is None
        [message] = client.messages
        assert "nothing to rewrite here any more" in message.message
        return
    migrated = nnx_migrate.migrate_text(edited, tmp_path / "train.py").text
    assert made(edited, chosen).count("nnx.merge") == 1
    assert migrated.count("nnx.merge") == 2
    assert made(edited, await client.code_action_resolve_async(whole)) == migrated


def _two_steps() -> str:
    text = TRAIN.decode()
    second = text.split("\n\n\n")[-1].replace("train_step", "eval_step")
    return f"{text}\n\n{second}"


def _change(client: LanguageClient, uri: str, text: str) -> None:
    change = types.TextDocumentContentChangeWholeDocument(text)
    identifier = types.VersionedTextDocumentIdentifier(2, uri)
    client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
