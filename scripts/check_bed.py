"""Judges machine-made mutants of the golden programs, and says how many that differ are found.

    nice python scripts/check_bed.py            # judges what is not judged yet; docs/check-bed.md
    python scripts/check_bed.py --shard 0/2     # every second program, for two processes
    python scripts/check_bed.py --page          # writes the page from what is known
    python scripts/check_bed.py --show KEY      # prints a mutant as a difference, and its verdict
    python scripts/check_bed.py --again equal   # also what an older checker gave that verdict

Each mutant is a migrated program with one place changed. Its driver is run in both modes, beside
the program before the migration, to know whether it differs. Then the calls of the program before,
which were recorded, are made again on it: what the checker says has to agree.

Each verdict knows which version of the checker gave it. With `--again` what is not judged yet comes
first; a verdict stays until a newer one takes its place, so a run may be stopped at any time.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import json
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tests.unit.check.machine.judged import Mutant

from marked_text import markdown_table, replace_marked

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "check-bed.md"
EXPLAINED = ROOT / "tests" / "unit" / "check" / "machine" / "explained.toml"
KNOWN = ROOT / "tests" / "unit" / "check" / "machine" / "judged.jsonl"
CALLS = ROOT / ".cache" / "check-bed"
_ENOUGH = 1000
sys.path.insert(0, str(ROOT))


def main() -> int:
    """Run the command line."""
    from tests.unit.check.machine.judged import (
        AS_IT_WAS,
        Judged,
        all_mutants,
        counted,
        judge,
        recorder_digest,
    )

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--shard", default="0/1", help="NUMBER/COUNT of the programs")
    parser.add_argument("--page", action="store_true", help="judge nothing")
    parser.add_argument("--show", metavar="KEY", help="print a mutant; no page")
    parser.add_argument(
        "--again",
        metavar="VERDICT",
        action="append",
        default=[],
        help="judge these anew, too, where an older checker judged them",
    )
    options = parser.parse_args()
    mutants = all_mutants()
    known = {each["key"]: each for each in _stored()}
    if options.show:
        (mutant,) = (each for each in mutants if each.key.startswith(options.show))
        after = (mutant.case / "after.py").read_text().splitlines(keepends=True)
        changed = mutant.text.splitlines(keepends=True)
        sys.stdout.writelines(difflib.unified_diff(after, changed, str(mutant.case), mutant.key))
        print(known.get(mutant.key, "not judged yet"))
        return 0
    if not options.page:
        number, count = map(int, options.shard.split("/"))
        cases = sorted({mutant.case for mutant in mutants})[number::count]
        left = [each for each in mutants if each.case in cases and each.key not in known]
        left += _references(mutants, known)
        for verdict in options.again:
            left += _older([each for each in mutants if each.case in cases], known, verdict)
        with tempfile.TemporaryDirectory() as folder:
            for each in judge(left, Path(folder), CALLS / recorder_digest()):
                with KNOWN.open("a") as file:
                    file.write(json.dumps(dataclasses.asdict(each)) + "\n")
    wanted = {mutant.key for mutant in mutants}
    # What was migrated is no mutant, and says which of them are accused for its sake.
    known = {
        each["key"]: each for each in _stored() if each["key"] in wanted or each["way"] == AS_IT_WAS
    }
    _keep(known.values())
    if len(known) >= _ENOUGH or options.page:
        replace_marked(PAGE, "scripts/check_bed.py", page_text(list(known.values()), len(wanted)))
    for pair, count in counted([Judged(**each) for each in known.values()]).items():
        print(f"{pair}: {count}")
    return 0


def page_text(known: Sequence[Mapping[str, Any]], wanted: int) -> str:
    """The tables of docs/check-bed.md.

    Args:
        known: what is judged.
        wanted: how many mutants there are.
    """
    changed = [each for each in known if not each["keeps"]]
    mutants = [each for each in known if each["way"] != "as it was migrated"]
    looked_at = [each for each in mutants if each["keeps"] and each["truth"] == "differs"]
    by_callers = [each for each in mutants if each["verdict"] == "by callers"]
    differing = [each for each in changed if each["truth"] in ("differs", "raises")]
    found = [each for each in differing if each["verdict"] == "different"]
    open_ones = [each for each in differing if each["verdict"] in ("not checked", "no case")]
    missed = [each for each in differing if each not in found and each not in open_ones]
    accused_anyway = {
        each["case"]
        for each in known
        if each["way"] == "as it was migrated" and each["verdict"] in ("different", "not checked")
    }
    harmless = [each for each in known if each["keeps"] and each["truth"] == "same"]
    harmless = [each for each in harmless if each["way"] != "as it was migrated"]
    accused = [each for each in harmless if each["verdict"] == "different"]
    own = [each for each in accused if each["case"] not in accused_anyway]
    ways = sorted({each["way"] for each in changed})
    rows = [
        (way, *(sum(each["way"] == way for each in some) for some in (changed, differing, found)))
        for way in ways
    ]
    whys = tomllib.loads(EXPLAINED.read_text())
    lines = (
        f"{len(mutants)} programs of {wanted}: {len(changed)} changed at a place where it may "
        f"matter, {len(mutants) - len(changed)} where it does not.",
        f"Of the {len(changed)}, {len(differing)} differ when their driver is run "
        f"({sum(each['truth'] == 'raises' for each in differing)} of them raise); "
        f"**{len(found)} of these are found to be different**, {len(open_ones)} are not checked or "
        f"have no case, and {len(missed)} pass.",
        f"Of the {len(harmless)} harmless ones, {len(accused)} are found to be different"
        + (f" ({len(accused) / len(harmless):.1%})" if harmless else "")
        + f", {len(accused) - len(own)} of them because the migrated program itself is. "
        f"{len(looked_at)} more are changed harmlessly where the migrated program itself differs "
        "from the one before, as a driver shows: "
        f"{sum(each['verdict'] == 'different' for each in looked_at)} of them are found.",
        f"{len(by_callers)} programs pass by callers: "
        f"{sum(each['truth'] in ('same', 'rounding') for each in by_callers)} of them do the same.",
        _by_checker(mutants),
        markdown_table(("what is changed", "#programs", "#that differ", "#found"), rows),
        "### That differ and pass",
        _listed(missed),
        "### That differ and are not checked",
        _listed(open_ones, whys["not checked"]),
        "### Harmless and found to be different",
        _listed(accused, whys["harmless"]),
        "### Changed harmlessly, where the migrated program itself differs",
        _listed(looked_at, whys["harmless"]),
    )
    return "\n\n".join(lines)


def _older(
    mutants: Sequence[Mutant], known: Mapping[str, Mapping[str, Any]], verdict: str
) -> list[Mutant]:
    """The mutants, and what they were made of, that an older checker gave this verdict."""
    from tests.unit.check.machine.judged import is_older, unchanged

    references = {reference.key: reference for reference in map(unchanged, mutants)}
    return [
        each
        for each in (*mutants, *references.values())
        if each.key in known
        and known[each.key]["verdict"] == verdict
        and is_older(each, known[each.key])
    ]


def _keep(known: Iterable[Mapping[str, Any]]) -> None:
    """Writes the newest verdict of each alone."""
    text = "".join(json.dumps(each) + "\n" for each in known)
    temporary = KNOWN.with_suffix(".new")
    temporary.write_text(text)
    temporary.replace(KNOWN)


def _by_checker(mutants: Sequence[Mapping[str, Any]]) -> str:
    """Which versions of the checker gave the verdicts, the one with most of them first."""
    found = Counter(each.get("checker", "") for each in mutants)
    known = [f"{count} by `{name}`" for name, count in found.most_common() if name]
    older = f"{found['']} by versions from before they were noted" if found[""] else ""
    return f"Verdicts by version of the checker: {', '.join(filter(None, (*known, older)))}."


def _listed(some: Sequence[Mapping[str, Any]], whys: Mapping[str, str] | None = None) -> str:
    """What is told of each, and why it is so, by its key or its program."""
    lines = []
    for each in some:
        told = (
            f": {_one_line(each['told'])}" if each["told"] and each["verdict"] != "proved" else ""
        )
        why = (
            (whys or {}).get(each["key"]) or (whys or {}).get(each["case"]) or "**Not explained.**"
        )
        lines.append(f"- `{each['key']}` {each['case']}: {each['way']}; {each['verdict']}{told}.")
        lines.append(f"  {why}")
    return "\n".join(lines) or "None."


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("<", "&lt;")[:160]


def _references(mutants: Sequence[Mutant], known: Mapping[str, Mapping[str, Any]]) -> list[Mutant]:
    """The programs as they were migrated, where something harmless does not pass."""
    from tests.unit.check.machine.judged import unchanged

    found = {}
    for each in mutants:
        result = known.get(each.key)
        if result and result["keeps"] and result["verdict"] in ("different", "not checked"):
            reference = unchanged(each)
            if reference.key not in known:
                found[reference.key] = reference
    return list(found.values())


def _stored() -> list[dict[str, Any]]:
    if not KNOWN.is_file():
        return []
    return [json.loads(line) for line in KNOWN.read_text().splitlines()]


if __name__ == "__main__":
    sys.exit(main())
