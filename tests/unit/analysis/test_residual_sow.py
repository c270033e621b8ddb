"""Whether something sown may lie on an object: by who made it, and by all that was done to it."""

from __future__ import annotations

import textwrap

import pytest

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.residual_sow import ResidualSowFinder
from tests.unit.analysis.asking import MAIN, analysis_of

HEAD = """
import jax
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "h", y)
        return y

@nnx.jit
def forward(model, x):
    return model(x)
"""


def left(body: str, name: str = "model") -> str:
    """What may be left on a variable of `use`, where `forward` counts as popped after."""
    analysis = analysis_of(HEAD + textwrap.dedent(body))
    functions = analysis.project.modules[MAIN].functions
    (popped,) = [key for key in functions if key.startswith("forward:")]
    (use,) = [key for key in functions if key.startswith("use:")]
    finder = ResidualSowFinder(analysis, {Scope(MAIN, popped): "model"})
    return str(finder.on(Scope(MAIN, use), name) or "")


CLEAN = {
    "made here": """
        def use(x):
            model = Net(nnx.Rngs(0))
            model.train()
            return forward(model, x), nnx.pop(model, nnx.Intermediate)
        """,
    "made by the caller": """
        def use(model, x):
            return forward(model, x)
        def main(x):
            net = Net(nnx.Rngs(0))
            net.linear.kernel[...] += 1
            return use(net, x), use(Net(nnx.Rngs(1)), x)
        """,
    "of the module": """
        model = Net(nnx.Rngs(0))
        def use(x):
            return forward(model, x)
        """,
    "made by a function": """
        def make(rngs):
            return Net(rngs)
        def stack(rngs):
            layers = nnx.split_rngs(splits=3)(nnx.vmap(lambda rngs: make(rngs)))(rngs)
            layers.train()
            return layers
        def use(x):
            model = stack(nnx.Rngs(0))
            return forward(model, x)
        """,
}
MADE = {
    "and called": ("net = Net(nnx.Rngs(0)); net(1); return net", "other code also sows on net"),
    "and kept": ("net = Net(nnx.Rngs(0)); kept.append(net); return net", "other code may sow"),
    "once": ("return shared", "returns an object that other code may have too"),
    "elsewhere": ("return kept[0]", "cannot tell where"),
    "or so": ("yield Net(nnx.Rngs(0))", "cannot tell where"),
}
LEFT = {
    "called": ("model(x)", "other code also sows on"),
    "part of it": ("model.linear.sow(nnx.Intermediate, 'h', x)", "other code also sows on"),
    "alias": ("other = model; other(x)", "other code also sows on"),
    "inner function": ("(lambda: model(x))()", "other code also sows on"),
    "attribute": ("model.h = nnx.Intermediate(x)", "attribute h is set"),
    "updated": ("nnx.update(model, x)", "nnx.update() may add sown values to it"),
    "unknown function": ("x.add(model)", "passed to unknown code"),
    "library": ("print(model)", ""),
}


@pytest.mark.parametrize("name", CLEAN)
def test_nothing_is_left(name: str) -> None:
    assert left(CLEAN[name]) == ""


@pytest.mark.parametrize("name", LEFT)
def test_something_may_be_left(name: str) -> None:
    code, reason = LEFT[name]
    body = f"""
        def use(x):
            model = Net(nnx.Rngs(0))
            {code}
            return forward(model, x)
        """
    assert reason in left(body)
    assert bool(left(body)) == bool(reason)


@pytest.mark.parametrize("name", MADE)
def test_a_function_may_make_it_and_more(name: str) -> None:
    code, reason = MADE[name]
    body = f"""
        shared = Net(nnx.Rngs(0))
        kept = [shared]
        def make():
            {code}
        def use(x):
            model = make()
            return forward(model, x)
        """
    assert reason in left(body)


def test_a_function_that_keeps_what_it_makes() -> None:
    body = """
        import functools
        @functools.cache
        def make():
            return Net(nnx.Rngs(0))
        def use(x):
            model = make()
            return forward(model, x)
        """
    assert "cannot tell where" in left(body)


def test_what_is_popped_is_not_the_object() -> None:
    assert (
        left("""
        def use(x, kept):
            model = Net(nnx.Rngs(0))
            kept["h"] = nnx.pop(model, nnx.Intermediate)
            return forward(model, x)
        """)
        == ""
    )


def test_the_caller_counts() -> None:
    body = """
        def use(model, x):
            return forward(model, x)
        def main(x):
            net = Net(nnx.Rngs(0))
            net(x)
            return use(net, x)
        """
    assert "other code also sows on net" in left(body)


def test_a_constructor_that_sows_counts() -> None:
    body = """
        class Lazy(Net):
            def __init__(self, rngs, x):
                super().__init__(rngs)
                self(x)
        def use(x):
            model = Net(nnx.Rngs(0))
            return forward(model, x)
        """
    assert left(body) == "the constructor of Lazy sows"


def test_an_unknown_origin_is_no_clean_one() -> None:
    body = """
        def use(model, x):
            return forward(model, x)
        """
    assert "no call of use shows" in left(body)
    made = "def use(make, x):\n    model = make()\n    return forward(model, x)\n"
    assert "cannot tell where" in left(made)
