"""The step that stands beside a cause in its table: whoever takes it is rid of the pin."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import Finding, Outcome
from nnx_migrate.report.ways_out import ways_out
from tests.hazards.running import migrated_files

_HEAD = """
import functools
import jax
from flax import nnx

class Block(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(1.0)

    def __call__(self, x):
        return self.w * x

class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.w = nnx.Param(1.0)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.w * x)

def forward(m: Block, x):
    return m(x)

def loss(m: Noisy, x):
    return m(x)

"""
_AXES = "nnx.StateAxes({nnx.Param: 0, ...: None})"
_NOT_TWICE = "    return nnx.grad(loss)(m, x)"


def _called(call: str, more: str = "a") -> str:
    return f"def call(m: Block, {more}):\n    return {call}\n"


def _mapped(axes: str, more: str = "a") -> str:
    return _called(f"nnx.vmap(forward, in_axes={axes})(m, a)", more)


def _summed(passed: str, more: str = "a") -> str:
    added = (
        "@functools.partial(nnx.vmap, in_axes=(None, 0, None))\n"
        "def added(m: Noisy, x, y=2.0):\n    return m(x) + y\n\n"
    )
    return f"{added}def call(m: Noisy, {more}):\n    return added({passed})\n\nkept = [added]\n"


def _slope(body: str, more: str = "x: jax.Array") -> str:
    return f"def slope(m: Noisy, {more}):\n    {body}\n"


def _grad(options: str, more: str = "x: jax.Array") -> str:
    return _slope(f"return nnx.grad(loss, {options})(m, x)", more)


def _sown(body: str) -> str:
    return f"def slope(m: Sower):\n    {body}\n"


def _data(held: str) -> str:
    return (
        "class Table(nnx.Module):\n    def __init__(self):\n        self.w = nnx.Param(1.0)\n"
        f"        self.table = {held}\n\n"
    )


def _loaded(body: str, comment: str = "") -> str:
    return (
        f"def load(more):\n    m = Block()\n    {body}\n\n"
        f"def call():\n    m = load(False)\n    return nnx.split(m){comment}\n"
    )


def _made(body: str) -> str:
    return (
        f"@nnx.vmap(out_axes=({_AXES}, 0))\ndef make(k: jax.Array):\n    {body}\n\n"
        "def call(a):\n    return make(a)\n"
    )


def _made_alone(body: str) -> str:
    return (
        f"@nnx.vmap(in_axes=0, out_axes={_AXES})\ndef make(k):\n    {body}\n\n"
        "def call(a):\n    return make(a)\n"
    )


def _kept_step(defined: str, function: str, more: str = "") -> str:
    axes = f"({_AXES}, 0, None)" if more else f"({_AXES}, 0)"
    step = f"step = nnx.vmap({function}, in_axes={axes})\nkept = [step]\n"
    return defined + step + _called(f"jax.tree.map(step, m, a{more})")


def _added(last: str) -> str:
    return f"def added(m: Block, x, {last}):\n    return m(x) + y\n\n"


_PARTIAL = "functools.partial(nnx.vmap(loss_of, in_axes=(None, 0, None)), y=2.0)(m, a)"
_OF_TWO = "def loss_of(m: Noisy, x, y):\n    return m(x) + y\n\n"
_CAPTURED = "def slope(m: Noisy, n: Noisy, x):\n    def lost(m, x):\n        return m(x), AUX\n"

_SOWER = (
    "class Sower(Block):\n    def __call__(self, x):\n"
    "        self.sow(nnx.Intermediate, 'h', x)\n        return self.w * x\n\n"
    "def sowing(m):\n    return m(2.0)\n\nT = nnx.Intermediate\n\n"
)

#: The pinned code, the beginning of its help, and the code of a person who follows that.
_CASES = {
    "a keyword": (
        _summed("m, a, y=2.0"),
        "pass y by position",
        _summed("m, a, 2.0"),
    ),
    "a default": (
        _summed("m, a"),
        "pass y in that call too, by position",
        _summed("m, a, 2.0"),
    ),
    "a dictionary": (
        _summed("m, a, **more", "a, more"),
        "write out the arguments of that call by position",
        _summed("m, a, more", "a, more"),
    ),
    "a partial": (
        _OF_TWO + _called(_PARTIAL),
        "bind y by position, or pass it by position",
        _OF_TWO + _called(_PARTIAL.replace(", y=2.0)(m, a)", ", m, a, 2.0)()")),
    ),
    "an argument that is returned": (
        "@nnx.remat\ndef step(m: Noisy, x):\n    y = m(x)\n    return m, y\n",
        "do not return m",
        "@nnx.remat\ndef step(m: Noisy, x):\n    y = m(x)\n    return y\n",
    ),
    "axes of a scan": (
        _slope("return nnx.scan(lambda m, x: (m, m(x)), in_axes=axes)(m, a)", "a, axes"),
        "write in_axes and out_axes out",
        _slope("return nnx.scan(lambda m, x: (m, m(x)), in_axes=(nnx.Carry, 0))(m, a)", "a"),
    ),
    "an unknown function of a scan": (
        _slope("return nnx.scan(f, in_axes=(None, 0), out_axes=0)(m, a)", "a, f"),
        "pass a function of this project by name",
        _slope(
            "def f(m: Noisy, x):\n        return m(x)\n"
            "    return nnx.scan(f, in_axes=(None, 0), out_axes=0)(m, a)",
            "a",
        ),
    ),
    "a function of a scan of another file": (
        "import elsewhere\n\n"
        + _slope("return nnx.scan(elsewhere.body, in_axes=(None, 0), out_axes=0)(m, a)", "a"),
        "define the function inside the one that applies the transform",
        _slope(
            "def body(m: Noisy, x):\n        return m(x)\n"
            "    return nnx.scan(body, in_axes=(None, 0), out_axes=0)(m, a)",
            "a",
        ),
    ),
    "a step that is kept, of another file": (
        _kept_step("import elsewhere\n\n", "elsewhere.scaled"),
        "apply the transform in the file that defines the function",
        _kept_step("def scaled(m: Block, x):\n    return m(x)\n\n", "scaled"),
    ),
    "a function of a scan that others use": (
        _slope("return nnx.scan(loss, in_axes=(None, 0), out_axes=0)(m, a)", "a"),
        "define the function inside the one that applies the transform",
        _slope(
            "def body(m: Noisy, x):\n        return loss(m, x)\n"
            "    return nnx.scan(body, in_axes=(None, 0), out_axes=0)(m, a)",
            "a",
        ),
    ),
    "StateAxes that are passed": (
        _mapped("(axes, 0)", f"a, axes={_AXES}"),
        "write the filters out",
        _mapped(f"({_AXES}, 0)"),
    ),
    "StateAxes of a name": (
        _mapped("(nnx.StateAxes(table), 0)", "a, table"),
        "write the filters out",
        _mapped(f"({_AXES}, 0)"),
    ),
    "dots that come first": (
        _mapped("(nnx.StateAxes({...: None, nnx.Param: 0}), 0)"),
        "put `...` last in StateAxes",
        _mapped(f"({_AXES}, 0)"),
    ),
    "StateAxes for all": (
        _called(f"nnx.vmap(lambda m: m(1.0), in_axes={_AXES})(m)"),
        "write in_axes and out_axes out",
        _called(f"nnx.vmap(lambda m: m(1.0), in_axes=({_AXES},))(m)"),
    ),
    "options that are not shown": (
        _mapped(f"({_AXES}, 0), **more", "a, more"),
        "write out the options of the transform",
        _mapped(f"({_AXES}, 0)"),
    ),
    "StateAxes of an argument that is returned": (
        _called(
            f"nnx.vmap(lambda m, x: (m, m(x)), in_axes=({_AXES}, 0), out_axes=({_AXES}, 0))(m, a)"
        ),
        "return only what the function computes, without m",
        _called(f"nnx.vmap(lambda m, x: m(x), in_axes=({_AXES}, 0), out_axes=0)(m, a)"),
    ),
    "argnums of a name": (
        _grad("argnums=n", "x, n"),
        "write argnums out",
        _grad("argnums=0"),
    ),
    "argnums with one twice": (
        _grad("argnums=(0, 0)"),
        "name each argument once in argnums",
        _grad("argnums=0"),
    ),
    "argnums of a condition": (
        _grad("argnums=0 if flag else 1", "x: jax.Array, flag"),
        "put the gradient in each branch of an if statement",
        _slope(
            "if flag:\n        return nnx.grad(loss, argnums=0)(m, x)\n"
            "    return nnx.grad(loss, argnums=1)(m, x)",
            "x: jax.Array, flag",
        ),
    ),
    "a gradient that is passed on": (
        _slope("return f(nnx.grad, m)", "f"),
        "call it with the loss by name, as in: nnx.grad(loss_fn)(model, x)",
        _grad("argnums=0"),
    ),
    "a captured object that is returned": (
        _CAPTURED.replace("AUX", "n") + "    return nnx.grad(lost, has_aux=True)(m, x)\n",
        "return only computed values",
        _CAPTURED.replace("AUX", "x") + "    return nnx.grad(lost, has_aux=True)(m, x)\n",
    ),
    "metadata of a name": (
        _mapped("(0, 0), transform_metadata=d", "a, d"),
        "write it out, as in: transform_metadata={nnx.PARTITION_NAME: None}",
        _mapped("(0, 0), transform_metadata={nnx.PARTITION_NAME: None}"),
    ),
    "metadata of an unknown function": (
        _called("nnx.vmap(f, transform_metadata={nnx.PARTITION_NAME: None})(m, a)", "a, f"),
        "pass a function of this project that only updates Variables",
        _called("nnx.vmap(forward, transform_metadata={nnx.PARTITION_NAME: None})(m, a)"),
    ),
    "a jit of what is not shown": (
        "make = functools.partial(nnx.jit, donate_argnums=0)\n",
        "pass the function in the same expression, as in: nnx.jit(step, donate_argnums=0)",
        "step = nnx.jit(loss, donate_argnums=0)\n",
    ),
    "donated by a name": (
        _called("nnx.jit(forward, donate_argnums=n)(m, 1)", "n"),
        "write out the donated arguments",
        _called("nnx.jit(forward, donate_argnums=0)(m, 1)"),
    ),
    "a number in what is split": (
        _called("nnx.split((m, 1))"),
        "pass numbers and strings beside it",
        _called("(nnx.split(m), 1)"),
    ),
    "an object, or it and a number": (
        _loaded("return (m, 1) if more else m"),
        "make it the object alone on every path",
        _loaded("return m"),
    ),
    "an object, which is never a pair": (
        _loaded("return (m, 1) if more else m"),
        "make it the object alone on every path; if it always is, add # nnx-migrate: ignore[",
        _loaded("return (m, 1) if more else m", "  # nnx-migrate: ignore[plain-leaves]"),
    ),
    "plain values in nnx.data, split": (
        _data("nnx.data({'a': 1})") + "def call(m: Table):\n    return nnx.split(m)\n",
        "take numbers and strings out of nnx.data",
        _data("{'a': 1}") + "def call(m: Table):\n    return nnx.split(m)\n",
    ),
    "plain values in nnx.data, traced": (
        _data("nnx.data({'a': 1})") + "@nnx.jit\ndef call(m: Table):\n    return m.w * 2\n",
        "take numbers and strings out of nnx.data",
        _data("nnx.static({'a': 1})") + "@nnx.jit\ndef call(m: Table):\n    return m.w * 2\n",
    ),
    "a number in a list": (
        _called("nnx.split([m, 3])"),
        "pass numbers and strings beside it",
        _called("nnx.split([m])"),
    ),
    "a number in a tuple of a name": (
        _called("nnx.split(both)", "both=(Block(), 3)"),
        "pass numbers and strings beside it",
        _called("nnx.split(both)", "both=(Block(),)"),
    ),
    "streams that are split in place": (
        "def call(m: Noisy):\n    nnx.split_rngs(m, splits=4)\n    return m(1.0)\n",
        "use it as the decorator of a function",
        "@nnx.split_rngs(splits=4)\ndef call(m: Noisy):\n    return m(1.0)\n",
    ),
    "streams that are split elsewhere": (
        "def call(f, m: Noisy):\n    return f(nnx.split_rngs)(m)\n",
        "use it as the decorator of a function",
        "@nnx.split_rngs(splits=4)\ndef call(m: Noisy):\n    return m(1.0)\n",
    ),
    "a walk over all that is held": (
        _called("[v for p, v in nnx.iter_graph(m)]"),
        "check the class first, as in: if isinstance(value, nnx.Variable)",
        _called("[v for p, v in nnx.iter_graph(m) if isinstance(v, nnx.Variable)]"),
    ),
    "a walk that is passed on": (
        _called("map(nnx.iter_graph, [m])"),
        "call it in a for loop that begins with: if isinstance(value, nnx.Variable)",
        "def call(m: Block):\n    for p, v in nnx.iter_graph(m):\n"
        "        if isinstance(v, nnx.Variable):\n            print(v)\n",
    ),
    "keywords of a loss": (
        _slope("return nnx.grad(loss)(m, **more)", "more"),
        "write out the arguments of each call by position",
        _slope("return nnx.grad(loss)(m, more['x'])", "more"),
    ),
    "keywords before the Module": (
        "def late(x, m: Noisy):\n    return m(x)\n\n"
        + _slope("return nnx.grad(late, argnums=1)(x=x, m=m)"),
        "write out the arguments of each call by position",
        "def late(x, m: Noisy):\n    return m(x)\n\n"
        + _slope("return nnx.grad(late, argnums=1)(x, m)"),
    ),
    "two calls in a statement": (
        _slope("return loss(m, x), nnx.grad(loss)(m, x)"),
        "write the other call in a statement of its own",
        _slope("y = loss(m, x)\n    return y, nnx.grad(loss)(m, x)"),
    ),
    "an argument that is computed second": (
        "def slope(ms: list[Noisy], g):\n    return g(), nnx.grad(loss)(ms[g()], 1.0)\n",
        "compute the argument in a statement before",
        "def slope(ms: list[Noisy], g):\n"
        "    y, m = g(), ms[g()]\n    return y, nnx.grad(loss)(m, 1.0)\n",
    ),
    "a gradient that is not called": (
        "slope = nnx.grad(loss)\n",
        "call the result of the transform by its name in this file",
        "slope = nnx.grad(loss)\nslope(Noisy(nnx.Rngs(0)), 1.0)\n",
    ),
    "a gradient of what is bound anew": (
        _slope(
            "def f(m: Noisy, x):\n        return m(x)\n    g = nnx.grad(f)\n"
            "    def f(y):\n        return y\n    return g, f(x)"
        ),
        "give what is bound to that name another one",
        _slope(
            "def f(m: Noisy, x):\n        return m(x)\n    g = nnx.grad(f)\n"
            "    def h(y):\n        return y\n    return g, h(x)"
        ),
    ),
    "a gradient of a class": (
        "class Run:\n    slope = nnx.grad(loss)\n\n"
        "    def go(self, m: Noisy, x):\n        return self.slope(m, x)\n",
        "assign the result of the transform to a name",
        "slope = nnx.grad(loss)\n\n"
        "class Run:\n    def go(self, m: Noisy, x):\n        return slope(m, x)\n",
    ),
    "a gradient in an elif": (
        _slope(f"if x:\n        return 1\n    elif {_NOT_TWICE[11:]}:\n        return 2"),
        "write the elif as an if statement inside else",
        _slope(
            f"if x:\n        return 1\n    else:\n        if {_NOT_TWICE[11:]}:\n"
            "            return 2"
        ),
    ),
    "a gradient in a comprehension": (
        _slope("return [nnx.grad(loss)(m, y) for y in x]"),
        "make it a statement: an if or a for statement",
        _slope("for y in x:\n        g = nnx.grad(loss)(m, y)\n    return g"),
    ),
    "a gradient after `and`": (
        _slope("return x and nnx.grad(loss)(m, x)"),
        "make it a statement: an if or a for statement",
        _slope("if x:\n        return nnx.grad(loss)(m, x)"),
    ),
    "a gradient in a lambda": (
        _slope("return lambda y: nnx.grad(loss)(m, y)"),
        "make it a statement: an if or a for statement, or a function with def",
        _slope("def of(y):\n        return nnx.grad(loss)(m, y)\n    return of"),
    ),
    "a lambda that reads its argument twice": (
        _slope("return nnx.scan(lambda m, x: m(x) + m(x), in_axes=(None, 0))(m, a)", "a"),
        "define the function with def in place of the lambda",
        _slope(
            "def f(m: Noisy, x):\n        return m(x) + m(x)\n"
            "    return nnx.scan(f, in_axes=(None, 0))(m, a)",
            "a",
        ),
    ),
    "a lambda with a default": (
        _slope("return nnx.grad(lambda m, x=2.0: m(x) + m(x))(m)", ""),
        "give the function plain parameters without defaults, and pass by position",
        _slope("return nnx.grad(lambda m, x: m(x) + m(x))(m, 2.0)", ""),
    ),
    "a step that is kept, with a default": (
        _kept_step(_added("y=1"), "added"),
        "give the function plain parameters without defaults, and pass by position",
        _kept_step(_added("y"), "added", ", 1"),
    ),
    "a tuple that is returned by name": (
        _made("both = Block(), k\n    return both"),
        "write the returned value as a tuple",
        _made("return Block(), k"),
    ),
    "an argument that is bound in the call": (
        _slope("return nnx.grad(loss)(m := ms[0], 1.0)", "ms: list[Noisy]"),
        "assign the object to a name, and pass that name",
        _slope("m = ms[0]\n    return nnx.grad(loss)(m, 1.0)", "ms: list[Noisy]"),
    ),
    "a gradient beside other code": (
        _SOWER + _sown("a = 1; g = nnx.grad(sowing)(m); h = nnx.pop(m, T)\n    return g, h"),
        "put each statement on a line of its own",
        _SOWER + _sown("g = nnx.grad(sowing)(m)\n    h = nnx.pop(m, T)\n    return g, h"),
    ),
    "a step behind other code": (
        f"a = 1; step = nnx.vmap(forward, in_axes=({_AXES}, 0))\nkept = [step]\n",
        "put each statement on a line of its own",
        f"a = 1\nstep = nnx.vmap(forward, in_axes=({_AXES}, 0))\nkept = [step]\n",
    ),
    "a step whose function is a keyword": (
        f"step = nnx.vmap(f=forward, in_axes=({_AXES}, 0))\nkept = [step]\n",
        "write the transform as the only decorator, or call it: f = nnx.jit(f)",
        f"step = nnx.vmap(forward, in_axes=({_AXES}, 0))\nkept = [step]\n",
    ),
    "a comment in a call": (
        _SOWER + _sown("g = [nnx.grad(sowing)(m  # of all\n    )]\n    return g, nnx.pop(m, T)"),
        "move the comment above the statement",
        _SOWER + _sown("# of all\n    g = [nnx.grad(sowing)(m)]\n    return g, nnx.pop(m, T)"),
    ),
    "a path that returns nothing": (
        _made_alone("if k is None:\n        return\n    return Block()"),
        "end the function with one return statement that returns a value",
        _made_alone("return Block()"),
    ),
    "a method with super": (
        f"class Run(Base):\n    @nnx.vmap(in_axes=(None, {_AXES}, 0))\n"
        "    def go(self, m: Noisy, x):\n        return super().go(m, x)\n",
        "transform a plain function that gets the object as an argument",
        f"@nnx.vmap(in_axes=({_AXES}, 0))\ndef go(m: Noisy, x):\n    return m(x)\n",
    ),
}


_ELSEWHERE = """
from flax import nnx
from main import Block, Noisy

def body(m: Noisy, x):
    return m(x)

def scaled(m: Block, x):
    return m(x)
"""


def _pins(code: str) -> list[Finding]:
    files = {"main.py": _HEAD + code, "elsewhere.py": _ELSEWHERE}
    found = migrated_files(files)["main.py"].findings
    return [each for each in found if each.outcome in {Outcome.PINNED, Outcome.PINNED_MID}]


@pytest.mark.parametrize("case", _CASES)
def test_who_takes_the_step_is_rid_of_the_pin(case: str) -> None:
    pinned, helped, freed = _CASES[case]
    found = [step for pin in _pins(pinned) for step in ways_out(pin)[:1]]
    assert any(step.startswith(helped) for step in found), found
    assert _pins(freed) == []


_GRADIENT = """\
{top}
def slope({parameter}, m, x):
    from flax.nnx import Module, grad

    def loss(m: Module, x):
        return m(x)

    return grad(loss)(m, x)
"""


@pytest.mark.parametrize(
    ("pinned", "helped", "freed"),
    [
        (("import jax", "y"), "import nnx at the top of the file", ("from flax import nnx", "y")),
        (
            ("from flax import nnx", "nnx"),
            "give what is bound to that name another one",
            ("from flax import nnx", "y"),
        ),
    ],
)
def test_who_gives_nnx_a_name_is_rid_of_the_work(
    pinned: tuple[str, str], helped: str, freed: tuple[str, str]
) -> None:
    def found(top: str, parameter: str) -> list[Finding]:
        text = _GRADIENT.format(top=top, parameter=parameter)
        return list(migrated_files({"main.py": text})["main.py"].findings)

    (finding,) = found(*pinned)
    assert finding.outcome is Outcome.MANUAL
    assert ways_out(finding)[0].startswith(helped)
    assert Outcome.MANUAL not in {each.outcome for each in found(*freed)}
