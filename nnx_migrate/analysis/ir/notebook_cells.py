"""Cells of a marimo notebook: functions whose parameters are the names that other cells bind.

    @app.cell
    def _(nnx, jnp):
        model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
        return (model,)

Marimo runs the bodies in one namespace, and lets no two of them bind the same name.
"""

from __future__ import annotations

from nnx_migrate.analysis.ir import nodes as ir

_APP = "marimo.App"
#: Nothing else is asked of a file that does not say so.
_WORDS = frozenset({"App"})


def notebook_cells(index: ir.ModuleIndex) -> frozenset[str]:
    """The keys of the functions of a file that are cells.

    Args:
        index: the record of the file.
    """
    if not index.says(_WORDS):
        return frozenset()
    module = index.functions[ir.MODULE_SCOPE]
    apps = {
        name
        for name, values in module.bindings.items()
        if any(
            isinstance(value, ir.Call) and _imported(module, value.func) == _APP for value in values
        )
    }
    if not apps:
        return frozenset()
    return frozenset(
        key
        for key, function in index.functions.items()
        if function.parent == ir.MODULE_SCOPE
        and function.owner is None
        and any(_is_cell(decorator, apps) for decorator in function.decorators)
    )


def _imported(module: ir.Function, func: ir.Expr) -> str:
    """The dotted name of what a file imports and calls by a plain name."""
    match func:
        case ir.Attribute(base=ir.Name() as base, name=name):
            return f"{_imported(module, base)}.{name}"
        case ir.Name(id=name):
            values = module.bindings.get(name, ())
            return next((each.target for each in values if isinstance(each, ir.ImportRef)), "")
        case _:
            return ""


def _is_cell(decorator: ir.Expr, apps: set[str]) -> bool:
    match decorator:
        case ir.Call(func=func):
            return _is_cell(func, apps)
        case ir.Attribute(base=ir.Name(id=name), name="cell"):
            return name in apps
        case _:
            return False
