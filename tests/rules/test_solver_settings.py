"""What a Module passes to diffrax: how to solve an equation is nothing that it may change."""

from __future__ import annotations

import pytest

from tests.rules.checking import check_noop, check_pinned, check_transformed

RULE = "structural-update"
_CHECKED = """
@nnx.jit
def run(model: Flow, x):
    model_before = nnx.split(model)
    result = model(x)
    if nnx.split(model) != model_before:
        raise ValueError("model must keep its structure")
    return result
"""
_RUN = """
@nnx.jit
def run(model: Flow, x):
    return model(x)
"""
_FLOW = """\
import diffrax


class Flow(nnx.Module):
    def __init__(self, solver: diffrax.AbstractSolver, step: float, rngs: nnx.Rngs):
        self.phi = Net(rngs)
        self.solver = solver
        self.controller = diffrax.PIDController(rtol=1e-3, atol=step)

    def __call__(self, x):
        def field(t, y, args):
            return self.phi(y)

        return diffrax.diffeqsolve(
            terms=diffrax.ODETerm(field),
            solver=self.solver,
            t0=0.0,
            t1=1.0,
            dt0=0.1,
            y0=x,
            stepsize_controller=self.controller,
        ).ys[-1]

"""


def _flow(*changes: tuple[str, str]) -> str:
    program = _FLOW
    for before, after in changes:
        assert before in program
        program = program.replace(before, after)
    return program


_SAME = {
    "annotated": _flow(),
    "of a solver's own class": _flow(("diffrax.AbstractSolver", "diffrax.Tsit5")),
    "shown by the call": _flow((": diffrax.AbstractSolver", ""))
    + "\nmade = Flow(diffrax.Euler(), 0.1, nnx.Rngs(0))\n",
}


@pytest.mark.parametrize("how", _SAME)
def test_what_says_how_to_solve_an_equation_stays(how: str) -> None:
    check_noop(RULE, _SAME[how] + _RUN)


_CHANGED = {
    "by a function inside": _flow(("return self.phi(y)", "self.t = t\n            return y")),
    "by a method": _flow(
        ("diffrax.ODETerm(field)", "diffrax.ODETerm(self.field)"),
        (
            "    def __call__",
            "    def field(self, t, y, args):\n        self.t = t\n\n    def __call__",
        ),
    ),
}


@pytest.mark.parametrize("how", _CHANGED)
def test_what_the_equation_changes_is_kept_in_graph_mode(how: str) -> None:
    check_pinned(RULE, _CHANGED[how] + _RUN, "the function changes model: attribute t is set")


_OPEN = {
    "the object is an argument of the equation": _flow(("y0=x,", "y0=x,\n            args=self,")),
    "the object is the equation": _flow(("diffrax.ODETerm(field)", "diffrax.ODETerm(self.phi)")),
    "a solver of the project's": _flow(
        ("class Flow", "class Own(diffrax.Euler):\n    model: Net\n\n\nclass Flow")
    ),
    "a solver that holds something else": _flow(
        (": diffrax.AbstractSolver, step: float", ""),
        ("= solver", "= diffrax.Kvaerno5(root_finder=rngs.params)"),
        ("atol=step", "atol=1e-3"),
    ),
}


@pytest.mark.parametrize("how", _OPEN)
def test_what_diffrax_may_change_is_checked(how: str) -> None:
    check_transformed(RULE, _OPEN[how] + _RUN, _OPEN[how] + _CHECKED)
