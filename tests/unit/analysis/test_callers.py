"""By which ways a function can be called: each of them shows what its parameter is."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from nnx_migrate.analysis.domain.values import Scope
from tests.unit.analysis.asking import analysis_of, described

HEAD = """
import dataclasses, functools
from flax import nnx

class A(nnx.Module):
    pass

class B(nnx.Module):
    pass

def target(m):
    pass

def make():
    def inner(m):
        pass
    return inner

class Base:
    def __init__(self, m):
        self.m = m
"""

#: Code that passes a B: to `target` unless another function is named.
WAYS = {
    "by its name": "target(B())",
    "another name": "g = target\ng(B())",
    "another name of another name": "g = target\ntarget2 = g\ndef target2(x): pass\ng(B())",
    "jitted": "g = nnx.jit(target)\ng(B())",
    "partial of a jitted one": "g = functools.partial(nnx.jit(target))\ng(B())",
    "one of two": "g = target if flag else print\ng(B())",
    "unpacked": "g, h = target, print\ng(B())",
    "argument": "def run(f):\n    f(B())\nrun(target)",
    "keyword argument": "def run(f):\n    f(B())\nrun(f=target)",
    "argument of a method": "class R:\n    def run(self, f):\n        f(B())\nR().run(target)",
    "argument of two functions": (
        "def deep(g):\n    g(B())\ndef run(f):\n    deep(f)\nrun(target)"
    ),
    "argument of ten functions": (
        "".join(f"def run{i}(f):\n    run{i + 1}(f)\n" for i in range(9))
        + "def run9(f):\n    f(B())\nrun0(target)"
    ),
    "tenth name": "g0 = target\n" + "".join(f"g{i + 1} = g{i}\n" for i in range(9)) + "g9(B())",
    "names in a circle": "g = h = target\nfor _ in range(3):\n    g, h = h, g\ng(B())",
    "argument stored by another name": (
        "class R:\n    def __init__(self, f):\n        self.g = f\n"
        "    def run(self):\n        self.g(B())\nR(target).run()"
    ),
    "argument of a constructor": (
        "class R:\n    def __init__(self, f):\n        self.f = f\n"
        "    def run(self):\n        self.f(B())\nR(target).run()"
    ),
    "attribute": "class R:\n    f = None\nr = R()\nr.f = target\nr.f(B())",
    "nested function": "def run():\n    def go():\n        target(B())\n    go()",
    "in a method of another name": "class R:\n    def go(self):\n        target(B())",
    "global": "def set():\n    global g\n    g = target\ng(B())",
    "nonlocal": (
        "def outer():\n    g = None\n    def set():\n        nonlocal g\n        g = target\n"
        "    g(B())"
    ),
}
INNER = {
    "result of its maker": "g = make()\ng(B())",
    "result under its own name": "inner = make()\ninner(B())",
    "argument made on the way": "def run(f):\n    f(B())\nrun(make())",
    "result of a result": "def again():\n    return make()\ng = again()\ng(B())",
    "result among others": "def both():\n    return make(), print\ng, h = both()\ng(B())",
    "result in an attribute": (
        "class R:\n    def __init__(self):\n        self.f = make()\n"
        "    def go(self):\n        self.f(B())"
    ),
}
BASE = {
    "by its name": "Base(B())",
    "subclass": "class Sub(Base): pass\nSub(B())",
    "super": "class Sub(Base):\n    def __init__(self):\n        super().__init__(B())",
    "named base": "class Sub(Base):\n    def __init__(self):\n        Base.__init__(self, B())",
    "class method": (
        "class Sub(Base):\n    @classmethod\n    def new(cls):\n        return cls(B())"
    ),
    "class as an argument": "def run(c):\n    return c(B())\nrun(Base)",
    "alias": "C = Base\nC(B())",
}


def first_parameter(source: str | Mapping[str, str], name: str, module: str = "main") -> set[str]:
    """What the first parameter of the first function of that name can be, `self` left out.

    Args:
        name: of a function; of a class for its constructor.
    """
    analysis = analysis_of(source)
    index = analysis.project.modules[module]
    made = next((c for c in index.classes.values() if c.name == name), None)
    functions = index.functions.items()
    key = made.methods["__init__"] if made else next(k for k, f in functions if f.name == name)
    scope = Scope(module, key)
    parameter = analysis.project.function(scope).parameters[1 if made else 0]
    return described(analysis.evaluator.parameter(scope, parameter))


@pytest.mark.parametrize("way", WAYS)
def test_function_is_called(way: str) -> None:
    assert first_parameter(f"{HEAD}\n{WAYS[way]}\n", "target") == {"B"}


@pytest.mark.parametrize("way", INNER)
def test_function_of_a_function_is_called(way: str) -> None:
    assert first_parameter(f"{HEAD}\n{INNER[way]}\n", "inner") == {"B"}


@pytest.mark.parametrize("way", BASE)
def test_constructor_is_called(way: str) -> None:
    assert first_parameter(f"{HEAD}\n{BASE[way]}\n", "Base") == {"B"}


@pytest.mark.parametrize(
    "use",
    [
        "from lib import target as t\nt(B())",
        "from lib import target\ntarget(B())",
        "import lib\nlib.target(B())",
        "import lib as library\nlibrary.target(B())",
        "from lib import *\ntarget(B())",
        "def go():\n    from lib import target as t\n    t(B())",
    ],
)
def test_call_in_another_file(use: str) -> None:
    files = {
        "lib.py": "def target(m):\n    x = m\ndef go():\n    pass\n",
        "main.py": f"{HEAD.replace('def target', 'def other')}\n{use}\n",
    }
    assert first_parameter(files, "target", "lib") == {"B"}


#: Calls of something else that happens to have the name.
OTHERS = {
    "parameter of the name": "target(A())\ndef run(target):\n    target(B())",
    "variable of the name": "target(A())\ndef run():\n    target = print\n    target(B())",
    "function of the name": "target(A())\ndef run():\n    def target(m): pass\n    target(B())",
    "method of the name": "target(A())\nclass R:\n    def target(self, m): pass\nR().target(B())",
    "parameter that another function has": (
        "target(A())\ndef f(): pass\ndef run(f):\n    f(A())\nrun(target)\n"
        "def walk(f):\n    f(B())\nwalk(print)"
    ),
}


@pytest.mark.parametrize("case", OTHERS)
def test_call_of_something_else_tells_nothing(case: str) -> None:
    assert first_parameter(f"{HEAD}\n{OTHERS[case]}\n", "target") == {"A"}
