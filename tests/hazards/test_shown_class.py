"""An argument that nothing names is a Module, or a State, only where all its uses show that."""

from __future__ import annotations

import pytest

from tests.hazards.running import migrated

_STEP = """\
from flax import nnx

{more}
def step(model, other, optimizer, x):
    def loss_fn(m):
        {loss}

    {bound} = nnx.grad(loss_fn)(model)
    {update}
    return x
"""
_STANDING = {
    "more": "",
    "loss": "return m(x).sum()",
    "bound": "grads",
    "update": "optimizer.update(model, grads)",
}


@pytest.mark.parametrize(
    ("changed", "checked"),
    [
        pytest.param({}, True, id="called and optimized"),
        pytest.param({"loss": "return m.encode(x).sum()"}, True, id="a method is called"),
        pytest.param({"loss": "return (lambda: m(x))().sum()"}, True, id="in a nested function"),
        pytest.param(
            {"more": "def f(n, x):\n    return n(x).sum()\n", "loss": "return f(m, x)"},
            True,
            id="handed on",
        ),
        pytest.param({"update": "optimizer.update(model, grads=grads)"}, True, id="by keyword"),
        pytest.param({"update": "return grads"}, False, id="gradients returned"),
        pytest.param({"update": "optimizer.update(grads, model)"}, False, id="as optax has it"),
        pytest.param({"update": "optimizer.update(other, grads)"}, False, id="another object"),
        pytest.param({"update": "optimizer.update(model, x)"}, False, id="other gradients"),
        pytest.param({"update": "optimizer.update(grads)"}, False, id="held by nobody knows what"),
        pytest.param({"update": "optimizer.apply(model, grads)"}, False, id="another method"),
        pytest.param({"bound": "grads, more"}, False, id="unpacked"),
        pytest.param({"loss": "return x.sum()"}, False, id="not called"),
        pytest.param({"loss": "return other(m).sum()"}, False, id="handed to something unknown"),
        pytest.param({"loss": "return m['w'](x).sum()"}, False, id="a container"),
        pytest.param({"loss": "return m.map(x).sum()"}, False, id="a method of States"),
        pytest.param({"loss": "m = other; return m(x)"}, False, id="bound anew"),
        pytest.param(
            {"more": "class O:\n    pass\n", "update": "O().update(model, grads)"},
            False,
            id="no optimizer",
        ),
        pytest.param(
            {"loss": "m.train()\n        return m(x).sum()"}, False, id="changes its structure"
        ),
    ],
)
def test_what_is_called_and_optimized_is_a_module(changed: dict[str, str], checked: bool) -> None:
    after = migrated(_STEP.format(**_STANDING | changed)).after
    assert (b"raise ValueError" in after) == checked
    assert (b"nnx.compat.grad" in after) != checked


@pytest.mark.parametrize(
    ("changed", "checked"),
    [
        pytest.param({}, True, id="called and updated"),
        pytest.param({"update": "state = nnx.state(model, nnx.Param)"}, True, id="filtered"),
        pytest.param({"update": "_, state = nnx.split(model, nnx.Param)"}, True, id="split"),
        pytest.param({"update": "x = print(nnx.state(model, nnx.Param))"}, True, id="passed on"),
        pytest.param({"update": "nnx.update(other, grads)"}, False, id="another object"),
        pytest.param({"update": "nnx.update(model.part, grads)"}, False, id="a part of it"),
        pytest.param({"update": "state = nnx.state(model)"}, False, id="not filtered"),
        pytest.param({"update": "state = nnx.state(model, x)"}, False, id="by another filter"),
        pytest.param({"update": "state = jax.state(model, nnx.Param)"}, False, id="not by nnx"),
        pytest.param({"update": "if x: nnx.update(model, grads)"}, False, id="in one case"),
        pytest.param({"update": "x and nnx.update(model, grads)"}, False, id="behind an operator"),
        pytest.param({"update": "f = lambda: nnx.update(model, grads)"}, False, id="later"),
        pytest.param({"update": "model = other; nnx.update(model, grads)"}, False, id="bound anew"),
        pytest.param({"loss": "return x.sum()"}, False, id="not called"),
    ],
)
def test_what_is_called_and_given_to_nnx_is_a_module(
    changed: dict[str, str], checked: bool
) -> None:
    standing = _STANDING | {"update": "nnx.update(model, grads)"}
    after = migrated(_STEP.format(**standing | changed)).after
    assert (b"raise ValueError" in after) == checked
    assert (b"nnx.compat.grad" in after) != checked


_TREE = """\
import jax, dataclasses

@jax.tree_util.register_dataclass
@dataclasses.dataclass
class {name}({bases}):
    w: jax.Array
    def {method}(self):
        return self
    def __call__(self, x):
        return self.w * x
"""


@pytest.mark.parametrize(
    ("changed", "checked"),
    [
        pytest.param({}, True, id="called and set"),
        pytest.param({"update": "model.eval()"}, True, id="set behind it"),
        pytest.param(
            {"more": "class Trainer:\n    def train(self):\n        pass\n"},
            True,
            id="beside an object that is no tree",
        ),
        pytest.param({"more": _TREE.format(name="P", bases="", method="fit")}, True, id="a tree"),
        pytest.param(
            {"more": _TREE.format(name="P", bases="", method="train")}, False, id="a tree with it"
        ),
        pytest.param(
            {"more": "import lib\nclass P(lib.P):\n    def train(self):\n        pass\n"},
            False,
            id="below a class out of sight",
        ),
        pytest.param({"update": "model.train(x)"}, False, id="with an argument"),
        pytest.param({"update": "other.train()"}, False, id="another object"),
        pytest.param({"update": "model.part.train()"}, False, id="a part of it"),
        pytest.param({"update": "model.fit()"}, False, id="another method"),
        pytest.param({"update": "if x: model.train()"}, False, id="in one case"),
        pytest.param({"update": "f = lambda: model.train()"}, False, id="later"),
        pytest.param({"update": "model = other; model.train()"}, False, id="bound anew"),
        pytest.param({"loss": "return x.sum()"}, False, id="not called"),
    ],
)
def test_what_is_called_and_has_a_mode_is_a_module(changed: dict[str, str], checked: bool) -> None:
    standing = _STANDING | {"update": "model.train()"}
    after = migrated(_STEP.format(**standing | changed)).after
    assert (b"raise ValueError" in after) == checked
    assert (b"nnx.compat.grad" in after) != checked


_CALLED = """\
from flax import nnx

@nnx.jit
def step(model, x):
    {bound}
    return nnx.grad(lambda m: m(x).sum())(model)

def run(model, other, x):
    {before}
    return {call}

{more}
"""


@pytest.mark.parametrize(
    ("changed", "checked"),
    [
        pytest.param({}, True, id="set by its caller"),
        pytest.param({"call": "step(x=x, model=model)"}, True, id="by keyword"),
        pytest.param(
            {"before": "", "more": "def main(m, x):\n    m.eval()\n    return run(m, 0, x)"},
            True,
            id="set by the caller of its caller",
        ),
        pytest.param({"before": "other.train()"}, False, id="another object"),
        pytest.param({"before": "if x: model.train()"}, False, id="in one case"),
        pytest.param({"before": "model.train(); model = other"}, False, id="bound anew"),
        pytest.param({"bound": "model = x or model"}, False, id="bound anew in it"),
        pytest.param({"call": "step(other, x)"}, False, id="called with another one"),
        pytest.param({"call": "step(*(model, x))"}, False, id="unpacked"),
        pytest.param({"more": "def main(m, x):\n    return step(m, x)"}, False, id="not by all"),
        pytest.param({"more": "kept = step"}, False, id="kept"),
        pytest.param(
            {"before": "", "more": "import lib\nrun(lib.a, 2, 3)"}, False, id="set by nobody"
        ),
        pytest.param(
            {
                "before": "",
                "more": "def again(model, x):\n    run(model, 0, x)\n    again(model, x)",
            },
            False,
            id="called by itself alone",
        ),
    ],
)
def test_what_callers_set_to_a_mode_is_a_module(changed: dict[str, str], checked: bool) -> None:
    standing = {"bound": "", "before": "model.train()", "call": "step(model, x)", "more": ""}
    after = migrated(_CALLED.format(**standing | changed)).after
    assert (b"raise ValueError" in after) == checked
    assert (b"nnx.set_graph_mode(True)" in after) != checked  # around the gradient, too


@pytest.mark.parametrize(
    ("loss", "left"),
    [
        pytest.param("n = nnx.merge(other, m)\n        return n(x).sum()", True, id="merged"),
        pytest.param(
            "k: int = 2\n        n = nnx.merge(other, x, m)\n        return n(k)",
            True,
            id="behind assignments",
        ),
        pytest.param("n = nnx.merge(m, other)\n        return n(x)", False, id="a graphdef"),
        pytest.param(
            "if isinstance(m, nnx.State):\n            m = nnx.merge(other, m)\n"
            "        return m(x).sum()",
            False,
            id="in one case",
        ),
        pytest.param(
            "m = other(m)\n        n = nnx.merge(other, m)\n        return n(x)",
            False,
            id="bound anew",
        ),
        pytest.param("n = merge(other, m)\n        return n(x)", False, id="another function"),
    ],
)
def test_what_is_merged_is_a_state(loss: str, left: bool) -> None:
    text = _STEP.format(**_STANDING | {"loss": loss, "update": "return grads"})
    after = migrated(text).after
    assert (after == text.encode()) == left
    assert (b"nnx.compat.grad" in after) != left


_HELD = """\
import optax
from flax import nnx


class Plain(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.linear(x)


class Noisy(Plain):
    def __init__(self, rngs):
        super().__init__(rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)


class State(nnx.ModelAndOptimizer{bases}):
    kept = None

    {init}

    {update}


def run(x, given):
    state = State(Plain(nnx.Rngs(0)), optax.sgd(0.1))
    {more}
    grads = nnx.grad(lambda m: m(x).sum())(state.model)
    state.update(grads)
    return state
"""
_UPDATE = "def update(self, grads):\n        super().update(grads)"


@pytest.mark.parametrize(
    ("changed", "left"),
    [
        pytest.param({}, True, id="as the library has it"),
        pytest.param({"update": _UPDATE}, True, id="handed on"),
        pytest.param(
            {"init": "def __init__(self, model, tx):\n        super().__init__(model, tx)"},
            True,
            id="by its constructor",
        ),
        pytest.param(
            {"init": "def __init__(self, m, tx):\n        super().__init__(tx=tx, model=m)"},
            True,
            id="by keyword",
        ),
        pytest.param(
            {"init": "def __init__(self, *args):\n        super().__init__(*args)"},
            False,
            id="unpacked",
        ),
        pytest.param(
            {
                "init": "def __init__(self, m, tx):\n"
                "        super().__init__(Noisy(nnx.Rngs(1)), tx)"
            },
            False,
            id="another model",
        ),
        pytest.param({"more": "state.model = Noisy(nnx.Rngs(1))"}, False, id="set from outside"),
        pytest.param({"more": "state.model = given"}, False, id="set to what nobody knows"),
        pytest.param(
            {"update": f"{_UPDATE}\n        self.kind = type(grads)"}, False, id="looked at"
        ),
        pytest.param(
            {"update": "def update(self, grads):\n        return grads"}, False, id="kept"
        ),
        pytest.param({"update": f"@given\n    {_UPDATE}"}, False, id="decorated"),
        pytest.param({"bases": ", Unknown"}, False, id="with a base of which nothing is known"),
    ],
)
def test_the_model_of_an_own_model_and_optimizer(changed: dict[str, str], left: bool) -> None:
    standing = {"bases": "", "init": "", "update": "", "more": ""}
    before = _HELD.format(**standing | changed).encode()
    assert (migrated(before).after == before) == left
