"""The tables and the plot of docs/performance.md that tell of whole campaigns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.campaign_model import BANDWIDTH, JOIN, SENT, Model, fitted
from benchmarks.measure import ROOT
from benchmarks.report import between_markers

PAGE = ROOT / "docs" / "performance.md"
PLOT = ROOT / "docs" / "pictures" / "campaigns.svg"
MARKERS = (
    "<!-- measured by benchmarks/campaigns.py: begin -->",
    "<!-- measured by benchmarks/campaigns.py: end -->",
)
_FILES = 1_000_000
_SHARE = 0.02
_PROCESSORS = 16

Row = Mapping[str, Any]


def write_page(document: Mapping[str, Any]) -> None:
    """Draws the plot and writes the tables.

    Args:
        document: what `benchmarks.campaigns` has measured.
    """
    rows: Sequence[Row] = document["measured"]
    draw(rows, PLOT)
    text = "\n".join(_section(document, rows)) + "\n"
    PAGE.write_text(between_markers(PAGE.read_text(encoding="utf-8"), MARKERS, text))


def draw(rows: Sequence[Row], file: Path) -> None:
    """A curve for each command: wall seconds over files, one picture for each share."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "nnx-migrate"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    for index, (axis, title) in enumerate(zip(axes, ("0.1% with nnx", "2% with nnx"), strict=True)):
        for name in dict.fromkeys(row["name"] for row in rows):
            curve = [row for row in rows if row["name"] == name][index::2]
            style = "--" if name in ("grep", "ruff", "libcst") else "-"
            xs = [row["files"] for row in curve]
            axis.loglog(xs, [r["sample"]["wall"] for r in curve], style, marker="o", label=name)
        axis.set_title(title)
        axis.set_xlabel("files")
        axis.grid(True, which="both", alpha=0.2)
    axes[0].set_ylabel("wall seconds")
    axes[1].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def _section(document: Mapping[str, Any], rows: Sequence[Row]) -> Iterator[str]:
    processors = document["processors"]
    yield (
        f"Python {document['python']}, {processors} processors, warm page cache; medians of "
        f"{document['repetitions']} runs, one of trees of 100,000 files. CPU counts all processes "
        "of a command, memory its largest. LibCST's runner did fifty files of each tree; the rest "
        "is scaled by bytes."
    )
    yield ""
    yield "![Wall seconds over the number of files](pictures/campaigns.svg)"
    yield ""
    yield "| files | with nnx | command | wall s | CPU s | peak MB | wall against grep |"
    yield "|---:|---:|---|---:|---:|---:|---:|"
    grep = {_tree(row): row for row in rows if row["name"] == "grep"}
    for row in rows:
        sample = row["sample"]
        ratio = sample["wall"] / grep[_tree(row)]["sample"]["wall"]
        yield (
            f"| {row['files']:,} | {row['nnx']:,} | {row['name']} | {sample['wall']:.2f} "
            f"| {sample['cpu']:.2f} | {sample['peak'] / 1024:.0f} | {ratio:.1f}x |"
        )
    yield ""
    yield from _modelled(rows, processors)


def _modelled(rows: Sequence[Row], processors: int) -> Iterator[str]:
    model = fitted(rows, processors)
    most = max(row["files"] for row in rows)
    without = fitted(rows, processors, without=most)
    yield "### Beyond this machine: a million files"
    yield ""
    yield (
        f"Fitted to the runs above: {model.start:.1f} s to start, "
        f"{model.scan * 1e6:.0f} us a file, "
        f"{model.work * 1e3:.0f} ms to read and plan a file with nnx, {model.keep * 1e3:.1f} ms to "
        f"keep and tell of it, and {model.efficiency:.0%} of a processor from each that is added."
    )
    yield ""
    for row in rows:
        if row["name"] == "batch, 1 job" and row["files"] == most:
            yield _tried(without, row)
    yield ""
    yield (
        f"For {_FILES:,} files, {_SHARE:.0%} of which say nnx, on nodes of "
        f"{_PROCESSORS} processors:"
    )
    yield ""
    yield "| nodes | wall |"
    yield "|---:|---:|"
    for nodes in (1, 4, 16, 64):
        wall = model.wall(_FILES, _FILES * _SHARE, nodes, _PROCESSORS)
        yield f"| {nodes} | {_minutes(wall)} |"
    yield ""
    yield (
        f"It assumes that one process finds all files and who imports them, with a warm page cache "
        f"(a cold one is as slow as the disk); that a cluster takes {JOIN:g} s to join; "
        f"that {SENT / 1000:g} kB are sent to each node for each file with nnx, at "
        f"{BANDWIDTH / 1e9:g} GB/s; that processors of other nodes are worth what the second one "
        "was worth here; that there are many projects, not one that imports itself throughout (a "
        "group of files that know each other is held in memory whole by each worker that plans "
        "one of them); and that the files are like these. Nothing of it was run on more than one "
        "machine."
    )


def _tried(model: Model, row: Row) -> str:
    told, found = model.cpu(row["files"], row["nnx"]), row["sample"]["cpu"]
    return (
        f"- The same fit without the trees of this size foretells {told:.0f} CPU seconds for "
        f"{row['files']:,} files with {row['nnx']:,}; it took {found:.0f} ({told / found:.2f}x)."
    )


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _tree(row: Row) -> tuple[int, int]:
    return row["files"], row["nnx"]
