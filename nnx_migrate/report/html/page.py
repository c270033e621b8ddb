"""The page as one text: the frame, the data, the style and the script."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import nnx_migrate
from nnx_migrate.core.findings import FileResult, FileStatus, Outcome
from nnx_migrate.core.totals import ATTENTION, Totals
from nnx_migrate.report.html.checks import VERDICTS, Checks
from nnx_migrate.report.html.display import visible
from nnx_migrate.report.html.file_pages import FilePage, file_page
from nnx_migrate.report.html.review.manual import blocks_of
from nnx_migrate.report.html.review.run import Run
from nnx_migrate.report.levels import shown_path
from nnx_migrate.report.manuals import without_codes
from nnx_migrate.rewrite.model.registry import BrokenRule, rule_entries

# In the order that they build on each other; the page gets them as one script.
_SCRIPTS = (
    "dom",
    "data",
    "state",
    "folding",
    "search",
    "filters",
    "rows",
    "explained",
    "links",
    "sections",
    "sight",
    "travel",
    "lists",
    "progress",
    "manual",
    "keys",
    "page",
)
_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class) )", re.MULTILINE)
# Files are packed together until they are so large, which is what the page unpacks at a time.
_PACK = 100_000

_KEYS = (
    ("j k", "next and previous hunk"),
    ("n p", "next and previous file"),
    ("r", "mark the hunk, and all like it, as reviewed, or not"),
    (
        "v",
        "mark the file as viewed, or not; the browser remembers it until the change itself changes",
    ),
    ("x", "more lines around the hunk"),
    ("s", "side by side or inline"),
    ("e", "open or close all evidence"),
    ("/", "search files, code, and messages; Esc closes the search"),
    ("t", "light or dark"),
    ("?", "this list"),
)


#: Gives the owners of a file by its name from the root.
Owners = Callable[[str], tuple[str, ...]]


@dataclasses.dataclass(frozen=True, slots=True)
class Review:
    """A run that is to be looked at.

    Args:
        results: every file of the run.
        totals: what they add up to.
        written: the files were changed; otherwise they would be.
        root: absolute folder that names are shown relative to.
        owners: of a path relative to the root.
        checks: of what was written; None when nothing was checked.
        notes: what the reader has to know of the run as a whole.
        run: its command, date and commit.
    """

    results: Sequence[FileResult]
    totals: Totals
    written: bool
    root: Path
    owners: Owners
    checks: Checks | None = None
    notes: Sequence[str] = ()
    run: Run = dataclasses.field(default_factory=Run)


def render_page(review: Review) -> str:
    """Return the page.

    Args:
        review: what it shows.
    """
    named = [(result, shown_path(result.path, review.root)) for result in review.results]
    named = [(result, name) for result, name in named if _is_shown(result)]
    numbers = {str(result.path): number for number, (result, _) in enumerate(named)}
    pages: Iterator[FilePage] = (
        file_page(result, name, review.checks, lambda path, line: _place(path, line, numbers))
        for result, name in named
    )
    entries, packs = _packed(pages, [review.owners(name) for _, name in named])
    cases = review.checks.as_data() if review.checks else []
    manuals = _manuals(review.totals.rules)
    places = {"blob": review.run.blob, "line": "#L", "checkout": review.run.checkout}
    index = {"files": entries, "rules": manuals, "cases": cases, "places": places}
    style, script = _asset("style.css"), page_script()
    return (
        _environment()
        .get_template("page.html.jinja")
        .render(
            version=nnx_migrate.__version__,
            style=Markup(style),  # nosec B704  # files of this package
            script=Markup(script),  # nosec B704  # files of this package
            style_hash=_hash(style),
            script_hash=_hash(script),
            packs=[_deflated(index), *packs],
            totals=review.totals,
            written=review.written,
            keys=_KEYS,
            verdict_order=VERDICTS,
            manuals=manuals,
            changed=review.totals.files[FileStatus.CHANGED],
            attention=[status for status in FileStatus if status in ATTENTION],
            outcomes=list(Outcome),
            reached=[outcome for outcome in Outcome if review.totals.outcomes[outcome]],
            rules=_rules(review.totals),
            owners=sorted({owner for entry in entries for owner in entry["owners"]}),
            verdicts=[v for v in VERDICTS if _has_verdict(entries, v)],
            cases=review.checks.counted() if review.checks else {},
            remarks=review.checks.remarks if review.checks else (),
            checked=review.checks is not None,
            notes=[visible(note) for note in review.notes],
            run=review.run,
            command=visible(review.run.command),
        )
    )


def page_script() -> str:
    """Return the scripts as one: what they take from each other is then simply there."""
    texts = (_asset(f"scripts/{name}.js") for name in _SCRIPTS)
    joined = "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)).strip("\n") for text in texts)
    return f"\n{joined}\n"


def _is_shown(result: FileResult) -> bool:
    return bool(result.findings) or result.before != result.after or result.status in ATTENTION


def _place(path: Path, line: int, numbers: Mapping[str, int]) -> list[Any]:
    return [numbers[str(path)], line] if str(path) in numbers else []


def _packed(
    pages: Iterator[FilePage], owners: Sequence[tuple[str, ...]]
) -> tuple[list[dict[str, Any]], list[str]]:
    """The entries of all files, and packs of their bodies; an entry says where its body is."""
    entries: list[dict[str, Any]] = []
    packs: list[str] = []
    bodies: list[str] = []
    size = 0
    for page, owned in zip(pages, owners, strict=True):
        place = {"pack": len(packs) + 1, "place": len(bodies)}
        entries.append({**page.entry, **place, "owners": [visible(each) for each in owned]})
        bodies.append(json.dumps(page.body, separators=(",", ":")))
        size += len(bodies[-1])
        if size > _PACK:
            packs.append(_deflated_text(f"[{','.join(bodies)}]"))
            bodies, size = [], 0
    if bodies:
        packs.append(_deflated_text(f"[{','.join(bodies)}]"))
    return entries, packs


def _deflated(value: object) -> str:
    return _deflated_text(json.dumps(value, separators=(",", ":")))


def _deflated_text(text: str) -> str:
    # Base64 has no character that means anything to HTML.
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _rules(totals: Totals) -> list[tuple[str, Mapping[Outcome, int]]]:
    return list(totals.rules.items())


def _manuals(used: Mapping[str, object]) -> dict[str, list[list[Any]]]:
    """The manual pages of the rules that found something, as blocks; engine codes have none."""
    manuals = {}
    for name, entry in rule_entries().items():
        if name in used:
            try:
                manuals[name] = blocks_of(without_codes(entry.manual()))
            except BrokenRule as error:
                manuals[name] = blocks_of(str(error))
    return manuals


def _has_verdict(entries: Sequence[Mapping[str, Any]], verdict: str) -> bool:
    return any(piece["verdict"] == verdict for entry in entries for piece in entry["pieces"])


def _asset(name: str) -> str:
    return files("nnx_migrate.report.html").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("nnx_migrate.report.html", package_path=""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
