"""A name that a loop binds to what it was is told by its other bindings, and not by itself."""

from __future__ import annotations

import pytest

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import Held, MadeBy, Variable
from tests.unit.analysis.asking import analysis_of, scope_named

_PROGRAM = """\
from flax import nnx


def step(model, x):
    return model, x


def made():
    return nnx.Linear(2, 2, rngs=nnx.Rngs(1))


def run(xs):
    model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    BODY
    return model
"""


def _held(body: str) -> Held:
    text = _PROGRAM.replace("BODY", body.replace("\n", "\n    "))
    analysis = analysis_of(text)
    return analysis.sharing.objects.held(scope_named(analysis, "run"), ir.Name("model"))


def _roots(held: Held) -> list[Variable | MadeBy]:
    roots = [part.object.root for part in held if part.object is not None]
    return [root for root in roots if isinstance(root, Variable | MadeBy)]


def test_what_a_loop_hands_through_a_function_is_what_was_made() -> None:
    (only,) = _roots(_held("for x in xs:\n    model, y = step(model, x)"))
    assert isinstance(only, MadeBy)


@pytest.mark.parametrize(
    "body",
    [
        "for x in xs:\n    model, y = step(made(), x)",
        "for x in xs:\n    model, y = step(model, x)\n    model = made()",
    ],
    ids=["another one", "another one in turn"],
)
def test_what_else_a_loop_binds_is_told(body: str) -> None:
    assert len(_held(body).parts) == 2
