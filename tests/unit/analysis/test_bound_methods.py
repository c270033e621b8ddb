"""A method that is bound to a layer, and kept beside it, is not the layer a second time."""

from __future__ import annotations

import pytest

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import NOTHING
from nnx_migrate.analysis.points_to.object_finder import ObjectFinder
from tests.unit.analysis.asking import analysis_of, scope_named

PROGRAM = """
from flax import nnx


class Own(nnx.Module):
    def __init__(self):
        self.lin = nnx.Linear(2, 2, rngs=nnx.Rngs(0))


def run(unknown):
    cell = nnx.LSTMCell(2, 2, rngs=nnx.Rngs(0))
    cell.extra = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    own = Own()
"""


@pytest.mark.parametrize(
    ("base", "name", "holds"),
    [
        ("cell", "initialize_carry", False),
        ("cell", "extra", True),
        ("own", "lin", True),
        ("unknown", "initialize_carry", True),
    ],
)
def test_what_an_attribute_gives(base: str, name: str, holds: bool) -> None:
    analysis = analysis_of(PROGRAM)
    objects = ObjectFinder(analysis.evaluator)
    held = objects.held(scope_named(analysis, "run"), ir.Attribute(ir.Name(base), name))
    assert (held != NOTHING) == holds
