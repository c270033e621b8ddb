"""The help of a pin: whoever does what it says is rid of the pin."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

import pytest

from nnx_migrate.analysis.points_to import queries
from nnx_migrate.core.findings import Finding, Outcome
from nnx_migrate.report.ways_out import ways_out
from nnx_migrate.sources.configuration import Options
from tests.golden.migration import migrate_tree

_HEAD = """
from __future__ import annotations

import typing
from flax import nnx
import elsewhere

class Block(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(1.0)

    def __call__(self, x):
        return self.w * x

class Counted(nnx.Module):
    def __init__(self):
        self.n = 0
        self.last = nnx.Variable(0.0)

    def __call__(self, x):
        self.n = x
        return x
"""
_CALLED = "@nnx.jit\ndef step(model: typing.Any, x):\n    return model(x)\n"
_ANY = "@nnx.jit\ndef step(model: nnx.Module, x):\n    return model(x)\n"
_PASSED = "@nnx.jit\ndef step(model: Block, run):\n    return run(model)\n"
_RUN = "def run(m):\n    return m(1.0)\n\nstep(Block(), run)\n"
_LIBRARY = "@nnx.jit\ndef step(model: Block):\n    return elsewhere.run(model)\n"
_BY_TEXT = _LIBRARY.replace("elsewhere.run", "getattr(elsewhere, input())")
_HELD = """\
class Net(nnx.Module):
    def __init__(self, made):
        self.held = made

    def __call__(self, x):
        return USED

@nnx.jit
def step(model: Net, x):
    return model(x)
"""
_EACH = _HELD.replace("USED", "[each(x) for each in self.held]")
_ONE = _HELD.replace("USED", "self.held(x)")
_MADE = _ONE.replace("(self, made)", "(self)").replace("= made", "= elsewhere.make()")
_UNSET = _ONE.replace("self.held = made", "pass")
_SET = "@nnx.jit\ndef step(model: Counted, x):\n    model.last = x\n    return x\n"
_TRAIN = "@nnx.jit\ndef step(model: Block, x):\n    y = model(x)\n    model.train()\n    return y\n"
_GRADIENT = "def slope(model, x):\n    return nnx.grad(lambda m, x: m(x))(model, x)\n"
_LOSS = """\
kept = []

def slope(model: Block, x):
    def loss(m, x):
        kept.append(x)
        return m(x), x

    return nnx.grad(loss, has_aux=True)(model, x)
"""
_RETURNS = _LOSS.replace("m(x), x", "m(x), m.w")
_KEEPS = _LOSS.replace("append(x)", "append(m)")

#: The pinned code, the beginning of its help, and what a person who follows that replaces by what.
_CASES = [
    (_CALLED, "annotate that parameter with its class", "typing.Any", "Block"),
    (_CALLED, "annotate that parameter with its class", "(x)\n", "(x)\n\nstep(Block(), 1.0)\n"),
    (_ANY, "name a class of this project in that annotation", "nnx.Module,", "Block,"),
    (_PASSED, "call the function by name", "run(model)", "Block()(model)"),
    (_PASSED, "call the function by name", "run(model)\n", f"run(model)\n\n{_RUN}"),
    (_LIBRARY, "pass a State to elsewhere.run", "run(model)", "run(nnx.state(model))"),
    (_BY_TEXT, "call the function by name", "getattr(elsewhere, input())", "Block()"),
    (_EACH, "annotate that parameter with its class", "made)", "made: list[Block])"),
    (_ONE, "annotate that parameter with its class", "made)", "made: Block)"),
    (_MADE, "annotate the name that the result is assigned to", "held =", "held: Block ="),
    (_UNSET, "annotate the attribute in its class", "    def", "    held: Block\n\n    def"),
    (_SET, "return the value, or keep it in a Variable", "model.last =", "model.last[...] ="),
    (_TRAIN, "call .train() outside of the transform", "    model.train()\n", ""),
    (
        _GRADIENT,
        "annotate the name that is passed with its class",
        "slope(model,",
        "slope(model: Block,",
    ),
    (_RETURNS, "do not return model", "m.w", "x"),
    (_KEEPS, "keep only computed values beyond the call", "append(m)", "append(x)"),
]


def _pins(traced: str) -> list[Finding]:
    program = (_HEAD + textwrap.dedent(traced)).encode()
    found = migrate_tree({"main.py": program}, Options(trace_checks=False))["main.py"].findings
    return [each for each in found if each.outcome in {Outcome.PINNED, Outcome.PINNED_MID}]


@pytest.mark.parametrize(("pinned", "helped", "old", "new"), _CASES)
def test_who_follows_the_help_is_rid_of_the_pin(
    pinned: str, helped: str, old: str, new: str
) -> None:
    (pin,) = _pins(pinned)
    assert ways_out(pin)[0].startswith(helped)
    assert old in pinned
    assert _pins(pinned.replace(old, new)) == []


@pytest.mark.parametrize("pinned", [_CALLED, _PASSED, _LIBRARY, _EACH, _GRADIENT])
def test_what_a_run_can_show_is_said(pinned: str) -> None:
    (pin,) = _pins(pinned)
    assert any("nnx-migrate observe" in each for each in ways_out(pin))


_SHARED = """\
class Pair(nnx.Module):
    def __init__(self):
        self.a = Block()
        self.b = [self.a]

    def __call__(self, x):
        return self.a(x) + self.b[0](x)
"""


_TWICE = "@nnx.jit\ndef step(m, n):\n    return m(1) + n(1)\n\nb = Block()\nstep(b, b)\n"
_TIED = f"{_SHARED}\n@nnx.jit\ndef step(m: Pair):\n    return m(1)\n"


@pytest.mark.parametrize(
    ("pinned", "helped"),
    [
        (_TWICE, "pass the object once"),
        (_TIED, "keep the shared object in one place"),
    ],
)
def test_objects_that_are_shared_have_help_of_their_own(pinned: str, helped: str) -> None:
    (pin,) = _pins(pinned)
    assert pin.rule == "shared-reference"
    assert ways_out(pin)[0].startswith(helped)


_MANY = """\
def keep(m):
    return m

@nnx.jit
def both(m, n):
    return m(1) + n(1)

def run(m: Block, n: Block):
    return both(m, keep(keep(keep(keep(keep(n))))))
"""


def test_what_takes_too_long_to_follow_is_not_said_to_be_passed_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert _pins(_MANY) == []
    monkeypatch.setattr(queries, "_DEEPEST", 6)
    (pin,) = _pins(_MANY)
    assert pin.rule == "shared-reference"
    assert ways_out(pin)[0].startswith("if no call passes an object twice, add # nnx-migrate:")
    ignored = "@nnx.jit  # nnx-migrate: ignore[shared-reference]"
    assert _pins(_MANY.replace("@nnx.jit", ignored)) == []


_IMPORTS = "import jax\nimport jax.numpy as jnp\nfrom flax import nnx\n\n"
_COUNTS = """\
class Counts(nnx.Module):
    def __init__(self):
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x):
        self.calls[...] += 1
        return x

"""
_LOOP = """\
def run(net: Counts, x):
    def body(i, x):
        return net(x)

    body(0, x)
    return nnx.fori_loop(0, 2, body, x)
"""
_CARRIES = """\
def run(net: Counts, x):
    def body(i, carry):
        x, net = carry
        return net(x), net

    body(0, (x, net))
    return nnx.fori_loop(0, 2, body, (x, net))[0]
"""
_BRANCHES = """\
def run(flag, net: Counts, x):
    half = lambda x: net(x) / 2
    half(x)
    return nnx.cond(flag, half, lambda x: x, x)
"""
_OPERAND = """\
def run(flag, net: Counts, x):
    half = lambda x, net: net(x) / 2
    half(x, net)
    return nnx.cond(flag, half, lambda x, net: x, x, net)
"""
_COMPILED = """\
def run(net: Counts, x):
    @nnx.jit
    def step(x):
        return net(x)

    return step(x), step(x)
"""
_ARGUMENT = """\
def run(net: Counts, x):
    @nnx.jit
    def step(x, net):
        return net(x)

    return step(x, net), step(x, net)
"""
_LISTED = """\
def run(nets: list[Counts], x):
    return nnx.fori_loop(0, 2, lambda i, x: nets[0](x), x)
"""
_UNLISTED = """\
def run(nets: list[Counts], x):
    return nnx.fori_loop(0, 2, lambda i, c: (c[1](c[0]), c[1]), (x, nets[0]))[0]
"""
_BENT = """\
def run(net: Counts, x):
    return jax.hessian(lambda x: net(x))(x)
"""
_SPLIT = """\
def run(net: Counts, x):
    graphdef, state = nnx.split(net)

    def loss(x):
        net = nnx.merge(graphdef, state, copy=True)
        return net(x), nnx.state(net)

    bent, state = jax.hessian(loss, has_aux=True)(x)
    nnx.update(net, state)
    return bent
"""
_SOWN = """\
class Sows(Counts):
    def __call__(self, x):
        self.sow(nnx.Intermediate, "x", x)
        return x

def run(x):
    net = Sows()

    @nnx.jit
    def step(x):
        return net(x)

    return step(x), nnx.pop(net, nnx.Intermediate)
"""
_COLLECTED = """\
class Sows(Counts):
    def __call__(self, x):
        self.sow(nnx.Intermediate, "x", x)
        return x

def run(x):
    net = Sows()

    @nnx.jit
    def step(x, net):
        return nnx.capture(net, nnx.Intermediate)(x)

    return step(x, net)
"""
_TO_DO = [
    (_LOOP, "let nnx.fori_loop carry net", _CARRIES),
    (_BRANCHES, "add net to the parameters of every branch", _OPERAND),
    (_COMPILED, "add net to the parameters of the function", _ARGUMENT),
    (_LISTED, "give the function the object itself", _UNLISTED),
    (_BENT, "split the object before the call", _SPLIT),
    (_SOWN, "give the function net as an argument, call it under nnx.capture", _COLLECTED),
]


@pytest.mark.parametrize(("captured", "helped", "passed"), _TO_DO)
def test_who_follows_the_help_about_a_captured_object_has_nothing_left_to_do(
    captured: str, helped: str, passed: str
) -> None:
    (left,) = _left_to_do(captured)
    assert left.rule == "captured-module"
    assert "That raises TraceContextError in both modes" in left.message
    assert ways_out(left)[0].startswith(helped)
    assert _left_to_do(passed) == []


@pytest.mark.runs_jax
@pytest.mark.parametrize(("captured", "helped", "passed"), _TO_DO)
def test_who_follows_the_help_about_a_captured_object_has_code_that_runs(
    captured: str, helped: str, passed: str
) -> None:
    pytest.importorskip("jax")
    from flax import nnx
    from flax.errors import TraceContextError

    for graph in (True, False):
        with nnx.set_graph_mode(graph):  # type: ignore[no-untyped-call]
            with pytest.raises(TraceContextError):
                _run(captured)
            _run(passed)


def _run(program: str) -> None:
    space: dict[str, Any] = {}
    exec(_IMPORTS + _COUNTS + program, space)
    net = space["Counts"]()
    given = {"net": net, "nets": [net], "flag": True, "x": 1.0}
    names = inspect.signature(space["run"]).parameters
    space["run"](**{name: given[name] for name in names})


def _left_to_do(program: str) -> list[Finding]:
    text = (_IMPORTS + _COUNTS + program).encode()
    found = migrate_tree({"main.py": text}, Options())["main.py"].findings
    return [each for each in found if each.outcome is Outcome.MANUAL]
