"""How an object gets into a traced function."""

from __future__ import annotations

from tests.bed.forms import Carry


def _held(name: str, head: str, kind: str, state: str = "State") -> Carry:
    before = f"{head}    model: {kind}\n    k: typing.Any\n"
    return Carry(name, "state, x", "State(model, 1.0), x", "state.model", before)


_TUPLE = "class State(typing.NamedTuple):\n"
_DATACLASS = (
    "@functools.partial(\n    jax.tree_util.register_dataclass,"
    " data_fields=['model', 'k'], meta_fields=[])\n"
    "@dataclasses.dataclass\nclass State:\n"
)
_FLAX = "@flax.struct.dataclass\nclass State:\n"
_NODE = "class State(flax.struct.PyTreeNode):\n"
CARRIES = (
    Carry("argument", "m, x", "model, x"),
    Carry("of its class", "m: Net, x", "model, x"),
    Carry("of any Module", "m: nnx.Module, x", "model, x"),
    Carry("of any class", "m: typing.Any, x", "model, x"),
    Carry("object", "m: object, x", "model, x"),
    Carry("callable", "m: typing.Callable, x", "model, x"),
    Carry("type variable", "m: T, x", "model, x", before='T = typing.TypeVar("T")\n'),
    _held("NamedTuple of Module", _TUPLE, "nnx.Module"),
    _held("NamedTuple of Any", _TUPLE, "typing.Any"),
    _held("NamedTuple of object", _TUPLE, "object"),
    _held("NamedTuple", _TUPLE, "Net"),
    _held("dataclass of Module", _DATACLASS, "nnx.Module"),
    _held("dataclass of Any", _DATACLASS, "typing.Any"),
    _held("flax.struct of Module", _FLAX, "nnx.Module"),
    _held("flax.struct of Any", _FLAX, "typing.Any"),
    _held("PyTreeNode of Any", _NODE, "typing.Any"),
    Carry(
        "annotated NamedTuple",
        "state: State, x",
        "State(model, 1.0), x",
        "state.model",
        f"{_TUPLE}    model: typing.Any\n    k: typing.Any\n",
    ),
    Carry(
        "namedtuple",
        "state, x",
        "State(model, 1.0), x",
        "state.model",
        'State = collections.namedtuple("State", ["model", "k"])\n',
    ),
    Carry("tuple", "pair, x", "(model, 1.0), x", "pair[0]"),
    Carry("unpacked tuple", "pair, x", "(model, 1.0), x", "m", body="m, k = pair\n"),
    Carry("list", "models, x", "[model], x", "models[0]"),
    Carry("dict", "models, x", '{"m": model}, x', 'models["m"]'),
    Carry("dict, get", "models, x", '{"m": model}, x', 'models.get("m")'),
    Carry("nested", "tree, x", '{"m": [(model, 1.0)]}, x', 'tree["m"][0][0]'),
    Carry("star", "*a", "model, x", "m", body="m, x = a\n", loose=True),
    Carry("keywords", "x, **kw", "x, m=model", 'kw["m"]', loose=True),
    Carry("keyword", "m, x", "m=model, x=x", loose=True),
    Carry("keyword only", "x, *, m", "x, m=model", loose=True),
    Carry("second", "x, m", "x, model"),
    Carry("after others", "a, b, m, x", "1.0, None, model, x"),
    Carry(
        "Module of it",
        "holder, x",
        "Holder(model), x",
        "holder.model",
        ("class Holder(nnx.Module):\n    def __init__(self, model):\n        self.model = model\n"),
    ),
    Carry("List", "models, x", "nnx.List([model]), x", "models[0]"),
    Carry("Dict", "models, x", "nnx.Dict(m=model), x", "models.m"),
    Carry("Sequential", "models, x", "nnx.Sequential(model), x", "models.layers[0]"),
    Carry(
        "optimizer",
        "opt, x",
        "nnx.ModelAndOptimizer(model, optax.sgd(0.1), wrt=nnx.Param), x",
        "opt.model",
    ),
    Carry("closure", "x", "x", "model", inner=True, loose=True),
    Carry("default", "x, m=MODEL", "x, model", before="MODEL = None\n"),
    Carry(
        "split",
        "graphdef, state, x",
        "*nnx.split(model), x",
        "m",
        body="m = nnx.merge(graphdef, state)\n",
        loose=True,
    ),
    Carry("clone", "m, x", "nnx.clone(model), x"),
)
