"""Effects that hang on a parameter: dropped where it is left alone, kept where it may be true."""

from __future__ import annotations

import pytest

from tests.unit.analysis.asking import effects

HEAD = """
import functools
import jax.numpy as jnp
from flax import nnx

def attend(x, module=None, sow=False):
    if module:
        module.sow(nnx.Intermediate, "w", x)
    return x

class Attention(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
    def __call__(self, x, mask=None, sow_weights=False):
        module = self if sow_weights else None
        return attend(self.linear(x), module=self if sow_weights else None)
    def by_name(self, x, sow_weights: bool = False):
        module = self if sow_weights and x is not None else None
        return attend(x, module=module)
    def marked(self, x, mark=None):
        if mark:
            self.mark = 3
            self.set_attributes(mark=mark)
        return x
    def cached(self, x, cache=False):
        if cache is True and x is not None:
            self.cache = x
            self.caches["last"] = x
        return x
    def cached_otherwise(self, x, cache=False):
        if cache is not True:
            self.cache = x
        return x
    def guarded(self, x, *, sow=False):
        if sow and x is not None:
            self.sow(nnx.Intermediate, "w", x)
        return x
    def needed(self, x, sow):
        if sow:
            self.sow(nnx.Intermediate, "w", x)
        return x
    def rebound(self, x, sow=False):
        sow = sow or self.linear
        if sow:
            self.sow(nnx.Intermediate, "w", x)
        return x
    def otherwise(self, x, sow=False):
        if sow:
            pass
        else:
            self.sow(nnx.Intermediate, "w", x)
        return x
    def other_branch(self, x, sow=False):
        return attend(x, module=None if sow else self)
    def twice(self, x, sow=False):
        if sow:
            self.set_attributes(a=1)
        self.set_attributes(a=2)
    def again(self, x, sow=False):
        if sow:
            self.sow(nnx.Intermediate, "w", x)
        elif x is not None:
            self.again(x, sow=True)
        return x
    def closed_over(self, x, sow=False):
        return nnx.scan(lambda a, x: a.guarded(x, sow=sow), in_axes=(None, 0))(self, x)
    def nested(self, x, sow=False):
        def body(a, x):
            if sow:
                a.sow(nnx.Intermediate, "w", x)
            return x
        return nnx.jit(body)(self, x)
    def other_call(self, x, run=None, sow=False):
        if run is not None:
            return run(self)
        return self.other_call(x, lambda a: a.guarded(x, sow=sow))
    def closed_and_rebound(self, x, sow=False):
        sow = sow or self.linear
        return nnx.jit(lambda a, x: a.guarded(x, sow=sow))(self, x)

class Block(nnx.Module):
    def __init__(self, rngs):
        self.attention = Attention(rngs)
    def __call__(self, x, sow_weights=False):
        return self.attention(x, sow_weights=sow_weights)

class Loud(Attention):
    def __call__(self, x, mask=None, sow_weights=True):
        return super().__call__(x, sow_weights=sow_weights)
"""
LEFT_ALONE = {
    "default": "m(x)",
    "false": "m(x, sow_weights=False)",
    "none": "m(x, None, sow_weights=None)",
    "bound to a name": "m.by_name(x)",
    "and": "m.guarded(x)",
    "closed over": "m.closed_over(x)",
    "in a nested function": "m.nested(x)",
    "handed on": "b(x)",
    "handed on as false": "b(x, sow_weights=False)",
    "a store": "m.marked(x)",
    "a store under a test for True": "m.cached(x)",
}
MAY_HAPPEN = {
    "true": "m(x, sow_weights=True)",
    "unknown": "m(x, sow_weights=x)",
    "by place": "m(x, None, True)",
    "hidden": "m(x, **options)",
    "starred": "m(*x)",
    "partial": "functools.partial(m, sow_weights=True)(x)",
    "partial method": "functools.partial(m.by_name, sow_weights=True)(x)",
    "partial by name": "(g := functools.partial(m.by_name, sow_weights=True))(x)",
    "partial instance by name": "(g := functools.partial(m, sow_weights=True))(x)",
    "partial of a partial": "functools.partial(functools.partial(m, sow_weights=True), x)()",
    "own parameter by another name": "m.needed(x, True)",
    "no default": "m.needed(x, flag)",
    "rebound": "m.rebound(x)",
    "else": "m.otherwise(x)",
    "other branch": "m.other_branch(x)",
    "a store under a test for True": "m.cached(x, cache=True)",
    "a store under another test": "m.cached_otherwise(x)",
    "once more without": "m.twice(x)",
    "by itself": "m.again(x)",
    "closed over as true": "m.closed_over(x, sow=True)",
    "in a nested function as true": "m.nested(x, sow=True)",
    "closed over in another call": "m.other_call(x, sow=True)",
    "closed over and rebound": "m.closed_and_rebound(x)",
    "write in it": "m.marked(x, mark=3)",
    "write in it by place": "m.marked(x, flag)",
    "handed on as true": "b(x, sow_weights=True)",
    "default of true": "loud(x)",
    "helper": "attend(x, module=m)",
}


def source(body: str) -> str:
    parameters = "m: Attention, b: Block, loud: Loud, x, options, flag=False"
    return f"{HEAD}\ndef f({parameters}):\n    return {body}\n"


@pytest.mark.parametrize("case", LEFT_ALONE)
@pytest.mark.parametrize("parameter", ["m", "b"])
def test_what_is_not_asked_for_does_not_happen(case: str, parameter: str) -> None:
    text = source(LEFT_ALONE[case]).replace("Loud(Attention)", "Loud(nnx.Module)")
    assert "structure" not in effects(text, "f", parameter)


@pytest.mark.parametrize("case", MAY_HAPPEN)
def test_what_may_be_asked_for_is_kept(case: str) -> None:
    body = MAY_HAPPEN[case]
    parameter = "loud" if "loud" in body else "b" if body.startswith("b") else "m"
    assert "structure" in effects(source(body), "f", parameter)


BY_LIBRARY = """
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs):
        self.attend = nnx.MultiHeadAttention(2, 4, decode=False, rngs=rngs)
    def __call__(self, x, keep=False):
        return self.attend(x, sow_weights=keep)

def f(m: Net, a: nnx.MultiHeadAttention, x, options, keep):
    return {}
"""
ASKED_OF_LIBRARY = ["m(x, keep=True)", "m.attend(x, sow_weights=keep)", "m.attend(x, **options)"]
NOT_ASKED_OF_LIBRARY = ["m(x)", "m(x, keep=False)", "m.attend(x)", "m.attend(x, sow_weights=False)"]


@pytest.mark.parametrize("body", ASKED_OF_LIBRARY)
def test_layers_of_the_library_sow_when_asked(body: str) -> None:
    assert "structure" in effects(BY_LIBRARY.replace("{}", body), "f", "m")
    own = body.replace("m.attend", "a")
    if own != body:
        assert "structure" in effects(BY_LIBRARY.replace("{}", own), "f", "a")


@pytest.mark.parametrize("body", NOT_ASKED_OF_LIBRARY)
def test_layers_of_the_library_sow_only_when_asked(body: str) -> None:
    assert "structure" not in effects(BY_LIBRARY.replace("{}", body), "f", "m")


CAPTURES = [
    "nnx.capture(m, nnx.Intermediate)(x, keep=True)",
    "nnx.capture(m.look, nnx.Intermediate)(x)",
    "nnx.capture(lambda m: m(x, keep=True), nnx.Intermediate)(m)",
]


@pytest.mark.parametrize("body", CAPTURES)
def test_what_is_captured_is_not_sown(body: str) -> None:
    look = "    def look(self, x):\n        return self(x, keep=True)\n"
    text = BY_LIBRARY.replace("def f(", f"{look}\ndef f(").replace("{}", body)
    assert "structure" not in effects(text, "f", "m")
    other = "def g(m: Net, x):\n    h = m.look\n    return nnx.capture(m.look)(x), h(x)\n"
    assert "structure" in effects(text + other, "g", "m")
