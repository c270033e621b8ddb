"""Every text colour of the page can be read on every ground that it comes to stand on."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from importlib.resources import files

import pytest

STYLE = files("nnx_migrate.report.html").joinpath("style.css").read_text()
PAIR = re.compile(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)")
COLOURS = {name: (light, dark) for name, light, dark in PAIR.findall(STYLE)}
LINES = ("ground", "red-ground", "red-word", "green-ground", "green-word")


def luminance(colour: str) -> float:
    """As WCAG 2 has it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(left: str, right: str) -> float:
    bright, dark = sorted((luminance(left), luminance(right)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def combinations() -> Iterator[tuple[str, str]]:
    """Texts and the grounds that they stand on."""
    code = ["text", *(name for name in COLOURS if name.startswith("t-"))]
    yield from itertools.product(code, LINES)
    yield from itertools.product(("text", "quiet", "accent"), ("ground", "raised", "grey-ground"))
    yield from itertools.product(("quiet",), ("red-ground", "green-ground"))
    yield from itertools.product(("green", "red"), ("ground", "raised"))
    for name in ("green", "red", "amber", "blue", "violet"):
        yield name, f"{name}-ground"


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_can_be_read(theme: int) -> None:
    assert len(COLOURS) > 20
    poor = {
        (text, ground): round(ratio, 2)
        for text, ground in combinations()
        if (ratio := contrast(COLOURS[text][theme], COLOURS[ground][theme])) < 4.5
    }
    assert poor == {}
