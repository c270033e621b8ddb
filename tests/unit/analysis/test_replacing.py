"""What is known of a project after an edit is what a look at the whole of it anew gives."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from nnx_migrate.analysis.callgraph.called_functions import Handle
from nnx_migrate.analysis.domain.values import Scope, describe
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.imports.interface import interface
from nnx_migrate.analysis.symbols.imports.reverse_imports import Dependents
from nnx_migrate.analysis.symbols.program import Project
from tests.golden.cases import Case, all_cases
from tests.unit.analysis.asking import index_of

CASES = [case for case in all_cases() if len(case.files("before")) > 1]


def indexed(files: Mapping[str, bytes]) -> dict[str, ir.ModuleIndex]:
    code = {name: data.decode() for name, data in files.items() if name.endswith(".py")}
    return {name: index_of(name, text) for name, text in code.items()}


def looked_at_anew(analysis: Analysis) -> Analysis:
    """An analysis of the same files that knows nothing of any before."""
    project = analysis.project
    return Analysis(Project(project.modules.values(), project.tables))


def known(analysis: Analysis) -> dict[tuple[object, object], object]:
    """All that names, classes and calls are found to mean."""
    project, evaluator = analysis.project, analysis.evaluator
    hierarchy, handles = evaluator.hierarchy, evaluator.callers.handles
    found: dict[tuple[object, object], object] = {}
    for module, index in project.modules.items():
        for key in index.classes:
            name = f"{module}:{key}"
            found["class", name] = hierarchy.ancestry(name), hierarchy.descendants(name)
        for key, function in index.functions.items():
            scope = Scope(module, key)
            found["bound", scope] = [project.bindings(scope, name) for name in function.bindings]
            found["handles", scope] = handles.of(scope)
            if key != ir.MODULE_SCOPE:
                found["callers", scope] = [
                    (at, call) for at, call, _ in evaluator.callers.of(scope)
                ]
            for handle in (*handles.of(scope), Handle(function.name, kind="any")):
                found["calls", handle] = list(handles.calls(handle))
    for name in ("flax.nnx.Module", "flax.nnx.Param", "flax.nnx.Variable"):
        found["class", name] = hierarchy.descendants(name)
    return found


def shown(analysis: Analysis) -> dict[object, object]:
    """What names can be, and what functions do with what they are given."""
    project, evaluator = analysis.project, analysis.evaluator
    found: dict[object, object] = {}
    for module, index in project.modules.items():
        for key, function in index.functions.items():
            scope = Scope(module, key)
            for name in function.bindings:
                values = evaluator.values(scope, ir.Name(name))
                found[scope, name] = values, describe(values)
            for parameter in function.parameters:
                found[scope, "parameter", parameter] = evaluator.parameter(scope, parameter)
                found[scope, "effects", parameter] = analysis.effects.of(scope, parameter.name)
            found[scope, "reached"] = analysis.extents.reached((scope,))
            found[scope, "obstacles"] = list(analysis.extents.obstacles((scope,)))
            for home, name in analysis.objects.seen_from(module):
                found[scope, "uses", home, name] = analysis.uses.of(scope, f"{home}.{name}")
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_was_shown_of_other_files_holds_after_a_migration(case: Case) -> None:
    before, after = indexed(case.files("before")), indexed(case.files("after"))
    whole = Analysis(Project(before.values()))
    shown(whole)
    for name in before:
        replaced = whole.replacing(after[name])
        fresh = looked_at_anew(replaced)
        assert shown(replaced) == shown(fresh)


MOVED = {
    "nets.py": """
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.layer = nnx.Linear(2, 2, rngs=rngs)

    def grow(self):
        self.more = nnx.Param(1)


def make():
    return Net(nnx.Rngs(0))
""",
    "use.py": """
import others


def held(maker):
    model = maker()
    pair = model, [model]
    return pair


def changed(model):
    model.grow()
    return len(model.layers)


others.run(held, changed)
""",
    "others.py": "def run(f, g):\n    g(f(None))\n",
    "main.py": "import nets, use\n\npair = use.held(nets.make)\nuse.changed(nets.make())\n",
}


def test_what_names_a_place_in_the_changed_file_is_found_anew() -> None:
    files = {name: text.encode() for name, text in MOVED.items()}
    whole = Analysis(Project(indexed(files).values()))
    before = shown(whole)
    [moved] = indexed({"nets.py": b"import functools\n\n" + files["nets.py"]}).values()
    replaced = whole.replacing(moved)
    fresh = looked_at_anew(replaced)
    assert shown(replaced) == shown(fresh)
    of_others = [key for key in before if isinstance(key, tuple) and key[0].module == "use"]
    assert any("Place(module='nets', line=1" in repr(before[key]) for key in of_others)
    assert sum(before[key] != shown(replaced)[key] for key in of_others) > 2


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_stays_known_is_what_a_new_look_gives(case: Case) -> None:
    before, after = indexed(case.files("before")), indexed(case.files("after"))
    whole = Analysis(Project(before.values()))
    known(whole)
    for name in before:
        replaced = whole.replacing(after[name])
        fresh = looked_at_anew(replaced)
        assert known(replaced) == known(fresh)
    both = Analysis(Project(before.values()).replacing(*after.values()))
    assert known(both) == known(looked_at_anew(both))


def test_twice() -> None:
    before = indexed({"a.py": b"def f(): pass", "b.py": b"import a\na.f()", "c.py": b"import b"})
    [first] = indexed({"a.py": b"def g(): pass\ndef f(): g()"}).values()
    [again] = indexed({"a.py": b"import b\ndef g(): b.a.f()\ndef f(): g()"}).values()
    twice = Analysis(Project(before.values())).replacing(first).replacing(again)
    fresh = looked_at_anew(twice)
    assert known(twice) == known(fresh)


_VIA = """
from a.b import f
again = f
class Sub(f): pass
@f
def wrapped(): pass
def g(): pass
def make():
    global late
    late = f
"""


@pytest.mark.parametrize(
    ("code", "depends"),
    [
        ("import a.b", True),
        ("import a\na.b.f()", True),
        ("import a.c\na.b.f()", True),
        ("import a as x\nx.b.f()", True),
        ("from a import b", True),
        ("from a.b import f", True),
        ("from a.b.deep import f", True),
        ("from a import *", True),
        ("def g():\n    import a.b", True),
        ("import via\nvia.f()", True),
        ("import via\ngetattr(via, 'f')()", True),
        ("import via as v\nimport b.via\nv.g()", False),
        ("from via import g", False),
        ("import via\nvia.sub.f()", True),
        ("from via import Sub", True),
        ("from via import again", True),
        ("from via import wrapped", True),
        ("from via import late", True),
        ("import lazy\nlazy.f()", False),
        ("from via import *\n", True),
        ("from via import f", True),
        ("import other", False),
        ("from a.c import f", False),
        ("import a.c as c", False),
        ("import ab", False),
    ],
)
def test_files_that_a_change_may_concern(code: str, depends: bool) -> None:
    files = {
        "a/b.py": b"def f(): pass",
        "via.py": _VIA.encode(),
        "lazy.py": b"def g():\n    import a.b\ndef f(): pass",
        "user.py": code.encode(),
    }
    found = Dependents(indexed(files).values()).of("a.b")
    assert found == {"a.b", "via", "lazy"} | ({"user"} if depends else set())


@pytest.mark.parametrize(
    "code",
    [
        "import a.b\nclass Sub(a.b.Base): pass\na.b.f(Sub)",
        "import a\nclass Sub(a.b.Base): pass\na.b.f(Sub)",
        "import a.c\nclass Sub(a.b.Base): pass\na.b.f(Sub)",
        "import a as x\nclass Sub(x.b.Base): pass\nx.b.f(Sub)",
        "from a import b\nclass Sub(b.Base): pass\nb.f(Sub)",
        "from a.b import f as g, Base as B\nclass Sub(B): pass\ng(Sub)",
        "from a.b import *\nclass Sub(Base): pass\nf(Sub)",
        "def run():\n    from a.b import f, Base\n    class Sub(Base): pass\n    f(Sub)",
        "import via\nclass Sub(via.Base): pass\nvia.f(Sub)",
        "from via import f, Base\nclass Sub(Base): pass\nf(Sub)",
        "from onward import *\nclass Sub(Base): pass\nf(Sub)",
    ],
)
def test_what_other_files_take_from_a_changed_one_is_found_anew(code: str) -> None:
    files = {
        "a/b.py": b"class Base: pass\ndef f(x): pass\n",
        "via.py": b"from a.b import f, Base",
        "onward.py": b"from via import *",
        "user.py": code.encode(),
        "below.py": b"import user\nclass Lower(user.Sub): pass\n",
        "apart.py": b"class Base: pass\ndef f(x): pass\nclass Own(Base): pass\nf(Own)\n",
    }
    whole = Analysis(Project(indexed(files).values()))
    before = known(whole)
    edited = b"import apart\nclass Base(apart.Own): pass\ndef f(x): pass\n"
    [changed] = indexed({"a/b.py": edited}).values()
    replaced = whole.replacing(changed)
    fresh = looked_at_anew(replaced)
    assert known(replaced) == known(fresh)
    below = [key for key in before if "Sub" in str(key[1])]
    assert any(before[key] != known(replaced)[key] for key in below)


@pytest.mark.parametrize(
    "edited",
    [
        "class Runner:\n    def run(self, x, more):\n        more()\n",
        "class Runner:\n    pass\n\ndef run(x, more):\n    more()\n",
        "class Other:\n    def use(self):\n        self.step()\n",
        "def step(x):\n    pass\n\nagain = step\nagain(1)\n",
    ],
)
def test_what_an_edit_makes_of_functions_of_other_files_is_found(edited: str) -> None:
    files = {
        "a.py": b"class Runner:\n    def run(self, x):\n        x()\n",
        "b.py": b"def step(): pass\n\ndef use(obj):\n    obj.run(1, step)\n    obj.step = step\n",
        "c.py": b"import b\n\ndef hand(f):\n    f()\n\nhand(b.step)\n",
    }
    whole = Analysis(Project(indexed(files).values()))
    known(whole)
    [changed] = indexed({"a.py": edited.encode()}).values()
    replaced = whole.replacing(changed)
    assert known(replaced) == known(looked_at_anew(replaced))
    back = replaced.replacing(whole.project.modules["a"])
    assert known(back) == known(looked_at_anew(back))


#: Each changes what names of other files mean, or what their functions are given.
REDEFINED = [
    ("alias = f", "alias = h"),
    ("alike = c.First", "alike = c.Second"),
    ("alike = c.First", "alike = getattr(c, 'taken', None)"),
    ("import c\n", "import b as c\n"),
    ("from c import taken as again", "from c import deco as again"),
    ("    x: int\n    y: int\n", "    y: int\n    x: int\n"),
    ("    y: int\n", "    y: int\n    def __init__(self, y, x): self.f = y\n"),
    ("class Lower(Base)", "class Lower"),
    ("var = Lower\nvar = Base\nclass Late(var): pass\n", "class Late(Lower): pass\nvar = Base\n"),
    ("var = Lower\nvar = Base\n", "var = Base\nvar = Lower\n"),
    ("def f(x, g)", "def f(g, x)"),
    ("def h(k)", "def other(k)"),
    ("    g(x)\n", "    global h\n    h = g\n    g(x)\n"),
]
#: And none of these.
REDEFINED_IN_NOTHING = [
    ("    g(x)\n", "    g(g)\n"),
    ("import c\n", "import c\n\n\n"),
    ("    return f(k, c.taken)", "    return c.taken(k)"),
    ("alias = f\n", "alias = f\nc.taken(f)\n"),
]
OFFERING = """
import c
alike = c.First
from c import taken as again
class Base:
    x: int
    y: int
    def run(self, f):
        f()
@c.deco
def f(x, g):
    g(x)
    return x
def h(k):
    return f(k, c.taken)
alias = f
held = [f, h]
class Lower(Base):
    def __call__(self):
        self.f()
var = Lower
var = Base
class Late(var): pass
"""
NAMING = """
from a import *
import a as m
from a import f as other, Base as B
class Sub(B):
    z: int
class Deep(m.Late): pass
def own1(q): pass
def own2(q): pass
def own3(q): pass
def own4(q): pass
def own5(q): pass
def own6(q): pass
def own7(q): pass
def own8(q): pass
def use(obj, g):
    obj.run(own1)
    other(1, own2)
    m.alias(2, g)
    B(own3, use)
    m.alike(own3)
    Sub(own4, 1, use)
    m.var(own5)
    m.again(own6)
    getattr(m, "h")(own7)
    h(own8)
    return m.held[0](own1, g)
"""
TAKEN = """
import a, b
def deco(f):
    f()
    return f
def taken(x):
    x()
class First:
    one: int
    two: int
class Second:
    two: int
    one: int
b.use(a.Lower(taken), taken)
"""


@pytest.mark.parametrize(("old", "new"), [*REDEFINED, *REDEFINED_IN_NOTHING])
def test_what_files_offer_decides_what_is_followed_anew_elsewhere(old: str, new: str) -> None:
    files = {"a.py": OFFERING.encode(), "b.py": NAMING.encode(), "c.py": TAKEN.encode()}
    whole = Analysis(Project(indexed(files).values()))
    known(whole)
    assert old in OFFERING
    [changed] = indexed({"a.py": OFFERING.replace(old, new).encode()}).values()
    offered = interface(whole.project.modules["a"]) == interface(changed)
    assert offered is ((old, new) in REDEFINED_IN_NOTHING)
    replaced = whole.replacing(changed)
    assert named(replaced) == named(looked_at_anew(replaced))
    back = replaced.replacing(whole.project.modules["a"])
    assert named(back) == named(looked_at_anew(back))


def named(analysis: Analysis) -> dict[tuple[object, object], object]:
    """The same but for who calls what, which hangs on what code does too."""
    return {key: found for key, found in known(analysis).items() if key[0] != "callers"}
