"""Rules come from entry points; a name that is not known gets a suggestion."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from nnx_migrate.rewrite.model.registry import BrokenRule, UnknownRule, find_rule, rule_entries


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    rule_entries.cache_clear()
    yield
    rule_entries.cache_clear()


def pretend(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    points = [EntryPoint(name.replace("_", "-"), value, "g") for name, value in values.items()]

    def entry_points(group: str) -> list[EntryPoint]:
        assert group == "nnx_migrate.codemods"
        return points

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)


def test_the_manual_is_the_docstring_of_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, zebra="json:dumps", apple="textwrap:dedent")
    assert list(rule_entries()) == ["apple", "zebra"]
    assert find_rule("apple").manual().startswith("Text wrapping and filling.")


def test_an_unknown_name_gets_a_suggestion(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, state_axes="json:dumps")
    with pytest.raises(UnknownRule, match="did you mean 'state-axes'"):
        find_rule("state-axis")
    with pytest.raises(UnknownRule, match="'nnx-migrate rule' lists them"):
        find_rule("qqq")


def test_a_rule_that_cannot_be_loaded_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, gone="no_such_module:RULE", wrong="json:dumps")
    with pytest.raises(BrokenRule, match=r"rule gone \(no_such_module:RULE\)"):
        find_rule("gone").load()
    with pytest.raises(BrokenRule, match="rule gone"):
        find_rule("gone").manual()
    with pytest.raises(BrokenRule, match=r"rule wrong .* calls itself None"):
        find_rule("wrong").load()
