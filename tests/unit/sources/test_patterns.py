"""Patterns of repositories: the same names match as before, and none takes for ever."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path

import pathspec
import pytest

from nnx_migrate.sources.patterns import (
    MOST_DOUBLE_STARS,
    ignore_patterns,
    without_explosion,
)
from nnx_migrate.sources.walk.ignores import read_patterns


def test_the_same_names_match() -> None:
    draw = random.Random(1)
    # Of `[!a]` the library says that it may be a slash, which git does not.
    parts = ["*", "*", "*", "a", "b", "?", "[ab]", "[!a/]", r"\*", ".", "/", "ab"]
    for _ in range(1500):
        line = "".join(draw.choice(parts) for _ in range(draw.randint(1, 9)))
        try:
            plain = pathspec.GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        ours = ignore_patterns([line])
        for _ in range(20):
            name = "".join(draw.choice("aab.*/") for _ in range(draw.randint(1, 12))).strip("/")
            assert ours.match_file(name) == plain.match_file(name), (line, name)


@pytest.mark.parametrize(
    "line", ["*a" * 30 + "*b", "/x/" + "*a" * 30 + "b", "*?" * 30 + "b", "*[ab]" * 30 + "c"]
)
def test_no_pattern_takes_for_ever(line: str) -> None:
    start = time.process_time()
    assert not ignore_patterns([line]).match_file("x/" + "a" * 250)
    assert time.process_time() - start < 5


def test_too_many_double_stars_are_no_pattern() -> None:
    with pytest.raises(ValueError, match=r"times \*\* in the pattern"):
        ignore_patterns(["**/a/" * (MOST_DOUBLE_STARS + 1)])


def test_what_has_few_stars_stays_as_it_is() -> None:
    regex = re.compile(r"^[^/]*\.py$")
    assert without_explosion(regex).pattern == regex.pattern


@pytest.mark.parametrize("line", ["x[z-a]", "[o-1]*a*b*c"])
def test_a_range_that_ends_before_it_begins_is_no_pattern(line: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        ignore_patterns([line])
    (tmp_path / ".gitignore").write_text(f"{line}\nbuild/\n")
    found = read_patterns(str(tmp_path), ".gitignore")
    assert found is not None
    assert found.verdict(f"{tmp_path}/build/") is True  # the others count, as in Git
