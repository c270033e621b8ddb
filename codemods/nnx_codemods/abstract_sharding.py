"""Shardings of abstract models: `nnx.eval_shape` in a project that has a mesh.

What it finds
-------------
Calls of `nnx.eval_shape` that give Variables, where a `jax` mesh may be entered around them: in the
function itself or in one that may call it, in this file or in one that imports it or is imported.

Why it matters
--------------
Under a mesh, graph mode gives every abstract Variable a `NamedSharding` made from its metadata. In
tree mode `.sharding` is None, without a word: what is restored from a checkpoint, or handed to
`jax.jit` as `out_shardings`, is placed otherwise (docs/semantics.md: ABS-1).

Before
------
    with jax.set_mesh(mesh):
        abstract = nnx.eval_shape(lambda: Model(rngs=nnx.Rngs(0)))

After
-----
    with jax.set_mesh(mesh):
        abstract = nnx.compat.eval_shape(lambda: Model(rngs=nnx.Rngs(0)))

When it is safe
---------------
This rule rewrites nothing; it pins. `nnx.get_abstract_model` gives the same in both modes, and
replaces the pin where a mesh is at hand.

What it does otherwise
----------------------
Where no such mesh is in sight there are no shardings to lose: the call is left alone. Whether the
mesh is really entered at the time of the call is not followed.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import ARRAY, PLAIN, Scope
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision, Pin
from nnx_migrate.rewrite.model.functions import function_scopes
from nnx_migrate.rewrite.model.rule import Rule


def decide(context: FileContext, site: Site) -> Decision | None:
    scopes = function_scopes(context, site)
    if scopes and all(context.evaluator.returned(s) <= ARRAY | PLAIN for s in scopes):
        return None
    for where, line in _meshes(context):
        if _may_be_around(context, site, where):
            place = Place(where.module, line)
            reason = f"tree mode leaves out the shardings of the mesh ({place})"
            return Pin(RULE.name, reason, (Evidence("a mesh is made", Proof.PROVED, place),))
    return None


def _meshes(context: FileContext) -> Iterator[tuple[Scope, int]]:
    for name in _MAKES_MESH:
        for where, call in context.evaluator.callers.mentions.calls_of(name):
            dotted = context.project.dotted(where, call.func)
            if dotted is None or dotted.startswith("jax."):
                yield where, call.line


def _may_be_around(context: FileContext, site: Site, where: Scope) -> bool:
    here = context.tree.module
    if where.module != here:
        imports = context.analysis.imports
        return here in imports.of(where.module) or where.module in imports.of(here)
    outer = context.outermost_function(site.node)
    if outer is None or isinstance(outer, ast.Lambda):
        return True
    mine = context.tree.scope_of(outer).function
    key: str | None = where.function
    functions = context.project.modules[here].functions
    while key is not None and functions[key].parent is not None:
        if key == mine:
            return True
        key = functions[key].parent
    same_class = functions[where.function].owner == functions[mine].owner is not None
    # What nothing calls, as a test, runs under no mesh but its own and that of its class's set-up.
    mentions = context.evaluator.callers.mentions
    called = mentions.is_called(outer.name) or any(mentions.passed_on(outer.name))
    at_top = functions[where.function].parent is None
    return (
        called or at_top or (same_class and not functions[where.function].name.startswith("test"))
    )


_MAKES_MESH = ("set_mesh", "use_mesh", "make_mesh", "Mesh", "use_abstract_mesh")
RULE = Rule(
    "abstract-sharding",
    of_nnx(lambda t: t.inspects),
    decide,
    project_words=frozenset(_MAKES_MESH),
)
