"""What a campaign has come to: sites by outcome over time, and what is left, by owner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from nnx_migrate.core.findings import FileStatus, Outcome
from nnx_migrate.engine.failures import quarantined
from nnx_migrate.report.levels import Level, Report, shown_path, told
from nnx_migrate.report.markdown_text import cell
from nnx_migrate.report.patches.owners import PLACES, owners_in
from nnx_migrate.sources.config_values import ConfigError

SCHEMA_VERSION = 1
_MOST_PATHS = 200
History = Sequence[tuple[str, Mapping[str, Any]]]


def summarize(report: Report, moment: str) -> dict[str, Any]:
    """The numbers of one run, as `summary.json` has them.

    Args:
        report: the run.
        moment: when it was done, ISO 8601.
    """
    totals = report.totals
    return {
        "schema_version": SCHEMA_VERSION,
        "moment": moment,
        "written": report.written,
        "looked_at": totals.looked_at,
        "files": {status.value: totals.files[status] for status in FileStatus},
        "sites": {outcome.value: totals.outcomes[outcome] for outcome in Outcome},
        "rules": {
            rule: {outcome.value: outcomes.get(outcome, 0) for outcome in Outcome}
            for rule, outcomes in totals.rules.items()
        },
        "owners": _owners(report),
        "quarantined": [
            {"path": shown_path(result.path, report.root), "reason": result.reason}
            for result in report.results
            if quarantined(result)
        ],
    }


def render_summary(summary: Mapping[str, Any], history: History) -> str:
    """The page for people.

    Args:
        summary: of this run.
        history: of all runs that are done, this one included.
    """
    return "\n".join(
        [*_head(summary), *_over_time(history), *_by_owner(summary), *_given_up(summary)]
    )


def _owners(report: Report) -> dict[str, dict[str, int]]:
    owners = _owners_of(report)
    found: dict[str, Counter[str]] = {}
    for result in report.results:
        if result.before != result.after and not report.written:
            _add(found, owners(shown_path(result.path, report.root)), "files_to_change")
    for item in told(report):
        names = owners(shown_path(item.result.path, report.root))
        if item.level is Level.ERROR:
            _add(found, names, "left_for_people")
        elif item.finding.outcome in {Outcome.PINNED, Outcome.PINNED_MID}:
            _add(found, names, "pinned")
    return {name: dict(found[name]) for name in sorted(found)}


def _add(found: dict[str, Counter[str]], names: Sequence[str], what: str) -> None:
    for name in names:
        found.setdefault(name, Counter())[what] += 1


def _owners_of(report: Report) -> Callable[[str], tuple[str, ...]]:
    if any((report.root / place).is_file() for place in PLACES):
        try:
            return owners_in(report.root)
        except ConfigError:
            pass  # the patches by owner, if they are asked for, say what is wrong with it
    return lambda name: (f"{name.partition('/')[0]}/" if "/" in name else "./",)


def _head(summary: Mapping[str, Any]) -> Iterator[str]:
    files, sites = summary["files"], summary["sites"]
    verb = "were changed" if summary["written"] else "would change"
    yield "# Migration to tree mode"
    yield ""
    yield (
        f"{summary['looked_at']:,} files read on {summary['moment']}; {files['changed']:,} {verb}."
    )
    yield ""
    yield "| sites | number |"
    yield "|---|---:|"
    for outcome, number in sites.items():
        yield f"| {outcome} | {number:,} |"
    broken = {s: files[s] for s in ("failed", "reverted", "skipped") if files[s]}
    if broken:
        yield ""
        yield f"Not done: {', '.join(f'{number:,} {s}' for s, number in broken.items())}."
    yield ""


def _over_time(history: History) -> Iterator[str]:
    yield "## Over time"
    yield ""
    yield "| run | | files to change | rewritten | pinned | manual | files failed |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    for moment, each in history:
        files, sites = each["files"], each["sites"]
        verb = "written" if each["written"] else "looked"
        pinned = sites["pinned"] + sites.get("pinned-mid", 0)
        yield (
            f"| {moment} | {verb} | {files['changed']:,} | {sites['rewritten']:,} "
            f"| {pinned:,} | {sites['manual']:,} | {files['failed']:,} |"
        )
    yield ""


def _by_owner(summary: Mapping[str, Any]) -> Iterator[str]:
    yield "## What is left, by owner"
    yield ""
    owners: Mapping[str, Mapping[str, int]] = summary["owners"]
    if not owners:
        yield "Nothing."
        yield ""
        return
    yield "| owner | files to change | left for people | pinned |"
    yield "|---|---:|---:|---:|"
    for name, each in sorted(owners.items(), key=lambda item: (-_work(item[1]), item[0])):
        numbers = (each.get(k, 0) for k in ("files_to_change", "left_for_people", "pinned"))
        yield f"| {cell(name)} | {' | '.join(f'{number:,}' for number in numbers)} |"
    yield ""


def _work(owner: Mapping[str, int]) -> int:
    return owner.get("left_for_people", 0) + owner.get("files_to_change", 0)


def _given_up(summary: Mapping[str, Any]) -> Iterator[str]:
    quarantine = summary["quarantined"]
    if not quarantine:
        return
    yield "## Given up"
    yield ""
    for each in quarantine[:_MOST_PATHS]:
        yield f"- {cell(each['path'])}: {each['reason']}"
    if len(quarantine) > _MOST_PATHS:
        yield f"- and {len(quarantine) - _MOST_PATHS:,} more in `summary.json`"
    yield ""
