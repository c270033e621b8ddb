"""`nnx-migrate check` tells which branches of changed functions no case took."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

pytestmark = pytest.mark.runs_jax

OLD = """\
import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, wide: bool, rngs: nnx.Rngs):
        if wide:
            size = 8
        else:
            size = 4
        self.linear = nnx.Linear(2, size, rngs=rngs)

    def __call__(self, x, mode):
        def scaled(y):
            if mode == "train":
                return y * 2
            elif mode == "eval":
                return y
            else:
                return -y

        return scaled(self.linear(x))


@jax.jit
def same(x):
    if x.ndim > 5:
        return x
    return x + 1


def lost(x):
    if x.ndim > 3:
        x = x * 2
    return x.sum() * 2


def run(model, x, mode):
    match mode:
        case "none":
            return x
        case _:
            return same(model(x, mode))


def never(x):
    if x.ndim:
        return x
    return -x


def chosen(x, train, rate):
    return (x * 2 if train else x) + (rate if rate else 1)
"""
NEW = (
    OLD.replace("y * 2", "2 * y")
    .replace("size = 8", "size = 8 * 1")
    .replace("    if x.ndim > 3:\n        x = x * 2\n", "")
    .replace("return same(", "return 1 * same(")
    .replace("return -x", "return 0 - x")
    .replace("(x * 2 if", "(2 * x if")
)
CASES = """\
from flax import nnx

import work
from nnx_migrate.check import f32


def case_trained(x: f32[3, 2]):
    return work.run, (work.Net(False, nnx.Rngs(0)), x, "train")


def case_trained_again(x: f32[4, 2]):
    return work.run, (work.Net(False, nnx.Rngs(0)), x, "train")


def case_evaluated(x: f32[3, 2]):
    return work.run, (work.Net(False, nnx.Rngs(0)), x, "eval")


def case_lost(x: f32[2]):
    return work.lost, (x,)


def case_chosen(x: f32[3]):
    return work.chosen, (x, False, 0)


def case_chosen_otherwise(x: f32[3]):
    return work.chosen, (x, False, 2)


def case_broken(x: f32[3, 2]):
    return work.run, (work.Net(True, nnx.Rngs(0)), x, "none", 1)
"""


def test_branches_that_no_case_took_are_told(tmp_path: Path, command: Command) -> None:
    for side, text in (("old", OLD), ("new", NEW)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "work.py").write_text(text)
    (tmp_path / "cases.py").write_text(CASES)
    asked = ("check", "old", "new", "--cases", "cases.py", "--platform", "cpu")
    for is_kept in (False, True):
        done = command(*asked, "--format", "json")
        document = json.loads(done.out)
        told = [each["told"] for each in document["branches_not_taken"]]
        # What is the same on both sides is the same in each branch; `never` is no case at all;
        # and what was not checked took nothing.
        assert sorted(told) == [
            "no case took `case 'none'` in run (work.py:40)",
            "no case took `if wide` in Net.__init__ (work.py:9)",
            "no case took `if x.ndim > 3` in lost (work.py:35 of OLD)",
            "no case took the `else` of `if mode == 'eval'` in Net.__call__ (work.py:21)",
            "no case took the value of `... if train` in chosen (work.py:52)",
        ], document
        (wide,) = [each for each in document["branches_not_taken"] if each["what"] == "`if wide`"]
        names = ["cases.py:trained", "cases.py:trained_again", "cases.py:evaluated"]
        assert (wide["side"], wide["cases"]) == ("new", names)
        assert any(case["cached"] for case in document["cases"]) == is_kept
    text = command(*asked, "--exclude", "evaluated").out.decode()
    assert "note: no case took `if mode == 'eval'` in Net.__call__ (work.py:19)\n" in text
    assert "; 6 branches that no case took" in text


TRACED = """\
import jax
import jax.numpy as jnp
from flax import nnx
from jax.lax import switch


def clipped(x):
    return jnp.where(x > 2, 2.0, x) + 1


def turned(x, flag):
    def one(y):
        return y * 2

    return nnx.cond(
        flag,
        one,
        lambda y: -y,
        x,
    )


@jax.jit
def stepped(x, kinds):
    def body(carry, kind):
        return switch(kind, [lambda c: c, lambda c: c * 2, lambda c: c * 3], carry), None

    return jax.lax.scan(body, x, kinds)[0] + 1


def each(x):
    return jax.vmap(lambda a: jax.lax.cond(a > 0, lambda: a, lambda: -a))(x) + 1


def proved(x):
    return 1 + jnp.where(x > 2, 2.0, x)


def same(x):
    return jnp.where(x > 2, 2.0, x)


def looped(x):
    def body(number, total):
        return total + jnp.where(number > 9, 1.0, jax.lax.cond(number < 9, inner, inner, x))

    return jax.lax.fori_loop(0, 3, body, x) + 1


def inner(x):
    return x.sum()
"""
TRACED_NEW = (
    TRACED.replace(" + 1\n", " - -1\n")
    .replace("1 + jnp", "2 - 1 + jnp")
    .replace("return y * 2", "return 2 * y")
)
OF_TRACED = """\
import jax.numpy as jnp
import numpy as np

import work
from nnx_migrate.check import f32


def case_clipped(x: f32[3]):
    return work.clipped, (x * 0,)


def case_turned(x: f32[3]):
    return work.turned, (x, jnp.array(True))


def case_stepped(x: f32[3]):
    return work.stepped, (x, jnp.array([0, 2, 0]))


def case_each(x: f32[3]):
    return work.each, (x * 0 + 1,)


def case_same(x: f32[3]):
    return work.same, (x * 0,)


def case_looped():
    return work.looped, (jnp.ones(()),)
"""


def test_ways_of_traced_code_that_no_case_took_are_told(tmp_path: Path, command: Command) -> None:
    for side, text in (("old", TRACED), ("new", TRACED_NEW)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "work.py").write_text(text)
    (tmp_path / "cases.py").write_text(OF_TRACED)
    asked = ("check", "old", "new", "--cases", "cases.py", "--platform", "cpu")
    for more in ((), (), ("--no-proof",)):
        document = json.loads(command(*asked, *more, "--format", "json").out)
        verdicts = {case["name"]: case["verdict"] for case in document["cases"]}
        assert set(verdicts.values()) <= {"proved", "equal", "close"}, document
        told = sorted(each["told"] for each in document["branches_not_taken"])
        expected = [
            "no case took branch 1 of `switch(kind, ...)` in stepped (work.py:26)",
            "no case took the false branch of `jax.lax.cond(a > 0, ...)` in each (work.py:32)",
            "no case took the false branch of `jax.lax.cond(number < 9, ...)` "
            "in looped (work.py:45)",
            "no case took the true side of `jnp.where(number > 9, ...)` in looped (work.py:45)",
            "no case took the true side of `jnp.where(x > 2, ...)` in clipped (work.py:8)",
        ]
        if more:
            expected.append(
                "no case took the false branch of `nnx.cond(flag, ...)` in turned (work.py:15)"
            )
        assert told == sorted(expected), (more, verdicts, told)
