"""The list of what a tree keeps in graph mode: for people, and for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import UNSET

import nnx_migrate
from nnx_migrate.core.pins import Origin, PinnedPlace, Pins
from nnx_migrate.report.pins.document import By, Group, PinsDocument, Place, Tool
from nnx_migrate.report.text import first_on_line, printable, wrapped

_BY = {
    Origin.OURS: "by nnx-migrate",
    Origin.EITHER: "by nnx-migrate or by hand",
    Origin.CHOSEN: "by hand",
}


def as_text(
    groups: Mapping[str, Sequence[PinnedPlace]],
    pins: Pins,
    by: By,
    width: int | None = None,
    paths: str = ".",
) -> str:
    """The list for people.

    Args:
        groups: as `grouped` gives them.
        pins: all of them.
        by: what the groups are.
        width: columns that lines are wrapped to; None for as long as they are.
        paths: what was looked at, as it is typed.
    """
    lines: list[str] = []
    for key, places in groups.items():
        lines.append(f"{printable(key)}: {_plural(len(places), 'place')}")
        ways = {place.way_out for place in places if place.way_out}
        if by == "cause" and len(ways) == 1:
            lines.append(f"  way out: {ways.pop()}")
        for place in places:
            lines.append(f"  {_where(place)}: {_told(place)}")
            shared = by == "cause" and len({each.way_out for each in places}) == 1
            lines.append(f"    {printable(place.reason)}" if by == "cause" else _caused(place))
            if not shared and place.way_out:
                lines.append(f"    way out: {place.way_out}")
        lines.append("")
    lines += _burn_down(pins, paths)
    fitting = (part for line in lines for part in wrapped(line, width, f"{_indent(line)}  "))
    return "\n".join(fitting) + "\n"


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _caused(place: PinnedPlace) -> str:
    return f"    {place.cause}: {printable(place.reason)}"


def _told(place: PinnedPlace) -> str:
    mode = ", mid mode" if place.mode == "mid" else ""
    kept = f"{place.kept} " if place.kept else ""
    return f"{kept}({place.written}{mode}; {_BY[place.origin]})"


def _where(place: PinnedPlace) -> str:
    path = first_on_line(printable(str(place.path)))
    if place.cell:
        return f"{path}:cell {place.cell}:{place.cell_line}"
    return f"{path}:{place.line}:{place.column}"


def _burn_down(pins: Pins, paths: str) -> Iterator[str]:
    if pins.unmigrated:
        # What nothing keeps in graph mode may still depend on it, so no share is of any use.
        yield f"{pins.pinned:,} of {_plural(pins.transforms, 'transform')} pinned."
        yield (
            f"Not migrated yet: {_plural(pins.unmigrated, 'place')} without a pin. "
            f"To see them: nnx-migrate apply {paths} --dry-run"
        )
    else:
        native = pins.transforms - pins.pinned
        share = f" ({100 * native // pins.transforms} %)" if pins.transforms else ""
        yield f"{native:,} of {_plural(pins.transforms, 'transform')} native{share}."
        if not pins.places:
            yield "Nothing stays in graph mode."
    if not pins.places:
        return
    counts = Counter(place.origin for place in pins.places)
    told = ", ".join(f"{counts[origin]} {_BY[origin]}" for origin in Origin if counts[origin])
    yield f"{_plural(len(pins.places), 'place')} in graph mode: {told}."


def as_json(groups: Mapping[str, Sequence[PinnedPlace]], pins: Pins, by: By) -> str:
    """The list for programs."""
    document = PinsDocument(
        tool=Tool(nnx_migrate.__version__),
        by=by,
        transforms=pins.transforms,
        native=pins.transforms - pins.pinned,
        places=len(pins.places),
        unmigrated=pins.unmigrated,
        groups=[
            Group(key, len(places), [_as_object(each) for each in places])
            for key, places in groups.items()
        ],
    )
    return json.dumps(msgspec.to_builtins(document), indent=1) + "\n"


def _as_object(place: PinnedPlace) -> Place:
    return Place(
        path=str(place.path),
        line=place.line,
        column=place.column,
        kept=place.kept,
        written=place.written,
        mode=place.mode,
        origin=place.origin,
        cause=place.cause,
        reason=place.reason,
        way_out=place.way_out,
        cell=place.cell or UNSET,
        cell_line=place.cell_line if place.cell else UNSET,
    )


def _plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
