"""Which functions of a file may be given a parameter more: those of which all uses are seen."""

from __future__ import annotations

import ast
import enum
import itertools
from collections.abc import Collection

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.main_guard import is_main_guard
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.analysis.symbols.visibility import is_visible_outside
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import NotRewritten
from nnx_migrate.rewrite.model.functions import is_owned
from nnx_migrate.sources.bound_names import binds


@enum.unique
class NotAllSeen(Cause):
    """Why not all uses of a name are to be seen in its file."""

    OUTSIDE = "code outside of the project may use {name}"
    OTHER_FILE = "{place} may also use {name}"
    BOUND_AGAIN = "{name} is bound more than once"
    MORE_THAN_CALLED = "{name} is also used as a value (line {line})"
    NOT_CALLED = "{name} is not called in this file"


def check_in_file(context: FileContext, scope: Scope, name: str) -> None:
    """No code but that of the file may use a name.

    Args:
        scope: that binds it.

    Raises:
        NotRewritten: other code may.
    """
    if scope.function != ir.MODULE_SCOPE or _is_bound_when_started(context, scope, name):
        return
    if is_visible_outside(context.project, scope.module, name):
        raise NotRewritten(NotAllSeen.OUTSIDE.about(name=name))
    for other in context.analysis.imports.importers(scope.module, (name,)):
        raise NotRewritten(NotAllSeen.OTHER_FILE.about(Place(other.module), name=name))


#: What binds a name in the scope that it stands in; `global` and imports bind others, too.
_AT_ITS_PLACE = ast.Name | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _is_bound_when_started(context: FileContext, scope: Scope, name: str) -> bool:
    """Whether a name is bound under `if __name__ == "__main__":` alone: no import has it.

    Args:
        scope: the module that binds it.
    """
    if scope.module != context.tree.module:
        return False
    binders = [node for node in context.tree.nodes if binds(node, {name})]
    if not all(isinstance(each, _AT_ITS_PLACE) for each in binders):
        return False
    own = [each for each in binders if context.tree.scope(each) == scope]
    return bool(own) and all(_is_guarded(context, each) for each in own)


def _is_guarded(context: FileContext, node: ast.AST) -> bool:
    """Whether it stands in the body of a test at the top of a file whether that is started."""
    path = [node, *context.tree.ancestors(node)]
    for below, above in itertools.pairwise(path):
        if isinstance(above, ast.If) and isinstance(context.tree.parents[above], ast.Module):
            asks = isinstance(above.test, ast.Compare) and isinstance(above.test.ops[0], ast.Eq)
            return below in above.body and asks and is_main_guard(above)
    return False


def is_of_file(context: FileContext, scope: Scope, name: str) -> bool:
    """Whether no code but that of the file may use a name.

    Args:
        scope: that binds it.
    """
    try:
        check_in_file(context, scope, name)
    except NotRewritten:
        return False
    return True


def calls_by_name(
    context: FileContext, scope: Scope, name: str, beside: Collection[ast.Name] = ()
) -> list[ast.Call]:
    """All calls in the file of what a name of it is bound to.

    Args:
        beside: places that read the name for something else, of which more is known.

    Raises:
        NotRewritten: it is bound more than once, or more than called.
    """
    if len(context.project.bindings(scope, name)) != 1:
        raise NotRewritten(NotAllSeen.BOUND_AGAIN.about(name=name))
    calls = []
    for load in context.finder.loads(scope, name):
        if load in beside:
            continue
        call = context.tree.parents[load]
        if not isinstance(call, ast.Call) or call.func is not load:
            raise NotRewritten(NotAllSeen.MORE_THAN_CALLED.about(name=name, line=load.lineno))
        calls.append(call)
    return calls


def all_calls(
    context: FileContext, scope: Scope, name: str, beside: Collection[ast.Name] = ()
) -> list[ast.Call]:
    """All calls of what a name is bound to, which are all in its file.

    Args:
        beside: as for `calls_by_name`.

    Raises:
        NotRewritten: other code may call it, it is more than called, or it is not called.
    """
    calls = calls_by_name(context, scope, name, beside)
    check_in_file(context, scope, name)
    if not calls:
        raise NotRewritten(NotAllSeen.NOT_CALLED.about(name=name))
    return calls


def is_given(context: FileContext, site: Site, definition: AnyFunction) -> bool:
    """Whether nothing but this site uses the function, wherever in the file that is."""
    if is_owned(context, site, definition):
        return True
    if not isinstance(definition, ast.FunctionDef):
        return False
    loads = _loads(context, definition)
    return loads is not None and len(loads) == 1 and loads[0] in (site.function, *site.functions)


def _loads(
    context: FileContext, definition: ast.FunctionDef, decorated: bool = False
) -> list[ast.Name] | None:
    """All places that read the name of a function; None when they are not all seen."""
    scope = context.tree.scope(definition)
    if definition.decorator_list and not decorated:
        return None
    if context.tree.class_around(definition) is not None:
        return None
    if len(context.project.bindings(scope, definition.name)) != 1:
        return None
    if not is_of_file(context, scope, definition.name):
        return None
    return context.finder.loads(scope, definition.name)


def direct_calls(
    context: FileContext, definition: ast.FunctionDef, decorated: bool = False
) -> list[ast.Call] | None:
    """All calls of a function; None when it may be used in other ways too.

    Args:
        decorated: what its decorators make of it is known, and is what is called.
    """
    if _loads(context, definition, decorated) is None:
        return None
    try:
        return calls_by_name(context, context.tree.scope(definition), definition.name)
    except NotRewritten:
        return None


def runs_untraced(
    context: FileContext, function: AnyFunction, around: tuple[AnyFunction, ...] = ()
) -> bool:
    """Whether a function is only called, and by code that no transform runs."""
    if function in around:
        return True
    if not isinstance(function, ast.FunctionDef):
        return False
    calls = direct_calls(context, function)
    if calls is None:
        return False
    callers = (context.tree.function_around(call) for call in calls)
    return all(
        caller is None or runs_untraced(context, caller, (*around, function)) for caller in callers
    )
