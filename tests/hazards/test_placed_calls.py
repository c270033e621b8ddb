"""Arguments of mapped and scanned functions that calls pass by keyword, or leave out."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult
from tests.hazards.running import migrated, settled, verdicts

PROGRAM = """\
import functools
import jax, jax.numpy as jnp
from flax import nnx

SIZE = 2.0
told = []

def told_of(value):
    told.append(float(value))
    return value

DECORATOR
def scaled(x, scale, shift=DEFAULT, power=1):
    return (x.sum() * scale + shift) ** power

BEFORE

def main():
    x = jnp.arange(4.0).reshape(2, 2)
    return CALL, told
"""
PLAIN = {
    "DECORATOR": "@nnx.vmap(in_axes=(1, None, None, None))",
    "DEFAULT": "0.5",
    "BEFORE": "",
    "CALL": "scaled(x, scale=3.0)",
}
#: What the call becomes.
PLACED = {
    "a keyword": ({}, "scaled(x, 3.0, 0.5, 1)"),
    "defaults": ({"CALL": "scaled(x, 3.0)"}, "scaled(x, 3.0, 0.5, 1)"),
    "none by place": ({"CALL": "scaled(x=x, scale=3.0)"}, "scaled(x, 3.0, 0.5, 1)"),
    "a default between": ({"CALL": "scaled(x, 3.0, power=2)"}, "scaled(x, 3.0, 0.5, 2)"),
    "brackets": (
        {"CALL": "scaled(x, scale=(1.0 + 2.0), shift=(jnp.ones(())))"},
        "scaled(x, (1.0 + 2.0), (jnp.ones(())), 1)",
    ),
    "a negative default": ({"DEFAULT": "-1"}, "scaled(x, 3.0, -1, 1)"),
    "on several lines": (
        {"CALL": "scaled(\n        x,\n        scale=3.0,\n    )"},
        "scaled(\n        x,\n        3.0, 0.5, 1,\n    )",
    ),
    "in the order of the parameters": (
        {"CALL": "scaled(x, scale=told_of(2.0), shift=told_of(1.0))"},
        "scaled(x, told_of(2.0), told_of(1.0), 1)",
    ),
    "two calls": (
        {"CALL": "scaled(x, scale=3.0) + scaled(x, 2.0, shift=1.0)"},
        "scaled(x, 3.0, 0.5, 1) + scaled(x, 2.0, 1.0, 1)",
    ),
}
#: The calls stay, and so does graph mode.
KEPT = {
    "another order": {"CALL": "scaled(x, shift=told_of(2.0), scale=told_of(1.0))"},
    "a dictionary": {"CALL": "scaled(x, **{'scale': 3.0})"},
    "a default that is made": {"DEFAULT": "jnp.ones(())"},
    "a default with a name": {"DEFAULT": "SIZE"},
    "called by another name, too": {
        "BEFORE": "def twice(f, x):\n    return f(x, scale=2.0)",
        "CALL": "scaled(x, scale=3.0) + twice(scaled, x)",
    },
    "offered to others": {"BEFORE": "__all__ = ['scaled']"},
    "a partial": {"CALL": "functools.partial(scaled, scale=3.0)(x)"},
}


def case(parts: dict[str, str]) -> FileResult:
    text = PROGRAM
    for name, part in (PLAIN | parts).items():
        text = text.replace(name, part)
    return migrated(text)


@pytest.mark.parametrize("name", PLACED)
def test_all_is_passed_by_place(name: str) -> None:
    parts, call = PLACED[name]
    result = case(parts)
    after = result.after.decode()
    assert f"return {call}, told" in after
    assert "compat" not in after
    assert settled(result)


@pytest.mark.parametrize("name", KEPT)
def test_calls_that_cannot_change_stay(name: str) -> None:
    after = case(KEPT[name]).after.decode()
    assert "nnx.compat.vmap" in after
    assert f"return {(PLAIN | KEPT[name])['CALL']}, told" in after


@pytest.mark.runs_jax
def test_they_compute_the_same(tmp_path: Path) -> None:
    names = {**{n: parts for n, (parts, _) in PLACED.items()}, **KEPT}
    programs = {name.replace(" ", "_").replace(",", ""): case(p) for name, p in names.items()}
    found = verdicts(programs, tmp_path)
    assert {name: why for name, why in found.items() if why} == {}
