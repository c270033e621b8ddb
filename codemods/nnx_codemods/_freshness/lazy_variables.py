"""Variables that a Linen module makes when `nnx.bridge.lazy_init` first calls it."""

from __future__ import annotations

from nnx_codemods._claims import RuleClaim
from nnx_codemods._unresolved.unseen_functions import may_be_graph_node
from nnx_migrate.analysis.domain.values import Values
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.functions import function_scopes, given_parameters


def made_when_called(context: FileContext, site: Site) -> Evidence | None:
    """Where an initialisation runs the function of a transform on an object that may make some.

    Once that is done a `ToNNX` makes nothing any more, so that a transform of it is the same in
    both modes everywhere else.
    """
    for scope in function_scopes(context, site):
        where = context.analysis.lazy_inits.around(scope)
        if where is None:
            continue
        for _, name, values in given_parameters(context, site, scope):
            if may_be_graph_node(context, values) and _may_make(context, values):
                claim = str(RuleClaim.LAZY.about(name=name))
                return Evidence(claim, Proof.ASSUMED, where)
    return None


def _may_make(context: FileContext, values: Values) -> bool:
    """Whether it may hold a ToNNX, of which nobody sees what it makes."""
    return bool(context.analysis.contents.of(values).unseen)
