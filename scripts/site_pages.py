"""Pages of the documentation site that are made of the rules themselves and their golden pairs."""

from __future__ import annotations

import ast
import difflib
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from nnx_migrate.rewrite.model.registry import rule_entries

ROOT = Path(__file__).parent.parent
_RULED = re.compile(r"^(?P<title>\S.*)\n-{3,}$", re.MULTILINE)
_CODE = re.compile(r"(?:^ {4}.*\n(?:[ \t]*\n)*)+", re.MULTILINE)
_ENTRY = re.compile(r"^### (\S+)$", re.MULTILINE)
_NAMED = re.compile(
    r"(?P<kept>```.*?```|`[^`\n]*`|\[[^\]\n]*\]\([^)\n]*\))|\b(?P<entry>[A-Z]{3}-[0-9A-Z]{1,2})\b",
    re.DOTALL,
)
#: What a manual page says of the entries that it names, where there are no links.
_PAGE_NAMED = re.compile(r"docs/semantics\.md:\s+")
_REFERENCE = re.compile(r"^Reference: (\S+)", re.MULTILINE)


def rule_pages() -> Mapping[str, str]:
    """The page of every rule, and one that lists them, as Markdown by path in the site."""
    manuals = {name: entry.manual() for name, entry in sorted(rule_entries().items())}
    pages = {f"rules/{name}.md": _rule_page(name, text) for name, text in manuals.items()}
    rows = [
        f"| [`{name}`]({name}.md) | {_summary(text)} | {len(list(_cases(name)))} |"
        for name, text in manuals.items()
    ]
    head = "# Rules\n\nEvery rule with its manual page and its golden pairs: programs that the "
    head += (
        "tests run before and after, in both modes.\n\n| rule | finds | pairs |\n|---|---|--:|\n"
    )
    return {"rules/index.md": head + "\n".join(rows) + "\n", **pages}


def linked(text: str, page: str) -> str:
    """A page with links where it names entries of docs/semantics.md, code and links left out.

    Args:
        text: the page, as Markdown.
        page: the path from there to semantics.md.
    """
    source = (ROOT / "docs" / "semantics.md").read_text(encoding="utf-8")
    entries = frozenset(_ENTRY.findall(source))

    def link(found: re.Match[str]) -> str:
        entry = found["entry"]
        return f"[{entry}]({page}#{entry.lower()})" if entry in entries else found[0]

    return _NAMED.sub(link, text)


def smallest_rule() -> str:
    """The shortest rule of the pack without its manual page, as a code block."""
    files = (ROOT / "codemods" / "nnx_codemods").glob("[a-z]*.py")
    texts = [file.read_text(encoding="utf-8") for file in files]
    return f"```python\n{min(map(_without_docstring, texts), key=len)}\n```"


def _rule_page(name: str, manual: str) -> str:
    summary, _, body = manual.partition("\n")
    body = _CODE.sub(_fenced, _RULED.sub(r"## \g<title>", body).strip() + "\n")
    body = _REFERENCE.sub(r"Reference: <\1>", body)
    parts = [f"# {name}", summary.strip(), body, "## Golden pairs", *_cases(name)]
    text = _PAGE_NAMED.sub("", "\n\n".join(parts))
    return linked(text, "../semantics.md") + "\n"


def _cases(rule: str) -> Iterator[str]:
    """A block for each golden pair that opens on a click: why it is there, and what is changed."""
    for folder in sorted((ROOT / "golden" / rule).iterdir()):
        expected = folder / "expect.toml"
        if not expected.is_file():
            continue
        why = tomllib.loads(expected.read_text(encoding="utf-8")).get("why", "")
        body = f"{why}\n\n" if why else ""
        difference = _difference(folder)
        body += f"```diff\n{difference}```" if difference else "Left alone."
        yield f'??? example "{folder.name}"\n\n{textwrap.indent(body, "    ")}'


def _difference(folder: Path) -> str:
    before = _files(folder, "before")
    after = _files(folder, "after")
    return "".join(
        line if line.endswith("\n") else f"{line}\n"
        for name, text in before.items()
        for line in difflib.unified_diff(
            text.splitlines(keepends=True), after[name].splitlines(keepends=True), name, name, n=4
        )
    )


def _files(folder: Path, side: str) -> dict[str, str]:
    """The files of a side by name: `before.py` alone, or a folder `before` with several."""
    single = folder / f"{side}.py"
    if single.is_file():
        return {"program.py": single.read_text(encoding="utf-8")}
    files = sorted((folder / side).rglob("*.py"))
    return {
        file.relative_to(folder / side).as_posix(): file.read_text(encoding="utf-8")
        for file in files
    }


def _fenced(found: re.Match[str]) -> str:
    return f"```python\n{textwrap.dedent(found[0]).strip()}\n```\n\n"


def _summary(manual: str) -> str:
    return manual.partition("\n")[0].replace("|", "\\|")


def _without_docstring(text: str) -> str:
    first = ast.parse(text).body[0]
    return "\n".join(text.splitlines()[first.end_lineno or 0 :]).strip()
