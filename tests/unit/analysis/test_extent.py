"""Mode-dependent calls that a function reaches: each is found, or the extent is not all seen."""

from __future__ import annotations

import pytest

from tests.unit.analysis.asking import obstacles

HEAD = """
import functools, jax, jax.numpy as jnp
from flax import nnx

def inner(m, x):
    return nnx.cond(True, lambda m: m, lambda m: m, m)

def plain(m, x):
    return x

class Net(nnx.Module):
    def __init__(self, rngs):
        self.w = nnx.Param(1.0)
        self.fn = plain
    def __call__(self, x):
        return self.step(x)
    def step(self, x):
        return x
    @property
    def first(self):
        return nnx.state(self)

class Sub(Net):
    def step(self, x):
        return nnx.vmap(plain)(self, x)

class Calling(nnx.Module):
    def __call__(self, x):
        return nnx.split(self)

class Derived(Calling):
    def __call__(self, x):
        return super().__call__(x)

class Base:
    pass

class Sized(Base):
    def __init__(self, size):
        super().__init__()
        self.size = size

class Layered(nnx.Module):
    def __init__(self, rngs):
        super().__init__()

class Wide(nnx.Linear):
    def __init__(self, rngs):
        super().__init__(2, 8, rngs=rngs)

class Split:
    def __init__(self):
        self.parts = nnx.split(nnx.Linear(2, 2, rngs=nnx.Rngs(0)))

class Plain:
    def __init__(self):
        super().__init__()

class Both(Plain, Split):
    pass

class Below(Unseen):
    def __init__(self):
        super().__init__()

class Tuned(nnx.Optimizer):
    def __init__(self, model, tx):
        super().__init__(model, tx, wrt=nnx.Param)

class Told(nnx.Optimizer):
    def __init__(self, model, tx):
        super().__init__(model, tx, wrt=nnx.Param, graph=True)

class Named(nnx.Optimizer):
    pass

def decorate(f):
    @functools.wraps(f)
    def wrapper(*args):
        nnx.split(args[0])
        return f(*args)
    return wrapper

@decorate
def decorated(m, x):
    return x

@jax.jit
def jitted(m, x):
    return nnx.state(m)

def make(flag):
    return inner if flag else plain

table = {"a": inner, "b": plain}
"""

REACHING = {
    "direct": "nnx.split(m)",
    "compiled": "nnx.jit(plain)(m, x)",
    "helper": "inner(m, x)",
    "method of a subclass": "m(x)",
    "call": "Calling()(x)",
    "super": "Derived()(x)",
    "property": "m.first",
    "lambda": "(lambda: nnx.state(m))()",
    "nested": "def g():\n        return nnx.state(m)\n    g()",
    "list": "[inner][0](m, x)",
    "dict": "table['a'](m, x)",
    "factory": "make(x)(m, x)",
    "partial": "functools.partial(inner, m)(x)",
    "passed on": "jax.lax.map(inner, x)",
    "passed in a list": "jax.lax.switch(0, [inner, plain], m, x)",
    "passed in a tuple": "jax.lax.switch(0, (inner, plain), m, x)",
    "passed in a dict": "jax.lax.cond(x, **{'true_fun': inner})",
    "bound method passed on": "jax.lax.map(Sub(1).step, x)",
    "decorated": "decorated(m, x)",
    "jitted": "jitted(m, x)",
    "sequential": "nnx.Sequential(Calling())(x)",
    "parameter": "x(m)",
    "library of others": "import lib\n    lib.run(m, inner)",
    "unknown method": "x.step(m)",
    "comprehension": "[inner(m, y) for y in x]",
    "default": "def g(f=inner):\n        return f(m, x)\n    g()",
    "given to the constructor": "nnx.Sequential(inner)(m)",
    "type": "type(m).step(m, x)",
    "class": "m.__class__.step(m, x)",
    "a constructor beside it, in a class below": "Plain()",
    "a constructor above that is not known": "Below()",
    "an optimizer's constructor above": "Tuned(m, x)",
    "an optimizer by another name": "Named(m, x)",
}
FREE = {
    "arithmetic": "jnp.sum(x) + 1",
    "library layer": "nnx.Linear(2, 2, rngs=nnx.Rngs(0))(x)",
    "helper": "plain(m, x)",
    "own mode": "nnx.split(m, graph=True)",
    "activation": "nnx.relu(x)",
    "in place": "m.w[...] = 1",
    "the constructor of object": "Sized(3)",
    "the constructor of Module": "Layered(nnx.Rngs(0))",
    "the constructor of a layer": "Wide(nnx.Rngs(0))",
    "an optimizer that says its mode": "Named(m, x, graph=True)",
}


@pytest.mark.parametrize("case", REACHING)
def test_what_depends_on_the_mode_is_found(case: str) -> None:
    source = f"{HEAD}\ndef f(m: Net, x):\n    {REACHING[case]}\n"
    assert obstacles(source, "f")


@pytest.mark.parametrize("case", FREE)
def test_free_of_mode(case: str) -> None:
    source = f"{HEAD}\ndef f(m: nnx.Linear, x: jax.Array):\n    {FREE[case]}\n"
    assert obstacles(source, "f") == []


def test_other_files_are_followed() -> None:
    files = {
        "src/pkg/__init__.py": "from .deep import *\n",
        "src/pkg/deep.py": "from ..pkg.ops import touch as again\ndef run(m):\n    again(m)\n",
        "src/pkg/ops.py": "from flax import nnx\ndef touch(m):\n    nnx.split(m)\n",
        "main.py": "import pkg as p\ndef f(m):\n    p.run(m)\n",
    }
    assert [call.split()[0] for call in obstacles(files, "f")] == ["nnx.split"]
