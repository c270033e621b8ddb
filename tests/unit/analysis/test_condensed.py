"""Large sets of effects: what stands for what."""

from __future__ import annotations

from collections.abc import Hashable

import pytest

from nnx_migrate.analysis.effects import condensed as module
from nnx_migrate.analysis.effects.causes import AttributeWritten
from nnx_migrate.analysis.effects.condensed import ENOUGH, condensed
from nnx_migrate.analysis.effects.effect import Effect
from nnx_migrate.core.place import Place


def _set(module: str, line: int = 1, name: str = "n") -> Effect:
    return Effect("structure", AttributeWritten(name, "set"), Place(module, line))


def _many(*modules: str) -> frozenset[Effect]:
    return frozenset(_set(each, line) for each in modules for line in range(1, ENOUGH + 2))


def test_the_first_stands_for_the_rest() -> None:
    assert condensed(_many("lib", "other"), "main") == {_set("lib")}


def test_what_a_test_does_stands_for_nothing_else() -> None:
    assert condensed(_many("a.test_lib", "other"), "main") == {_set("other")}


def test_what_each_test_does_is_kept_where_nothing_else_does_it() -> None:
    found = condensed(_many("test_a", "b_test"), "main")
    assert found == {_set("test_a"), _set("b_test")}


def test_each_is_sorted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sorted_: list[Effect] = []
    original = module._sort

    def noting(effect: Effect) -> tuple[Hashable, ...]:
        sorted_.append(effect)
        return original(effect)

    monkeypatch.setattr(module, "_sort", noting)
    many = _many("lib", "test_a")
    condensed(many, "main")
    assert len(sorted_) == len(many)
