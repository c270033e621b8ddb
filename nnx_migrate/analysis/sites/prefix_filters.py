"""Whether prefix filters travel: are they made in one place and used in another that is not seen.

Where every `StateAxes` of a project is written in the options of a transform, or bound to a name
that only such options read, a value that is not known cannot be one.
"""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Project

_OPTIONS = frozenset(
    {"in_axes", "out_axes", "in_shardings", "out_shardings", "in_specs", "out_specs", "argnums"}
)

_TAKERS = of_nnx(lambda t: t.maps_axes or t.places or t.differentiates) | {"partial"}


def filters_travel(project: Project, class_name: str) -> bool:
    """Whether a filter of that class is returned, stored or passed on anywhere in the project.

    Args:
        class_name: "StateAxes", "StateSharding" or "DiffState".
    """
    return any(
        project.holds(record)
        for tables in project.tables
        for record in tables.records_where(class_name, _is_left_by)
    )


def _is_left_by(record: ir.ModuleIndex, class_name: str) -> bool:
    """Whether such a filter leaves the function of a file that makes it."""
    return any(_leaves(function, class_name) for function in record.functions.values())


def _leaves(function: ir.Function, class_name: str) -> bool:
    holders: set[str] = set()
    while True:  # a name bound to a tuple of a name bound to a filter
        found = {
            name
            for name, values in function.bindings.items()
            if any(_holds(value, class_name, holders) for value in values)
        }
        if found <= holders:
            break
        holders |= found
    if any(_holds(value, class_name, holders) for value in (*function.returns, *function.yields)):
        return True
    if any(w.value is not None and _holds(w.value, class_name, holders) for w in function.writes):
        return True
    return any(_passes_on(call, class_name, holders) for call in function.calls)


def _passes_on(call: ir.Call, class_name: str, holders: set[str]) -> bool:
    if _plain_name(call.func) in {class_name, "tuple", "list", "len", "append", "extend"}:
        return False
    if any(_holds(arg, class_name, holders) for arg in call.args if not _is_call(arg)):
        return True
    options = _OPTIONS if _plain_name(call.func) in _TAKERS else frozenset()
    return any(
        keyword not in options and _holds(value, class_name, holders)
        for keyword, value in call.keywords
        if not _is_call(value) or _plain_name(value) == class_name
    )


def _is_call(expr: ir.Expr) -> bool:
    """Whether an argument is a call, which is looked at by itself."""
    return isinstance(expr, ir.Call)


def _holds(expr: ir.Expr, class_name: str, holders: set[str]) -> bool:
    if isinstance(expr, ir.Name):
        return expr.id in holders
    if isinstance(expr, ir.Call):
        name = _plain_name(expr.func)
        if name == class_name:
            return True
        return name in {"tuple", "list"} and any(_holds(a, class_name, holders) for a in expr.args)
    return any(_holds(part, class_name, holders) for part in _parts(expr))


def _parts(expr: ir.Expr) -> Iterator[ir.Expr]:
    for name in expr.__match_args__:
        value = getattr(expr, name)
        for part in value if isinstance(value, tuple) else (value,):
            if hasattr(part, "__match_args__"):
                yield part


def _plain_name(expr: ir.Expr) -> str:
    return expr.name if isinstance(expr, ir.Attribute) else getattr(expr, "id", "")
