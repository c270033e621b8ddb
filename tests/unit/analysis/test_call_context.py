"""What a call gives is told apart from what other calls of the function give."""

from __future__ import annotations

import pytest

from tests.unit.analysis.asking import kinds

_HEAD = """
import functools
import jax
from flax import nnx

class Net(nnx.Module):
    pass

class Wide(nnx.Module):
    pass

def pick(flag, a, b):
    return a if flag else b

"""
#: Code whose function `one` asks for `x`, beside one that asks for the other class.
_TOLD_APART = {
    "a class": "def make(cls, n):\n    made = cls()\n    return made",
    "a class under jit": (
        "@functools.partial(jax.jit, static_argnums=0)\n"
        "def make(cls, n):\n    made = cls()\n    return made"
    ),
    "a class by another name": "def make(cls, n):\n    kind = cls\n    return kind()",
    "through another function": (
        "def build(kind):\n    return kind()\n\n"
        "def make(cls, n):\n    built = build(cls)\n    return built"
    ),
    "in a pair": (
        "def pair(cls):\n    return cls(), 1\n\ndef make(cls, n):\n    return pair(cls)[0]"
    ),
    "an object that is passed on": (
        "def same(m):\n    return m\n\ndef make(cls, n):\n    return same(cls())"
    ),
    "by a default": "def make(cls, n, more=None):\n    return cls() if more is None else more",
    "kept by a layer": (
        "def make(cls, n):\n    inner = nnx.Sequential(cls())\n    return inner.layers[0]"
    ),
}
_USES = """

def one():
    x = make(Net, 1)
    return x

def other():
    y = make(Wide, 1)
    return y

one(), other()
"""


@pytest.mark.parametrize("case", _TOLD_APART)
def test_calls_with_another_class_do_not_count(case: str) -> None:
    code = _HEAD + _TOLD_APART[case] + _USES
    assert kinds(code, "x", "one") == {"Net"}
    assert kinds(code, "y", "other") == {"Wide"}


#: The same, where a call may give either.
_JOINED = {
    # What it makes could grow in each turn.
    "around itself": (
        "def make(cls, n):\n    if n:\n        return make(cls, n - 1)\n    return cls()" + _USES
    ),
    "kept outside": (
        "KEPT = []\n\ndef make(cls, n):\n    KEPT.append(cls())\n    return KEPT[-1]" + _USES
    ),
    "a cache": (
        "CACHE = {}\n\ndef make(cls, n):\n    if n not in CACHE:\n        CACHE[n] = cls()\n"
        "    return CACHE[n]" + _USES
    ),
    "either is passed": (
        "def make(cls, n):\n    return cls()"
        + _USES.replace("make(Net, 1)", "make(pick(1, Net, Wide), 1)")
    ),
    "by name, from a mapping": (
        "def make(cls, n):\n    return cls()"
        + _USES.replace("make(Net, 1)", "make(**{'cls': Wide, 'n': 1})")
    ),
    "from a list": (
        "def make(cls, n):\n    return cls()"
        + _USES.replace("make(Net, 1)", "make(*pick(1, [Net, 1], [Wide, 1]))")
    ),
    "from inside": (
        "def make(cls, n):\n    def inner():\n        return cls()\n    return inner()" + _USES
    ),
}


@pytest.mark.parametrize("case", _JOINED)
def test_what_may_be_of_another_call_counts(case: str) -> None:
    assert kinds(_HEAD + _JOINED[case], "x", "one") >= {"Wide"}


def test_nothing_is_known_of_what_is_passed_from_out_of_sight() -> None:
    code = _HEAD + "def make(cls, n):\n    return cls()" + _USES
    code = code.replace("def one():", "def one(cls):").replace("make(Net, 1)", "make(cls, 1)")
    assert "unknown" in kinds(code.replace("one(), ", ""), "x", "one")


_NORMALIZED = """
def normalized(f, scale):
    if scale == 1:
        return f
    def scaled(x):
        return f(x) / scale
    return scaled

def one():
    x = normalized(jax.nn.silu, 1)
    return x

def named(table, name):
    y = normalized(table[name], 1)
    return y

def of_a_module():
    z = normalized(Net(), 1)
    return z
"""


def test_a_function_of_a_library_is_not_what_other_calls_pass() -> None:
    assert kinds(_HEAD + _NORMALIZED, "x", "one") == {"jax.nn.silu", "scaled"}


def test_what_a_call_passes_that_is_not_known_stays_unknown() -> None:
    assert "unknown" in kinds(_HEAD + _NORMALIZED, "y", "named")
    assert kinds(_HEAD + _NORMALIZED, "z", "of_a_module") >= {"Net"}
