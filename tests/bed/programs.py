"""Programs of the bed: all forms alone, then drawn combinations of them, by a seed."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import random
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from tests.bed.appliers import APPLIED
from tests.bed.carries import CARRIES
from tests.bed.effects import ALIASING, CHANGING, EFFECTS, HARMLESS
from tests.bed.forms import Applied, Carry, Effect, Inside, Made, Use
from tests.bed.insides import INSIDES
from tests.bed.makings import MADE
from tests.bed.uses import USES

SEED = 17
COUNT = 2500


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """One form along each axis; those left out are the plainest."""

    effect: Effect = EFFECTS[0]
    inside: Inside = INSIDES[0]
    use: Use = USES[0]
    carry: Carry = CARRIES[0]
    applied: Applied = APPLIED[0]
    made: Made = MADE[0]

    @property
    def name(self) -> str:
        """The forms that are not the plainest, in words."""
        plain = Program()
        axes = [field.name for field in dataclasses.fields(self)]
        chosen = [(axis, getattr(self, axis)) for axis in axes]
        unusual = [f"{axis}: {form.name}" for axis, form in chosen if form != getattr(plain, axis)]
        return "; ".join(unusual) or "plain"

    @property
    def key(self) -> str:
        """What its row in the table of results is found by."""
        return hashlib.sha256(self.text().encode()).hexdigest()[:16]

    def text(self) -> str:
        """The program, whose `main` gives the result and the object."""
        head = _HEAD + self._classes() + self.carry.before + self.made.before + self.use.before
        traced, call = self._traced(), self._call()
        if self.carry.inner:
            inner = f"{traced}return {call}\n"
            traced, call = f"def make(model, x):\n{_indented(inner)}", "make(model, x)"
        main = (
            f"model = {self.made.expression}\nx = jnp.ones(())\nout = {call}\nreturn out, model\n"
        )
        return f"{head}{traced}def main():\n{_indented(main)}"

    def _classes(self) -> str:
        inside, effect = self.inside, self.effect
        own = f"{inside.body}\n{inside.before}{inside.methods}{inside.after}"
        base = "Base" if "class Base(" in inside.before else "nnx.Module"
        touch = _function("touch", "m", effect.touch.replace("{m}", "m")) if "touch" in own else ""
        part = _PART if "Part()" in effect.init else ""
        init = f"self.w = nnx.Param(jnp.ones(()))\nself.n = 0\n{effect.init}\n"
        methods = _function("__init__", "self", init)
        if "touches" in own and base == "nnx.Module":
            methods += _function("touches", "self", effect.touch.replace("{m}", "self"))
        methods += inside.methods
        if "Net.create" in self.made.expression:
            methods += f"@classmethod\n{_function('create', 'cls', 'return cls()')}"
        body = inside.body.replace("{t}", effect.touch.replace("{m}", "self"))
        methods += _function("__call__", "self, x", f"{body}\nreturn self.w[...] * x")
        if ".go" in self.use.body or '"go"' in self.use.body:
            methods += _function("go", "self, x", "return self(x)")
        return f"{part}{touch}{inside.before}class Net({base}):\n{_indented(methods)}{inside.after}"

    def _traced(self) -> str:
        carry, applied = self.carry, self.applied
        result = self.effect.result.replace("{m}", carry.held)
        body = f"{carry.body}{self.use.body.replace('{o}', carry.held)}\nreturn {result}"
        if applied.method:
            method = _function("__call__", f"self, {carry.parameters}", body)
            step = f"{applied.method}{_indented(method)}"
        else:
            decorators = f"{applied.decorators}\n" if applied.decorators else ""
            step = decorators + _function("step", carry.parameters, body)
        return applied.before + step + applied.after

    def _call(self) -> str:
        given = ast.parse(f"f({self.carry.arguments})", mode="eval").body
        assert isinstance(given, ast.Call)
        first, *others = [ast.unparse(argument) for argument in given.args] or [""]
        call = self.applied.call.replace("{a}", self.carry.arguments)
        return call.replace("{1}", first).replace("{2}", ", ".join(others))


def programs(seed: int = SEED, count: int = COUNT) -> list[Program]:
    """So many different programs, the same for the same seed."""
    found: dict[str, Program] = {}
    for program in _all(random.Random(seed)):
        if len(found) == count:
            break
        if not (program.applied.exact and (program.carry.loose or program.carry.inner)):
            found.setdefault(program.text(), program)
    return list(found.values())


def _all(drawing: random.Random) -> Iterator[Program]:
    for axis, forms in _AXES.items():
        yield from (dataclasses.replace(Program(), **{axis: form}) for form in forms)
    while True:
        (number,) = drawing.choices((1, 2, 3, len(_AXES)), (20, 45, 25, 10))
        axes = drawing.sample(sorted(_AXES), number)
        chosen = {axis: drawing.choice(_AXES[axis]) for axis in axes}
        (effects,) = drawing.choices((CHANGING, HARMLESS, ALIASING, EFFECTS[:1]), (30, 30, 15, 25))
        chosen["effect"] = drawing.choice(effects)
        yield Program(**chosen)


def _function(name: str, parameters: str, body: str) -> str:
    return f"def {name}({parameters}):\n{_indented(body)}"


def _indented(text: str) -> str:
    return textwrap.indent(text.strip("\n") + "\n", "    ")


_AXES: dict[str, Sequence[Any]] = {
    "effect": EFFECTS,
    "inside": INSIDES,
    "use": USES,
    "carry": CARRIES,
    "applied": APPLIED,
    "made": MADE,
}
_PART = (
    "class Part(nnx.Module):\n    def __init__(self):\n"
    "        self.n = 0\n        self.v = nnx.Param(jnp.ones(()))\n"
)
_HEAD = """\
import asyncio, collections, concurrent.futures, contextlib, copy, dataclasses, enum, functools
import importlib, itertools, operator, sys, types, typing, weakref
import flax.struct, jax, optax
import jax.numpy as jnp
from flax import nnx
"""
