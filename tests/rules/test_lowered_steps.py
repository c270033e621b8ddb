"""`structural-update` of a step that sets a mode first, and that is lowered besides its calls."""

from __future__ import annotations

import pytest

from tests.rules.checking import check_noop, check_pinned, check_transformed

RULE = "structural-update"
STEP = """\
@nnx.jit
def evaluate(model: Net, x):
    model.eval()
    return model(x)


def main(x, keep):
    model = Net(nnx.Rngs(0))
    LOOK
    y = evaluate(model, x)
    return y, model
"""
SET = STEP.replace("    y =", "    model.eval()\n    y =")
COSTS = "print(evaluate.lower(model, x).compile().cost_analysis())"
BY_NAMES = """\
lowered = evaluate.lower(model, x)
    print(lowered.as_text())
    compiled = lowered.compile()
    print(compiled.memory_analysis(), compiled.cost_analysis())"""


@pytest.mark.parametrize("look", [COSTS, BY_NAMES, "evaluate.lower(model, x)"])
def test_a_step_that_sets_what_its_calls_set_stays(look: str) -> None:
    check_noop(RULE, SET.replace("LOOK", look))


@pytest.mark.parametrize("look", [COSTS, BY_NAMES, "evaluate.lower(model, x)"])
def test_a_step_that_is_lowered_goes_on_setting_its_mode(look: str) -> None:
    check_transformed(RULE, STEP.replace("LOOK", look), SET.replace("LOOK", look))


NOT_ONLY_LOOKED_AT = {
    "compiled, and called": "evaluate.lower(model, x).compile()(model, x)",
    "compiled, and called by a name": "run = evaluate.lower(model, x).compile()\n    run(model, x)",
    "kept": "keep.step = evaluate.lower(model, x).compile()",
    "passed on": "keep(evaluate.lower(model, x).compile())",
    "put into a tuple": "steps = (evaluate.lower(model, x).compile(), 1)",
    "returned": "return evaluate.lower(model, x).compile()",
    "one of two": "run = evaluate.lower(model, x)\n    run = keep\n    run.as_text()",
    "a method that is kept": "lower = evaluate.lower\n    lower(model, x).compile()(model, x)",
    "traced": "print(evaluate.trace(model, x).jaxpr)",
    "another attribute": "print(evaluate.lower(model, x).compile().runtime_executable())",
}


@pytest.mark.parametrize("case", NOT_ONLY_LOOKED_AT)
def test_a_step_whose_program_may_be_run_is_kept_in_graph_mode(case: str) -> None:
    check_pinned(RULE, STEP.replace("LOOK", NOT_ONLY_LOOKED_AT[case]), ".eval() changes it")


def test_so_is_a_step_of_which_a_call_sets_something_else() -> None:
    text = STEP.replace("LOOK", COSTS).replace(
        "(model, x)\n    return y", "(keep(), x)\n    return y"
    )
    check_pinned(RULE, text, ".eval() changes it")


def test_what_else_the_step_sets_is_kept_in_graph_mode() -> None:
    text = SET.replace("LOOK", COSTS).replace(
        "return model(x)", "model.last = x\n    return model(x)"
    )
    check_pinned(RULE, text, "attribute last is set")


def test_so_is_one_whose_program_other_code_may_get() -> None:
    text = """\
__all__ = ["compiled"]


@nnx.jit
def _evaluate(model: Net, x):
    model.eval()
    return model(x)


_model = Net(nnx.Rngs(0))
_x = jnp.ones((1, 2))
compiled = _evaluate.lower(_model, _x).compile()
y = _evaluate(_model, _x)
"""
    check_pinned(RULE, text, ".eval() changes it")
    private = text.replace('__all__ = ["compiled"]', "__all__ = []").replace(
        "compiled =", "_compiled ="
    )
    after = private.replace("y = ", "_model.eval()\ny = ")
    check_transformed(RULE, private, after)
