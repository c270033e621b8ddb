"""Runs `nnx-migrate apply` over published packages that use NNX, and checks what it did.

    python scripts/ecosystem.py                    # all packages; rewrites docs/ecosystem.md
    python scripts/ecosystem.py --only cax qwix    # some of them; prints, writes no page

Each package is brought with pip (pinned by version and hash), copied, and migrated. Checked for
each: no crash; `--diff` writes nothing; every finding has an outcome; every rewritten file parses;
a second run has nothing to do; `git apply` takes the patch and makes, byte for byte, the tree that
`apply` wrote. Exit status: 0 all checks hold, 1 one does not, 2 a package is not to be had.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from marked_text import markdown_table, replace_marked
from migration_tool import ToolFailed, installed_tool
from package_survey import OUTCOMES, Package, Survey, survey
from pinned_sources import FLAX, USERS, DownloadFailed, NotToBeHad, unpacked

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "ecosystem.md"
CACHE = ROOT / ".cache" / "sources"
PACKAGES = (
    Package(FLAX, ("docs_nnx", "examples", "flax/nnx")),
    *(Package(pin) for pin in USERS),
)


def page_text(surveys: Sequence[Survey]) -> str:
    """Return the tables of docs/ecosystem.md."""
    header = ("package", "version", "#files", "#with nnx", "#changed", "#places")
    left = ("#graph mode before", "#graph mode after")
    rows: list[Sequence[object]] = [_row(survey) for survey in surveys]
    totals = tuple(map(sum, zip(*map(_numbers, surveys), strict=True)))
    rows.append(("all", "", *totals))
    by_package = markdown_table((*header, *(f"#{outcome}" for outcome in OUTCOMES), *left), rows)
    rules = sorted({rule for survey in surveys for rule in survey.rules})
    by_rule = markdown_table(
        ("rule", "package", *(f"#{outcome}" for outcome in OUTCOMES)),
        [
            (f"`{rule}`", survey.package.pin.name, *(counts.get(name, 0) for name in OUTCOMES))
            for rule in rules
            for survey in surveys
            if (counts := survey.rules.get(rule))
        ],
    )
    undone = [
        f"- {survey.package.pin.name}: {line}" for survey in surveys for line in survey.undone
    ]
    listed = "\n".join(undone) if undone else "None."
    share = _pinned_share(surveys)
    return f"{by_package}\n\n{share}\n\n## By rule\n\n{by_rule}\n\n## Files not done\n\n{listed}"


def _pinned_share(surveys: Sequence[Survey]) -> str:
    pinned = sum(survey.sites("pinned") for survey in surveys)
    native = sum(
        survey.sites(outcome)
        for survey in surveys
        for outcome in ("rewritten", "rewritten-checked")
    )
    changed = max(1, pinned + native)
    return f"Of the {pinned + native:,} places that are changed, {pinned / changed:.0%} are pinned."


def _row(survey: Survey) -> tuple[object, ...]:
    pin = survey.package.pin
    return (pin.name, pin.version, *_numbers(survey))


def _numbers(survey: Survey) -> tuple[int, ...]:
    outcomes = [survey.sites(outcome) for outcome in OUTCOMES]
    counts = (survey.files, survey.nnx_files, survey.changed, sum(outcomes), *outcomes)
    return (*counts, *survey.graph_lines)


def main() -> int:
    """Survey the packages and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these packages; no page")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where archives are kept")
    arguments = parser.parse_args()
    known = {package.pin.name for package in PACKAGES}
    if unknown := set(arguments.only or ()) - known:
        parser.error(f"no such package: {', '.join(sorted(unknown))}; known: {sorted(known)}")
    chosen = [item for item in PACKAGES if not arguments.only or item.pin.name in arguments.only]
    surveys: list[Survey] = []
    broken = missing = False
    tool = installed_tool()
    for package in chosen:
        try:
            source = unpacked(package.pin, arguments.cache)
            with tempfile.TemporaryDirectory() as scratch:
                surveys.append(survey(package, source, tool, Path(scratch)))
        except (NotToBeHad, DownloadFailed) as error:
            print(f"not to be had: {error}", file=sys.stderr)
            missing = True
        except ToolFailed as error:
            print(f"{package.pin.name}: {error}", file=sys.stderr)
            broken = True
        else:
            print(*_row(surveys[-1]), sep="\t", flush=True)
            for problem in surveys[-1].problems:
                print(f"{package.pin.name}: {problem}", file=sys.stderr)
                broken = True
    if broken or missing or arguments.only:
        print("docs/ecosystem.md is left as it was", file=sys.stderr)
    else:
        replace_marked(PAGE, "scripts/ecosystem.py", page_text(surveys))
    return 1 if broken else 2 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
