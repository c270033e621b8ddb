"""Compares what `nnx-migrate` says of labelled places in published packages with their labels.

    python scripts/accuracy.py             # rewrites docs/accuracy.md
    python scripts/accuracy.py --list      # prints each place that is missed or changed needlessly

`scripts/accuracy_labels.jsonl` holds one place a line: where an nnx transform is used, and what
happens there when the defaults are flipped and nothing is changed: "same", "raises", "silent" (it
computes or keeps something else), or "depends" (on what users of the package pass in), with the
entry of docs/semantics.md that decides, and why. `cause_line` is the line that has to change,
where that is another one. Exit status: 0 no silent place is missed, 1 one is, 2 a package is not to
be had.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from marked_text import markdown_table, replace_marked
from migration_tool import Tool, installed_tool
from pinned_sources import FLAX_BEFORE_TREE_MODE, USERS, DownloadFailed, NotToBeHad, unpacked

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "accuracy.md"
CACHE = ROOT / ".cache" / "sources"
LABELS = Path(__file__).with_name("accuracy_labels.jsonl")
PINS = {f"{pin.name} {pin.version}": pin for pin in (FLAX_BEFORE_TREE_MODE, *USERS)}
CHANGING = ("rewritten", "rewritten-checked", "pinned", "pinned-mid", "manual")


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """One labelled use of a transform.

    Args:
        package: name and version of the archive that holds it.
        file: the file in the archive.
        family: the entry of docs/semantics.md that decides; "ENV" where the code runs in no mode,
            or says its mode itself.
        cause_line: line of the file that has to change, where it is not this one.
        why: the fact that decides.
    """

    package: str
    file: str
    line: int
    transform: str
    label: Literal["same", "raises", "silent", "depends"]
    family: str
    cause_line: int | None
    why: str


@dataclasses.dataclass(frozen=True, slots=True)
class Judged:
    """A place, what became of it, and by which rules."""

    place: Place
    outcome: str
    rules: tuple[str, ...]

    @property
    def differs(self) -> bool:
        return self.place.label in {"raises", "silent"}

    @property
    def changed(self) -> bool:
        return self.outcome in CHANGING

    @property
    def needless(self) -> bool:
        return self.place.label == "same" and self.place.family != "ENV" and self.changed


def labels() -> list[Place]:
    """The labelled places, in the order of the file."""
    lines = LABELS.read_text(encoding="utf-8").splitlines()
    return [Place(**json.loads(line)) for line in lines]


def judge(places: Iterable[Place], tool: Tool, cache: Path) -> list[Judged]:
    """Migrate each package in memory and look up its places.

    Raises:
        NotToBeHad, DownloadFailed: a package.
        ToolFailed: it crashed.
    """

    @functools.cache
    def findings(package: str) -> dict[tuple[str, int], list[tuple[str, str]]]:
        report = tool.check(unpacked(PINS[package], cache), ["."])
        found: dict[tuple[str, int], list[tuple[str, str]]] = defaultdict(list)
        for file in report["files"]:
            pinned = {f["line"] for f in file["findings"] if f["outcome"] == "pinned"}
            for finding in file["findings"]:
                outcome = finding["outcome"]
                if outcome == "same" and _lines_named(finding, file["path"]) & pinned:
                    outcome = "pinned"  # it runs inside a function in graph mode
                found[file["path"], finding["line"]].append((outcome, finding["rule"]))
        return found

    return [_judge(place, findings(place.package)) for place in places]


def _lines_named(finding: Mapping[str, Any], path: str) -> set[int]:
    """Lines of a file that a finding gives as evidence; places begin at the project's root."""
    places = (each["where"].rpartition(":") for each in finding["evidence"])
    return {int(line) for file, _, line in places if f"/{file}".endswith(f"/{path}")}


def _judge(place: Place, found: dict[tuple[str, int], list[tuple[str, str]]]) -> Judged:
    here = list(found.get((place.file, place.line), ()))
    if place.cause_line is not None and place.label != "same":
        here += found.get((place.file, place.cause_line), ())
    outcomes = [outcome for outcome, _ in here]
    outcome = next((each for each in (*CHANGING, "same") if each in outcomes), "nothing said")
    rules = sorted({rule for each, rule in here if each == outcome})
    return Judged(place, outcome, tuple(rules))


def page_text(judged: Sequence[Judged]) -> str:
    """The tables of docs/accuracy.md."""
    different = [each for each in judged if each.differs]
    rows = [
        (f"`{family}`", *_recall(group), sum(each.place.label == "silent" for each in group))
        for family, group in _groups(different, lambda each: each.place.family)
    ]
    rows.append(("all", *_recall(different), sum(e.place.label == "silent" for e in different)))
    header = ("family", "#places", "#found", "#missed", "#of them silent")
    by_family = markdown_table(header, rows)
    changed = [each for each in judged if each.changed and each.place.family != "ENV"]
    precision = [
        (f"`{rule}`", *_precision(group))
        for rule, group in _groups(changed, lambda each: ", ".join(each.rules))
    ]
    precision.append(("all", *_precision(changed)))
    by_rule = markdown_table(("rule", "#changed", "#rightly", "#depends", "#needlessly"), precision)
    depends = Counter(each.outcome for each in judged if each.place.label == "depends")
    missed = [each for each in different if not each.changed]
    return "\n\n".join(
        [
            f"{len(judged)} places: {_counts(Counter(each.place.label for each in judged))}.",
            "## Found, by family",
            by_family,
            "## Changed, by rule",
            by_rule,
            f"Of the places that depend on what users pass in: {_counts(depends)}.",
            "## Missed",
            "\n".join(map(_line, missed)) or "None.",
            "## Changed needlessly",
            "\n".join(_line(each) for each in judged if each.needless) or "None.",
        ]
    )


def _groups(
    judged: Iterable[Judged], key: Callable[[Judged], str]
) -> list[tuple[str, list[Judged]]]:
    groups: dict[str, list[Judged]] = defaultdict(list)
    for each in judged:
        groups[key(each)].append(each)
    return sorted(groups.items())


def _recall(group: Sequence[Judged]) -> tuple[int, int, int]:
    found = sum(each.changed for each in group)
    return len(group), found, len(group) - found


def _precision(group: Sequence[Judged]) -> tuple[int, int, int, int]:
    return (
        len(group),
        sum(each.differs for each in group),
        sum(each.place.label == "depends" for each in group),
        sum(each.needless for each in group),
    )


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.most_common())


def _line(judged: Judged) -> str:
    place = judged.place
    said = f"{judged.outcome} by {', '.join(judged.rules)}" if judged.rules else judged.outcome
    where = f"{place.package.split()[0]}: `{place.file}:{place.line}`"
    return f"- {where} ({place.transform}, {place.family or 'same'}): {said}. {place.why}"


def main() -> int:
    """Judge the places and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--list", action="store_true", help="print what is wrong; no page")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where archives are kept")
    arguments = parser.parse_args()
    try:
        judged = judge(labels(), installed_tool(), arguments.cache)
    except (NotToBeHad, DownloadFailed) as error:
        print(f"not to be had: {error}; docs/accuracy.md is left as it was", file=sys.stderr)
        return 2
    if arguments.list:
        wrong = [each for each in judged if each.needless or (each.differs and not each.changed)]
        print(*map(_line, wrong), sep="\n")
    else:
        replace_marked(PAGE, "scripts/accuracy.py", page_text(judged))
    return int(any(each.place.label == "silent" and not each.changed for each in judged))


if __name__ == "__main__":
    sys.exit(main())
