"""`nnx-migrate server`, started and asked as an editor does it."""

from __future__ import annotations

import asyncio
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

COMMAND = str(Path(sys.executable).with_name("nnx-migrate"))
NOWHERE = types.Range(types.Position(0, 0), types.Position(0, 0))
FIX_ALL = "source.fixAll.nnx-migrate"


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    config=ClientServerConfig(server_command=[COMMAND, "server"], server_env=dict(os.environ))
)
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    """An editor that has started the server."""
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=types.ClientCapabilities())
    )
    yield
    await lsp_client.shutdown_session()


async def opened(client: LanguageClient, path: Path, text: str) -> str:
    """Open a text, and wait for what is said of it."""
    waited = told(client)
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(
            types.TextDocumentItem(path.as_uri(), types.LanguageKind.Python, 1, text)
        )
    )
    await waited
    return path.as_uri()


async def told(client: LanguageClient) -> None:
    """Wait until something is said of a text."""
    waited = client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    await asyncio.wait_for(waited, 120)


async def actions(
    client: LanguageClient, uri: str, where: types.Range, kind: str
) -> list[types.CodeAction]:
    """What an editor offers for a range."""
    context = types.CodeActionContext([], only=[kind])
    found = await client.text_document_code_action_async(
        types.CodeActionParams(types.TextDocumentIdentifier(uri), where, context)
    )
    return [each for each in found or () if isinstance(each, types.CodeAction)]


def place(where: types.Position) -> tuple[int, int]:
    return where.line, where.character


def made(text: str, action: types.CodeAction) -> str:
    """A text with the edits of an action, columns in UTF-16 as the protocol has them."""
    assert action.edit is not None
    assert action.edit.document_changes is not None
    [document] = action.edit.document_changes
    assert isinstance(document, types.TextDocumentEdit)
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]

    def offset(position: types.Position) -> int:
        units = lines[position.line].encode("utf-16-le")[: 2 * position.character]
        return starts[position.line] + len(units.decode("utf-16-le"))

    ordered = sorted(document.edits, key=lambda each: place(each.range.start))
    for edit in reversed(ordered):
        assert isinstance(edit, types.TextEdit)
        start, end = offset(edit.range.start), offset(edit.range.end)
        text = text[:start] + edit.new_text + text[end:]
    return text


@pytest.mark.asyncio
async def test_findings_rewrites_and_rule_pages(client: LanguageClient, tmp_path: Path) -> None:
    # A character that is two units wide for an editor stands in front of what is rewritten.
    text = TRAIN.decode().replace("loss, grads = nnx", "_ = '🦊'; loss, grads = nnx")
    uri = await opened(client, tmp_path / "train.py", text)
    [found] = client.diagnostics[uri]
    assert (found.code, found.source) == ("module-gradient", "nnx-migrate")
    assert found.severity is types.DiagnosticSeverity.Warning
    line = text.split("\n")[found.range.start.line].encode("utf-16-le")
    meant = line[2 * found.range.start.character : 2 * found.range.end.character]
    assert meant.decode("utf-16-le") == "nnx.value_and_grad"
    assert found.related_information
    assert {each.location.uri for each in found.related_information} == {uri}
    whole = nnx_migrate.migrate_text(text, tmp_path / "train.py").text
    [fix] = await actions(client, uri, found.range, "quickfix")
    assert fix.title == "Rewrite for tree mode (module-gradient)"
    assert fix.is_preferred
    assert whole != text
    assert made(text, fix) == whole
    assert await actions(client, uri, NOWHERE, "quickfix") == []
    [fix_all] = await actions(client, uri, NOWHERE, "source.fixAll")
    assert fix_all.kind == FIX_ALL
    assert made(text, fix_all) == whole
    asked = types.HoverParams(types.TextDocumentIdentifier(uri), found.range.start)
    page = await client.text_document_hover_async(asked)
    assert page is not None
    assert isinstance(page.contents, types.MarkupContent)
    assert found.message in page.contents.value
    assert "Why it matters" in page.contents.value


@pytest.mark.asyncio
async def test_a_text_that_changes_is_looked_at_again(
    client: LanguageClient, tmp_path: Path
) -> None:
    text = TRAIN.decode()
    uri = await opened(client, tmp_path / "train.py", text)
    assert len(client.diagnostics[uri]) == 1
    [fix] = await actions(client, uri, NOWHERE, FIX_ALL)
    identifier = types.VersionedTextDocumentIdentifier(2, uri)
    change = types.TextDocumentContentChangeWholeDocument(made(text, fix))
    client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
    # Asked at once, the answer is about the new text.
    assert await actions(client, uri, NOWHERE, FIX_ALL) == []
    assert not client.diagnostics[uri]


@pytest.mark.asyncio
async def test_a_hover_does_not_wait_for_a_text_that_is_typed(
    client: LanguageClient, tmp_path: Path
) -> None:
    text = TRAIN.decode()
    uri = await opened(client, tmp_path / "train.py", text)
    before = client.diagnostics[uri]
    [found] = before
    identifier = types.VersionedTextDocumentIdentifier(2, uri)
    change = types.TextDocumentContentChangeWholeDocument(f"import os\n\n{text}")
    waited = asyncio.ensure_future(told(client))
    client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
    start = types.Position(found.range.start.line + 2, found.range.start.character)
    asked = types.HoverParams(types.TextDocumentIdentifier(uri), start)
    page = await client.text_document_hover_async(asked)
    assert client.diagnostics[uri] is before
    assert page is not None
    assert page.range is not None
    assert page.range.start == start
    await waited
    [moved] = client.diagnostics[uri]
    assert moved.range == page.range
    assert await client.text_document_hover_async(asked) == page
    # A line that is new has to be looked at first.
    gone = text.replace("nnx.value_and_grad", "jax.value_and_grad")
    change = types.TextDocumentContentChangeWholeDocument(f"import os\n\n{gone}")
    identifier = types.VersionedTextDocumentIdentifier(3, uri)
    client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
    await client.text_document_hover_async(asked)
    assert moved not in client.diagnostics[uri]


@pytest.mark.asyncio
async def test_each_site_has_a_fix_of_its_own(client: LanguageClient, tmp_path: Path) -> None:
    second = TRAIN.decode().split("\n\n\n")[-1].replace("train_step", "eval_step")
    text = TRAIN.decode() + "\n\n" + second
    uri = await opened(client, tmp_path / "train.py", text)
    first, last = sorted(client.diagnostics[uri], key=lambda each: place(each.range.start))
    [fix] = await actions(client, uri, last.range, "quickfix")
    changed = made(text, fix)
    assert changed.startswith(TRAIN.decode())
    assert changed.count("nnx.split(model") == 1
    assert list(fix.diagnostics or ()) == [last]
    [other] = await actions(client, uri, first.range, "quickfix")
    assert made(text, other).endswith(second)


@pytest.mark.asyncio
async def test_what_another_file_says_counts_when_it_is_saved(
    client: LanguageClient, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    text = (
        "from flax import nnx\n\n\ndef loss(model, x):\n    return model(x).sum()\n\n\n"
        "def step(model, x):\n    return nnx.grad(loss)(model, x)\n"
    )
    steps = tmp_path / "steps.py"
    steps.write_text(text)
    uri = await opened(client, steps, text)
    before = client.diagnostics[uri]
    (tmp_path / "calls.py").write_text(
        "from flax import nnx\nfrom steps import step\n\n"
        "def run(batch):\n    return step(nnx.Linear(2, 1, rngs=nnx.Rngs(0)), batch)\n"
    )
    identifier = types.TextDocumentIdentifier(uri)
    waited = told(client)
    client.text_document_did_save(types.DidSaveTextDocumentParams(identifier))
    await waited
    assert client.diagnostics[uri] != before


@pytest.mark.asyncio
async def test_what_other_files_feel_is_told_at_once_and_then_again(
    client: LanguageClient, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "lib.py").write_text("def touch(model):\n    model.grow()\n")
    text = """\
from flax import nnx

import lib


class Net(nnx.Module):
    def __init__(self, rngs):
        self.layer = nnx.Linear(2, 2, rngs=rngs)

    def grow(self):
        pass


@nnx.jit
def step(model: Net, x):
    lib.touch(model)
    return model.layer(x)
"""
    uri = await opened(client, tmp_path / "main.py", text)
    assert not client.diagnostics[uri]
    grown = text.replace("        pass\n", "        self.more = nnx.Param(1)\n")
    identifier = types.VersionedTextDocumentIdentifier(2, uri)
    change = types.TextDocumentContentChangeWholeDocument(grown)
    waited = asyncio.ensure_future(told(client))
    client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
    await waited
    # At once: what `lib` does to a model is what it was.
    assert not client.diagnostics[uri]
    [fix] = await actions(client, uri, NOWHERE, FIX_ALL)
    [found] = client.diagnostics[uri]
    assert found.code == "structural-update"
    assert made(grown, fix) == nnx_migrate.migrate_text(grown, tmp_path / "main.py").text


@pytest.mark.asyncio
async def test_configuration_that_cannot_be_obeyed_is_shown(
    client: LanguageClient, tmp_path: Path
) -> None:
    (tmp_path / "nnx-migrate.toml").write_text("unsave = true\n")
    uri = await opened(client, tmp_path / "train.py", TRAIN.decode())
    assert not client.diagnostics[uri]
    [message] = client.messages
    assert "nnx-migrate.toml: has no key 'unsave'; did you mean 'unsafe'?" in message.message


@pytest.mark.asyncio
async def test_a_text_that_is_being_typed_is_an_error_and_no_end(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = await opened(client, tmp_path / "train.py", "from flax import nnx\nnnx.jit(\n")
    [found] = client.diagnostics[uri]
    assert found.severity is types.DiagnosticSeverity.Error
    assert await actions(client, uri, found.range, "quickfix") == []
    waited = told(client)
    client.text_document_did_close(
        types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
    )
    await waited
    assert not client.diagnostics[uri]
