"""Ways in which one object comes to be in two places, and their neighbours in which two are apart.

Each form is a few lines of a program. Graph mode runs them all; of each pair of tables, tree mode
refuses the forms in the first ("Duplicate ..."), and runs those in the second alike.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

HEAD = """
import collections, contextlib, copy, dataclasses, functools, itertools, operator, typing
import flax.struct
import jax, jax.numpy as jnp, optax
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs):
        self.lin = nnx.Linear(2, 2, rngs=rngs)
    def __call__(self, x):
        return self.lin(x)
    @property
    def inner(self):
        return self.lin
    def me(self):
        return self
    def part(self):
        return self.lin

class Wrap(nnx.Module):
    def __init__(self, inner):
        self.inner = inner
    def __call__(self, x):
        return self.inner(x)

@dataclasses.dataclass
class Field(nnx.Module):
    inner: nnx.Linear
    def __call__(self, x):
        return self.inner(x)

@flax.struct.dataclass
class Train:
    model: Net
    step: typing.Any

class Pair(typing.NamedTuple):
    model: Net
    x: typing.Any

Loose = collections.namedtuple("Loose", ["model", "x"])
X = jnp.ones((1, 2))

def linear(seed=0):
    return nnx.Linear(2, 2, rngs=nnx.Rngs(seed))

def same(value):
    return value

def inner_of(net):
    return net.lin

def holding(**parts):
    return parts

@functools.lru_cache
def cached():
    return linear()

def leaves(*objects):
    return [leaf for each in objects for leaf in jax.tree.leaves(nnx.as_pure(nnx.state(each)))]

"""


def _program(body: str, main: str) -> str:
    lines = "\n".join(f"    {line}" for line in textwrap.dedent(main).strip().splitlines())
    return f"{HEAD}\n{textwrap.dedent(body).strip()}\n\ndef main():\n{lines}\n"


def _step(body: str) -> str:
    """A step that is given `m` and returns something."""
    lines = "\n".join(f"    {line}" for line in textwrap.dedent(body).strip().splitlines())
    return _program(
        f"@nnx.jit\ndef step(m: Net, x):\n{lines}",
        "m = Net(nnx.Rngs(0))\nstep(m, X)\nreturn leaves(m)",
    )


def _model(body: str) -> str:
    """A Module whose constructor stores things."""
    lines = "\n".join(f"        {line}" for line in textwrap.dedent(body).strip().splitlines())
    return _program(
        "class Model(nnx.Module):\n"
        f"    def __init__(self, rngs):\n{lines}\n"
        "    def __call__(self, x):\n        return x\n"
        "@nnx.jit\ndef step(model, x):\n    return model(x)\n",
        "return step(Model(nnx.Rngs(0)), X)",
    )


def _given(body: str) -> str:
    """Objects made and given to `step`, which takes anything."""
    return _program("@nnx.jit\ndef step(*given):\n    return X\n", f"{body}\nreturn out")


#: What a function under `nnx.jit` does with an object that it is given, last of all returns it.
RETURNED: Mapping[str, str] = {
    "dict of keywords": "return dict(m=m)",
    "dict of pairs": "return dict([('m', m)])",
    "dict display": "return {'m': m, 'x': x}",
    "unpacked into a dict": "return {**{'m': m}}",
    "unpacked into a list": "return [*[m]]",
    "named tuple of collections": "return Loose(m, x)",
    "named tuple of typing": "return Pair(m, x)",
    "replaced in a named tuple": "return Pair(m, x)._replace(x=x + 1)",
    "tree of flax": "return Train(m, x)",
    "replaced in a tree": "return dataclasses.replace(Train(m, x), step=x + 1)",
    "getattr": "return getattr(m, 'lin')",
    "getattr with a default": "return getattr(m, 'lin', None)",
    "attrgetter": "return operator.attrgetter('lin')(m)",
    "itemgetter": "return operator.itemgetter(0)([m])",
    "vars": "return vars(m)['lin']",
    "__dict__": "return m.__dict__['lin']",
    "helper": "return same(m)",
    "helper of helpers": "return same(same(m))",
    "helper that gives a part": "return inner_of(m)",
    "helper that holds it": "return holding(m=m)",
    "lambda called at once": "return (lambda a: a)(m)",
    "lambda with a name": "give = lambda a: a.lin\nreturn give(m)",
    "nested function": "def inner():\n    return m\nreturn inner()",
    "nested function with a default": "def inner(a=m):\n    return a\nreturn inner()",
    "partial": "return functools.partial(same, m)()",
    "method that gives itself": "return m.me()",
    "method that gives a part": "return m.part()",
    "property": "return m.inner",
    "map": "return list(map(same, [m]))",
    "map of a lambda": "return tuple(map(lambda a: a.lin, (m,)))",
    "zip": "return list(zip([m], [x]))",
    "enumerate": "return [each for _, each in enumerate([m])]",
    "chain": "return list(itertools.chain([m], [x]))",
    "sorted": "return sorted([m], key=id)",
    "reversed": "return list(reversed([m, x]))",
    "filter": "return list(filter(None, [m]))",
    "reduce": "return functools.reduce(lambda a, b: a, [m, m])",
    "reduce from a start": "return functools.reduce(lambda a, b: a, [x, x], m)",
    "accumulate": "return list(itertools.accumulate([m, x], lambda a, b: a))",
    "accumulate from a start": "return list(itertools.accumulate([x], lambda a, b: a, initial=m))",
    "max": "return max([m], key=id)",
    "next": "return next(iter([m]))",
    "slice": "return [x, m][1:]",
    "concatenation": "return [m] + [x]",
    "concatenation of tuples": "return (m,) + (x,)",
    "augmented": "found = [x]\nfound += [m]\nreturn found",
    "appended": "found = []\nfound.append(m)\nreturn found",
    "stored by a key": "found = {}\nfound['m'] = m\nreturn found",
    "setdefault": "found = {}\nreturn found.setdefault('m', m)",
    "get": "return {'m': m}.get('m')",
    "pop": "return [m].pop()",
    "values of a dict": "return list({'m': m}.values())",
    "items of a dict": "return [v for k, v in {'m': m}.items()]",
    "joined dicts": "return {'m': m} | {'x': x}",
    "repeated": "return [m] * 1",
    "tuple of a list": "return tuple([m])",
    "element of a list": "return [m][0]",
    "comprehension": "return [each for each in [m]]",
    "dict comprehension": "return {name: each for name, each in [('m', m)]}",
    "generator": "return tuple(each for each in [m])",
    "loop": "for each in [m]:\n    found = each\nreturn found",
    "walrus": "return (found := m)",
    "conditional": "return m if x.ndim else None",
    "or": "return m or None",
    "starred target": "first, *rest = [x, m]\nreturn rest",
    "with": "with contextlib.nullcontext(m) as found:\n    return found",
    "match": "match m:\n    case found:\n        return found",
    "list of nnx": "return nnx.List([m.lin])",
    "dict of nnx": "return nnx.Dict(lin=m.lin)",
    "Sequential": "return nnx.Sequential(m.lin)",
    "a new Module": "return Wrap(m)",
    "a new Module with fields": "return Field(m.lin)",
    "stored in a new Module": "other = Net(nnx.Rngs(1))\nother.lin = m.lin\nreturn other",
    "ModelAndOptimizer": "return nnx.ModelAndOptimizer(m, optax.sgd(0.1))",
    "copy.copy": "return copy.copy(m)",
    "split": "return nnx.split(m)[1]",
    "split in two": "graphdef, state = nnx.split(m)\nreturn state",
    "state": "return nnx.state(m, nnx.Param)",
    "state in a helper": "return same(nnx.state(m))",
    "state in a dict": "return dict(state=nnx.state(m))",
    "flat state": "return nnx.to_flat_state(nnx.state(m))",
    "merged again": "return nnx.merge(*nnx.split(m))",
    "cloned with its Variables": "return nnx.clone(m, variables=False)",
    "merged from names": "graphdef, state = nnx.split(m)\nreturn nnx.merge(graphdef, state)",
    "merged and bound again": "m = nnx.merge(*nnx.split(m))\nreturn m",
    "bound again": "m = same(m)\nreturn m",
    "a Variable": "return m.lin.kernel",
    "a Variable of a list": "return [v for v in [m.lin.kernel]]",
}
#: Neighbours of these that give nothing back.
NOT_RETURNED: Mapping[str, str] = {
    "called": "return dict(y=m(x))",
    "clone": "return nnx.clone(m)",
    "clone in a helper": "return same(nnx.clone(m))",
    "deepcopy": "return copy.deepcopy(m)",
    "merged from a clone": "return nnx.merge(*nnx.split(nnx.clone(m)))",
    "a new Module of a clone": "return Wrap(nnx.clone(m))",
    "a new Module": "return Wrap(linear())",
    "list of new ones": "return nnx.List([linear()])",
    "called by a helper": "return same(m)(x)",
    "called by getattr": "return getattr(m, 'lin')(x)",
    "map of calls": "return list(map(lambda a: a(x), [m]))",
    "calls in a generator": "return next(each(x) for each in [m])",
    "length": "return len([m])",
    "arrays": "return nnx.as_pure(nnx.state(m))",
    "arrays of a tree": "return jax.tree.map(jnp.zeros_like, nnx.state(m))",
    "value": "return m.lin.kernel[...]",
    "merged from new values": (
        "graphdef, state = nnx.split(m)\n"
        "return nnx.merge(graphdef, jax.tree.map(lambda v: v * 2, state))"
    ),
    "a helper that gives something else": "def inner(a, b):\n    return b\nreturn inner(m, x)",
    "one of two elements": "return (m, x)[1]",
    "one of two targets": "model, y = m, x\nreturn y",
}
#: What a constructor stores.
STORED: Mapping[str, str] = {
    "one of the values of a dict": (
        "made = {'a': linear()}\nmade['b'] = linear()\n"
        "self.ls = nnx.Dict(made)\n"
        "for each in made.values():\n    self.last = each"
    ),
    "one of a list that is stored to": (
        "made = [None, linear()]\nmade[0] = linear()\n"
        "self.ls = nnx.List(made)\nfor each in made:\n    self.last = each"
    ),
    "what a name of a dict leads to": (
        "made = {'a': linear()}\nself.ls = nnx.Dict(made)\n"
        "for name in made:\n    self.last = made[name]"
    ),
    "one of a dict or a list": (
        "made = {'a': linear()}\nif made:\n    made = [linear()]\n"
        "self.ls = nnx.List(list(made))\nfor each in made:\n    self.last = each"
    ),
    "chained": "self.a = self.b = nnx.Linear(2, 2, rngs=rngs)",
    "chained with a name": "l = self.a = nnx.Linear(2, 2, rngs=rngs)\nself.b = l",
    "two targets": "l = nnx.Linear(2, 2, rngs=rngs)\nself.a, self.b = l, l",
    "two targets of a list": "l = nnx.Linear(2, 2, rngs=rngs)\nself.a, self.b = [l] * 2",
    "from another": "self.a = nnx.Linear(2, 2, rngs=rngs)\nself.b = self.a",
    "part of another": "self.a = Net(rngs)\nself.b = self.a.lin",
    "by getattr": "self.a = nnx.Linear(2, 2, rngs=rngs)\nself.b = getattr(self, 'a')",
    "setattr": ("l = nnx.Linear(2, 2, rngs=rngs)\nsetattr(self, 'a', l)\nsetattr(self, 'b', l)"),
    "setattr in a loop": (
        "l = nnx.Linear(2, 2, rngs=rngs)\nfor name in ('a', 'b'):\n    setattr(self, name, l)"
    ),
    "walrus": "self.a = (l := nnx.Linear(2, 2, rngs=rngs))\nself.b = l",
    "helper": "l = linear()\nself.a = same(l)\nself.b = same(l)",
    "helper once": "l = linear()\nself.a = l\nself.b = same(l)",
    "dict": "d = {'l': linear()}\nself.a = d['l']\nself.b = d['l']",
    "get": "d = dict(l=linear())\nself.a = d.get('l')\nself.b = d.get('l')",
    "element": "ls = [linear()]\nself.a = ls[0]\nself.b = ls[0]",
    "cached factory": "self.a = cached()\nself.b = cached()",
    "default argument": ("def make(l=linear()):\n    return l\nself.a = make()\nself.b = make()"),
    "closure": "l = linear()\ndef make():\n    return l\nself.a = make()\nself.b = make()",
    "lambda": "l = linear()\nmake = lambda: l\nself.a = make()\nself.b = make()",
    "map": "l = linear()\nself.ls = nnx.List(map(lambda _: l, range(2)))",
    "zip": "l = linear()\nself.ls = nnx.List([each for each, _ in zip([l, l], range(2))])",
    "generator": "l = linear()\nself.ls = nnx.List(l for _ in range(2))",
    "comprehension": "l = linear()\nself.ls = nnx.List([l for _ in range(2)])",
    "repeated": "self.ls = nnx.List([linear()] * 2)",
    "Sequential": "l = linear()\nself.seq = nnx.Sequential(l, l)",
    "Sequential of a list": "ls = [linear()] * 2\nself.seq = nnx.Sequential(*ls)",
    "copy.copy": "l = linear()\nself.a = l\nself.b = copy.copy(l)",
    "tied": "self.a = linear()\nself.b = linear()\nself.b.kernel = self.a.kernel",
    "two Modules with fields": "l = linear()\nself.a = Field(l)\nself.b = Field(l)",
    "two Modules": "l = linear()\nself.a = Wrap(l)\nself.b = Wrap(l)",
    "Module and part": "l = linear()\nself.a = l\nself.b = Wrap(l)",
    "Module made in place": "self.a = linear()\nself.b = Wrap(self.a)",
    "dict of nnx": "l = linear()\nself.d = nnx.Dict(a=l, b=l)",
    "merged again": "l = linear()\nself.a = l\nself.b = nnx.merge(*nnx.split(l))",
    "conditional": "l = linear()\nself.a = l\nself.b = l if len(X) else None",
    "grown in a loop": (
        "l, ls = linear(), []\nfor _ in range(2):\n    ls.append(Wrap(l))\nself.ls = nnx.List(ls)"
    ),
    "itertools.repeat": "self.ls = nnx.List(list(itertools.repeat(linear(), 2)))",
    "dict.fromkeys": "self.d = nnx.Dict(dict.fromkeys(('a', 'b'), linear()))",
    "bound in two ways": (
        "if len(X):\n    l = linear()\nelse:\n    l = linear(1)\nself.a = l\nself.b = l"
    ),
    "data": "l = linear()\nself.ls = nnx.data([l, l])",
}
#: Neighbours of these that store each object once.
NOT_STORED_TWICE: Mapping[str, str] = {
    "names of a dict": (
        "made = {'a': linear()}\nmade['b'] = linear()\n"
        "self.order = nnx.static(tuple(name for name in made if name != 'c'))\n"
        "self.ls = nnx.Dict(made)"
    ),
    "names of an annotated dict, sorted": (
        "made: dict[str, nnx.Linear] = {}\nfor name in 'ab':\n    made[name] = linear()\n"
        "self.order = nnx.static(tuple(sorted(made)))\nself.ls = nnx.Dict(made)"
    ),
    "numbered names of a dict": (
        "made = dict(a=linear(), b=linear())\n"
        "self.order = nnx.static([(i, name) for i, name in enumerate(made)])\n"
        "self.ls = nnx.Dict(made)"
    ),
    "two": "self.a = nnx.Linear(2, 2, rngs=rngs)\nself.b = nnx.Linear(2, 2, rngs=rngs)",
    "two in a line": "self.a = linear(); self.b = linear()",
    "two targets": "self.a, self.b = linear(), linear()",
    "two of a list": "self.a, self.b = [linear(), linear()]",
    "two of a comprehension": "self.a, self.b = [linear() for _ in range(2)]",
    "chained numbers": "self.a = self.b = 2",
    "chained with a local name": "l = self.a = linear()\nl.name = 'a'",
    "clone": "l = linear()\nself.a = l\nself.b = nnx.clone(l)",
    "deepcopy": "self.a = linear()\nself.b = copy.deepcopy(self.a)",
    "bound again": "l = linear()\nself.a = l\nl = linear()\nself.b = l",
    "the same name again": "l = linear()\nself.a = l\nself.a = l",
    "factory": "self.a = same(linear())\nself.b = same(linear())",
    "Sequential of two": "self.seq = nnx.Sequential(linear(), linear())",
    "comprehension": "self.ls = nnx.List([linear() for _ in range(2)])",
    "generator": "self.ls = nnx.List(linear() for _ in range(2))",
    "loop": "self.ls = nnx.List()\nfor _ in range(2):\n    l = linear()\n    self.ls.append(l)",
    "two elements": "ls = [linear(), linear()]\nself.a = ls[0]\nself.b = ls[1]",
    "two Modules": "self.a = Wrap(linear())\nself.b = Wrap(linear())",
    "arrays": "k = jnp.ones(2)\nself.a = nnx.Param(k)\nself.b = nnx.Param(k)",
    "values": "self.a = linear()\nself.b = nnx.Param(self.a.kernel[...])",
    "grown in a loop": (
        "ls = []\nfor _ in range(2):\n    l = linear()\n    ls.append(Wrap(l))\n"
        "self.ls = nnx.List(ls)"
    ),
    "of a list in a loop": (
        "ls = []\nfor l in [linear(), linear()]:\n    ls.append(Wrap(l))\nself.ls = nnx.List(ls)"
    ),
    "moved": "l = linear()\nls = [l]\nself.seq = nnx.Sequential(*ls)",
}
#: What is given to a function under `nnx.jit`.
GIVEN: Mapping[str, str] = {
    "twice": "m = linear()\nout = step(m, m)",
    "repeated": "m = linear()\nout = step(*[m] * 2)",
    "a repeated tuple": "m = linear()\nout = step(*(m,) * 2)",
    "another name": "m = linear()\nn = m\nout = step(m, n)",
    "helper": "m = linear()\nout = step(m, same(m))",
    "getattr": "m = Net(nnx.Rngs(0))\nout = step(m, getattr(m, 'lin'))",
    "helper that gives a part": "m = Net(nnx.Rngs(0))\nout = step(m, inner_of(m))",
    "property": "m = Net(nnx.Rngs(0))\nout = step(m, m.inner)",
    "copy.copy": "m = linear()\nout = step(m, copy.copy(m))",
    "state": "m = linear()\nout = step(m, nnx.state(m))",
    "state by a name": "m = linear()\nstate = nnx.state(m)\nout = step(m, state)",
    "some state": "m = linear()\nout = step(m, nnx.state(m, nnx.Param))",
    "split": "m = linear()\ngraphdef, state = nnx.split(m)\nout = step(m, state)",
    "merged again": "m = linear()\nn = nnx.merge(*nnx.split(m))\nout = step(m, n)",
    "cloned with its Variables": "m = linear()\nout = step(m, nnx.clone(m, variables=False))",
    "cloned with what a flag says": "m = linear()\nout = step(m, nnx.clone(m, bool(m is None)))",
    "merged twice": (
        "graphdef, state = nnx.split(linear())\n"
        "out = step(nnx.merge(graphdef, state), nnx.merge(graphdef, state))"
    ),
    "parts of the same": (
        "shared = linear()\na = Wrap(shared)\nb = Wrap(shared)\nout = step(a, b)"
    ),
    "parts of the same by fields": (
        "shared = linear()\na = Field(shared)\nb = Field(shared)\nout = step(a, b)"
    ),
    "parts of the same in place": "shared = linear()\nout = step(Wrap(shared), Wrap(shared))",
    "parts of the same Sequential": (
        "l = linear()\nout = step(nnx.Sequential(l), nnx.Sequential(l))"
    ),
    "parts in lists": "l = linear()\nout = step(nnx.List([l]), dict(l=l))",
    "parts from a cache": "out = step(Wrap(cached()), Wrap(cached()))",
    "from a cache": "out = step(cached(), cached())",
    "held twice": "l = linear()\nm = nnx.Sequential(l, l)\nout = step(m)",
    "held twice and merged": (
        "l = linear()\nm = nnx.Sequential(l, l)\n"
        "graphdef, state = nnx.split(m)\nm = nnx.merge(graphdef, state)\nout = step(m)"
    ),
    "held twice and bound again": (
        "l = linear()\nm = nnx.Sequential(l, l)\nm = same(m)\nout = step(m)"
    ),
    "held twice by a helper": (
        "def made():\n    l = linear()\n    return nnx.Sequential(l, l)\nout = step(made())"
    ),
    "held twice and passed on": (
        "def run(m):\n    return step(m)\nl = linear()\nm = nnx.Sequential(l, l)\nout = run(m)"
    ),
    "held twice and passed on twice": (
        "def inner(m):\n    return step(m)\ndef run(m):\n    return inner(m)\n"
        "l = linear()\nout = run(nnx.Sequential(l, l))"
    ),
    "one for two parameters": (
        "def run(a, b):\n    return step(a, b)\nm = linear()\nout = run(m, m)"
    ),
    "parts for two parameters": (
        "def run(a, b):\n    return step(a, b)\nl = linear()\nout = run(Wrap(l), nnx.List([l]))"
    ),
    "held twice in a copy": "l = linear()\nout = step(nnx.clone(nnx.Sequential(l, l)))",
    "held twice in a deep copy": "l = linear()\nout = step(copy.deepcopy(nnx.Sequential(l, l)))",
    "held in a list": "ls = [linear()] * 2\nout = step(ls)",
    "held in a list that grew": "l = linear()\nls = []\nls.append(l)\nls.append(l)\nout = step(ls)",
    "zip": "m = linear()\nout = step(list(zip([m], [m])))",
    "keywords": "m = linear()\nout = step(*dict(a=m, b=m).values())",
    "named tuple": "m = Net(nnx.Rngs(0))\nout = step(m, Loose(m, X))",
    "tree": "m = Net(nnx.Rngs(0))\nout = step(m, Train(m, X))",
    "tied": "a, b = linear(), linear()\nb.kernel = a.kernel\nout = step(a, b)",
    "through a tree": "m = linear()\np, q = nnx.from_tree(nnx.to_tree([m, m]))\nout = step(p, q)",
    "through a tree, by names": (
        "m = linear()\nt = nnx.to_tree(dict(a=m, b=m))\nd = nnx.from_tree(t)\n"
        "out = step(d['a'], d['b'])"
    ),
    "a parameter through a tree": (
        "def run(m: nnx.Module):\n    p, q = nnx.from_tree(nnx.to_tree([m, m]))\n"
        "    return step(p, q)\nout = run(linear())"
    ),
    "a parameter and its part through a tree": (
        "def run(m: Net):\n    p, q = nnx.from_tree(nnx.to_tree([m, m.lin]))\n"
        "    return step(p, q)\nout = run(Net(nnx.Rngs(0)))"
    ),
    "a copy of a parameter in two places": (
        "def run(m: nnx.Module):\n    p, q = copy.deepcopy([m, m])\n"
        "    return step(p, q)\nout = run(linear())"
    ),
    "a reference twice": "r = jax.new_ref(X)\nout = step(r, r)",
    "a reference in two places": "r = jax.new_ref(X)\nout = step(dict(a=r, b=[r]))",
}
#: Neighbours of these that are apart.
APART: Mapping[str, str] = {
    "two": "out = step(linear(), linear())",
    "two by names": "m = linear()\nn = linear()\nout = step(m, n)",
    "clone": "m = linear()\nout = step(m, nnx.clone(m))",
    "deepcopy": "m = linear()\nout = step(m, copy.deepcopy(m))",
    "merged from a clone": (
        "m = linear()\nn = nnx.merge(*nnx.split(nnx.clone(m)))\nout = step(m, n)"
    ),
    "arrays": "m = linear()\nout = step(m, nnx.as_pure(nnx.state(m)))",
    "graphdef": "m = linear()\nout = step(nnx.graphdef(m), m)",
    "two states": (
        "m = linear()\n_, params, rest = nnx.split(m, nnx.Param, ...)\nout = step(params, rest)"
    ),
    "two states and a graphdef": (
        "m = linear()\ngraphdef, *states = nnx.split(m, nnx.Param, ...)\n"
        "out = step(graphdef, *states)"
    ),
    "merged once": (
        "m = linear()\ngraphdef, state = nnx.split(m)\n"
        "m = nnx.merge(graphdef, state)\nout = step(m)"
    ),
    "merged from two": (
        "m = linear()\ngraphdef, params, rest = nnx.split(m, nnx.Param, ...)\n"
        "out = step(nnx.merge(graphdef, params, rest))"
    ),
    "parts": "m = nnx.Sequential(linear(), linear())\nout = step(m.layers[0], m.layers[1])",
    "two Modules": "out = step(Wrap(linear()), Wrap(linear()))",
    "two Modules of a loop": "ms = [Wrap(linear()) for _ in range(2)]\nout = step(*ms)",
    "bound again": "m = linear()\na = Wrap(m)\nm = linear()\nout = step(a)",
    "two parameters": (
        "def run(a, b):\n    return step(a, b)\n"
        "out = run(linear(), linear()), run(Wrap(linear()), linear())"
    ),
    "copies of copies": "m = nnx.clone(linear())\nout = step(m, nnx.clone(m), copy.deepcopy(m))",
    "two through a tree": (
        "p, q = nnx.from_tree(nnx.to_tree([linear(), linear()]))\nout = step(p, q)"
    ),
    "two parameters through a tree": (
        "def run(m: nnx.Module, n: nnx.Module):\n"
        "    p, q = nnx.from_tree(nnx.to_tree([m, n]))\n    return step(p, q)\n"
        "out = run(linear(), linear())"
    ),
    "through trees of their own": (
        "m = linear()\nt = nnx.to_tree(m)\nout = step(m, nnx.from_tree(t), nnx.from_tree(t))"
    ),
    "copies of a parameter": (
        "def run(m: nnx.Module):\n    return step(m, *[nnx.clone(m) for _ in range(2)])\n"
        "out = run(linear())"
    ),
    "two references": "out = step(jax.new_ref(X), jax.new_ref(X))",
    "two under literals": ("ms = {'a': linear(), 'b': linear(1)}\nout = step(ms['a'], ms['b'])"),
    "under a literal and beside": (
        "m = linear()\nms = {'a': m, 'b': linear()}\nout = step(ms['b'], m)"
    ),
    "under numbers out of order": "m = linear()\nms = {1: m, 0: linear()}\nout = step(ms[0], m)",
    "stored under literals": (
        "m, ms = linear(), {}\nms['a'] = m\nms['b'] = linear()\nout = step(ms['b'], m)"
    ),
    "stored under literals of an annotated dict": (
        "m = linear()\nms: dict[str, nnx.Linear] = {}\nms['a'] = m\nms['b'] = linear()\n"
        "out = step(ms['b'], m)"
    ),
    "an object and its target": (
        "class Agent:\n    def __init__(self):\n        self.ms = {'online': linear()}\n"
        "        self.ms['target'] = nnx.clone(self.ms['online'])\n"
        "    def run(self):\n        return step(self.ms['online'], self.ms['target'])\n"
        "agent = Agent()\nout = agent.run(), step(agent.ms['online'], agent.ms['target'])"
    ),
    "two places of a list that grew": (
        "ms = [linear()]\nms.append(linear(1))\nout = step(ms[0], ms[1])"
    ),
    "what one attribute is a clone of": (
        "class Two(nnx.Module):\n    def __init__(self):\n        self.a = linear()\n"
        "        self.b = nnx.clone(self.a)\nm = Two()\nout = step(m.a, m.b)"
    ),
    "slices": (
        "ms = [linear(i) for i in range(4)]\nout = step(ms[0], ms[1:]), step(ms[:2], ms[2:])"
    ),
    "the next in a slice": "ms = [linear(), linear(1)]\nout = step(ms[0], ms[1:][0])",
    "neighbours": (
        "ms = [linear(i) for i in range(3)]\n"
        "out = [step(one, other) for one, other in zip(ms[:-1], ms[1:])]"
    ),
    "a partial and another": (
        "m = linear()\nbound = functools.partial(step, m)\nout = bound(linear(1))"
    ),
    "two partials": (
        "def made(one):\n    return functools.partial(step, one)\n"
        "m, n = linear(), linear(1)\nout = made(m)(n), made(n)(m)"
    ),
    "kept beside a partial of it": (
        "class Both(nnx.Module):\n    def __init__(self, m):\n        self.m = m\n"
        "        self.f = functools.partial(same, m)\nout = step(Both(linear()))"
    ),
    "a target that a method clones": (
        "class Agent:\n    def __init__(self):\n        self.online = linear()\n"
        "        self.target = linear(1)\n    def sync(self):\n"
        "        self.target = nnx.clone(self.online)\n    def run(self):\n"
        "        return step(self.online, self.target)\nagent = Agent()\nagent.sync()\n"
        "out = agent.run()"
    ),
    "made once for each object": (
        "class Lazy:\n    @functools.cached_property\n    def m(self):\n        return linear()\n"
        "    @functools.cached_property\n    def n(self):\n        return linear(1)\n"
        "one, other = Lazy(), Lazy()\nout = step(one.m, one.n, other.m)"
    ),
    "made where it is read": (
        "class Eager:\n    @property\n    def m(self):\n        return linear()\n"
        "one = Eager()\nout = step(one.m, one.m)"
    ),
    "names of a namespace": (
        "import types\nspace = types.SimpleNamespace(m=linear(), n=linear(1))\n"
        "out = step(space.m, space.n)"
    ),
    "made by managers": (
        "@contextlib.contextmanager\ndef making(seed):\n    yield linear(seed)\n"
        "with making(0) as m, making(1) as n:\n    out = step(m, n)"
    ),
    "made where classes are entered": (
        "class Making:\n    def __enter__(self):\n        return linear()\n"
        "    def __exit__(self, *raised):\n        return False\n"
        "with Making() as m, Making() as n:\n    out = step(m, n)"
    ),
    "a clone that a dataclass makes": (
        "@dataclasses.dataclass\nclass Pairs:\n    m: typing.Any\n    n: typing.Any = None\n"
        "    def __post_init__(self):\n        if self.n is None:\n"
        "            self.n = nnx.clone(self.m)\n"
        "pairs = Pairs(linear())\nout = step(pairs.m, pairs.n)"
    ),
    "beside what a generator delegates": (
        "def inner(one, other):\n    yield one\n    yield other\n"
        "def outer(one, other):\n    yield from inner(one, other)\nm = linear(2)\n"
        "out = [step(each, m) for each in outer(linear(), linear(1))]"
    ),
    "made by a generator of itself": (
        "def walk(n):\n    if n:\n        yield from walk(n - 1)\n    yield linear(n)\n"
        "one, other = walk(1)\nout = step(one, other)"
    ),
    "elements of a list and of its copy": (
        "ms = [linear(i) for i in range(2)]\nns = list(ms)\nout = step(ms[0], ns[1])"
    ),
    "elements of a list that an object keeps": (
        "class Pool:\n    def __init__(self):\n        self.ms = [linear(i) for i in range(2)]\n"
        "pool, other = Pool(), Pool()\nout = step(pool.ms[0], pool.ms[1], other.ms[0])"
    ),
    "a name of a class that its objects store anew": (
        "class Own:\n    m = None\n    def __init__(self):\n        self.m = linear()\n"
        "out = step(Own().m, Own().m)"
    ),
    "fields with a factory": (
        "@dataclasses.dataclass\nclass Own:\n"
        "    m: nnx.Linear = dataclasses.field(default_factory=linear)\n"
        "out = step(Own().m, Own().m)"
    ),
    "numbers of a class": (
        "class Sized:\n    size = 2\nout = step(Sized().size, Sized().size, linear())"
    ),
    "parts of a proxy": (
        "class Proxy:\n    def __init__(self, net):\n        self._net = net\n"
        "    def __getattr__(self, name):\n        return getattr(self._net, name)\n"
        "out = step(Proxy(Net(nnx.Rngs(0))).lin, Proxy(Net(nnx.Rngs(1))).lin)"
    ),
    "replaced in a copy": (
        "@dataclasses.dataclass\nclass Config:\n    m: typing.Any\n    n: int = 0\n"
        "def run(one):\n    other = dataclasses.replace(one, m=linear(1))\n"
        "    return step(one.m, other.m)\nout = run(Config(linear()))"
    ),
    "a trainer that gets two": (
        "class Trainer:\n    def __init__(self, model):\n        self.model = model\n"
        "    def run(self, other):\n        return step(self.model, other)\n"
        "out = Trainer(linear()).run(linear(1))"
    ),
    "a trainer that keeps two": (
        "class Trainer:\n    def run(self):\n        return step(self.model, self.target)\n"
        "trainer, m = Trainer(), linear()\ntrainer.model = m\n"
        "trainer.target = nnx.clone(m)\nout = trainer.run()"
    ),
    "places beside each other": (
        "ms = [linear(i) for i in range(3)]\nfor i in range(2):\n    out = step(ms[i], ms[i + 1])"
    ),
    "places by two names": (
        "ms = [linear(i) for i in range(3)]\ni, j = 0, 1\nout = step(ms[i], ms[j])"
    ),
    "a place that a name is not any more": (
        "ms = [linear(i) for i in range(3)]\ni = 0\nm = ms[i]\ni = i + 1\nout = step(m, ms[i])"
    ),
    "a place of another turn": (
        "ms, last = [linear(i) for i in range(3)], linear(3)\n"
        "for i in range(3):\n    out = step(ms[i], last)\n    last = ms[i]"
    ),
    "an element of another turn": (
        "last = linear(3)\nfor m in [linear(i) for i in range(3)]:\n"
        "    out = step(m, last)\n    last = m"
    ),
    "elements that a helper picks": (
        "def pick(ms, i):\n    return ms[i]\nms = [linear(i) for i in range(3)]\n"
        "out = step(pick(ms, 0), pick(ms, 1))"
    ),
    "elements that a nested function picks": (
        "ms = [linear(i) for i in range(3)]\ndef pick(i):\n    return ms[i]\n"
        "out = step(pick(0), pick(1))"
    ),
    "elements that a helper looks for": (
        "def first(ms, wanted):\n    for i, m in enumerate(ms):\n        if i == wanted:\n"
        "            return m\nms = [linear(i) for i in range(3)]\n"
        "out = step(first(ms, 0), first(ms, 1))"
    ),
    "a list in another order": (
        "ms = [linear(i) for i in range(3)]\nout = step([ms[i] for i in (2, 0, 1)])"
    ),
    "a list grown in another order": (
        "ms = [linear(i) for i in range(3)]\nns = []\n"
        "for i in (2, 0, 1):\n    ns.append(ms[i])\nout = step(ns)"
    ),
    "each with the one behind it": (
        "ms = [linear(i) for i in range(3)]\nfor m, n in zip(ms, ms[1:]):\n    out = step(m, n)"
    ),
    "each of two lists": (
        "ms, ns = [linear(i) for i in range(3)], [linear(i) for i in range(3)]\n"
        "for i, (m, n) in enumerate(zip(ms, ns)):\n    out = step(m, n, ms[i] is m)"
    ),
    "each of two dicts": (
        "ms, ns = {k: linear() for k in 'ab'}, {k: linear() for k in 'ab'}\n"
        "for k, m in ms.items():\n    out = step(m, ns[k])"
    ),
    "each pair": (
        "ms = [linear(i) for i in range(3)]\n"
        "for m, n in itertools.combinations(ms, 2):\n    out = step(m, n)"
    ),
    "lists that one loop fills": (
        "ms, ns = [], []\nfor i in range(2):\n    m = linear(i)\n    ms.append(m)\n"
        "    ns.append(nnx.clone(m))\nout = step(ms, ns), step(ms[0], ms[1])"
    ),
    "a list that branches fill": (
        "ms = []\nfor i in range(2):\n    m = linear(i)\n    if i:\n        ms.append(m)\n"
        "    else:\n        ms.append(m)\nout = step(ms)"
    ),
    "elements of a list that another fills": (
        "ms, ns = [linear(i) for i in range(2)], []\nns.extend(ms)\nout = step(ns[0], ns[1])"
    ),
    "each beside another list": (
        "ms, ns = [linear(i) for i in range(2)], [linear(i) for i in range(2)]\n"
        "both = [*ms, *ns]\nfor m in ms:\n    out = step(m, ns[0])"
    ),
    "what classes keep for themselves": (
        "class Hub:\n    _m = None\n    @classmethod\n    def get(cls):\n"
        "        if cls._m is None:\n            cls._m = linear()\n        return cls._m\n"
        "class Other:\n    _m = None\n    @classmethod\n    def get(cls):\n"
        "        if cls._m is None:\n            cls._m = linear(1)\n        return cls._m\n"
        "out = step(Hub.get(), Other.get())"
    ),
    "containers made at once": (
        "ms, ns = {}, []\nfor i in range(2):\n    ms[str(i)] = linear(i)\n"
        "    ns.append(linear(i))\nout = step(ms, ns)"
    ),
    "each but the first": (
        "ms = [linear(i) for i in range(3)]\nfor m in ms[1:]:\n    out = step(m, ms[0])"
    ),
    "elements that a function puts in": (
        "def fill(ms, m):\n    ms.append(m)\nms, m = [], linear(2)\nfill(ms, linear())\n"
        "fill(ms, linear(1))\nout = step(ms[0], ms[1], m)"
    ),
    "what a function puts in in each turn": (
        "def fill(ms, n):\n    for i in range(n):\n        ms.append(linear(i))\nms, ns = [], []\n"
        "fill(ms, 2)\nfill(ns, 2)\nfor i in range(2):\n    fill(ms, i)\n"
        "out = step(ms[0], ms[1], ns[0], ns[1]), step(ms, ns)"
    ),
    "a clone that a function puts in": (
        "def fill(ms, m):\n    ms.append(nnx.clone(m))\nms, m = [], linear()\nfill(ms, m)\n"
        "out = step(ms[0], m)"
    ),
    "what a function puts under keys": (
        "def put(ms, name, m):\n    ms[name] = m\nms, m = {}, linear(2)\nput(ms, 'a', linear())\n"
        "put(ms, 'b', linear(1))\nout = step(ms['a'], ms['b'], m)"
    ),
    "what a function stores in objects": (
        "class Box:\n    pass\ndef put(box, m, n):\n    box.m = m\n    box.n = n\n"
        "one, other = Box(), Box()\nput(one, linear(), linear(1))\n"
        "put(other, linear(2), linear(3))\nout = step(one.m, one.n, other.m, other.n)"
    ),
    "elements of lists that objects keep": (
        "class Pool:\n    def __init__(self):\n        self.ms = []\n        for i in range(2):\n"
        "            self.add(linear(i))\n    def add(self, m):\n        self.ms.append(m)\n"
        "one, other = Pool(), Pool()\none.add(linear(2))\none.add(linear(3))\n"
        "out = step(one.ms[0], one.ms[1], other.ms[0]), step(one.ms, other.ms)"
    ),
    "what a cache gives for two keys": (
        "made = {}\ndef get(name):\n    if name not in made:\n        made[name] = linear()\n"
        "    return made[name]\ndef of(name):\n    return get(name)\n"
        "out = step(get('a'), get('b'), of('c')), step(of('a'), of('b'))"
    ),
    "what a cache gives in each turn": (
        "made = {}\ndef get(i):\n    if i not in made:\n        made[i] = linear(i)\n"
        "    return made[i]\nms = [get(i) for i in range(3)]\nfor i in range(2):\n"
        "    out = step(get(i), get(i + 1))\nout = step(ms)"
    ),
    "a cached function and other arguments": (
        "@functools.lru_cache\ndef get(name):\n    return linear()\n"
        "ms = [get(each) for each in 'ab']\ni = 0\nm = get(i)\ni = i + 1\n"
        "out = step(get('a'), get('b')), step(ms), step(m, get(i))"
    ),
    "what a registry gives for two keys": (
        "class Registry:\n    def __init__(self):\n        self.ms = {}\n"
        "    def add(self, name, m):\n        self.ms[name] = m\n    def get(self, name):\n"
        "        return self.ms[name]\none, other = Registry(), Registry()\n"
        "one.add('a', linear())\none.add('b', linear(1))\nother.add('a', linear(2))\n"
        "out = step(one.get('a'), one.get('b'), other.get('a'))"
    ),
    "parts that patterns match": (
        "ms = {'a': linear(), 'b': linear(1)}\nmatch ms:\n    case {'a': m, 'b': n}:\n"
        "        out = step(m, n)\nmatch Loose(ms['a'], ms['b']):\n    case Loose(model=m, x=n):\n"
        "        out = step(m, n)\nmatch [ms['a'], ms['b']]:\n    case [m, n]:\n"
        "        out = step(m, n)"
    ),
    "what a class gives by an index, and in turn": (
        "class Pool:\n    def __init__(self, *ms):\n        self.ms = ms\n"
        "    def __getitem__(self, i):\n        return self.ms[i]\n    def __iter__(self):\n"
        "        return iter(self.ms)\npool, other = Pool(linear(), linear(1)), linear(2)\n"
        "out = step(pool[0], pool[1])\nfor m in pool:\n    out = step(m, other)"
    ),
    "what a class makes by an index": (
        "class Making:\n    def __getitem__(self, i):\n        return linear(i)\n"
        "made = Making()\nout = step(made[0], made[0])"
    ),
    "elements of collections": (
        "class Pool(list):\n    pass\nclass Table(dict):\n    pass\n"
        "ms, ns = Pool([linear(), linear(1)]), Table(a=linear(2), b=linear(3))\n"
        "d = collections.deque([linear(4), linear(5)])\n"
        "o = collections.OrderedDict(a=linear(6), b=linear(7))\n"
        "c = collections.ChainMap({'a': linear(8)}, {'b': linear(9)})\n"
        "out = step(ms[0], ms[1]), step(ns['a'], ns['b']), step(d[0], d[1]), step(o['a'], o['b'])\n"
        "out = out, step(c['a'], c['b'])"
    ),
    "a helper called twice": "out = step(same(linear()), same(linear()))",
    "called": "m = linear()\nout = step(m, m(X))",
    "Rngs": (
        "rngs = nnx.Rngs(0)\nout = step(nnx.Dropout(0.5, rngs=rngs), nnx.Dropout(0.5, rngs=rngs))"
    ),
}


REFUSED = {
    **{f"returned: {name}": _step(body) for name, body in RETURNED.items()},
    **{f"stored: {name}": _model(body) for name, body in STORED.items()},
    **{f"given: {name}": _given(body) for name, body in GIVEN.items()},
}
ALIKE = {
    **{f"returned: {name}": _step(body) for name, body in NOT_RETURNED.items()},
    **{f"stored: {name}": _model(body) for name, body in NOT_STORED_TWICE.items()},
    **{f"given: {name}": _given(body) for name, body in APART.items()},
}
#: Neighbours that are pinned, though they need not be: what a name was before a loop counts for
#: each turn, because a turn may leave it as it was; where a list is put together of several, some
#: element of it may be any of theirs.
NEEDLESS = {
    "bound again in a loop": _model(
        "l, ls = linear(), []\nfor _ in range(2):\n    ls.append(Wrap(l))\n    l = linear()\n"
        "self.ls = nnx.List(ls)"
    ),
    "in front of another list": _given(
        "ms, ns = [linear()], [linear(1), linear(2)]\nms.extend(ns)\nout = step(ms[0], ns[0])"
    ),
}
