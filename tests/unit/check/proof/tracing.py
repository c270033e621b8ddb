"""Programs from functions, for the tests of the proof."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax

from nnx_migrate.check.proof import Program, Refused, canonical_program

Function = Callable[..., Any]


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two functions of the same arguments."""

    name: str
    old: Function
    new: Function
    arguments: tuple[Any, ...]


def path_of(path: Any) -> str:
    return jax.tree_util.keystr(path)


def last_key(path: Any) -> str:
    return str(path[-1].key)


def trace(
    function: Function, *arguments: Any, role: Callable[[Any], str] = path_of
) -> Program | Refused:
    """Inputs are named by what `role` makes of their paths."""
    leaves = jax.tree_util.tree_flatten_with_path(arguments)[0]
    names = [role(path) for path, _ in leaves]
    return canonical_program(jax.make_jaxpr(function)(*arguments), names)


def program(function: Function, *arguments: Any, role: Callable[[Any], str] = path_of) -> Program:
    traced = trace(function, *arguments, role=role)
    assert isinstance(traced, Program), traced
    return traced


def equal(pair: Pair) -> bool:
    old, new = (program(f, *pair.arguments) for f in (pair.old, pair.new))
    return old.outputs == new.outputs
