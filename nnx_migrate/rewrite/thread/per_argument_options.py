"""The options of a transform that say something of each argument, when there are more of these."""

from __future__ import annotations

import ast

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.causes import ThreadCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.style.options import option_edits
from nnx_migrate.rewrite.style.spelling import Spelling
from nnx_migrate.rewrite.style.tuple_display import appended
from nnx_migrate.rewrite.text.edits import Edit

_PLACES = frozenset({"argnums", "static_argnums", "donate_argnums"})
#: Options with an entry for every argument, which are not extended here.
_PER_ARGUMENT = frozenset({"in_shardings", "in_specs", "prevent_cse_argnums"})
_SPECS = frozenset({"jax.sharding.PartitionSpec", "jax.P"})


def option_edits_of(context: FileContext, site: Site, count: int, added: int) -> list[Edit]:
    """Edits to the options that say something of each argument.

    Raises:
        CannotEmit: they cannot say it of more arguments.
    """
    if site.spec.places and not site.spec.compiles:  # of all arguments, always
        return _specs(context, site, count, added)
    if site.options.keys() & _PER_ARGUMENT:
        raise CannotEmit(ThreadCause.OPTION_OF_EVERY_ARGUMENT)
    for name in _PLACES & site.options.keys():
        if any(isinstance(node, ast.USub) for node in ast.walk(site.options[name])):
            raise CannotEmit(ThreadCause.COUNTED_FROM_LAST)
    if not site.spec.maps_axes:
        return []
    axes = site.options.get("in_axes")
    if isinstance(axes, ast.Tuple):
        if len(axes.elts) != count or any(isinstance(e, ast.Starred) for e in axes.elts):
            raise CannotEmit(ThreadCause.AXES_OTHER_NUMBER)
        return [appended(context, axes, ["None"] * added)]
    entries = _entries(context, site, axes, count)
    text = ", ".join([*entries, *["None"] * added])
    return option_edits(context, site, {"in_axes": f"({text})"})


def _entries(context: FileContext, site: Site, axes: ast.expr | None, count: int) -> list[str]:
    """in_axes for each argument, where it is not written as a tuple."""
    carry = f"{Spelling.at(context, site.reference).nnx}.Carry"
    if axes is None and site.spec.carries:
        if count != 2:
            raise CannotEmit(ThreadCause.AXES_OTHER_NUMBER)
        return [carry, "0"]
    if axes is None:
        return ["0"] * count
    if context.tree.nnx_name(axes) == "Carry" and count == 1:
        return [context.text.of(axes)]
    if isinstance(axes, ast.Constant) and type(axes.value) is int and not site.spec.carries:
        return [context.text.of(axes)] * count
    raise CannotEmit(ThreadCause.AXES_NOT_WRITTEN)


def _specs(context: FileContext, site: Site, count: int, added: int) -> list[Edit]:
    """Every device has all of an object that was captured."""
    specs = site.options.get("in_specs")
    if specs is None:
        raise CannotEmit(ThreadCause.SPECS_NOT_WRITTEN)
    spec = _spec(context, site)
    if not isinstance(specs, ast.Tuple):
        entries = [context.text.of(specs)] * count + [spec] * added
        return option_edits(context, site, {"in_specs": f"({', '.join(entries)})"})
    if len(specs.elts) != count or any(isinstance(each, ast.Starred) for each in specs.elts):
        raise CannotEmit(ThreadCause.SPECS_OTHER_NUMBER)
    return [appended(context, specs, [spec] * added)]


def _spec(context: FileContext, site: Site) -> str:
    """An empty PartitionSpec, as the site writes others."""
    for option in ("in_specs", "out_specs"):
        for node in ast.walk(site.options[option]) if option in site.options else ():
            if isinstance(node, ast.Call) and context.tree.dotted(node.func) in _SPECS:
                return f"{context.text.of(node.func)}()"
    raise CannotEmit(ThreadCause.SPEC_NOT_SPELLED)
