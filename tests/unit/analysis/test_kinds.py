"""What a name can be: every possibility is among the answer, or the answer is unknown."""

from __future__ import annotations

import pytest

from tests.unit.analysis.asking import analysis_of, described, effects, kinds, values_of

HEAD = """
import contextlib, copy, functools, types, typing
from typing import Optional, Union, TypeVar, Annotated, Generic, Protocol, Any
import chex, jax, jax.numpy as jnp, jaxtyping, optax
from flax import nnx

class A(nnx.Module):
    def __init__(self, rngs=None):
        self.w = nnx.Param(jnp.ones(()))
        self.child = B()
    def make(self):
        return B()
    @classmethod
    def build(cls):
        return cls()
    @staticmethod
    def other():
        return B()
    @property
    def part(self):
        return self.child
    def __call__(self, x):
        return x

class B(nnx.Module):
    def __init__(self, rngs=None):
        self.w = nnx.Param(jnp.ones(()))
    def __enter__(self):
        return A()

class C(A):
    def make(self):
        return A()

Renamed = typing.NewType("Renamed", A)

class Making(Protocol):
    def make(self): ...
    def other(self): ...

class Calling(Protocol):
    def __call__(self, x): ...

class Callable(Protocol):
    def __call__(self, x, y, z): ...

class Giving(nnx.Module):
    def __call__(self):
        return A()

def factory():
    return A()

@nnx.vmap
def stacked(rngs):
    return A(rngs)

@contextlib.contextmanager
def opened():
    yield A()

def choose(flag):
    if flag:
        return A()
    return B()
"""

#: What "x" is, where it is known exactly.
KNOWN = {
    "captured values": ("_, x = nnx.capture(A(), nnx.Intermediate)(1)", {"state"}),
    "result under capture": ("x, _ = nnx.capture(Giving(), nnx.Intermediate)()", {"A"}),
    "capture by a name": ("f = nnx.capture(A(), nnx.Intermediate)\n_, x = f(1)", {"state"}),
    "constructor": ("x = A()", {"A"}),
    "classmethod": ("x = A.build()", {"A"}),
    "staticmethod": ("x = A.other()", {"B"}),
    "staticmethod of an object": ("x = A().other()", {"B"}),
    "classmethod of an object": ("x = A().build()", {"A"}),
    "function on arrays": ("x = nnx.hard_swish(1)", {"array"}),
    "method": ("x = A().make()", {"B"}),
    "property": ("x = A().part", {"B"}),
    "factory": ("x = factory()", {"A"}),
    "factory with two results": ("x = choose(1)", {"A", "B"}),
    "vmapped factory": ("x = stacked(nnx.Rngs(0))", {"A"}),
    "vmapped at the call": ("x = nnx.vmap(A)(nnx.Rngs(0))", {"A"}),
    "globals": ("m = A()\nx = globals()['m']", {"A"}),
    "class made by type": ("x = type('C', (A,), {})()", {"A"}),
    "class with a body made by type": (
        "x = type('C', (A,), {'f': f})()",
        {"A", "unknown"},
    ),
    "partial": ("f = functools.partial(A, rngs=1)\nx = f()", {"A"}),
    "merge": ("g, s = nnx.split(A())\nx = nnx.merge(g, s)", {"A"}),
    "merge of one of two": (
        "def f(g, s):\n    global x\n    x = nnx.merge(g, s)\n"
        "f(*nnx.split(A()))\ng, s = nnx.split(A())\nh, t = nnx.split(B())\nf(g, s)\nf(h, t)",
        {"A", "B"},
    ),
    "merge in a function that is defined again": (
        "def f(m): pass\nf(B())\ndef f(g, s):\n    global x\n    x = nnx.merge(g, s)\n"
        "g, s = nnx.split(A())\nf(g, s)",
        {"A"},
    ),
    "merge in a function that may be another one": (
        "def f(g, s):\n    global x\n    x = nnx.merge(g, s)\nif c:\n    def f(m): pass\nf(B())\n"
        "g, s = nnx.split(A())\nf(g, s)",
        {"A", "nnx.Module"},
    ),
    "merge into the same name": ("x = A()\ng, s = nnx.split(x)\nx = nnx.merge(g, s)", {"A"}),
    "merge into the same name, in turns": (
        "x = A()\nfor _ in c:\n    g, s = nnx.split(x)\n    x = nnx.merge(g, lib.place(s))",
        {"A"},
    ),
    "merge into the same name, of one of two": (
        "x = A()\ng, s = nnx.split(x)\ng = lib.g if c else g\nx = nnx.merge(g, s)",
        {"A", "nnx.Module"},
    ),
    "merge of something unknown": ("g = lib.g\nx = nnx.merge(g, s)", {"nnx.Module"}),
    "merge at once": ("x = nnx.merge(*nnx.split(A()))", {"A"}),
    "merge of a graphdef": ("g = nnx.graphdef(A())\nx = nnx.merge(g, s)", {"A"}),
    "merge of a tuple": ("g, s = nnx.split((A(), B()))\nx, y = nnx.merge(g, s)", {"A"}),
    "clone": ("x = nnx.clone(A())", {"A"}),
    "copied": ("x = copy.deepcopy(A())", {"A"}),
    "cast": ("x = typing.cast(A, A())", {"A"}),
    "list": ("xs = [A()]\nx = xs[0]", {"A"}),
    "grown list": ("xs = []\nxs.append(A())\nx = xs[0]", {"A"}),
    "grown by +=": ("xs = []\nxs += [A()]\nx = xs[0]", {"A"}),
    "grown by a key": ("xs = {}\nxs['a'] = A()\nx = xs['a']", {"A"}),
    "slice": ("xs = [A(), B()]\nx = xs[1:][0]", {"A", "B"}),
    "star": ("y, *rest = A(), B()\nx = rest[0]", {"A", "B"}),
    "sum of lists": ("xs = [A()] + [B()]\nx = xs[0]", {"A", "B"}),
    "nnx list": ("xs = nnx.List([A()])\nx = xs[0]", {"A"}),
    "nnx list in another": ("xs = nnx.List([nnx.List([A()])])\nx = xs[0][0]", {"A"}),
    "nnx lists in a list of them": (
        "xs = nnx.List([nnx.List([nnx.List([A()]) for _ in (1, 2)]), nnx.List([])])\n"
        "x = xs[0][0][0]",
        {"A"},
    ),
    "one or many": ("xs = A() if c else nnx.List([B()])\nfor x in xs: pass", {"B"}),
    "nnx list grown": ("xs = nnx.List([])\nxs.append(A())\nx = xs[0]", {"A"}),
    "nnx dict": ("xs = nnx.Dict({'a': A()})\nx = xs['a']", {"A"}),
    "nnx dict by keyword": ("xs = nnx.Dict(a=A())\nx = xs['a']", {"A"}),
    "dict call": ("xs = dict(a=A())\nx = xs['a']", {"A"}),
    "dict of pairs": ("xs = dict([('a', A())])\nx = xs['a']", {"A"}),
    "dict get": ("xs = {'a': A()}\nx = xs.get('a')", {"A"}),
    "dict get with default": ("xs = {'a': A()}\nx = xs.get('a', B())", {"A", "B"}),
    "names of a dict": ("for x in {'a': A()}: pass", {"plain"}),
    "names of an nnx dict": ("for x in nnx.Dict(a=A()): pass", {"plain"}),
    "values of an nnx dict": ("for x in nnx.Dict(a=A()).values(): pass", {"A"}),
    "names of a dict, in a list": ("x = list({'a': A()})[0]", {"plain"}),
    "names of a dict that grows": ("d = {}\nd['a'] = A()\nfor x in d: pass", {"plain"}),
    "names of a copy of a dict": ("for x in {'a': A()}.copy(): pass", {"plain"}),
    "elements of a list, stored by number": (
        "i = 0\nxs = [A()]\nxs[i] = B()\nfor x in xs: pass",
        {"A", "B"},
    ),
    "elements of a list or names of a dict": (
        "xs = {'a': A()}\nif xs: xs = [B()]\nfor x in xs: pass",
        {"B"},
    ),
    "values of a dict": ("for x in {'a': A()}.values(): pass", {"A"}),
    "values of a dict, in a list": ("x = list({'a': A()}.values())[0]", {"A"}),
    "dict items": ("for k, x in {'a': A()}.items(): pass", {"A"}),
    "zip": ("for x, y in zip([A()], [B()]): pass", {"A"}),
    "enumerate": ("for i, x in enumerate([A()]): pass", {"A"}),
    "next": ("x = next(iter([A()]))", {"A"}),
    "max": ("x = max([A()], key=id)", {"A"}),
    "conditional": ("x = A() if y else B()", {"A", "B"}),
    "or": ("x = None or A()", {"A"}),
    "walrus": ("if (x := A()): pass", {"A"}),
    "annotated variable": ("x: A = thing()", {"A"}),
    "with": ("with opened() as x: pass", {"A"}),
    "with an object": ("with B() as x: pass", {"A"}),
    "rebound to a part": ("x = A()\nx = x.child", {"A", "B"}),
    "rebound in a loop": ("x = A()\nfor i in y:\n    x = x.make()", {"A", "B"}),
    "called Module": ("x = Giving()()", {"A"}),
    "match": ("match A():\n    case x: pass", {"A"}),
}
#: What is no array and no plain value, as far as anyone can tell.
NOT_PLAIN = {
    "type of an object": "x = type(A())()",
    "globals": "x = globals()[name]",
    "reduce": "x = functools.reduce(f, [A()])",
    "map": "x = list(map(make, range(3)))[0]",
    "sent to a generator": "def g():\n    global x\n    x = yield",
    "fori_loop": "x = jax.lax.fori_loop(0, 3, f, A())",
    "scan": "x, y = jax.lax.scan(f, A(), None)",
    "cond": "x = jax.lax.cond(p, f, g, A())",
    "stop_gradient": "x = jax.lax.stop_gradient(A())",
    "apply_updates": "x = optax.apply_updates(A(), u)",
    "with unknown": "with lib.open() as x: pass",
    "slice of unknown": "x = lib.models[1:]",
    "sum with unknown": "x = lib.models + lib.others",
    "matched": "match lib.y:\n    case Holder(model=x): pass",
    "namespace": "x = types.SimpleNamespace(a=A()).a",
    "set by a function": "def f():\n    global x\n    x = A()\nx = 3",
}
#: Annotations that allow a Module.
ANNOTATIONS = {
    "A": {"A"},
    "'A'": {"A"},
    "Optional[A]": {"A"},
    "Optional['A']": {"A"},
    "A | None": {"A"},
    "Union[A, B]": {"A", "B"},
    "'A | B'": {"A", "B"},
    "Annotated[A, 'doc']": {"A"},
    "list[A]": {"[A]"},
    "dict[str, A]": {"[A]"},
    "tuple[A, B]": {"(A, B)"},
    "jax.Array": {"array"},
    "jaxtyping.Float[jax.Array, 'b']": {"array"},
    "nnx.State": {"state"},
    "Any": {"unknown"},
    "nnx.Data[A | None]": {"A"},
    "Making": {"A", "C"},
    "Calling": {"A", "C"},
    "Renamed": {"A"},
    "Callable": {"unknown"},
    "T": {"unknown"},
    "type[A]": {"unknown"},
    "chex.ArrayTree": {"unknown"},
    "jaxtyping.PyTree": {"unknown"},
    "jaxtyping.PyTree[jax.Array]": {"unknown"},
    "missing.Thing": {"unknown"},
}


@pytest.mark.parametrize("case", KNOWN)
def test_value_is_known(case: str) -> None:
    body, expected = KNOWN[case]
    assert kinds(f"{HEAD}\n{body}\n", "x") == expected


@pytest.mark.parametrize("case", NOT_PLAIN)
def test_value_is_not_taken_for_plain(case: str) -> None:
    assert not kinds(f"{HEAD}\n{NOT_PLAIN[case]}\n", "x") <= {"array", "plain", "state"}


@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_annotation(annotation: str) -> None:
    source = f"{HEAD}\nT = TypeVar('T')\ndef f(x: {annotation}):\n    pass\n"
    assert kinds(source, "x", "f") == ANNOTATIONS[annotation]


#: Bodies that give a parameter "m" of "f" more values than the first call does.
CALLS = {
    "another call": "f(A())\nf(B())",
    "keyword": "f(A())\nf(m=B())",
    "call in a function": "f(A())\ndef g(n):\n    f(n)\ng(B())",
    "recursion": "f(A())\ndef g(n):\n    f(n)\n    g(n)\ng(B())",
    "renamed": "f(A())\nh = f\nh(B())",
    "jitted": "f(A())\nh = nnx.jit(f)\nh(B())",
    "partial": "f(A())\nh = functools.partial(f, B())\nh()",
    "partial by keyword": "f(A())\nh = functools.partial(f, m=B())\nh()",
    "list": "f(A())\nf(*[B()])",
    "unpacked keywords": "f(A())\nf(**{'m': B()})",
    "default": "f(A())\nf()",
}


@pytest.mark.parametrize("case", CALLS)
def test_every_call_counts(case: str) -> None:
    default = "=B()" if case == "default" else ""
    found = kinds(f"{HEAD}\ndef f(m{default}):\n    pass\n{CALLS[case]}\n", "m", "f")
    assert "A" in found or "unknown" in found
    assert "B" in found or "unknown" in found


def test_attribute_set_from_outside_counts() -> None:
    found = kinds(f"{HEAD}\nm = A()\nm.child = C()\nx = m.child\n", "x")
    assert found == {"B", "C"}


def test_attribute_set_from_another_file_counts() -> None:
    files = {
        "main.py": f"{HEAD}\nm = A()\nx = m.child\n",
        "other.py": "from main import A, C\ndef change(m: A):\n    m.child = C()\n",
    }
    assert kinds(files, "x") == {"B", "C"}


def test_attribute_set_by_setattr_counts() -> None:
    assert kinds(f"{HEAD}\nm = A()\nsetattr(m, 'child', C())\nx = m.child\n", "x") == {"B", "C"}


@pytest.mark.parametrize("where", ["...", "0", "1:2"])
def test_value_written_into_a_variable_from_outside_is_no_attribute(where: str) -> None:
    text = f"{HEAD}\nm = A()\nm.w[{where}] = jnp.ones(2)\nx = m.w\n"
    assert kinds(text, "x") == kinds(f"{HEAD}\nx = A().w\n", "x")


def test_subclass_may_override_a_method() -> None:
    assert kinds(f"{HEAD}\ndef f(a: A):\n    x = a.make()\n", "x", "f") == {"A", "B"}


def test_nonlocal_counts() -> None:
    source = f"""{HEAD}
def f():
    def swap():
        nonlocal x
        x = B()
    x = A()
    swap()
    return x
"""
    assert kinds(source, "x", "f") == {"A", "B"}


def test_answers_do_not_depend_on_the_order_of_questions() -> None:
    from tests.unit.analysis.asking import analysis_of, described, values_of

    source = f"{HEAD}\na = A()\nb = B()\nfor i in y:\n    a = b\n    b = a\n"
    for order in ("ab", "ba"):
        analysis = analysis_of(source)
        assert [described(values_of(analysis, name)) for name in order] == [{"A", "B"}] * 2


@pytest.mark.parametrize(
    ("made", "whole"),
    [
        ("[x]", "[A [A [A [A unknown]]]]"),
        ("{1: x}", "[A [A [A [A unknown]]]]"),
        ("(x, 1)", "((((A unknown, plain unknown) A, plain) A, plain) A, plain)"),
    ],
)
def test_container_that_holds_itself_is_known_so_far(made: str, whole: str) -> None:
    source = f"{HEAD}\nx = A()\nfor i in y:\n    x = {made}\nz = x[0]\n"
    assert kinds(source, "x") == {"A", whole}
    assert kinds(source, "z") >= {"A", "unknown"}


def test_container_of_layers_that_holds_itself_ends() -> None:
    source = f"{HEAD}\nx = A()\nfor i in y:\n    x = nnx.List([x])\nz = x[0]\n"
    assert kinds(source, "x") == {"A", "nnx.List"}
    assert kinds(source, "z") >= {"A", "unknown"}


def test_partial_of_itself_ends() -> None:
    source = "def f(*args):\n    return 1\ng = f\nfor i in y:\n    g = functools.partial(g, i)\n"
    assert kinds(f"{HEAD}\n{source}", "g") == {"f", "unknown"}


#: Ways to construct Base with a B; once it is constructed with an A.
CONSTRUCTIONS = {
    "direct": "Base(B())",
    "keyword": "Base(net=B())",
    "subclass": "class Sub(Base):\n    pass\nSub(B())",
    "super": (
        "class Sub(Base):\n    def __init__(self, n):\n        super().__init__(n)\nSub(B())"
    ),
    "by name": (
        "class Sub(Base):\n    def __init__(self, n):\n        Base.__init__(self, n)\nSub(B())"
    ),
    "classmethod": "Base.make(B())",
    "alias": "Other = Base\nOther(B())",
    "passed on": "def build(kind, n):\n    return kind(n)\nbuild(Base, B())",
    "partial": "functools.partial(Base, B())()",
    "partial later": "make = functools.partial(Base)\nmake(B())",
    "in a dict": "table = {'a': Base}\ntable['a'](B())",
    "chosen": "Kind = Base if y else C\nKind(B())",
}


@pytest.mark.parametrize("case", CONSTRUCTIONS)
def test_every_construction_counts(case: str) -> None:
    source = f"""{HEAD}
class Base:
    def __init__(self, net):
        self.net = net
    @classmethod
    def make(cls, n):
        return cls(n)
Base(A())
{CONSTRUCTIONS[case]}
"""
    found = kinds(f"{source}\ndef f(b: Base):\n    x = b.net\n", "x", "f")
    assert "B" in found or "unknown" in found


#: Calls of a function whose parameter is declared as any Module, and what is known of it.
DECLARED = {
    "all of them known": ("f(A())\nf(B())", {"A", "B"}),
    "some known": ("f(A())\nf(lib.model())", {"A", "nnx.Module"}),
    "none known": ("f(lib.model())", {"nnx.Module"}),
    "a layer and what is not known": ("f(nnx.Linear(1, 1))\nf(lib.model())", {"nnx.Module"}),
}


@pytest.mark.parametrize("case", DECLARED)
def test_what_some_call_passes_for_any_module_is_among_it(case: str) -> None:
    body, expected = DECLARED[case]
    source = f"{HEAD}\nimport lib\ndef f(m: nnx.Module):\n    pass\n{body}\n"
    assert kinds(source, "m", "f") == expected


def test_all_classes_are_kept_of_what_is_passed_for_any_module() -> None:
    classes = "".join(f"class M{i}(nnx.Module): pass\nf(M{i}())\n" for i in range(30))
    source = f"{HEAD}\nimport lib\ndef f(m: nnx.Module):\n    pass\n{classes}f(lib.model())\n"
    assert kinds(source, "m", "f") == {"nnx.Module", *(f"M{i}" for i in range(30))}


def test_classes_that_give_each_other_as_iterators_have_the_elements_of_both() -> None:
    analysis = analysis_of(
        """
        class One:
            def __iter__(self):
                return Other()

        class Other:
            def __init__(self):
                self.n = 1

            def __iter__(self):
                return One()

            def __next__(self):
                return Part()

        class Part:
            pass

        for part in One():
            pass
        """
    )
    assert described(values_of(analysis, "part")) == {"Part"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("obs: object\n    reward: object", {"One"}),
        ("def __init__(self):\n        self.obs = 1\n        self.reward = 2", {"One"}),
        ("obs: object\n\n    @property\n    def reward(self): ...", {"One"}),
        ("obs: object", {"unknown"}),
    ],
)
def test_fields_are_what_a_protocol_asks_for_by_properties(body: str, expected: set[str]) -> None:
    analysis = analysis_of(
        f"""
from typing import Protocol
from flax import nnx

class Seen(Protocol):
    @property
    def obs(self): ...
    @property
    def reward(self): ...

class Count(nnx.Variable):
    pass

class One:
    {body}

def run(seen: Seen):
    return seen
"""
    )
    assert described(values_of(analysis, "seen", "run")) == expected


HEADS = """
class Mixin:
    kind = "fc"
    def head(self, x):
        part = getattr(self, self.kind)
        return part(x)
    def renew(self, n):
        self.size = n
        setattr(self, self.kind, B())

class First(Mixin, nnx.Module):
    def __init__(self):
        self.fc, self.size = B(), 1

class Last(Mixin, nnx.Module):
    kind = "last"
    def __init__(self):
        self.last, self.size = A(), 1
"""
#: What makes the text that an attribute holds another one, or an unknown one.
OTHER_TEXTS = {
    "by an object": "First().kind = 'renew'",
    "by a class": "First.kind = 'renew'",
    "by something": "def f(x):\n    x.kind = 'renew'",
    "by a method": "class D(First):\n    def __init__(self):\n        self.kind = 'renew'",
    "by a class below": "class D(First):\n    kind = 'renew'",
    "by a property": "class D(First):\n    @property\n    def kind(self):\n        return 'renew'",
    "by a class beside it": "class K:\n    kind = 'renew'\nclass D(K, First):\n    pass",
    "by a class out of sight": "import lib\nclass D(lib.K, First):\n    pass",
    "by a computed name": "class D(First):\n    def f(self, k, v):\n        setattr(self, k, v)",
    "by a dict": "class D(First):\n    def f(self, k, v):\n        self.__dict__[k] = v",
    "by a decorator": "import lib\n@lib.change\nclass D(First):\n    pass",
    "by a field": "import dataclasses\n@dataclasses.dataclass\n"
    "class D(First):\n    kind: str = 'fc'",
    "by itself": "class D(First):\n    kind = 'kind'",
}


def test_attribute_named_by_another_is_what_that_says() -> None:
    assert kinds(HEAD + HEADS, "part", "head") == {"A", "B"}
    assert effects(HEAD + HEADS, "head", "self") <= {"escape"}


@pytest.mark.parametrize("case", OTHER_TEXTS)
def test_text_that_may_be_another_counts(case: str) -> None:
    found = effects(f"{HEAD}{HEADS}\n{OTHER_TEXTS[case]}\n", "head", "self")
    assert found & {"structure", "unknown"}
