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

from tests.cli.conftest import TRAIN
from tests.server.test_server import actions, opened, told

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


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    config=ClientServerConfig(
        server_command=[sys.executable, "-c", _SERVER], server_env=dict(os.environ)
    )
)
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    """An editor that has started the server."""
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=types.ClientCapabilities())
    )
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_findings_move_with_their_lines_until_the_look_ends(
    client: LanguageClient, tmp_path: Path
) -> None:
    text, gate = TRAIN.decode(), tmp_path / "go"
    second = text.split("\n\n\n")[-1].replace("train_step", "eval_step")
    text = f"{text}\n\n{second}"
    uri = await opened(client, tmp_path / "train.py", text)
    first, last = sorted(client.diagnostics[uri], key=lambda each: each.range.start.line)
    edited = text.replace("nnx.value_and_grad", "jax.value_and_grad", 1)
    change = types.TextDocumentContentChangeWholeDocument(f"import slow  # {gate}\n\n{edited}")
    identifier = types.VersionedTextDocumentIdentifier(2, uri)
    client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
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
