"""Random streams split or forked in place: `nnx.split_rngs(model, ...)`, `nnx.fork_rngs(model)`.

What it finds
-------------
`nnx.split_rngs` and `nnx.fork_rngs` called on an object: as a statement, in a `with`, or for the
backups that `nnx.restore_rngs` takes; or passed on as values, so that what they are called with
cannot be seen. Their use as decorators is the same in both modes.

Why it matters
--------------
Graph mode changes the object and returns backups. Tree mode returns a new object and leaves the
old one as it is. A statement silently does nothing, and the model draws other random numbers. As a
context manager, it raises a TypeError (docs/semantics.md: RNG-1, RNG-2).

Before
------
    with nnx.split_rngs(model, splits=4, only="dropout"):
        y = forward(model, x)

After
-----
    with nnx.compat.split_rngs(model, splits=4, only="dropout"):
        y = forward(model, x)

When it is safe
---------------
Always: the `compat` name does in both modes what graph mode does. The idiom of tree mode is to
use the object that is returned, `forked = nnx.split_rngs(model, ...)`.

What it does otherwise
----------------------
Nothing else is needed.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast
import enum

from nnx_codemods._next_steps import NextStep
from nnx_migrate.analysis.domain.values import FunctionValue
from nnx_migrate.analysis.flax.transforms import SPLITTERS
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision, Pin
from nnx_migrate.rewrite.model.rule import Rule


@enum.unique
class InPlaceCause(Cause):
    """Why streams that are split in place keep graph mode."""

    ARGUMENT_HIDDEN = ("its arguments are unknown", NextStep.SPLIT_AROUND)
    RETURNS_BACKUPS = ("it changes the object in place and returns backups", NextStep.SPLIT_AROUND)


def decide(context: FileContext, site: Site) -> Decision | None:
    if site.form == "reference":
        call = context.tree.parents.get(site.reference)
        if isinstance(call, ast.Call) and call.func is site.reference and not call.args:
            return None  # it makes a decorator
        return Pin(RULE.name, InPlaceCause.ARGUMENT_HIDDEN, bare=True)
    if site.form != "call" or not isinstance(site.function, ast.expr):
        return None
    if isinstance(site.function, ast.Lambda) or site.uses:
        return None
    values = context.values(site.function)
    if any(isinstance(value, FunctionValue) for value in values):
        return None
    return Pin(RULE.name, InPlaceCause.RETURNS_BACKUPS, bare=True)


RULE = Rule(
    "rng-split-in-place",
    SPLITTERS,
    decide,
    way_out="use nnx.split_rngs as a decorator of a function",
)
