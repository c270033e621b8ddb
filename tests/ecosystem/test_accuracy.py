"""What is said of labelled places in published packages."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from accuracy import CACHE, PAGE, PINS, ROOT, Judged, Place, judge, labels, page_text
from migration_tool import installed_tool
from pinned_sources import NotToBeHad

# What was reached; a change that makes one of them worse has to say why.
MOST_MISSED = 2
#: What the fail-closed rule pins without need is in it; it may only be lowered.
MOST_NEEDLESS = 6


def test_labels_are_whole() -> None:
    places = labels()
    assert len(places) >= 300
    assert len({(p.package, p.file, p.line, p.transform) for p in places}) == len(places)
    assert {p.package for p in places} <= PINS.keys()
    assert {p.label for p in places} == {"same", "raises", "silent", "depends"}
    assert all(p.family for p in places if p.label in {"raises", "silent"})
    assert all(len(p.why) > 20 for p in places)


def test_a_page_tells_what_is_missed_and_what_is_needless() -> None:
    def judged(label: str, outcome: str) -> Judged:
        kinds: dict[str, Any] = {"label": label, "family": "STR-4", "cause_line": None}
        place = Place("a 1", f"{label}.py", 1, "jit", why="some reason", **kinds)
        return Judged(place, outcome, ("some-rule",))

    cases = [("raises", "pinned"), ("silent", "same"), ("same", "rewritten"), ("depends", "pinned")]
    text = page_text([judged(*case) for case in cases])
    assert "| `STR-4` | 2 | 1 | 1 | 1 |" in text
    assert "| `some-rule` | 3 | 1 | 1 | 1 |" in text
    missed, _, needless = text.partition("## Missed")[2].partition("## Changed needlessly")
    assert "silent.py:1" in missed
    assert "same.py:1" in needless


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_first_pages_say_what_the_table_does(page: str) -> None:
    table, _, needless = (
        PAGE.read_text().partition("## Missed")[2].partition("## Changed needlessly")
    )
    text = (ROOT / page).read_text()
    missed = len(re.findall(r"^- ", table, re.MULTILINE))
    assert re.search(rf"{missed} of \d+ that raise", text)
    count = len(re.findall(r"^- ", needless, re.MULTILINE))
    assert re.search(rf"{count} (changed|places) needlessly", text)


@pytest.mark.network
def test_no_silent_place_is_missed() -> None:
    try:
        judged = judge(labels(), installed_tool(), CACHE)
    except NotToBeHad as error:
        pytest.skip(f"no package index here, or not this package: {error}")
    assert [each for each in judged if each.place.label == "silent" and not each.changed] == []
    counts = Counter(
        "missed" if each.differs and not each.changed else "needless" if each.needless else "right"
        for each in judged
    )
    assert counts["missed"] <= MOST_MISSED
    assert counts["needless"] <= MOST_NEEDLESS
