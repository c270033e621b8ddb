"""The reference pages of the command line and of the JSON report are those of the program."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext

ROOT = Path(__file__).parents[2]
_MADE_BY = {"command_line_page": "commands", "json_page": "tables"}


@pytest.fixture(params=_MADE_BY)
def made(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The page as it stands in docs, and what its script makes now."""
    script = ROOT / "scripts" / f"{request.param}.py"
    monkeypatch.syspath_prepend(script.parent)
    defined = runpy.run_path(str(script))
    return defined["PAGE"].read_text(encoding="utf-8"), defined[_MADE_BY[request.param]]()


def test_the_page_is_the_one_that_its_script_makes(made: tuple[str, str]) -> None:
    page, text = made
    assert f"begin -->\n{text}\n<!--" in page, "run the script that the page names"


def test_the_schemas_are_those_of_the_typed_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    defined = runpy.run_path(str(ROOT / "scripts" / "json_page.py"))
    found = {file.name: file.read_text(encoding="utf-8") for file, _ in defined["schemas"]()}
    assert len(found) == 5
    assert found == {file.name: text for file, text in defined["schemas"]()}


def test_every_field_has_a_meaning() -> None:
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    assert re.findall(r"^.*\|  \|$", text, re.MULTILINE) == []


def test_every_link_within_a_page_has_its_heading(made: tuple[str, str]) -> None:
    _, text = made
    headings = {f"#{name}" for name in re.findall(r"^#+ ([\w-]+)$", text, re.MULTILINE)}
    assert set(re.findall(r"\]\((#[\w-]+)\)", text)) <= headings


def test_an_option_that_is_added_is_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    defined: dict[str, Any] = runpy.run_path(str(ROOT / "scripts" / "command_line_page.py"))
    app = typer.Typer()

    @app.command()
    def greet(
        name: Annotated[str, typer.Argument(metavar="NAME", help="Who is greeted.")],
        times: Annotated[int, typer.Option("--times", "-n", metavar="N", help="a|b")] = 3,
        secret: Annotated[bool, typer.Option("--secret", hidden=True)] = False,
    ) -> None:
        """Greet.

        See --times.
        """

    text = defined["_command"]("greet", typer.main.get_command(app))
    assert "nnx-migrate greet [OPTIONS] NAME" in text
    assert "See `--times`." in text
    assert "| `NAME` | Who is greeted. | required |" in text
    assert "| `--times N`, `-n` | a\\|b | `3` |" in text
    assert "secret" not in text


def test_what_a_rule_gets_is_what_the_page_for_its_author_says() -> None:
    page = (ROOT / "docs" / "writing-rules.md").read_text(encoding="utf-8")
    named = re.findall(r"`(site|context)\.(\w+)", page)
    assert len(named) > 12
    has = {
        kind: {*dir(owner), *owner.__dataclass_fields__}
        for kind, owner in (("site", Site), ("context", FileContext))
    }
    assert [name for kind, name in named if name not in has[kind]] == []
