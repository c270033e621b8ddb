"""A model is read from its optimizer only where every call passes that very model."""

from __future__ import annotations

import pytest

from tests.hazards.running import migrated

_PROGRAM = """\
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)


{decorator}
def step({parameters}):
    {body}
    optimizer.update(nnx.grad(lambda m: m.linear(x).sum())(model))


def main(x):
    model = Net(nnx.Rngs(0))
    other = Net(nnx.Rngs(1))
    {between}
    optimizer = nnx.ModelAndOptimizer(model, optax.sgd(0.1))
    {behind}
    {call}
"""
_STANDING = {
    "decorator": "@nnx.jit",
    "parameters": "model, optimizer, x",
    "body": "x = x + 1",
    "between": "pass",
    "behind": "pass",
    "call": "step(model, optimizer, x)",
}


@pytest.mark.parametrize(
    ("changed", "read"),
    [
        pytest.param({}, True, id="beside it"),
        pytest.param({"call": "step(x=x, model=model, optimizer=optimizer)"}, True, id="by name"),
        pytest.param(
            {"call": "for _ in range(2): step(model, optimizer, x)"}, True, id="in a loop"
        ),
        pytest.param({"parameters": "optimizer, x, model"}, False, id="other places"),
        pytest.param({"call": "step(other, optimizer, x)"}, False, id="another model"),
        pytest.param(
            {"call": "step(model, optimizer, x); step(other, optimizer, x)"}, False, id="once"
        ),
        pytest.param({"behind": "model = other"}, False, id="model bound anew"),
        pytest.param({"between": "model = other"}, True, id="model bound anew before"),
        pytest.param({"between": "if x: model = other"}, False, id="model maybe bound anew before"),
        pytest.param(
            {"between": "for model in (model, other): pass"},
            False,
            id="model bound by a loop before",
        ),
        pytest.param(
            {
                "call": "step(model, optimizer, x); model = other; "
                "optimizer = nnx.ModelAndOptimizer(model, optax.sgd(0.1)); "
                "step(model, optimizer, x)"
            },
            True,
            id="both made again",
        ),
        pytest.param(
            {"call": "for _ in range(2): step(model, optimizer, x); model = other"},
            False,
            id="model bound anew in a loop",
        ),
        pytest.param(
            {"behind": "optimizer = nnx.ModelAndOptimizer(other, optax.sgd(0.1))"},
            False,
            id="optimizer bound anew",
        ),
        pytest.param({"behind": "optimizer.model = other"}, False, id="another model stored"),
        pytest.param({"behind": "alias = optimizer; alias.model = other"}, False, id="by an alias"),
        pytest.param(
            {"behind": "optimizer.__dict__['model'] = other"}, False, id="in its dictionary"
        ),
        pytest.param({"behind": "vars(optimizer)['model'] = other"}, False, id="by vars"),
        pytest.param({"behind": "vars(optimizer).update(model=other)"}, False, id="by an update"),
        pytest.param({"behind": "print(vars(other))"}, True, id="another dictionary"),
        pytest.param({"body": "optimizer = optimizer"}, False, id="parameter bound anew"),
        pytest.param({"call": "step(*[model, optimizer], x)"}, False, id="unpacked"),
        pytest.param({"call": "print(step); step(model, optimizer, x)"}, False, id="passed on"),
        pytest.param({"decorator": "@nnx.jit(donate_argnums=(0, 1))"}, True, id="both donated"),
        pytest.param({"decorator": "@nnx.jit(static_argnums=2)"}, True, id="another one static"),
        pytest.param({"decorator": "@nnx.jit(donate_argnums=0)"}, False, id="one donated"),
        pytest.param({"decorator": "@nnx.jit(donate_argnums=1)"}, False, id="its holder donated"),
        pytest.param({"decorator": "@nnx.jit(donate_argnames='model')"}, False, id="by name"),
        pytest.param({"decorator": "@nnx.jit(donate_argnums=(0, -2))"}, False, id="from the last"),
        pytest.param({"decorator": "@nnx.jit(donate_argnums=PLACES)"}, False, id="not written"),
        pytest.param({"decorator": "@nnx.jit(inline=True)"}, False, id="another option"),
        pytest.param({"decorator": "@print\n@nnx.jit"}, False, id="another decorator"),
        pytest.param({"parameters": "model, optimizer=None, x=None"}, False, id="defaults"),
    ],
)
def test_a_model_is_read_from_its_optimizer(changed: dict[str, str], read: bool) -> None:
    text = _PROGRAM.format(**_STANDING | changed)
    after = migrated(text).after
    assert (b"model = optimizer.model" in after) == read
    if read:
        assert b"compat" not in after


_LAST = "model = Net(nnx.Rngs(3)); model = optimizer.model"
_OF_OTHER = "optimizer = nnx.ModelAndOptimizer(other, optax.sgd(0.1))"


@pytest.mark.parametrize(
    ("behind", "call", "read"),
    [
        pytest.param("pass", "step(optimizer.model, optimizer, x)", True, id="in the call"),
        pytest.param("m = optimizer.model", "step(m, optimizer, x)", True, id="before it"),
        pytest.param(_LAST, "step(model, optimizer, x)", True, id="bound to it last"),
        pytest.param(
            f"if x: {_LAST}", "step(model, optimizer, x)", False, id="bound to it in a branch"
        ),
        pytest.param(
            f"m = optimizer.model; {_OF_OTHER}", "step(m, optimizer, x)", False, id="of one before"
        ),
        pytest.param(
            f"{_LAST}; model = other", "step(model, optimizer, x)", False, id="and bound again"
        ),
        pytest.param(
            "m = optimizer.model\n    for _ in x: step(m, optimizer, x); m = other",
            "pass",
            False,
            id="bound again in the loop",
        ),
        pytest.param(
            f"for _ in x:\n        m = optimizer.model if x else other\n        {_OF_OTHER}",
            "step(m, optimizer, x)",
            False,
            id="or another one",
        ),
        pytest.param(
            "optimizer.model = other", "step(optimizer.model, optimizer, x)", False, id="stored"
        ),
        pytest.param(
            "m = optimizer.model\n    for name in x: setattr(optimizer, name, other)",
            "step(m, optimizer, x)",
            False,
            id="stored by a name that is computed",
        ),
        pytest.param(
            "m = optimizer.model\n    for name in ('a', 'b'): setattr(optimizer, name, 1)",
            "step(m, optimizer, x)",
            True,
            id="stored by other names",
        ),
        pytest.param(
            "pass", "step(optimizer.opt_state, optimizer, x)", False, id="another attribute"
        ),
        pytest.param(
            "second = nnx.ModelAndOptimizer(other, optax.sgd(0.1))",
            "step(second.model, optimizer, x)",
            False,
            id="of another optimizer",
        ),
    ],
)
def test_a_model_that_is_read_from_its_optimizer_before(behind: str, call: str, read: bool) -> None:
    text = _PROGRAM.format(**_STANDING | {"behind": behind, "call": call})
    assert (b"model = optimizer.model\n    x =" in migrated(text).after) == read


_VIEW = "seen = nnx.view(model, deterministic=False)"


@pytest.mark.parametrize(
    ("behind", "call", "read"),
    [
        pytest.param(_VIEW, "step(seen, optimizer, x)", True, id="passed"),
        pytest.param(
            f"{_VIEW}; quiet = nnx.view(model, deterministic=True)",
            "step(seen, optimizer, x); quiet.linear(x)",
            True,
            id="beside another view",
        ),
        pytest.param(f"{_VIEW}; model.train()", "step(seen, optimizer, x)", False, id="set later"),
        pytest.param(f"{_VIEW}; print(model)", "step(seen, optimizer, x)", False, id="passed on"),
        pytest.param(f"{_VIEW}; seen.n = 1", "step(seen, optimizer, x)", False, id="view set"),
        pytest.param(_VIEW, "print(seen); step(seen, optimizer, x)", False, id="view passed on"),
        pytest.param(
            "seen = nnx.view(model, flag=x)", "step(seen, optimizer, x)", False, id="computed"
        ),
        pytest.param(
            "seen = nnx.view(other, flag=True)", "step(seen, optimizer, x)", False, id="of another"
        ),
        pytest.param(
            f"for _ in x:\n        {_VIEW}", "step(seen, optimizer, x)", False, id="in turns"
        ),
    ],
)
def test_a_view_of_the_model_of_its_optimizer(behind: str, call: str, read: bool) -> None:
    text = _PROGRAM.format(**_STANDING | {"behind": behind, "call": call})
    after = migrated(text).after
    assert (b"model = nnx.view(optimizer.model, deterministic=False)" in after) == read
    assert read or b"model = optimizer.model" not in after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("donate_argnums=(0, 1)", 'donate_argnums=0, donate_argnames="optimizer"'),
        ('donate_argnames=("model", "optimizer")', 'donate_argnames="optimizer", donate_argnums=0'),
        (
            "static_argnums=(2,), donate_argnums=[0, 1], donate_argnames=['optimizer', 'model']",
            'static_argnums=1, donate_argnums=0, donate_argnames="optimizer"',
        ),
        ("static_argnames='x'", "static_argnames='x'"),
    ],
)
def test_options_list_what_is_left(before: str, after: str) -> None:
    call = "step(x=x, model=model, optimizer=optimizer)"
    text = _PROGRAM.format(**_STANDING | {"decorator": f"@nnx.jit({before})", "call": call})
    assert f"@nnx.jit({after})\ndef step(optimizer, x):".encode() in migrated(text).after


_PAIR = """\
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)


def both(seed):
    model = Net(nnx.Rngs(seed))
    optimizer = nnx.ModelAndOptimizer(model, optax.sgd(0.1))
    {between}
    return {returned}


@nnx.jit
def step(model, optimizer, x):
    optimizer.update(nnx.grad(lambda m: m.linear(x).sum())(model))


def main(x):
    {bound} = {made}
    {behind}
    step(model, optimizer, x)
"""
_MADE = {
    "between": "pass",
    "returned": "model, optimizer, 0",
    "bound": "model, optimizer, _",
    "made": "both(0)",
    "behind": "pass",
}


@pytest.mark.parametrize(
    ("changed", "read"),
    [
        pytest.param({}, True, id="in one tuple"),
        pytest.param({"returned": "model, Net(nnx.Rngs(1)), 0"}, False, id="no optimizer"),
        pytest.param({"returned": "Net(nnx.Rngs(1)), optimizer, 0"}, False, id="another model"),
        pytest.param(
            {"between": "if seed: return Net(nnx.Rngs(1)), optimizer, 1"},
            False,
            id="another model sometimes",
        ),
        pytest.param({"between": "model = Net(nnx.Rngs(1))"}, False, id="model bound anew"),
        pytest.param({"behind": "model, *_ = both(1)"}, False, id="of another call"),
        pytest.param({"behind": "model = Net(nnx.Rngs(1))"}, False, id="bound anew outside"),
        pytest.param({"bound": "model, *optimizer, _"}, False, id="a list of them"),
        pytest.param({"made": "both(0) if x else both(1)"}, False, id="of either"),
        pytest.param({"made": "print(both(0))"}, False, id="of another function"),
        pytest.param({"bound": "optimizer, model, _"}, False, id="in another order"),
        pytest.param({"bound": "pair = model, optimizer, _"}, False, id="bound to a name, too"),
    ],
)
def test_a_function_that_makes_both(changed: dict[str, str], read: bool) -> None:
    after = migrated(_PAIR.format(**_MADE | changed)).after
    assert (b"model = optimizer.model" in after) == read


def test_functions_that_call_each_other_make_nothing() -> None:
    called = _PAIR.format(**_MADE | {"made": "other()", "behind": "net = Net(nnx.Rngs(0))"})
    text = called.replace("optimizer, x)", "optimizer, x, net, net)").replace("x):", "x, p, q):", 1)
    ring = """
def other():
    model, optimizer, _ = another()
    return model, optimizer, _


def another():
    model, optimizer, _ = other()
    return model, optimizer, _
"""
    assert b"compat.jit" in migrated(text + ring).after


@pytest.mark.parametrize("made", ["if x:", "for _ in range(2):", "while x:"])
def test_an_optimizer_that_is_made_in_some_turns_may_hold_another_model(made: str) -> None:
    bound = "model = Net(nnx.Rngs(0))"
    text = _PROGRAM.format(**_STANDING).replace("    pass\n", "")
    again = text.replace("    optimizer = nnx", f"    {made}\n        optimizer = nnx")
    inside = text.replace(f"    {bound}", f"    for _ in x:\n      {bound}")
    assert b"optimizer.model" not in migrated(again).after
    assert b"optimizer.model" not in migrated(inside).after


_SCRIPT = """\
import optax
from flax import nnx
from data import x


class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)


model = Net(nnx.Rngs(0))
optimizer = nnx.ModelAndOptimizer(model, optax.sgd(0.1))


@nnx.jit
def step(model, optimizer, x):
    optimizer.update(nnx.grad(lambda m: m.linear(x).sum())(model))


step(model, optimizer, x)

model = Net(nnx.Rngs(1))
{behind}
"""


@pytest.mark.parametrize(
    ("behind", "read"),
    [
        pytest.param(
            "optimizer = nnx.ModelAndOptimizer(model, optax.sgd(0.1))\n"
            "for _ in range(2):\n    step(model, optimizer, x)",
            True,
            id="both made again",
        ),
        pytest.param("step(model, optimizer, x)", False, id="model made again"),
        pytest.param(
            "optimizer = nnx.ModelAndOptimizer(Net(nnx.Rngs(2)), optax.sgd(0.1))\n"
            "step(model, optimizer, x)",
            False,
            id="optimizer of another model",
        ),
        pytest.param(
            "optimizer = nnx.ModelAndOptimizer(model, optax.sgd(0.1))\n"
            "model = Net(nnx.Rngs(2))\nstep(model, optimizer, x)",
            False,
            id="model made again behind the optimizer",
        ),
        pytest.param(
            "if x:\n    optimizer = nnx.ModelAndOptimizer(model, optax.sgd(0.1))\n"
            "step(model, optimizer, x)",
            False,
            id="made again in a branch",
        ),
        pytest.param(
            "optimizer = nnx.ModelAndOptimizer(model, optax.sgd(0.1))\n"
            "for model in [Net(nnx.Rngs(2))]:\n    step(model, optimizer, x)",
            False,
            id="bound by a loop",
        ),
        pytest.param(
            "optimizer = nnx.ModelAndOptimizer(model, optax.sgd(0.1))\n"
            "def run():\n    step(model, optimizer, x)\nrun()\nmodel = Net(nnx.Rngs(2))\nrun()",
            False,
            id="read by a function",
        ),
        pytest.param(
            "optimizer = nnx.ModelAndOptimizer(model, optax.sgd(0.1))\n"
            "def run():\n    global model\n    model = Net(nnx.Rngs(2))\nrun()\n"
            "step(model, optimizer, x)",
            False,
            id="bound by a function",
        ),
    ],
)
def test_names_that_a_script_binds_again(behind: str, read: bool) -> None:
    after = migrated(_SCRIPT.format(behind=behind)).after
    assert (b"model = optimizer.model" in after) == read
