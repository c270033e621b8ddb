"""What a constructor leaves out, by what it is called with, and where that is not sure."""

from __future__ import annotations

import textwrap

import pytest

from nnx_migrate.analysis.heap.contents import Contents
from nnx_migrate.analysis.ir import nodes as ir
from tests.unit.analysis.asking import analysis_of, scope_named

HEAD = """
import jax.numpy as jnp
from flax import nnx

class Stats(nnx.Module):
    def __init__(self):
        self.mean = nnx.BatchStat(jnp.zeros(()))

class Frozen(nnx.Variable):
    pass
"""
PARAMETERS = "noisy=False, given=None, width=3, sizes=(1, 2), *, kept=None"


def _held(
    body: str, call: str = "Net()", more: str = "", after: str = "", parameters: str = PARAMETERS
) -> Contents:
    source = f"""{HEAD}
class Net(nnx.Module):
    def __init__(self, {parameters}):
        self.w = nnx.Param(jnp.ones(()))
{textwrap.indent(textwrap.dedent(body).strip(), " " * 8)}
{textwrap.indent(textwrap.dedent(more), " " * 4)}
net = {call}
{textwrap.dedent(after)}
"""
    analysis = analysis_of(source)
    return analysis.contents.of_expression(scope_named(analysis, ""), ir.Name("net"))


LEFT_OUT = {
    "flag": "if noisy:\n    self.s = Stats()",
    "else": "if not noisy:\n    pass\nelse:\n    self.s = Stats()",
    "elif": "if width == 1:\n    pass\nelif noisy:\n    self.s = Stats()",
    "and": "if width > 2 and noisy:\n    self.s = Stats()",
    "else of or": "if not given is None or not noisy:\n    pass\nelse:\n    self.s = Stats()",
    "is not None": "if given is not None:\n    self.s = Stats()",
    "else of is None": "if given is None:\n    pass\nelse:\n    self.s = Stats()",
    "is not False": "if noisy is not False:\n    self.s = Stats()",
    "is None of a number": "if width is None:\n    self.s = Stats()",
    "is False of a number": "if width is False:\n    self.s = Stats()",
    "inner": "for i in range(3):\n    if noisy:\n        self.s = Stats()",
    "bound anew where it does not run": (
        "if given is not None:\n    noisy = bool(given)\nif noisy:\n    self.s = Stats()"
    ),
    "appended": "self.xs = nnx.List([])\nif noisy:\n    self.xs.append(Stats())",
    "class chosen": "kind = Frozen if noisy else nnx.Param\nself.v = kind(jnp.ones(()))",
    "default that is kept": "self.given = given",
    "tuple that is kept": "sizes = tuple(sizes)\nself.sizes = sizes + (width, len(sizes))",
    "attributes in a tuple": "self.width = width\nself.sizes = sizes + (self.width, 1)",
    "made of attributes": (
        "self.width = width if given is None else len(sizes)\nself.half = self.width // width"
    ),
    "made of an attribute that it does not set": (
        "if noisy:\n    self.width = Stats()\nself.width = width\nself.half = self.width // width"
    ),
    "one or the other": "self.s = Stats() if noisy else None",
    "handed on": "self.inner = Net(noisy, kept=self) if width else None\nif noisy:\n    Stats()",
}


@pytest.mark.parametrize("case", LEFT_OUT)
def test_left_out(case: str) -> None:
    assert _held(LEFT_OUT[case]).only_params


MAY_RUN = {
    "true": ("if noisy:\n    self.s = Stats()", "Net(True)"),
    "by keyword": ("if noisy:\n    self.s = Stats()", "Net(noisy=True)"),
    "keyword only": ("if kept is not None:\n    self.s = Stats()", "Net(kept=1)"),
    "unknown": ("if noisy:\n    self.s = Stats()", "Net(jnp.ones(()))"),
    "a name": ("if noisy:\n    self.s = Stats()", "Net(__debug__)"),
    "unpacked": ("if noisy:\n    self.s = Stats()", "Net(*[True])"),
    "unpacked keywords": ("if noisy:\n    self.s = Stats()", "Net(**{str('noisy'): True})"),
    "bound anew": ("noisy = width > 2\nif noisy:\n    self.s = Stats()", "Net()"),
    "bound anew where it may run": (
        "if width:\n    noisy = True\nif noisy:\n    self.s = Stats()",
        "Net()",
    ),
    "bound anew behind": (
        "for i in range(2):\n    if noisy:\n        self.s = Stats()\n    noisy = True",
        "Net()",
    ),
    "bound anew by a branch that a later one makes run": (
        "for i in range(3):\n    if noisy:\n        given = 1\n    if given:\n"
        "        self.s = Stats()\n    noisy = True",
        "Net()",
    ),
    "bound by a walrus": (
        "if (noisy := width):\n    pass\nif noisy:\n    self.s = Stats()",
        "Net()",
    ),
    "bound by a function inside": (
        "def set_it():\n    nonlocal noisy\n    noisy = True\nset_it()\n"
        "if noisy:\n    self.s = Stats()",
        "Net()",
    ),
    "or": ("if noisy or width:\n    self.s = Stats()", "Net()"),
    "else of and": ("if noisy and width:\n    pass\nelse:\n    self.s = Stats()", "Net()"),
    "not": ("if not noisy:\n    self.s = Stats()", "Net()"),
    "zero": ("if not width:\n    self.s = Stats()", "Net(width=0)"),
    "is None": ("if given is None:\n    self.s = Stats()", "Net()"),
    "False is not None": ("if noisy is not None:\n    self.s = Stats()", "Net()"),
    "None is not False": ("if given is not False:\n    self.s = Stats()", "Net()"),
    "in both branches": (
        "if noisy:\n    self.s = None\nelse:\n    self.s = Stats()",
        "Net()",
    ),
    "the same store in both branches": (
        "s = Stats()\nif noisy:\n    self.s = s\nelse:\n    self.s = s",
        "Net()",
    ),
    "class chosen": ("kind = nnx.Param if noisy else Frozen\nself.v = kind(jnp.ones(()))", "Net()"),
    "class bound anew": (
        "kind = Frozen if noisy else nnx.Param\nif width:\n    kind = Frozen\n"
        "self.v = kind(jnp.ones(()))",
        "Net()",
    ),
    "list that grows": ("xs = []\nxs.append(Stats())\nself.xs = xs", "Net()"),
    "list that is given": ("self.sizes = nnx.List(sizes)", "Net(sizes=[Stats()])"),
    "tuple of a Module": ("self.sizes = tuple(sizes) + (Stats(),)", "Net()"),
    "tuple of a global": ("both = (width, outer)\nself.both = both", "Net()"),
    "own tuple": ("tuple = lambda x: Stats()\nself.sizes = tuple(sizes)", "Net()"),
    "one or the other": ("self.s = Stats() if noisy else None", "Net(True)"),
    "one or the other, by a number": ("self.s = Stats() if width else None", "Net()"),
    "one or the other, by the other": ("self.s = None if noisy else Stats()", "Net()"),
    "attributes of something else": (
        "self.sizes = sizes + (outer.mean,)",
        "Net()",
    ),
    "attributes that it sets twice": (
        "self.width = width\nif width:\n    self.width = Stats()\n"
        "self.sizes = sizes + (self.width,)\nself.width = 1",
        "Net()",
    ),
    "handed on": ("self.inner = Inner(noisy)", "Net(True)"),
}


@pytest.mark.parametrize("case", MAY_RUN)
def test_may_run(case: str) -> None:
    body, call = MAY_RUN[case]
    inner = """
outer = Stats()
class Inner(nnx.Module):
    def __init__(self, noisy=False):
        self.w = nnx.Param(jnp.ones(()))
        if noisy:
            self.s = Stats()
"""
    assert not _held(body, call, after=inner).only_params


ATTRIBUTES_BESIDE = {
    "another method": ("def widen(self):\n    self.width = Stats()", ""),
    "a property": ("@property\ndef width(self):\n    return Stats()", ""),
    "its own way to store": ("def __setattr__(self, name, value):\n    made(self, name)", ""),
    "its own way to look up": ("def __getattribute__(self, name):\n    return Stats()", ""),
    "a subclass": ("", "class Sub(Net):\n    @property\n    def width(self):\n        return 1"),
    "from outside": ("", "def widen(x):\n    x.width = Stats()"),
}


@pytest.mark.parametrize("case", ATTRIBUTES_BESIDE)
def test_attributes_that_the_constructor_alone_does_not_settle(case: str) -> None:
    more, after = ATTRIBUTES_BESIDE[case]
    body = "self.width = width\nself.half = self.width // width"
    assert _held(body).only_params
    assert not _held(body, more=more, after=after).only_params


def test_a_name_for_a_constant() -> None:
    body = "if noisy:\n    self.s = Stats()"
    assert _held(body, call="Net(quiet)", after="quiet = False").only_params
    for after in (
        "quiet = True",
        "quiet = False\nquiet = True",
        "quiet = made()",
        "def turn():\n    global quiet\n    quiet = True\nquiet = False",
        "for quiet in (False, True):\n    pass",
        "from settings import quiet",
        "quiet = False\nglobals()['quiet'] = True",
        "quiet = False\ndef turn():\n    import module\n    module.quiet = True",
        "quiet = False\ndef turn(module):\n    module.quiet = made()",
    ):
        assert not _held(body, call="Net(quiet)", after=after).only_params


BESIDE = {
    "another method": ("    def setup(self):\n        self.s = Stats()", ""),
    "from outside": ("", "net.s = Stats()"),
    "run again": ("", "net.__init__(True)"),
    "run again on anything": ("def again(x):\n    x.__init__(True)", ""),
    "run again by name": ("", "Net.__init__(net, True)"),
    "constructor replaced": ("", "Net.__init__ = print"),
    "another __new__": ("def __new__(cls, *a):\n    return object.__new__(cls)", ""),
    "another object under the name": ("", "net = Net(True)"),
    "something else under the name": ("", "net = made()"),
}


@pytest.mark.parametrize("case", BESIDE)
def test_not_settled_by_the_call_alone(case: str) -> None:
    more, after = BESIDE[case]
    body = "if noisy:\n    self.s = Stats()"
    assert _held(body).only_params
    assert not _held(body, more=more, after=after).only_params


def test_subclasses_that_call_the_constructor_of_their_base() -> None:
    after = """
class Sub(Net):
    def __init__(self):
        super().__init__(True)
class Other(Net):
    def __init__(self):
        Net.__init__(self, True)
"""
    body = "if noisy:\n    self.s = Stats()"
    assert _held(body, after=after).only_params
    assert not _held(body, after=f"{after}\nnet = Sub()").only_params


def test_constructor_of_a_base() -> None:
    after = "class Sub(Net):\n    pass\nnet = Sub()"
    body = "if noisy:\n    self.s = Stats()"
    assert _held(body, after=after).only_params
    assert not _held(body, after=after.replace("Sub()", "Sub(True)")).only_params


def test_what_the_body_of_a_class_binds_is_no_leaf() -> None:
    assert _held("pass", more="SCALE = jnp.ones(())\nLOCK = made()").only_params
    assert not _held("self.scale = self.SCALE", more="SCALE = jnp.ones(())").only_params


def test_fields_of_a_dataclass_are_leaves() -> None:
    source = f"""{HEAD}
import dataclasses
@dataclasses.dataclass
class Net(nnx.Module):
    w: nnx.Param
    scale: object = jnp.ones(())
net = Net(nnx.Param(jnp.ones(())))
"""
    analysis = analysis_of(source)
    asked = scope_named(analysis, ""), ir.Name("net")
    assert not analysis.contents.of_expression(*asked).only_params


@pytest.mark.parametrize(
    "test", ["given is None", "given is not width", "width in sizes", "width not in sizes", "not w"]
)
def test_tests_that_give_a_truth_value_are_no_arrays(test: str) -> None:
    assert _held(f"w = jnp.ones(())\nself.told = {test}").only_params
    assert not _held("w = jnp.ones(())\nself.told = w > 1").only_params


def test_what_other_code_puts_into_an_object_that_another_call_made() -> None:
    other = "other = Net()\nother.s = Stats()"
    assert _held("pass", after=other).only_params
    assert not _held("pass", after=f"{other}\nother = net").only_params
    assert not _held("pass", after="for each in [net, Net()]:\n    each.s = Stats()").only_params
    assert not _held("pass", after="def change(other: Net):\n    other.s = Stats()").only_params


def test_value_put_into_what_is_a_variable_by_the_call() -> None:
    body = "kind = Frozen if noisy else nnx.Param\nself.v = kind(jnp.ones(2))\nself.none = None"
    assert _held(body, after="net.v[...] = jnp.ones(2)").only_params
    array = "if noisy:\n    self.v = nnx.Param(jnp.ones(2))\nelse:\n    self.v = jnp.ones(2)"
    assert not _held(array, after="net.v[...] = jnp.ones(2)").only_params
