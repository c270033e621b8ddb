"""What a Module holds: no Variable and no array is overlooked."""

from __future__ import annotations

import pytest

from nnx_migrate.analysis.heap.contents import Contents
from tests.unit.analysis.asking import analysis_of, contents, scope_named

HEAD = """
import dataclasses, functools, typing
import jax, jax.numpy as jnp
import flax.struct
from flax import nnx

class Counter(nnx.Variable):
    pass

class Weight(nnx.Param):
    pass

class Stats(nnx.Module):
    def __init__(self):
        self.mean = nnx.BatchStat(jnp.zeros(()))

class Pair(typing.NamedTuple):
    first: Stats
    second: int

@flax.struct.dataclass
class Tree:
    model: Stats

@dataclasses.dataclass
class Config:
    width: int = 3
"""


def _module(init: str, more: str = "", after: str = "") -> Contents:
    lines = "\n        ".join(init.splitlines())
    source = f"""{HEAD}
class Net(nnx.Module):
    def __init__(self, rngs, given=None, cfg=None):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        {lines}
{more}
net = Net(nnx.Rngs(0))
{after}
"""
    return contents(source, "net")


ONLY_PARAMS = {
    "layer": "self.other = nnx.Linear(2, 2, rngs=rngs)",
    "own Param type": "self.w = Weight(jnp.ones(()))",
    "list": "self.layers = nnx.List([nnx.Linear(2, 2, rngs=rngs)])",
    "grown list": "self.layers = nnx.List([])\nself.layers.append(nnx.Linear(2, 2, rngs=rngs))",
    "sequential": "self.seq = nnx.Sequential(nnx.Linear(2, 2, rngs=rngs), nnx.relu)",
    "dropout without rngs": "self.drop = nnx.Dropout(0.5)",
    "configuration": "self.cfg = Config()\nself.n = 3\nself.name = 'a'",
    "partial of a layer": (
        "make = functools.partial(nnx.Linear, use_bias=False)\nself.other = make(2, 2, rngs=rngs)"
    ),
    "attention": "self.attn = nnx.MultiHeadAttention(2, 8, rngs=rngs)",
    "initializer": "self.init = nnx.initializers.lecun_normal()",
    "initializer of jax": "self.init = jax.nn.initializers.zeros",
    "type of an array": "self.dtype = self.linear.kernel[...].dtype",
    "shape of an array": "self.shape = jnp.ones((2, 3)).shape",
}
MORE = {
    "batch norm": "self.norm = nnx.BatchNorm(2, rngs=rngs)",
    "dropout": "self.drop = nnx.Dropout(0.5, rngs=rngs)",
    "attention with dropout": "self.a = nnx.MultiHeadAttention(2, 8, dropout_rate=0.1, rngs=rngs)",
    "attention with unpacked keywords": "self.a = nnx.MultiHeadAttention(2, 8, **cfg)",
    "dropout with unpacked keywords": "self.d = nnx.Dropout(0.5, **cfg)",
    "partial of a dropout": "make = functools.partial(nnx.Dropout, rngs=rngs)\nself.d = make(0.5)",
    "cell": "self.cell = nnx.LSTMCell(2, 2, keep_rngs=True, rngs=rngs)",
    "rnn of an unknown cell": "self.rnn = nnx.RNN(given)",
    "rnn of own cell": "self.rnn = nnx.RNN(Stats(), rngs=False)",
    "own Variable": "self.c = Counter(0)",
    "rngs": "self.rngs = rngs",
    "raw array": "self.x = jnp.ones(3)",
    "initialized": "self.x = nnx.initializers.lecun_normal()(rngs(), (2, 2))",
    "initialized by what is kept": (
        "self.init = jax.nn.initializers.normal()\nself.x = self.init(rngs(), (2,))"
    ),
    "initialized with zeros": "self.x = jax.nn.initializers.zeros(rngs(), (2,))",
    "transposed": "self.x = jnp.ones((2, 3)).T",
    "given": "self.given = given",
    "config unknown": "self.cfg = cfg.model",
    "list grown": "self.layers = nnx.List([])\nself.layers.append(Stats())",
    "list by +=": "self.layers = []\nself.layers += [Stats()]",
    "dict by key": "self.layers = {}\nself.layers['a'] = Stats()",
    "dict by keyword": "self.layers = nnx.Dict(a=Stats())",
    "local list": "xs = []\nfor i in range(3):\n    xs.append(Stats())\nself.xs = nnx.List(xs)",
    "comprehension": "self.xs = nnx.List([Stats() for i in range(3)])",
    "sequential of stats": "self.seq = nnx.Sequential(*[Stats()])",
    "named tuple": "self.pair = Pair(Stats(), 1)",
    "struct dataclass": "self.tree = Tree(Stats())",
    "setattr": "setattr(self, 'x', Stats())",
    "computed setattr": "for i in range(2):\n    setattr(self, f'x{i}', Stats())",
    "vars": "vars(self)['x'] = Stats()",
    "dict attribute": "self.__dict__.update(x=Stats())",
    "nested function": "def add():\n    self.x = Stats()\nadd()",
    "conditional": "self.x = Stats() if cfg else None",
    "later None": "self.x = Stats()\nself.x = None",
    "walrus": "self.x = (y := Stats())",
    "tuple": "self.x, self.y = Stats(), 1",
    "annotated": "self.x: nnx.Module = given",
}
METHODS = {
    "setup method": "    def setup(self):\n        self.x = Stats()",
    "property setter": (
        "    @property\n    def x(self):\n        return 1\n"
        "    @x.setter\n    def x(self, v):\n        self._x = Stats()"
    ),
    "class attribute": "    x = Stats()",
    "dataclass field": "    x: Stats",
    "dataclass field with None": "    x: Stats | None = None",
    "method of a subclass": (
        "class Sub(Net):\n    def more(self):\n        self.x = Stats()\nNet = Sub"
    ),
    "method under a condition": (
        "    if True:\n        def setup(self):\n            self.x = Stats()"
    ),
}
OUTSIDE = {
    "set from outside": "net.x = Stats()",
    "set from outside by name": "setattr(net, 'x', Stats())",
    "replaced from outside": "net.linear = Stats()",
    "put into a dict from outside": "net.found = nnx.Dict()\nnet.found['x'] = Stats()",
    "put into what it has from outside": "net.blocks['x'] = Stats()",
    "put into a list of it from outside": "net.others[1:2] = [Stats()]",
    "helper": "def change(n: Net):\n    n.x = Stats()",
}


@pytest.mark.parametrize("case", ONLY_PARAMS)
def test_only_params(case: str) -> None:
    assert _module(ONLY_PARAMS[case]).only_params


@pytest.mark.parametrize("case", MORE)
def test_more_than_params(case: str) -> None:
    assert not _module(MORE[case]).only_params


@pytest.mark.parametrize("case", METHODS)
def test_more_than_params_by_other_means(case: str) -> None:
    assert not _module("pass", METHODS[case]).only_params


@pytest.mark.parametrize("case", OUTSIDE)
def test_more_than_params_from_outside(case: str) -> None:
    init = "self.blocks = nnx.Dict()\nself.others = nnx.List([])"
    assert _module(init).only_params
    assert not _module(init, after=OUTSIDE[case]).only_params


def test_value_written_into_a_param_from_outside() -> None:
    assert _module("pass", after="net.linear.bias[...] = jnp.ones(2)").only_params
    init = "self.w = nnx.Param(jnp.ones(2))"
    assert _module(init, after="net.w[...] = jnp.ones(2)\nnet.w[0] = 1.0").only_params


@pytest.mark.parametrize(
    ("annotation", "only_params"),
    [
        ("Dtype | None", True),
        ("PrecisionLike", True),
        ("jax.typing.DTypeLike", True),
        ("jnp.dtype", True),
        ("nnx.initializers.Initializer", True),
        ("Initializer", True),
        ("jax.sharding.NamedSharding", True),
        ("jax.Array", False),
        ("Array", False),
        ("Leaf", False),
        ("DotGeneralT", False),
    ],
)
def test_arguments_that_describe_arrays(annotation: str, only_params: bool) -> None:
    source = f"""{HEAD}
from flax.typing import Array, DotGeneralT, Dtype, Initializer, Leaf, PrecisionLike
class Net(nnx.Module):
    def __init__(self, given: {annotation}):
        self.w = nnx.Param(jnp.ones(()))
        self.given = given
def make(given):
    return Net(given)
"""
    analysis = analysis_of(source)
    net = analysis.evaluator.returned(scope_named(analysis, "make"))
    assert analysis.contents.of(net).only_params == only_params


def test_base_class_in_a_file_without_nnx() -> None:
    files = {
        "base.py": (
            f"{HEAD}\nclass Base(nnx.Module):\n    def __init__(self):\n        self.s = Stats()\n"
        ),
        "middle.py": "from base import Base\nclass Middle(Base):\n    pass\n",
        "main.py": "from middle import Middle\nclass Net(Middle):\n    pass\nnet = Net()\n",
    }
    assert contents(files, "net").variables == {"BatchStat"}


def test_classes_that_hold_each_other() -> None:
    source = f"""{HEAD}
class Left(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(()))
        self.right = Right()
class Right(nnx.Module):
    def __init__(self):
        self.s = Stats()
        self.left: Left = make()
left = Left()
right = Right()
"""
    for name in ("left", "right"):
        assert contents(source, name).variables == {"Param", "BatchStat"}
