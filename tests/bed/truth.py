"""What programs of the bed do when the defaults are flipped and nothing is changed, by running."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bed.programs import Program
from tests.fuzzing.running import difference, run_all

TABLE = Path(__file__).with_name("results.txt")
_AT_ONCE = 200


class Truth(enum.StrEnum):
    """What becomes of a program in tree mode, beside graph mode."""

    SAME = "same"
    SILENT = "silent"
    RAISES = "raises"
    IDENTITY = "identity"
    BROKEN = "broken"


def stored() -> dict[str, Truth]:
    """The table: key of a program -> what was seen."""
    lines = TABLE.read_text(encoding="ascii").splitlines() if TABLE.exists() else []
    return {key: Truth(seen) for key, seen in map(str.split, lines)}


def store(table: Mapping[str, Truth]) -> None:
    """Write the table."""
    lines = [f"{key} {seen}\n" for key, seen in sorted(table.items())]
    TABLE.write_text("".join(lines), encoding="ascii")


def seen(programs: Sequence[Program]) -> dict[str, Truth]:
    """Run programs in both modes: key -> what was seen."""
    found: dict[str, Truth] = {}
    for some in _batched(programs):
        sources = {program.key: program.text().encode() for program in some}
        graph, tree = run_all([(sources, "graph"), (sources, "tree")])
        for key in sources:
            if graph[key].view is None:
                found[key] = Truth.BROKEN
            elif tree[key].view is None:
                found[key] = Truth.RAISES
            else:
                found[key] = _compared(difference(graph[key], tree[key]))
    return found


def _batched(programs: Sequence[Program]) -> list[Sequence[Program]]:
    return [programs[start : start + _AT_ONCE] for start in range(0, len(programs), _AT_ONCE)]


def _compared(different: str) -> Truth:
    if not different:
        return Truth.SAME
    return Truth.IDENTITY if " the same object as " in different else Truth.SILENT
