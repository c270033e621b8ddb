"""Migrates the documentation of Flax, and checks that nothing but code moved.

    python scripts/documents.py        # rewrites the tables of docs/notebooks.md

Its notebooks, their Markdown twins and its reStructuredText are taken from pinned sdists. Checked
with readers that are not the tool's own: a notebook's JSON is the same but for the sources of code
cells, and only lines of strings changed; of a Markdown page only lines between fences changed, of a
reStructuredText page only indented ones; a second run has nothing to do; a migrated notebook made a
script is the migrated script of the notebook, which `prove.py` runs. Told as well: whether a
notebook and its Markdown twin get the same code. Exit status: 0 all checks hold, 1 one does not, 2
flax is not to be had.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from guides import script_of
from markdown_it import MarkdownIt
from marked_text import markdown_table, replace_marked
from migration_tool import installed_tool
from package_survey import OUTCOMES
from pinned_sources import (
    FLAX,
    FLAX_BEFORE_TREE_MODE,
    DownloadFailed,
    NotToBeHad,
    Pin,
    copy_tree,
    unpacked,
)

from nnx_migrate.engine.run import run_text
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.documents.document import Document
from nnx_migrate.sources.documents.kinds import read_document

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "notebooks.md"
CACHE = ROOT / ".cache" / "sources"
FOLDER = "docs_nnx"
KINDS = (".ipynb", ".md", ".rst")


@dataclasses.dataclass(slots=True)
class Kind:
    """What a run did to the documents of one kind."""

    files: int = 0
    blocks: int = 0
    unread: int = 0
    changed: int = 0
    outcomes: Counter[str] = dataclasses.field(default_factory=Counter)


@dataclasses.dataclass(slots=True)
class Survey:
    """What a run did to the documentation of one release.

    Args:
        twins: for each notebook with a Markdown twin, what they get differently.
        reasons: for each file with code that says nnx and was not read, why.
        problems: checks that do not hold, in words.
    """

    pin: Pin
    kinds: dict[str, Kind] = dataclasses.field(default_factory=lambda: {k: Kind() for k in KINDS})
    twins: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    reasons: dict[str, str] = dataclasses.field(default_factory=dict)
    problems: list[str] = dataclasses.field(default_factory=list)


def survey(pin: Pin, source: Path, scratch: Path) -> Survey:
    """Migrate a copy of the documentation and check it."""
    copy_tree(source / FOLDER, scratch / FOLDER)
    before = _documents(scratch)
    report = installed_tool().apply(scratch, ["--docs", FOLDER])
    after = _documents(scratch)
    again = installed_tool().apply(scratch, ["--docs", FOLDER])
    found = Survey(pin)
    found.problems += [f"{f['path']} changed again" for f in again["files"] if _changed(f)]
    for name, old in before.items():
        kind = found.kinds[Path(name).suffix]
        kind.files += 1
        kind.blocks += len(old.blocks)
        kind.changed += old.data != after[name].data
        found.problems += [f"{name}: {what}" for what in _moved(old, after[name])]
        readable = not any(each.mentions_nnx for each in old.unread)
        if name.endswith(".ipynb") and readable and not _as_its_script(old, after[name]):
            found.problems.append(f"{name}: its script gets other code")
    for file in report["files"]:
        if Path(file["path"]).suffix in KINDS:
            _count(found, file)
    for name in before:
        twin = name.removesuffix(".ipynb") + ".md"
        if name.endswith(".ipynb") and twin in before:
            ours, theirs = (_edits(before[each], after[each]) for each in (name, twin))
            found.twins[name] = [line for line in difflib.ndiff(ours, theirs) if line[0] in "+-"]
    return found


def _documents(root: Path) -> dict[str, Document]:
    files = sorted(path for path in root.rglob("*") if path.suffix in KINDS)
    return {f.relative_to(root).as_posix(): read_document(f, f.read_bytes()) for f in files}


def _changed(file: Any) -> bool:
    return bool(file["status"] not in ("unchanged", "skipped"))


def _count(found: Survey, file: Any) -> None:
    kind = found.kinds[Path(file["path"]).suffix]
    for finding in file["findings"]:
        if finding["rule"] == "unread-code":
            several = re.match(r"(\d+) \w+s say nnx", finding["message"])
            kind.unread += int(several[1]) if several else 1
            found.reasons[file["path"]] = finding["message"]
        else:
            kind.outcomes[finding["outcome"]] += 1
    if file["status"] in ("failed", "reverted"):
        found.problems.append(f"{file['path']}: {file['status']}: {file['reason']}")


def _edits(before: Document, after: Document) -> list[str]:
    old, new = (each.source.text.splitlines() for each in (before, after))
    return [line for line in difflib.ndiff(old, new) if line[:2] in ("- ", "+ ")]


def _moved(before: Document, after: Document) -> Iterator[str]:
    """What changed although it is no code."""
    old, new = (each.data.decode().splitlines(keepends=True) for each in (before, after))
    opcodes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    spans = [(i, k) for tag, i, k, _, _ in opcodes if tag != "equal"]
    changed = [*(n for i, k in spans for n in range(i, k))]
    if before.path.suffix == ".ipynb":
        if _without_sources(before.data) != _without_sources(after.data):
            yield "more than the sources of code cells changed"
        strings = re.compile(r'\s*"(?:[^"\\]|\\.)*",?\s*')
        yield from (f"line {n + 1} changed" for n in changed if not strings.fullmatch(old[n]))
    elif before.path.suffix == ".md":
        fences = [t.map for t in MarkdownIt().parse("".join(old)) if t.type == "fence" and t.map]
        inside = {n for first, stop in fences for n in range(first + 1, stop - 1)}
        yield from (f"line {n + 1} changed" for n in changed if n not in inside)
    else:
        yield from (f"line {n + 1} changed" for n in changed if not old[n][:1].isspace())


def _as_its_script(before: Document, after: Document) -> bool:
    """Whether a migrated notebook has the code of its migrated script."""
    with tempfile.TemporaryDirectory() as folder:
        old, new = (Path(folder) / name for name in ("old.ipynb", "new.ipynb"))
        old.write_bytes(before.data)
        new.write_bytes(after.data)
        script = script_of(old).encode()
        result = run_text(script, before.path.with_suffix(".py"), Configuration())
        return result.after.decode() == script_of(new)


def _without_sources(data: bytes) -> Any:
    notebook = json.loads(data)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            del cell["source"]
    return notebook


def page_text(surveys: Sequence[Survey]) -> str:
    """Return the tables of docs/notebooks.md."""
    header = ("flax", "kind", "#files", "#blocks read", "#not read", "#changed files")
    rows = [
        (s.pin.version, f"`{name}`", k.files, k.blocks, k.unread, k.changed, *_outcomes(k))
        for s in surveys
        for name, k in s.kinds.items()
    ]
    parts = [markdown_table((*header, *(f"#{each}" for each in OUTCOMES)), rows)]
    for each in surveys:
        same = sum(not lines for lines in each.twins.values())
        parts.append(
            f"Of {len(each.twins)} notebooks of flax {each.pin.version} that have a Markdown twin, "
            f"{same} get the same code as it.{_listed(each)}"
        )
    reasons = [
        f"- {each.pin.version}, `{name}`: {message}"
        for each in surveys
        for name, message in each.reasons.items()
    ]
    return "\n\n".join([*parts, "Not read, though it says nnx:", "\n".join(reasons) or "Nothing."])


def _outcomes(kind: Kind) -> list[int]:
    return [kind.outcomes[name] for name in OUTCOMES]


def _listed(found: Survey) -> str:
    different = [f"`{name}`" for name, lines in found.twins.items() if lines]
    return f" Different: {', '.join(different)}." if different else ""


def main() -> int:
    """Survey the releases and write the page."""
    surveys = []
    for pin in (FLAX_BEFORE_TREE_MODE, FLAX):
        try:
            source = unpacked(pin, CACHE)
        except (NotToBeHad, DownloadFailed) as error:
            print(f"not to be had: {error}", file=sys.stderr)
            return 2
        with tempfile.TemporaryDirectory() as scratch:
            surveys.append(survey(pin, source, Path(scratch)))
        for name, lines in surveys[-1].twins.items():
            print(f"{name}: {lines or 'same'}")
        for problem in surveys[-1].problems:
            print(f"{pin.name} {pin.version}: {problem}", file=sys.stderr)
    if any(each.problems for each in surveys):
        return 1
    replace_marked(PAGE, "scripts/documents.py", page_text(surveys))
    return 0


if __name__ == "__main__":
    sys.exit(main())
