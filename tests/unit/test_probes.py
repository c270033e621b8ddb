"""What runs at the beginning of a watched function never ends the program that is watched."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.check.recording import compiling
from nnx_migrate.observe import kinds, probes


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Settings of a recorder whose folder is `told`."""
    settings = tmp_path / "observe.json"
    settings.write_text(json.dumps({"folder": str(tmp_path / "told"), "touched": {}}))
    (tmp_path / "told").mkdir()
    monkeypatch.setenv(compiling.VARIABLE, str(settings))
    compiling.plain_settings.cache_clear()
    monkeypatch.setattr(probes, "_functions", [])
    calls: dict[str, Any] = {}
    monkeypatch.setattr(probes, "_calls", calls)
    yield calls
    compiling.plain_settings.cache_clear()


def lines(folder: Path) -> list[dict[str, Any]]:
    (file,) = (folder / "told").iterdir()
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_container_that_changes_meanwhile_is_not_looked_into(
    told: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def changed(value: object) -> None:
        raise RuntimeError("dictionary changed size during iteration")

    monkeypatch.setattr(probes, "kind_of", changed)
    probes.seen(probes.number_of("code.py", "f", ("a", "b")), ({"x": 1}, 2))
    assert [calls.number for calls in told.values()] == [1]
    assert lines(tmp_path)[0]["parameters"] == {"a": ["other"], "b": ["plain"]}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ([1, 2.0], ["in plain"]),
        ({"a": [None, "x"]}, ["in in none", "in in plain"]),
        ((1, [2]), ["in in plain", "in plain"]),
        ([], ["in plain"]),
        (list(range(65)), ["other"]),
    ],
)
def test_containers_are_told_by_what_they_hold(
    told: dict[str, Any], tmp_path: Path, value: object, found: list[str]
) -> None:
    probes.seen(probes.number_of("code.py", "f", ("a",)), (value,))
    assert lines(tmp_path)[0]["parameters"] == {"a": found}


@pytest.mark.parametrize(
    ("given", "told_as"),
    [("", "default"), ("x", "plain"), (b"", "plain"), (0, "plain"), (False, "off"), (None, "none")],
)
def test_a_default_that_counts_as_false_is_told(
    told: dict[str, Any], tmp_path: Path, given: object, told_as: str
) -> None:
    probes.seen(probes.number_of("code.py", "f", ("a",)), (kinds.or_default(given, ""),))
    assert lines(tmp_path)[0]["parameters"] == {"a": [told_as]}


class Comparing(type):
    """A metaclass like that of sympy's functions: to compare its classes takes long."""

    asked = 0

    def __eq__(cls, other: object) -> bool:
        Comparing.asked += 1
        return isinstance(other, Comparing)

    def __hash__(cls) -> int:
        Comparing.asked += 1
        return 0


def _with_flax() -> None:
    importlib.import_module("flax.nnx")


def _without_flax() -> None:
    """Where the watched program has not imported it, objects are not looked into."""


@pytest.mark.parametrize(
    "imports", [_without_flax, pytest.param(_with_flax, marks=pytest.mark.runs_jax)]
)
def test_classes_that_compare_themselves_are_not_asked(
    told: dict[str, Any], tmp_path: Path, imports: Callable[[], None]
) -> None:
    imports()
    number = probes.number_of("code.py", "f", ("a", "b"))
    first, *others = [Comparing(f"u{each}", (), {})() for each in range(4)]
    # Where jax is there, it is asked once whether it takes such objects apart.
    probes.seen(number, (first, [[first], 1]))
    Comparing.asked = 0
    for each in others:
        probes.seen(number, (each, [[each], 1]))
    assert Comparing.asked == 0
    assert [calls.number for calls in told.values()] == [4]
    line = next(each for each in lines(tmp_path) if "parameters" in each)
    assert line["parameters"] == {"a": ["other"], "b": ["in in other", "in plain"]}
