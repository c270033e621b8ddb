"""What a function does to its argument: every change and escape is seen, or said to be unknown."""

from __future__ import annotations

import pytest

from nnx_migrate.analysis.effects.effect import worst
from tests.unit.analysis.asking import analysis_of, effects, scope_named

HEAD = """
import copy, dataclasses, functools, itertools, operator, typing
import jax, jax.numpy as jnp
from flax import nnx

class Block(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.flag = False
    def __call__(self, x):
        return self.linear(x)
    def mark(self, v=True):
        self.flag = v
    def me(self):
        return self

class Frozen:
    def __init__(self, *args):
        parts = []
        parts.append(args[0])
        object.__setattr__(self, "parts", tuple(parts))

class Net(nnx.Module):
    def __init__(self, rngs):
        self.block = Block(rngs)
        self.value = Block(rngs)
        self.scale = nnx.Param(jnp.ones(()))
        self.blocks = nnx.List([Block(rngs)])
        self.table = {"a": Block(rngs)}
        self.history = []
        self.size = 3
    def __call__(self, x):
        return self.block(x) * self.scale
    def mark(self, v=True):
        self.block.flag = v
    def get_block(self):
        return self.block
    @property
    def first(self):
        self.block.flag = True
        return self.block
    @functools.cached_property
    def lazy(self):
        return 3
    @property
    def harmless(self):
        return self.size

class Sub(Net):
    def __call__(self, x):
        return super().__call__(x)
    def loud(self):
        super().mark()
    def by_super_setattr(self):
        super().__setattr__("a", 1)

class Marking(nnx.Module):
    def __init__(self, rngs):
        self.block = Block(rngs)
    def __call__(self, x):
        self.block.mark()
        return x

class Aliased(nnx.Module):
    def __init__(self, rngs):
        self.block = Block(rngs)
    def forward(self, x):
        self.n = 1
        return x
    __call__ = forward

class Holder:
    def __init__(self, model):
        self.model = model
    def run(self):
        self.model.block.flag = True
    def look(self):
        return self.model.size

@dataclasses.dataclass
class Pair:
    model: Net
    x: int

trainer = Holder(None)
kept = []
last = None

def same(m):
    return m

def block_of(m):
    return m.block

def mark(v, m):
    m.flag = v

def mark_all(ms):
    for m in ms:
        m.flag = True

def doubling(f):
    def wrapper(m, *args):
        m.flag = True
        return f(m, *args)
    return wrapper
"""

STRUCTURE = {
    "keywords unpacked": "names = {'m': model}\n    mark(**names)",
    "elements unpacked": "parts = [model]\n    mark(*parts)",
    "behind an unpacked sequence": "parts = []\n    mark(*parts, model)",
    "keywords in a display": "mark(**{'v': 1, 'm': model})",
    "set": "model.x = 1",
    "augment": "model.size += 1",
    "delete": "del model.size",
    "named value": "model.value = 1",
    "named size": "model.size = 1",
    "attribute of a part that is named value": "model.value.flag = True",
    "method of a part that is named value": "model.value.mark()",
    "annotated alias": "b: Block = model.block\n    b.flag = True",
    "alias by helper": "b = block_of(model)\n    b.flag = True",
    "alias by identity": "same(model).x = 1",
    "alias by method": "model.get_block().flag = True",
    "alias through two methods": "model.get_block().me().mark()",
    "alias by cast": "typing.cast(Net, model).x = 1",
    "alias by getattr": "getattr(model, 'block').flag = True",
    "alias by computed getattr": "getattr(model, 'blo' + 'ck').flag = True",
    "alias by copy": "copy.copy(model).block.flag = True",
    "alias by dict": "dict(a=model)['a'].x = 1",
    "alias by match": "match model:\n        case Net() as m:\n            m.x = 1",
    "alias in a match": "match (model, 1):\n        case (m, _):\n            m.x = 1",
    "alias bound in turns": "a = None\n    b = a\n    a = b\n    b = model\n    a.x = 1",
    "slice": "for b in model.blocks[:1]:\n        b.flag = True",
    "in a list of a length": "parts = [None] * 3\n    parts[0] = model\n    parts[0].x = 1",
    "star": "first, *rest = (1, model)\n    rest[0].x = 1",
    "items": "for k, b in model.table.items():\n        b.flag = True",
    "values": "for b in model.table.values():\n        b.flag = True",
    "get": "model.table.get('a').flag = True",
    "next": "next(iter(model.blocks)).flag = True",
    "chain": "for b in itertools.chain(model.blocks, model.blocks):\n        b.flag = True",
    "zip": "for b, c in zip(model.blocks, model.blocks):\n        b.flag = True",
    "zip, the second": "for y, b in zip([x], model.blocks):\n        b.flag = True",
    "zip in enumerate": "for i, (y, b) in enumerate(zip([x], model.blocks)):\n"
    "        b.flag = True",
    "zip of what is unpacked": "parts = [[x], model.blocks]\n    for y, b in zip(*parts):\n"
    "        b.flag = True",
    "enumerate": "for i, b in enumerate(model.blocks):\n        b.flag = True",
    "comprehension": "[b.mark() for b in model.blocks]",
    "iter_modules": "for p, m in nnx.iter_modules(model):\n        m.flag = True",
    "iter_children": "for n, m in nnx.iter_children(model):\n        m.flag = True",
    "setattr": "setattr(model, 'x', 1)",
    "object setattr": "object.__setattr__(model, 'x', 1)",
    "vars": "vars(model)['x'] = 1",
    "dict attribute": "model.__dict__['x'] = 1",
    "class attribute": "model.__class__ = Sub",
    "element": "model.blocks[0] = 3",
    "element deleted": "del model.blocks[0]",
    "element of an alias deleted": "bs = model.blocks\n    del bs[0]",
    "append": "model.history.append(1)",
    "append in one branch": "parts = []\n    if x:\n        parts = model.history\n"
    "    parts.append(1)",
    "append in the next turn": "parts = []\n    for i in range(2):\n        parts.append(1)\n"
    "        parts = model.history",
    "append behind a loop": "parts = []\n    for parts in [model.history]:\n        pass\n"
    "    parts.append(1)",
    "append behind an exception": "parts = []\n    try:\n        parts = model.history\n"
    "        x.run()\n    except ValueError:\n        parts.append(1)",
    "append behind a with": "parts = model.history\n    with x:\n        parts = []\n"
    "    parts.append(1)",
    "append behind a match": "parts = []\n    match x:\n        case 1:\n"
    "            parts = model.history\n    parts.append(1)",
    "append behind a walrus": "parts = []\n    if x and (parts := model.history):\n        pass\n"
    "    parts.append(1)",
    "append behind a binding elsewhere": "parts = []\n    def take():\n"
    "        nonlocal parts\n        parts = model.history\n    take()\n    parts.append(1)",
    "append later": "parts = []\n    add = lambda: parts.append(1)\n"
    "    parts = model.history\n    add()",
    "append to what a list holds": "parts = []\n    parts.append(model.history)\n"
    "    parts[0].append(1)",
    "append to what a list is made of": "parts = [model.history]\n    parts[0].append(1)",
    "append to what a copy holds": "parts = dict(model.table)\n    parts['a'].append(1)",
    "append to what a table holds": "parts = {}\n    parts['a'] = model.history\n"
    "    parts['a'].append(1)",
    "append to what a table is filled with": "parts = {}\n    parts.update(a=model.history)\n"
    "    parts['a'].append(1)",
    "append to a default": "parts = {}\n    parts.setdefault('a', model.history).append(1)",
    "append to a default that is got": "parts = {}\n    parts.get('a', model.history).append(1)",
    "append to what another name fills": "parts = {}\n    more = parts\n"
    "    more['a'] = model.history\n    parts = model.table if x else parts\n"
    "    parts['a'].append(1)",
    "append to what a loop fills": "parts = {}\n    for parts['a'] in [model.history]:\n"
    "        parts['a'].append(1)",
    "sorted by a method": "parts = []\n    parts.append(model.block)\n"
    "    parts.sort(key=lambda b: b.mark())",
    "kept elsewhere, and changed": "p = Pair(None, 1)\n    p.model = model\n    p.model.x = 1",
    "kept by setattr, and changed": "p = Pair(None, 1)\n    setattr(p, 'model', model)\n"
    "    p.model.x = 1",
    "clear": "model.history.clear()",
    "dict update": "model.table.update(b=1)",
    "dict pop": "model.table.pop('a')",
    "grown by +=": "model.history += [1]",
    "train": "model.train()",
    "eval": "model.eval()",
    "nnx eval": "nnx.train(model)",
    "set_attributes": "model.set_attributes(a=1)",
    "sow": "model.sow(nnx.Intermediate, 'h', x)",
    "perturb": "x = model.perturb('h', x)",
    "pop": "nnx.pop(model, nnx.Intermediate)",
    "own method": "model.mark()",
    "unbound method": "Net.mark(model)",
    "property": "y = model.first",
    "cached property": "y = model.lazy",
    "bound method as a value": "f = model.mark\n    f()",
    "bound method in a list": "for f in [model.mark]:\n        f()",
    "bound method passed on": "jax.tree.map(model.mark, x)",
    "bound method in partial": "functools.partial(model.mark, False)()",
    "partial of a function": "functools.partial(mark, True, model)()",
    "partial by keyword": "functools.partial(mark, m=model)(v=True)",
    "map": "list(map(same_mark, model.blocks))",
    "lambda": "f = lambda: setattr(model, 'x', 1)\n    f()",
    "lambda default": "f = lambda m=model: m.mark()\n    f()",
    "nested": "def inner():\n        model.x = 1\n    inner()",
    "nested default": "def inner(m=model):\n        m.x = 1\n    inner()",
    "given to a list": "mark_all([model.block])",
    "given to a tuple": "mark_all((model.block, 1))",
    "held by an object": "h = Holder(model)\n    h.run()",
    "held by a dataclass": "p = Pair(model, 1)\n    p.model.x = 1",
    "jitted method": "nnx.jit(model.mark)()",
    "cond": "nnx.cond(True, lambda m: m.mark(), lambda m: None, model)",
    "switch": "nnx.switch(0, [lambda m: m.mark()], model)",
}
SUBJECTS = {
    "super method": ("Sub", "model.loud()"),
    "super setattr": ("Sub", "model.by_super_setattr()"),
    "call": ("Marking", "model(x)"),
    "jitted call": ("Marking", "nnx.jit(model)(x)"),
    "rematted part": ("Marking", "nnx.remat(model)(x)"),
    "assigned method": ("Aliased", "model(x)"),
    "call of a part": ("nnx.Sequential", "model.x = 1"),
    "nnx list": ("nnx.List", "model.append(1)"),
}
HARMLESS = {
    "function of flax.linen": "import flax.linen as nn\n    nn.logical_to_mesh_axes(model)",
    "parameter that is a number": "def resize(t, n: int):\n        return t.reshape(n)\n"
    "    parts = {'m': model, 'n': 2}\n    resize(x, parts['n'])",
    "call": "y = model(x)",
    "set by ellipsis": "model.scale[...] = 1.0",
    "set by value": "model.scale.value = 1.0",
    "set_value": "model.scale.set_value(1.0)",
    "augmented by ellipsis": "model.scale[...] += 1.0",
    "harmless property": "y = model.harmless + 1",
    "read": "y = model.scale.value * model.size",
    "in a local list": "parts = [model.block]\n    parts.append(model.value)\n    parts[0] = None",
    "in a typed local list": "parts: list[Block] = []\n    parts.append(model.value)",
    "in a local list that is an array below": "parts = []\n    parts.append(model.value)\n"
    "    parts = jnp.concatenate(parts)",
    "in a local list of one branch": "if x is None:\n        parts = model.history\n"
    "    else:\n        parts = []\n        parts.append(model.value)",
    "in a local list behind a way out": "parts = model.history\n    if x is None:\n"
    "        return x\n    parts = []\n    for b in model.blocks:\n        parts.append(b)",
    "in a local table of lists": "parts = model.table\n    parts = {}\n"
    "    parts.setdefault('a', []).append(model.value)\n    parts['a'].append(x)",
    "in a local table with a default": "from collections import defaultdict\n"
    "    parts = model.table\n    parts = defaultdict(list)\n    parts[x].append(model.value)",
    "in an object that keeps what it is given": "Frozen(model)",
    "in a local list of a length": "parts = [None] * 3\n    parts[0] = model.block",
    "in a local list of two": "parts = [None] + [1]\n    parts[0] = model.block",
    "beside parts": "parts = [x]\n    parts = [b(y) for b, y in zip(model.blocks, parts)]\n"
    "    parts.append(x)",
    "beside parts that are counted": "for i, (b, y) in enumerate(zip(model.blocks, x)):\n"
    "        y.append(b(i))",
    "sum of parts": "y = sum(b(x) for b in model.blocks)",
    "nnx.state": "y = nnx.state(model, nnx.Param)",
    "split and merge": "m = nnx.merge(*nnx.split(model))\n    m.x = 1",
    "look": "y = Holder(model).look()",
    "table": "y = [b(x) for b in model.table.values()]",
    "rematted": "y = nnx.remat(model.block)(x)",
}
ESCAPES = {
    "returned": "return model",
    "part returned": "return model.block",
    "Variable returned": "return model.scale",
    "in a tuple": "return 1, model",
    "in a dict": "return {'m': model}",
    "in a dict call": "return dict(m=model)",
    "state returned": "return nnx.state(model)",
    "typed alias returned": "out: Net = model\n    return out",
    "through a helper": "return same(model)",
    "part through a method": "return model.get_block()",
    "in a dataclass": "return Pair(model, 1)",
    "in an object": "return Holder(model)",
    "nonlocal": "global last\n    last = model",
    "outer list": "kept.append(model)",
    "other object": "trainer.model = model",
    "other object by setattr": "setattr(trainer, 'model', model)",
    "other object by its class": "object.__setattr__(trainer, 'model', model)",
    "in a list of a length": "parts = [None] * 3\n    parts[0] = model\n    return parts",
    "yield": "yield model",
    "conditional": "return model if x else None",
}
UNKNOWN = {
    "parameter called": "x(model)",
    "function of nnx by name": "getattr(nnx, x)(model)",
    "transform of nnx by name": "run = getattr(nnx, x)\n    run(lambda m: m.mark())(model)",
    "unknown library": "import lib\n    lib.run(model)",
    "unknown method": "model.missing()",
}


def _loss(body: str, annotation: str) -> str:
    more = "def same_mark(b):\n    b.flag = True\n    return b\n"
    return f"{HEAD}\n{more}\ndef loss(model: {annotation}, x):\n    {body}\n"


@pytest.mark.parametrize("case", STRUCTURE)
def test_change_of_structure_is_seen(case: str) -> None:
    found = effects(_loss(STRUCTURE[case], "Net"), "loss", "model")
    assert found & {"structure", "unknown"}


@pytest.mark.parametrize("case", SUBJECTS)
def test_change_by_the_class_is_seen(case: str) -> None:
    annotation, body = SUBJECTS[case]
    assert effects(_loss(body, annotation), "loss", "model") & {"structure", "unknown"}


@pytest.mark.parametrize("case", HARMLESS)
def test_update_in_place_is_no_effect(case: str) -> None:
    assert effects(_loss(HARMLESS[case], "Net"), "loss", "model") == set()


@pytest.mark.parametrize("case", ESCAPES)
def test_escape_is_seen(case: str) -> None:
    assert "escape" in effects(_loss(ESCAPES[case], "Net"), "loss", "model")


@pytest.mark.parametrize("case", UNKNOWN)
def test_what_is_not_seen_is_unknown(case: str) -> None:
    assert "unknown" in effects(_loss(UNKNOWN[case], "Net"), "loss", "model")


def test_decorator_of_the_project_is_not_overlooked() -> None:
    source = f"{HEAD}\n@doubling\ndef loss(model: Net, x):\n    return model(x)\n"
    assert effects(source, "loss", "model")


CHECKING = {
    "one": "from beartype import beartype as checked",
    "with settings": "from jaxtyping import jaxtyped\nchecked = jaxtyped(typechecker=None)",
    "around it": "import typeguard\ndef checked(f):\n    return typeguard.typechecked(f)",
    "as openpi does": """
import functools as ft
import beartype
from jaxtyping import jaxtyped
from typing import TypeVar, cast
T = TypeVar("T")
def checked(t: T) -> T:
    return cast(T, ft.partial(jaxtyped, typechecker=beartype.beartype)(t))
""",
    "one that notes it at once": "known = []\ndef checked(f):\n    known.append(f)\n    return f",
    "around one around it": """
from beartype import beartype
def inner(f):
    return beartype(f)
def checked(f):
    return inner(f)
""",
}
OTHERS = {
    "one that keeps it": "from beartype import beartype\ndef checked(f):\n    kept.append(f)\n"
    "    return beartype(f)",
    "one that gives another": "from beartype import beartype\ndef other(m, x):\n    m.a = 1\n"
    "def checked(f):\n    return beartype(other)",
    "one that binds it again": "from beartype import beartype\ndef checked(f):\n"
    "    f = doubling(f)\n    return beartype(f)",
    "one of two": "from beartype import beartype as checked\nif kept:\n    checked = doubling",
    "one that sometimes gives another": "def other(m, x):\n    m.a = 1\n"
    "def checked(f):\n    if kept:\n        return other\n    return f",
    "one that changes its code": "def other(m, x):\n    m.a = 1\n"
    "def checked(f):\n    f.__code__ = other.__code__\n    return f",
    "itself": "def checked(f):\n    return checked(f)",
}


@pytest.mark.parametrize("case", CHECKING)
def test_decorator_that_checks_types_is_looked_through(case: str) -> None:
    loss = "@checked\ndef loss(model: Net, x):\n    return model(x)\n"
    assert effects(f"{HEAD}\n{CHECKING[case]}\n{loss}", "loss", "model") == set()
    changing = loss.replace("return", "model.a = 1; return")
    assert "structure" in effects(f"{HEAD}\n{CHECKING[case]}\n{changing}", "loss", "model")


def test_decorator_that_is_made_and_notes_the_function_is_looked_through() -> None:
    register = (
        "known = {}\ndef register(name):\n    def note(f):\n        known[name] = f\n"
        "        f.known_as = name\n        return f\n    return note\n"
    )
    loss = "@register('loss')\ndef loss(model: Net, x):\n    return model(x)\n"
    assert effects(f"{HEAD}\n{register}\n{loss}", "loss", "model") == set()
    wrapping = register.replace("return f\n", "return lambda m, x: 1\n")
    assert effects(f"{HEAD}\n{wrapping}\n{loss}", "loss", "model")


@pytest.mark.parametrize("case", OTHERS)
def test_decorator_that_does_more_is_not(case: str) -> None:
    loss = "@checked\ndef loss(model: Net, x):\n    return model(x)\n"
    assert effects(f"{HEAD}\n{OTHERS[case]}\n{loss}", "loss", "model")


def test_decorated_helper_is_not_overlooked() -> None:
    helper = "@doubling\ndef help(m):\n    return 1\n"
    source = f"{HEAD}\n{helper}def loss(model: Net):\n    help(model)\n"
    assert effects(source, "loss", "model")


def test_a_function_that_cannot_take_the_call_is_not_meant() -> None:
    attention = """
def inner(m, y):
    return 1

def attention(m, y, pick):
    if pick is None:
        run = jax.shard_map(lambda m: 1)
        def call():
            return run(m)
    else:
        run = jax.shard_map(inner)
        def call():
            return run(m, y)
    return call()
"""
    loss = "def loss(model: Net, x):\n    return attention(model, model, x)\n"
    assert effects(f"{HEAD}{attention}\n{loss}", "loss", "model") == set()
    changing = attention.replace("return 1", "m.flag = y")
    assert "structure" in effects(f"{HEAD}{changing}\n{loss}", "loss", "model")


def test_mutual_recursion_does_not_lose_the_effects_of_the_first() -> None:

    source = f"""{HEAD}
def f(model: Net, n):
    model.x = 1
    g(model, n)
def g(model: Net, n):
    f(model, n - 1)
"""
    analysis = analysis_of(source)
    for name in ("f", "g"):
        found = analysis.effects.of(scope_named(analysis, name), "model")
        assert {effect.kind for effect in found} == {"structure"}


def test_helper_in_another_module_is_followed() -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/deep.py": "def touch(m):\n    m.x = 1\n",
        "pkg/mid.py": "from .deep import touch as t\n\ndef again(m):\n    t(m)\n",
        "main.py": (
            "from flax import nnx\nfrom pkg.mid import again\n"
            "def loss(model: nnx.Linear):\n    again(model)\n"
        ),
    }
    assert effects(files, "loss", "model") == {"structure"}


def test_what_any_of_hundreds_of_modules_does_is_told_of_the_first_of_each_sort() -> None:
    many = 300
    classes = (
        f"class Net{i}(Base):\n"
        f"    def run(self, loud=False):\n"
        f"        self.a{i} = {i}\n"
        f"        if loud:\n"
        f"            self.b{i} = {i}\n"
        f"        print_in.log{i}(self)\n"
        for i in range(many)
    )
    head = "from flax import nnx\nimport print_in\nclass Base(nnx.Module):\n    pass\n"
    main = """
        from nets import Base
        class Noisy(Base):
            def run(self, loud=False):
                self.sow(nnx.Intermediate, "h", 1)
        def f(m: Base, loud):
            m.first = 1
            m.second = 2
            m.run(loud)
    """
    analysis = analysis_of({"nets.py": head + "".join(classes), "main.py": main})
    found = analysis.effects.of(scope_named(analysis, "f"), "m")
    assert len(found) <= 8
    told = {effect.what for effect in found}
    assert told >= {
        "attribute first is set",
        "attribute second is set",
        ".sow() changes it",
        "attribute a0 is set",
        "it is passed to print_in.log0",
    }
    assert worst(found) == min(found, key=lambda e: (e.kind != "structure", e.where))
