"""A finding is at the place that its code has in the file, wherever rewrites have put the code."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import Outcome
from nnx_migrate.rewrite.text.edits import Edit, LineMap, Text, apply_edits
from tests.hazards.running import migrated

_IMPORTS = """\
from flax import nnx
from jax.tree import leaves


"""
_ON_ONE_LINE = """\
def step(model: nnx.BatchNorm, x):
    return nnx.grad(lambda m: leaves(nnx.grad(lambda k: k(x).sum())(m))[0] + m(x).sum())(model)
"""
_ON_LINES_OF_ITS_OWN = """\
def step(model: nnx.BatchNorm, x):
    return nnx.grad(
        lambda m: leaves(
            nnx.grad(lambda k: k(x).sum())(m)
        )[0] + m(x).sum()
    )(model)
"""
_PINNED = """\
def step(model, optimizer, batch, loss):
    grads = nnx.compat.grad(
        nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(loss))
    )(model, batch)
    optimizer.update(model, grads)
"""


@pytest.mark.parametrize("program", [_ON_ONE_LINE, _ON_LINES_OF_ITS_OWN])
def test_the_inner_of_two_gradients_is_where_it_was(program: str) -> None:
    text = _IMPORTS + program
    result = migrated(text)
    found = [f for f in result.findings if f.outcome is Outcome.REWRITTEN]
    known = Text(text)
    outer = text.index("nnx.grad(")
    inner = text.index("nnx.grad(", outer + 1)
    assert [(f.line, f.column) for f in found] == [
        known.line_and_column(place) for place in (outer, inner)
    ]


def test_a_pin_over_several_lines_is_where_it_begins() -> None:
    text = _IMPORTS + _PINNED
    result = migrated(text)
    assert result.after.decode() == text
    (finding,) = result.findings
    place = text.index("nnx.compat.grad")
    assert (finding.line, finding.column) == Text(text).line_and_column(place)


@pytest.mark.parametrize(
    ("edits", "lines"),
    [
        # What is joined begins where the first of it did.
        ([("(\n  x\n)", "(x)")], [1, 2, 5]),
        ([("(\n", "("), ("\n)", ")")], [1, 2, 5]),
        ([("b = f(\n  x\n)", "b = f(x)")], [1, 2, 5]),
        # Lines that go leave the one behind them as it is.
        ([("b = f(\n  x\n)\n", "")], [1, 5]),
        ([("a\nb = f(\n  x\n)\n", "")], [5]),
        # New lines are of the line that they were put at.
        ([("b = f(", "n = 1\nb = f(")], [1, 2, 2, 3, 4, 5]),
        ([("b = f(\n  x\n)", "n = 1\nb = f(x)")], [1, 2, 2, 5]),
    ],
)
def test_lines_are_followed(edits: list[tuple[str, str]], lines: list[int]) -> None:
    text = "a\nb = f(\n  x\n)\nc"
    known = Text(text)
    spans = [Edit(text.index(old), text.index(old) + len(old), new) for old, new in edits]
    followed = LineMap(len(known.line_starts))
    followed.advance(known, spans)
    after = Text(apply_edits(text, spans))
    assert [followed.original(n + 1) for n in range(len(after.line_starts))] == lines
