"""Programs that reach a model in every way that people write, made from tables."""

from __future__ import annotations

import dataclasses
import itertools
import textwrap
from collections.abc import Iterator
from pathlib import Path

_FOLDER = Path(__file__).parent / "reached"
_HEAD = """\
import asyncio, collections, concurrent.futures, contextlib, dataclasses, functools, importlib
import itertools, operator, sys, threading, types, typing, weakref
import flax, jax
import jax.numpy as jnp
from flax import nnx, struct


class Net(nnx.Module):
    def __init__(self):
        self.count = nnx.BatchStat(jnp.zeros(()))
        self.n = 0

    def __call__(self, x):
        self.count[...] += 1
        self.n += 1
        return x * 2

    def run(self, x):
        return self(x)


"""
_MAIN = """

def main():
    model, x = Net(), jnp.ones(2)
{body}
    return out, model.count[...], model.n
"""
_DECORATED = "@nnx.jit\ndef run(m: Net, x):\n    return m(x)\n"
_BOUND = "def step(m: Net, x):\n    return m(x)\nrun = nnx.jit(step)\n"
_EFFECTS = ("self.n += 1", "m.n += 1")
_QUIET = "pass"


@dataclasses.dataclass(frozen=True, slots=True)
class Reached:
    """A program whose `main` returns what a traced call did to a model.

    Args:
        text: the whole file.
        quiet: the same where the call changes Variables alone.
    """

    text: str
    quiet: str


#: Programs of this table hand on the transform, or a function that is not seen: they are pinned
#: whatever the call changes.
HANDED = "handed"


def programs() -> dict[str, Reached]:
    """Each program of the tables, with and without the annotations of its parameters."""
    return dict((*_written(), *_held()))


def _written() -> Iterator[tuple[str, Reached]]:
    for path in sorted(_FOLDER.glob("*.txt")):
        for part in path.read_text(encoding="utf-8").split("#--- ")[1:]:
            name, _, text = part.partition("\n")
            head, _, body = text.partition("#=\n")
            annotated = _program(head, body)
            bound = annotated.replace(_DECORATED, _BOUND)  # the same with a name for what jit gives
            forms = {"-annotated": annotated, "": annotated.replace("m: Net", "m")}
            forms |= {"-bound": bound.replace("m: Net", "m")} if bound != annotated else {}
            for form, program in forms.items():
                yield f"{path.stem}-{name.strip()}{form}", _reached(program)


_FIELDS = "    model: {field}\n    k: typing.Any\n"
#: Classes whose instances hold a model.
_HOLDERS = {
    "named-tuple": "class State(typing.NamedTuple):\n" + _FIELDS,
    "dataclass": "@jax.tree_util.register_dataclass\n@dataclasses.dataclass\nclass State:\n"
    + _FIELDS,
    "struct": "@struct.dataclass\nclass State:\n" + _FIELDS,
    "tree-node": "class State(struct.PyTreeNode):\n" + _FIELDS,
    "pytree": "@nnx.dataclass\nclass State(nnx.Pytree):\n"
    + _FIELDS.replace("Any", "Any = nnx.data()"),
    "module": "@dataclasses.dataclass\nclass State(nnx.Module):\n" + _FIELDS,
    "collections": 'State = collections.namedtuple("State", "model k")\n',
    "constructor": (
        "class State(nnx.Module):\n    def __init__(self, model: {field}, k):\n"
        "        self.model, self.k = model, k\n"
    ),
}
#: What the field that holds it is declared as.
_DECLARED = {
    "module": "nnx.Module",
    "any": "typing.Any",
    "object": "object",
    "net": "Net",
    "callable": "typing.Callable",
    "optional": "nnx.Module | None",
}
#: How a traced function gets at it.
_USES = {
    "called": "return s.model(x)",
    "named": "m = s.model\n    return m(x)",
    "handed-on": "return use(s.model, x)",
    "method": "return s.model.run(x)",
    "by-name": 'return getattr(s, "model")(x)',
}
#: How its holder is made.
_MADE = {
    "by-place": "State(model, 1.0)",
    "by-keyword": "State(k=1.0, model=model)",
    "unpacked": 'State(**{"model": model, "k": 1.0})',
    "starred": "State(*(model, 1.0))",
    "by-a-function": "make(model)",
    "partial": "functools.partial(State, model)(1.0)",
}
#: Of so many held programs one is taken: the number divides none of the lengths of the tables.
_STRIDE = 7
_HOLDING = """\
def use(m, x):
    return m(x)


{holder}

def make(m):
    return State(m, 1.0)


@nnx.jit
def step(s{annotation}, x):
    {use}
"""


def _held() -> Iterator[tuple[str, Reached]]:
    table = itertools.product(_HOLDERS, _DECLARED, _USES, _MADE, ("", ": State"))
    for holder, field, use, made, annotation in itertools.islice(table, 0, None, _STRIDE):
        name = f"held-{holder}-{field}-{use}-{made}{annotation and '-annotated'}"
        held = _HOLDERS[holder].format(field=_DECLARED[field])
        head = _HOLDING.format(holder=held, annotation=annotation, use=_USES[use])
        yield name, _reached(_program(head, f"out = step({_MADE[made]}, x)\n"))


def _program(head: str, body: str) -> str:
    return _HEAD + head + _MAIN.format(body=textwrap.indent(body.rstrip("\n"), " " * 4))


def _reached(text: str) -> Reached:
    quiet = text
    for effect in _EFFECTS:
        quiet = quiet.replace(effect, _QUIET)
    return Reached(text, quiet)
