"""Shardings of abstract models: `nnx.eval_shape` in a project that has a mesh.

What it finds
-------------
Calls of `nnx.eval_shape` that give Variables, where a mesh may be set around them
(`jax.set_mesh(mesh)`, in a `with` block or for good): in the function itself or in one that may
call it, in this file or in one that some program of the project runs together with it.

Why it matters
--------------
Under a mesh, graph mode gives every abstract Variable a `NamedSharding` made from its metadata. In
tree mode, `.sharding` is None, and nothing raises. Arrays that are restored from a checkpoint, or
that `jax.jit` places by these `out_shardings`, get another placement (docs/semantics.md: ABS-1).

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
replaces the pin where a mesh is at hand. With `--allow unread-shardings`, the call is left alone.

What it does otherwise
----------------------
Where no such mesh is in sight there are no shardings to lose: the call is left alone. A mesh that
is only made, or entered by itself (`with mesh:`), is not set in that sense.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

from collections.abc import Iterator

from nnx_codemods._claims import RuleClaim
from nnx_codemods._meshes.entered import SETS_MESH, meshes_around
from nnx_migrate.analysis.domain.values import ARRAY, PLAIN
from nnx_migrate.analysis.effects.never_ran import NeverRan
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision, Pin, Same
from nnx_migrate.rewrite.model.functions import function_scopes
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.rewrite.model.unobserved import seen_place
from nnx_migrate.sources.facts.observed_facts import MESH, NO_MESH


class MeshCause(Cause):
    """Why an abstract model differs by the mode."""

    SHARDINGS_UNREAD = "unchanged: tree mode omits the shardings of the mesh ({place}){allowed}"
    SHARDINGS_LEFT_OUT = "tree mode omits the shardings of the mesh ({place})"


_WITH_METADATA = frozenset({"flax.nnx.with_partitioning", "flax.nnx.with_metadata"})


def decide(context: FileContext, site: Site) -> Decision | None:
    scopes = function_scopes(context, site)
    if scopes and all(context.evaluator.returned(s) <= ARRAY | PLAIN for s in scopes):
        return None
    mesh = next(meshes_around(context, site), None)
    if mesh is not None and not _ran_without_a_mesh(context, site):
        return _decided(context, Place(mesh.where.module, mesh.line), "a mesh is set")
    if place := next(_variables_with_a_mesh(context), None):
        return _decided(context, place, "a Variable has a mesh")
    return None


def _ran_without_a_mesh(context: FileContext, site: Site) -> bool:
    """Whether runs have shown what is called, or the line of the call, and never under a mesh."""
    place = seen_place(context, site)
    around = () if place is None else place.around
    if MESH in around:
        return False
    never = NeverRan(context.project)
    scopes = function_scopes(context, site)
    if any(never.under_a_mesh(each) is None for each in scopes):
        return False
    return bool(scopes) or NO_MESH in around


def _decided(context: FileContext, place: Place, claim: str) -> Decision:
    shown = Evidence(claim, Proof.PROVED, place)
    allowed = Permission.UNREAD_SHARDINGS
    reads = Evidence(str(RuleClaim.SHARDINGS_MAY_BE_READ), Proof.ASSUMED, None, allowed)
    if context.options.allows(allowed):
        reason = MeshCause.SHARDINGS_UNREAD.about(place, allowed=allowed.told)
        return Same(RULE.name, reason, (shown, reads))
    return Pin(RULE.name, MeshCause.SHARDINGS_LEFT_OUT.about(place), (shown, reads))


def _variables_with_a_mesh(context: FileContext) -> Iterator[Place]:
    """Where metadata of a Variable names a mesh, which then need not be set."""
    imports = context.analysis.imports
    for where, call in context.evaluator.callers.mentions.calls_with_keyword("mesh"):
        dotted = context.project.dotted(where, call.func)
        if dotted is None or not imports.in_one_program(context.tree.module, where.module):
            continue
        if dotted in _WITH_METADATA or context.evaluator.hierarchy.kind(dotted) == "variable":
            yield Place(where.module, call.line)


RULE = Rule(
    "abstract-sharding",
    of_nnx(lambda t: t.inspects),
    decide,
    project_words=frozenset({*SETS_MESH, "mesh"}),
    way_out=(
        "pass the mesh (nnx.get_abstract_model(f, mesh)), or do not read shardings from the result"
    ),
)
