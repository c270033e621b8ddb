"""Measures runs over trees of 1,000 to 100,000 files beside other tools, and fits a model to them.

    python -m benchmarks.campaigns --nnx-from flax-0.12.8.tar.gz [--sizes 1000 10000 100000]
    python -m benchmarks.campaigns --draw      the page and the plot anew, from what was measured

Trees are made as for `benchmarks.run`. What has few files with nnx takes them from the golden
programs. LibCST's runner works on some fifty files of all sizes, and is scaled by bytes.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measure import (
    ROOT,
    Case,
    Sample,
    median,
    nnx_migrate_command,
    python_command,
    run_once,
)
from benchmarks.noop_codemod import NoopCommand

MEASURED = ROOT / "benchmarks" / "campaigns.json"
SHARES = (0.001, 0.02)
#: Trees of so many files are done once.
LARGE = 100_000
_DONE = frozenset({0, 1})


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """One command on one tree.

    Args:
        name: of the command.
        files: of the tree.
        nnx: how many of them say nnx.
        megabytes: of the tree.
        sample: medians.
    """

    name: str
    files: int
    nnx: int
    megabytes: float
    sample: Sample


def main(arguments: Sequence[str] | None = None) -> int:
    """Builds the trees, measures, writes the page."""
    options = _parser().parse_args(arguments)
    if not options.draw:
        measured: list[Measured] = []
        for size in options.sizes:
            for share in SHARES:
                measured += _on_tree(options, size, share)
                _keep(measured, options)
    # What is measured never shows less memory than this process has, so numpy comes last.
    from benchmarks.campaign_page import write_page

    write_page(json.loads(MEASURED.read_text()))
    return 0


def _keep(measured: Sequence[Measured], options: argparse.Namespace) -> None:
    """Put on disk what there is; the largest trees take long."""
    document = {
        "python": platform.python_version(),
        "processors": options.processors,
        "repetitions": options.repetitions,
        "measured": [dataclasses.asdict(each) for each in measured],
    }
    MEASURED.write_text(json.dumps(document, indent=1) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(tempfile.gettempdir()) / "nnx-migrate-campaigns"
    parser.add_argument("--corpus", type=Path, default=default, help="where the trees are kept")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--repetitions", type=int, default=3, help="large trees are done once")
    parser.add_argument("--processors", type=int, default=2)
    parser.add_argument("--nnx-from", type=Path, nargs="*", default=[])
    parser.add_argument("--keep-trees", action="store_true", help="take them as they are")
    parser.add_argument("--draw", action="store_true", help="measure nothing")
    return parser


def _on_tree(options: argparse.Namespace, size: int, share: float) -> list[Measured]:
    name = f"{size}-{share}"
    if not options.keep_trees:
        command = python_command("-m", "benchmarks.campaign_trees", options.corpus / name)
        command += ["--files", str(size), "--share", str(share), "--nnx-from"]
        command += [str(path.resolve()) for path in options.nnx_from]
        subprocess.run(command, cwd=ROOT, check=True)
    facts = json.loads((options.corpus / name / "facts.json").read_text())
    start = Sample(0.0, 0.0, 0)
    repetitions = 1 if size >= LARGE else options.repetitions
    found = []
    for case in _cases(options.corpus / name, options.processors):
        samples: list[Sample] = []
        for _ in range(repetitions):
            # Only a second run finds what the one before has kept.
            if case.name.startswith("batch") and "again" not in case.name:
                shutil.rmtree(options.corpus / name / "out", ignore_errors=True)
            if case.warmed:
                run_once(case)
            samples.append(run_once(case))
        sample = median(samples)
        if case.name == "libcst, start":
            start = sample
            continue
        if case.name == "libcst":
            sample = _scaled(start, sample, facts["bytes"] / facts["sampled"])
        print(f"{name} {case.name}: {sample.wall:.2f} s wall, {sample.cpu:.2f} s CPU", flush=True)
        files, nnx, megabytes = facts["files"], facts["nnx"], facts["bytes"] / 1e6
        found.append(Measured(case.name, files, nnx, megabytes, sample))
    return found


def _cases(folder: Path, processors: int) -> list[Case]:
    def ours(name: str, *arguments: str) -> Case:
        return Case(name, nnx_migrate_command(*arguments), folder, _DONE)

    command = f"{NoopCommand.__module__}.{NoopCommand.__name__}"
    options = ("--no-format", "--hide-progress", "-j", "1")
    libcst = python_command("-m", "libcst.tool", "codemod", "-x", command, *options, ".")
    one, some = folder / "one", folder / "sampled"
    ruff = ["ruff", "check", "--isolated", "--no-cache", "--exit-zero", "--quiet", "tree"]
    batch = ("batch", "tree", "--out", "out", "--jobs")
    return [
        Case("grep", ["grep", "-rl", "nnx", "tree"], folder, _DONE, warmed=True),
        Case("ruff", python_command("-m", *ruff), folder),
        Case("libcst, start", libcst, one, _DONE),
        Case("libcst", libcst, some, _DONE),
        ours("apply, 1 job", "apply", "--dry-run", "--jobs", "1", "tree"),
        ours(f"apply, {processors} jobs", "apply", "--dry-run", "--jobs", str(processors), "tree"),
        ours("batch, 1 job", *batch, "1"),
        ours(f"batch, {processors} jobs", *batch, str(processors)),
        ours("batch again", *batch, str(processors)),
    ]


def _scaled(start: Sample, sample: Sample, factor: float) -> Sample:
    """What a tree takes of which a part was done; the start of a process is not scaled."""
    return Sample(
        start.wall + (sample.wall - start.wall) * factor,
        start.cpu + (sample.cpu - start.cpu) * factor,
        sample.peak,
    )


if __name__ == "__main__":
    sys.exit(main())
