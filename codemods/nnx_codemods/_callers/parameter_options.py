"""Options of a transform that list parameters: what they say when the function has one less."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.analysis.sites.site import Site

_NUMBERS = frozenset({"donate_argnums", "static_argnums"})
_NAMES = frozenset({"donate_argnames", "static_argnames"})


def options_without(site: Site, parameter: str, holder: str) -> dict[str, str] | None:
    """The new text of the options of a decorator of `nnx.jit`; None where one of them is not clear.

    Args:
        parameter: the one that the function has no longer.
        holder: the one that it is read from: an option lists both, or neither.
    """
    function = site.function
    if site.options.keys() - _NUMBERS - _NAMES or not isinstance(function, ast.FunctionDef):
        return None
    before = [each.arg for each in function.args.args]
    after = [name for name in before if name != parameter]
    found: dict[str, str] = {}
    for option, given in site.options.items():
        listed = _listed(given, before if option in _NUMBERS else None)
        if listed is None or (parameter in listed) != (holder in listed):
            return None
        left = [name for name in listed if name != parameter]
        if option in _NAMES and left != listed:
            found[option] = _tuple([f'"{name}"' for name in left])
        elif option in _NUMBERS:
            places = [after.index(name) for name in left]
            if left != listed or places != [before.index(name) for name in left]:
                found[option] = _tuple([str(place) for place in places])
    return found


def _listed(given: ast.expr, names: Sequence[str] | None) -> list[str] | None:
    """The parameters that an option lists; None where the code does not show them.

    Args:
        names: those of the function, for an option that counts them.
    """
    items = given.elts if isinstance(given, ast.Tuple | ast.List) else [given]
    found = []
    for item in items:
        match item:
            case ast.Constant(value=str() as name) if names is None:
                found.append(name)
            case ast.Constant(value=int() as place) if names is not None and place < len(names):
                found.append(names[place])
            case _:
                return None
    return found


def _tuple(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
