"""Where graph mode without its updates is enough: `graph=True, graph_updates=False`.

It keeps what is shared, takes what is no tree, and writes values of Variables back like graph mode.
What it does not write back is structure: attributes that are set, Variables that are replaced, what
is sown. And it takes no object back that went in (docs/semantics.md: ENV-6).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.domain.containers import all_leaves
from nnx_migrate.analysis.domain.values import ARRAY, PLAIN, Values
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.rewrite.claims import PlanClaim
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Pin
from nnx_migrate.rewrite.model.functions import (
    definition_of,
    free_names,
    function_scopes,
    given_parameters,
)

#: Their results, updates and numbers of calls are the same in both (docs/semantics.md: ENV-6).
_THE_SAME = of_nnx(
    lambda t: (
        (t.compiles and not t.maps_axes)
        or t.by_place == "static"
        or (t.operands is not None and t.operands.carried is None)
    )
)
#: Options that say nothing of objects. What is donated, or placed, was not compared.
_OF_NO_MATTER = frozenset({"static_argnums", "static_argnames", "inline", "keep_unused"}) | {
    "policy",
    "prevent_cse",
}


def enough(context: FileContext, site: Site, pins: Sequence[Pin]) -> tuple[Evidence, ...]:
    """Why it is enough at a site that is pinned; empty where it is not, or not known to be.

    Args:
        pins: all that the rules say of it.
    """
    if not all(pin.sharing for pin in pins) or site.transform not in _THE_SAME:
        return ()
    if site.wrapper is not None or not site.complete or not _OF_NO_MATTER.issuperset(site.options):
        return ()
    scopes = function_scopes(context, site)
    # What is said of a Variable beside its value comes out of this mode, and of graph mode not.
    if context.project.has_word("set_metadata"):
        return ()
    if not scopes or not context.analysis.extents.is_free_of_mode(scopes):
        return ()  # functions of nnx that run inside follow the default
    for scope in scopes:
        for _, name, values in given_parameters(context, site, scope):
            # What is done with an array changes no object, and it may come back.
            if not _is_data(values) and context.effects_of(scope, name):
                return ()
    if any(_captures_objects(context, each) for each in _definitions(context, site)):
        return ()
    where = context.where(site.node)
    claim = str(PlanClaim.KEEPS_AND_RETURNS_NONE)
    return (Evidence(claim, Proof.PROVED, where),)


def _is_data(values: Values) -> bool:
    """Whether it is made of arrays and numbers alone."""
    return all_leaves(values, (ARRAY | PLAIN).__contains__)


def _definitions(context: FileContext, site: Site) -> Iterator[AnyFunction | None]:
    functions = site.branches if site.form == "operands" else (site.function,)
    for function in functions:
        several = function.elts if isinstance(function, ast.List | ast.Tuple) else (function,)
        for each in several:
            yield definition_of(context, each)


def _captures_objects(context: FileContext, definition: AnyFunction | None) -> bool:
    """Whether a function may use an object that it is not given; so may one that is not seen."""
    if definition is None:
        return True
    kind = context.evaluator.hierarchy.kind
    return any(
        kind(getattr(value, "class_name", "")) in _OBJECTS
        for name in free_names(context, definition)
        for value in context.values(name)
    )


_OBJECTS = frozenset({"module", "variable", "rngs", "optimizer", "metric", "state"})
