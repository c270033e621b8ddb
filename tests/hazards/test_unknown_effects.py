"""Calls of what is not known, in traced functions: a finding where code in sight may be meant."""

from __future__ import annotations

import re
import textwrap

import pytest

from nnx_migrate.core.findings import Finding, Outcome
from nnx_migrate.core.permissions import Permission
from nnx_migrate.sources.configuration import Options
from tests.golden.migration import migrate_tree
from tests.hazards.running import migrated

_HEAD = """
from flax import nnx
import elsewhere

class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(1.0)
        self.n = 0
        self.encoder = None

    def __call__(self, x):
        BODY
        return x

    def encode(self, x):
        return x

def touch(m):
    m.n = 2

def look(m):
    return m.n

def same(m):
    return m

class Uncalled(nnx.Module):
    pass

class Short(nnx.Module):
    def __call__(self, x):
        return x

def wrapped(f):
    def call(self, x, r):
        r.n = 1
        return f(self, x)
    return call

class Long(nnx.Module):
    @wrapped
    def __call__(self, x):
        return x

class Disturbed(nnx.Module):
    def disturbed(self, x):
        self.sow(nnx.Intermediate, "x", x)
        return self.perturb("x", x)
"""


def _pins(traced: str, body: str = "self.n += 1", *, allowed: bool = False) -> list[Finding]:
    text = _HEAD.replace("BODY", body) + textwrap.dedent(traced)
    allow = frozenset({Permission.UNKNOWN_EFFECTS} if allowed else ())
    options = Options(trace_checks=False, allow=allow)
    found = migrate_tree({"main.py": text.encode()}, options)["main.py"].findings
    assert all(each.rule == "structural-update" for each in found)
    return [each for each in found if each.outcome is Outcome.PINNED]


def _told(pin: Finding) -> str:
    return "; ".join([pin.message, *(each.claim for each in pin.evidence)])


@pytest.mark.parametrize(
    "traced",
    [
        "@nnx.jit\ndef step(m, x):\n    return m(x)\n",
        "@nnx.jit\ndef step(state, x):\n    return state.model(x)\n",
        "@nnx.jit\ndef step(m, x):\n    return m.encoder(x)\n",
        "@nnx.jit\ndef step(m: Net):\n    return elsewhere.run(m)\n",
        "@nnx.jit\ndef step(m: Net, f):\n    return f(m)\n",
        "@nnx.jit\ndef step(m: Net):\n    return len(sorted([m], key=touch))\n",
        "@nnx.jit\ndef step(m: Net, x):\n    return Long()(x, m)\n",
        "@nnx.jit\ndef step(m: Net):\n    return elsewhere.run(touch, m)\n",
    ],
)
def test_what_is_not_known_and_may_change_structure_is_pinned(traced: str) -> None:
    (pin,) = _pins(traced)
    assert "m" in pin.message


@pytest.mark.parametrize(
    "traced",
    [
        "@nnx.jit\ndef step(m, x):\n    return m.encode(x)\n",
        "@nnx.jit\ndef step(x):\n    return x.mean() + x.at[0].set(1)\n",
        "@nnx.jit\ndef step(x):\n    return elsewhere.run(x)\n",
        "@nnx.jit\ndef step(m: Net):\n    return len(sorted([m], key=look))\n",
        "@nnx.jit\ndef step(x):\n    return Disturbed().disturbed(x)\n",
        "@nnx.jit\ndef step(m: Uncalled, x):\n    return m(x)\n",
        "@nnx.jit\ndef step(m: Net, x):\n    return Short()(x, m)\n",
        "@nnx.jit\ndef step(m: Net, x):\n    return Short()(x, rngs=m)\n",
    ],
)
def test_what_no_code_in_sight_changes_is_left(traced: str) -> None:
    assert _pins(traced) == []


@pytest.mark.parametrize("body", ["pass", "self.w[...] += 1", "y = self.n"])
def test_where_no_method_in_sight_changes_structure_nothing_is_said(body: str) -> None:
    assert _pins("@nnx.jit\ndef step(m, x):\n    return m(x)\n", body) == []


def test_the_finding_names_the_code_that_may_be_meant() -> None:
    (pin,) = _pins("@nnx.jit\ndef step(m, x):\n    return m(x)\n")
    assert "cannot tell what happens to m" in pin.message
    assert "it may be Net.__call__: attribute n is updated" in _told(pin)


_PARTS = """
from flax import nnx
import functools, jax, typing

class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(1.0)
        self.parts = nnx.List([nnx.Param(0.0)])

    def __call__(self, x):
        BODY
        return x

def touch(m):
    m.__dict__.update(n=2)

@nnx.jit
def step(given, x):
    return READ(x)

step(GIVEN, 1.0)
"""


@pytest.mark.parametrize(
    ("given", "read"),
    [("[Net()]", "given[0]"), ('{"m": Net()}', 'given["m"]'), ("[(Net(), 1)]", "given[0][0]")],
)
@pytest.mark.parametrize(
    "body",
    [
        "self.parts.append(nnx.Param(1.0))",
        "self.parts[0] = nnx.Param(1.0)",
        "functools.update_wrapper(self, touch, updated=())",
        "functools.wraps(touch)(self)",
        "jax.tree.map(touch, [self], is_leaf=lambda each: isinstance(each, Net))",
    ],
)
def test_what_changes_in_an_object_that_a_container_holds_is_pinned(
    given: str, read: str, body: str
) -> None:
    program = _PARTS.replace("BODY", body).replace("READ", read).replace("GIVEN", given)
    assert [each.outcome for each in migrated(program).findings] == [Outcome.PINNED]


@pytest.mark.parametrize("change", ["given.append(x)", "given[0] = given[1]", "given.pop()"])
def test_a_list_that_changes_itself_is_left(change: str) -> None:
    program = _PARTS.replace("BODY", "pass").replace("GIVEN", "[Net(), Net()]")
    changed = program.replace("return READ(x)", f"{change}\n    return x")
    assert not migrated(changed).findings


def test_a_text_that_code_in_sight_executes_may_be_meant() -> None:
    (pin,) = _pins("@nnx.jit\ndef step(m, x):\n    return m(x)\n", 'exec("self.n = 1")')
    assert "it may be Net.__call__: the code that exec() runs" in _told(pin)


@pytest.mark.parametrize(
    ("inner", "pinned"), [("nnx.Linear(2, 2, rngs=r)", False), ("Net()", True)]
)
def test_a_name_bound_to_what_holds_what_it_was_is_known(inner: str, pinned: bool) -> None:
    traced = f"""
def main(x, r):
    m = {inner}
    m = nnx.Sequential(m)
    return nnx.jit(lambda n, y: n(y))(m, x)
"""
    found = _pins(traced)
    assert [each.message.startswith("kept") for each in found] == [True] * pinned
    assert not any("unknown" in each.message for each in found)


@pytest.mark.parametrize(("run", "pinned"), [("d.encode", False), ("elsewhere.some()", True)])
def test_lazy_init_of_a_method_of_a_linen_module_runs_no_other_class(
    run: str, pinned: bool
) -> None:
    traced = f"""
class Outer(nnx.Module):
    def __init__(self):
        self.held = elsewhere.some()

    @nnx.remat
    def __call__(self, x):
        return x

def main(x):
    d = nnx.bridge.ToNNX(elsewhere.Linen(), rngs=nnx.Rngs(0))
    nnx.bridge.lazy_init({run}, x)
"""
    assert len(_pins(traced, body="pass")) == pinned


_LOOP = """
class Buffered(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(()))
        HELD

    def step(self):
        BODY

def main(f):
    return nnx.LOOP
"""
_LOOPS = {
    "fori": "fori_loop(0, 3, lambda i, m: (f(m), m)[1], Buffered())",
    "while": "while_loop(lambda m: True, lambda m: (f(m), m)[1], Buffered())",
}


@pytest.mark.parametrize(
    ("loop", "held", "pinned"),
    [
        ("while", "pass", False),
        ("while", "self.buffer = jnp.zeros(())", True),
        ("fori", "pass", True),
        ("fori", "self.buffer = jnp.zeros(())", True),
    ],
)
def test_what_an_unknown_function_in_a_loop_may_do(loop: str, held: str, pinned: bool) -> None:
    traced = _LOOP.replace("HELD", held).replace("LOOP", _LOOPS[loop]).replace("BODY", "pass")
    assert len(_pins(f"import jax.numpy as jnp\n{traced}")) == pinned


@pytest.mark.parametrize(
    ("body", "pinned"),
    [
        ("m.w[...] += 1", False),
        ("m.eval()", False),
        ("m.sow(nnx.Intermediate, 'h', m.w)", False),
        ("del m.w", False),
        ("m.w = nnx.Param(2.0)", True),
        ("setattr(m, name, 2.0)", True),
    ],
)
def test_what_raises_in_a_loop_in_both_modes_is_left(body: str, pinned: bool) -> None:
    traced = f"""
def touching(m, name):
    {body}

def main(touching):
    return nnx.fori_loop(0, 3, lambda i, m: (touching(m, "w"), m)[1], Net())
"""
    assert len(_pins(traced, body="pass")) == pinned


@pytest.mark.parametrize(
    ("traced", "pinned"),
    [
        ("def step(m, x):\n    return m(x, 1)", False),
        ("def step(m, x):\n    return m(x, train=True)", False),
        ("def step(m):\n    return m()", True),
        ("def step(m, x):\n    return m(x, **x)", True),
        ("def step(m, x):\n    return m(*x, 1)", True),
        ("def step(m: Net, f):\n    return f(1, m)", False),
        ("def step(m: Net, f):\n    return f(m, 1)", True),
        ("def step(m: Net, f):\n    return f(second=1, first=m)", True),
        ("def step(m, f):\n    return f(m, third=1)", False),
        ("def step(m, f):\n    return f(m, 1, 2)", False),
        ("def step(m: Net, f):\n    return f(m, 1, 2)", True),
        ("import functools\ndef step(m: Net, f):\n    return functools.partial(f, m)(1)", True),
    ],
)
def test_what_cannot_be_called_like_that_is_not_meant(traced: str, pinned: bool) -> None:
    code = "def f(first, second):\n    first.n = 2\n"
    head, _, step = traced.rpartition("def ")
    assert len(_pins(f"{code}\n{head}@nnx.jit\ndef {step}\n")) == pinned


def test_methods_that_call_each_other_are_all_looked_at() -> None:
    traced = """
class Even(nnx.Module):
    def to_odd(self, x):
        self.held.to_even(x)
        self.n = 1

class Odd(nnx.Module):
    def to_even(self, x):
        return self.held.to_odd(x)

@nnx.jit
def step(m, x):
    return m.to_odd(x)

@nnx.jit
def other(m, x):
    return m.to_even(x)
"""
    assert len(_pins(traced, body="pass")) == 2


_NUMBERED = """
from flax import nnx

class Quiet(nnx.Module):
    def __call__(self, x):
        return x

class Loud(nnx.Module):
    def __call__(self, x):
        self.n = 1
        return x

class Net(nnx.Module):
    def __init__(self):
        for i in range(2):
            setattr(self, f"block{i}", Quiet())
        self.loud = Loud()

    def __call__(self, x, i):
        return getattr(self, NAME)(x)

@nnx.jit
def step(m: Net, x, i):
    return m(x, i)

def outside(m: Net, i):
    OUTSIDE
"""


@pytest.mark.parametrize(
    ("name", "outside", "pinned"),
    [
        ('f"block{i}"', "pass", False),
        ('"block" + i', "pass", False),
        ('f"{i}block"', "pass", True),
        ('f"lo{i}"', "pass", True),
        ('f"tra{i}"', "pass", True),
        ('f"block{i}"', "m.block3 = Loud()", True),
        ('f"block{i}"', "setattr(m, i, Loud())", True),
        ('f"block{i}"', "vars(m)[i] = Loud()", True),
    ],
)
def test_a_name_whose_beginning_is_seen_may_be_what_begins_so(
    name: str, outside: str, pinned: bool
) -> None:
    found = migrated(_NUMBERED.replace("NAME", name).replace("OUTSIDE", outside)).findings
    assert [each.outcome for each in found] == [Outcome.PINNED] * pinned


_GIVEN = """
from flax import nnx

class Attention(nnx.Module):
    def __init__(self, heads):
        self.heads = heads
        self.bias = nnx.Param(1.0)

    def __call__(self, x, mask):
        x = x + mask
        return x.METHOD(-1, self.heads)

MORE
@nnx.jit
def step(m: Attention, x, mask):
    return m(x, mask)
"""


@pytest.mark.parametrize(
    ("method", "more", "doubted"),
    [
        pytest.param("reshape", "", False, id="a method of arrays"),
        pytest.param("swapaxes", "", False, id="another one"),
        pytest.param("attend", "", True, id="of no array"),
        pytest.param("apply", "", True, id="of arrays and others"),
        pytest.param(
            "reshape",
            "class Shaped(nnx.Module):\n    def reshape(self, n, m):\n        m.n = n\n",
            True,
            id="of a class in sight",
        ),
        pytest.param(
            "reshape", "def reshape(n, m):\n    m.n = n\n", True, id="of a function in sight"
        ),
    ],
)
def test_methods_of_arrays_change_nothing_of_what_they_are_given(
    method: str, more: str, doubted: bool
) -> None:
    text = _GIVEN.replace("METHOD", method).replace("MORE", more)
    doubts = {Outcome.PINNED, Outcome.REWRITTEN_CHECKED}
    assert any(f.outcome in doubts for f in migrated(text).findings) == doubted


_FILTERS = """
from collections.abc import Callable
from typing import Any, Union
from flax import nnx
import jax
import steps

Spec = Union[str, Callable[[Any], Any]]

class Filter(nnx.Module):
    def __init__(self, spec: dict[str, Spec]):
        self.spec = dict(spec)

    def __call__(self, x):
        return {k: x[f] if isinstance(f, str) else f(x) for k, f in self.spec.items()}

class Counter(nnx.Module):
    def __init__(self):
        self.m = 0

    def __call__(self, x):
        self.m += 1
        return x

class Noise(nnx.Module):
    def __init__(self):
        self.n = 0

    def __call__(self, keys, state):
        TOUCHED
        keys, _ = jax.vmap(jax.random.split, out_axes=1)(keys)
        return jax.tree.map(lambda b, k: b.at[0].set(k), state["buffer"], keys)

class Net(nnx.Module):
    def __init__(self, parts):
        self.parts = nnx.List(parts)

    def __call__(self, x, state):
        for part in self.parts:
            x = part(x, state) if isinstance(part, Noise) else part(x)
        return x

net = Net([Filter({"a": "obs", "b": GIVEN}), Noise()])

@nnx.jit
def run(net: Net, x, state):
    return net(x, state)

run(net, {}, {})
"""


def _filter_pins(given: str, touched: str = "pass") -> list[Finding]:
    text = _FILTERS.replace("GIVEN", given).replace("TOUCHED", touched)
    found = migrated(text).findings
    return [each for each in found if each.outcome is Outcome.PINNED]


def test_calls_show_what_a_dictionary_of_functions_holds() -> None:
    assert _filter_pins("lambda x: x['obs']") == []


@pytest.mark.parametrize("given", ["Counter()", "getattr(steps, input())"])
def test_what_a_dictionary_of_functions_holds_may_change(given: str) -> None:
    (pin,) = _filter_pins(given)
    assert "attribute m is updated" in _told(pin)


def test_code_beside_a_batch_of_keys_still_counts() -> None:
    (pin,) = _filter_pins("lambda x: x['obs']", "self.n += 1")
    assert "attribute n is updated" in pin.message


def test_a_method_set_of_the_project_may_be_what_an_element_of_at_has() -> None:
    (pin,) = _pins(
        "class Table(nnx.Module):\n    def set(self, m):\n        m.n = 1\n\n"
        "@nnx.jit\ndef step(m: Net, t):\n    t.at[0].set(m)\n"
    )
    assert "attribute n is set" in _told(pin)


_UNPACKED = """
from flax import nnx
import elsewhere

class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(1.0)

    def __call__(self, x):
        return x

def step(carry, x):
    BODY

net = Net()
nnx.scan(step)((1.0, net), 2.0)
"""


def _unpacked_pins(*body: str) -> list[Finding]:
    found = migrated(_UNPACKED.replace("BODY", "\n    ".join(body))).findings
    return [each for each in found if each.outcome is Outcome.PINNED]


def test_what_is_done_to_another_part_of_a_carry_is_not_done_to_the_object() -> None:
    assert _unpacked_pins("x, m = carry", "y = elsewhere.run(x)", "return (x, m), y") == []


@pytest.mark.parametrize(
    "body",
    [
        ("x, m = carry", "y = elsewhere.run(m)", "return (x, m), y"),
        ("x, m = carry", "y = elsewhere.run(carry)", "return (x, m), y"),
        ("x, *m = carry", "y = elsewhere.run(m)", "return (x, *m), y"),
        ("x, m = carry", "n = m", "y = elsewhere.run(n)", "return (x, m), y"),
        ("x = m = carry", "y = elsewhere.run(m)", "return x, y"),
    ],
)
def test_an_object_that_is_unpacked_may_change(body: tuple[str, ...]) -> None:
    assert any("elsewhere.run" in each.message for each in _unpacked_pins(*body))


@pytest.mark.parametrize(
    "traced",
    [
        "@nnx.jit\ndef step(m: Net):\n    return elsewhere.run(m)\n",
        "@nnx.jit\ndef step(m: Net, f):\n    return elsewhere.use(f, m)\n",
        "def main(m: Net, f):\n    return nnx.jit(f)(m)\n",
        "def main(m: Net, fs):\n    return nnx.cond(True, *fs, m)\n",
        "jit = [nnx.jit]\n",
    ],
)
def test_code_out_of_sight_may_be_taken_for_harmless(traced: str) -> None:
    (pin,) = _pins(traced)
    assert {each.permission for each in pin.evidence} == {Permission.UNKNOWN_EFFECTS}
    assert _pins(traced, allowed=True) == []


@pytest.mark.parametrize(
    ("traced", "changed"),
    [
        # Code in sight may be meant, or is called beside what is not known.
        ("@nnx.jit\ndef step(m, x):\n    return m(x)\n", "m"),
        ("@nnx.jit\ndef step(m: Net, f):\n    return f(m)\n", "f"),
        ("@nnx.jit\ndef step(m: Net, n: Net):\n    touch(n)\n    return elsewhere.run(m)\n", "n"),
        ("@nnx.jit\ndef step(m: Net):\n    touch(m)\n    return elsewhere.run(m)\n", "m"),
        ("def main(m: Net, f):\n    return nnx.jit(touch if f else elsewhere.run)(m)\n", "m"),
        ("def main(m: Net, f):\n    return nnx.cond(True, touch, f, m)\n", "m"),
    ],
)
def test_code_in_sight_is_never_taken_for_harmless(traced: str, changed: str) -> None:
    (pin,) = _pins(traced, allowed=True)
    assert re.search(rf"(changes|happens to) {changed}\b", pin.message)
