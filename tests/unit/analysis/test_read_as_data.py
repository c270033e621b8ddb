"""An object that is told as an attribute of numbers is none of nnx, whatever else it is told as."""

from __future__ import annotations

import pytest

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import Object, Variable
from nnx_migrate.analysis.points_to.repeated_objects import Found
from tests.unit.analysis.asking import analysis_of, scope_named

PROGRAM = """
from flax import nnx

class Keeper:
    def __init__(self, channels=1):
        self.channels = channels
        self.model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
        self.heads = [nnx.Linear(2, 2, rngs=nnx.Rngs(0))]
        self.given = given()

    def run(self):
        return self.channels, self.model, self.heads, self.given

Keeper().run()
"""


def _found(run: Scope, path: tuple[str, ...], read: str) -> Found:
    """An object of the keeper, told as one of its attributes."""
    place = Located(run, ir.Attribute(ir.Name("self"), read))
    return Found(Object(Variable(run, "self", 0), path, place))


@pytest.mark.parametrize(
    ("path", "reads", "both"),
    [
        # What is looked up by a name that may be any: it can be the numbers, and no model then.
        (("channels",), ("model", "channels"), False),
        (("channels",), ("channels", "model"), False),
        # The numbers say nothing of another attribute.
        (("model",), ("model", "channels"), True),
        (("model",), ("model", "model"), True),
        (("heads",), ("heads", "heads"), True),
        # Of what is not known it stays what the other place says.
        (("given",), ("model", "given"), True),
        (("channels", "model"), ("model", "channels"), True),
    ],
)
def test_it_is_no_object_of_nnx(path: tuple[str, ...], reads: tuple[str, str], both: bool) -> None:
    analysis = analysis_of(PROGRAM)
    run = scope_named(analysis, "run")
    one, other = (_found(run, path, each) for each in reads)
    assert analysis.sharing.passed.is_in_both(one, other) is both
