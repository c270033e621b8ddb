"""What a transform that is a value is applied to, where all that reads the value is in sight.

`jit = nnx.jit if fast else jax.jit`, or one of the values that a test runs with. What is applied is
looked at there, and the transform is kept in graph mode only where that needs it.
"""

from __future__ import annotations

import ast

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.find import SiteFinder
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import FunctionNode
from nnx_migrate.analysis.symbols.visibility import is_visible_outside

#: What code says that may read its names by texts.
_BY_TEXT = frozenset({"eval", "exec", "globals", "locals", "vars"})
_COMPARING = ast.Eq | ast.Is | ast.NotEq | ast.IsNot


def applications(finder: SiteFinder, site: Site) -> list[Site] | None:
    """The calls that apply a transform which is a value; None where there may be others.

    Calls by a name that stands for the transform alone are sites themselves, and left out.
    """
    if site.form != "reference" or site.node is not site.reference:
        return None
    if finder.tree.project.modules[finder.tree.module].says(_BY_TEXT):
        return None
    loads = _loads(finder, site.node)
    if loads is None:
        return None
    found: list[Site] = []
    for load in loads:
        if finder.tree.nnx_name(load) == site.transform or _is_compared(finder, load):
            continue
        if _is_of_another(finder, site, load):
            continue
        applied = finder.site(load, site.transform)
        if applied is None or applied.form == "reference":
            return None
        found.append(applied)
    return found


def _is_compared(finder: SiteFinder, load: ast.Name) -> bool:
    parent = finder.tree.parents[load]
    return isinstance(parent, ast.Compare) and all(isinstance(o, _COMPARING) for o in parent.ops)


def _loads(finder: SiteFinder, node: ast.expr) -> list[ast.Name] | None:
    """What reads the one name that a value gets, by an assignment or as a parameter of a test."""
    tree = finder.tree
    parent = tree.parents[node]
    if isinstance(parent, ast.IfExp) and parent.test is not node:
        parent = tree.parents[parent]
    if isinstance(parent, ast.List | ast.Tuple):
        given = _parameter(finder, parent)
        return None if given is None else finder.loads_of_parameter(*given)
    match parent:
        case ast.Assign(targets=[ast.Name(id=name)]):
            scope = tree.scope(parent)
        case _:
            return None
    bindings = tree.project.bindings(scope, name)
    if not all(isinstance(each, Located) and each.scope == scope for each in bindings):
        return None
    if isinstance(tree.parents.get(parent), ast.ClassDef):
        return None
    if scope.function == ir.MODULE_SCOPE and _is_used_elsewhere(finder, scope.module, name):
        return None
    return finder.loads(scope, name)


def _parameter(finder: SiteFinder, values: ast.List | ast.Tuple) -> tuple[Scope, str] | None:
    """The parameter of a test that a decorator gives one of some values at a time."""
    tree = finder.tree
    given = tree.parents[values]
    call = tree.parents[given] if isinstance(given, ast.keyword) else given
    function = tree.parents[call]
    if not isinstance(call, ast.Call) or not isinstance(function, ast.FunctionDef):
        return None
    if call not in function.decorator_list or not function.name.startswith("test"):
        return None
    dotted = tree.dotted(call.func)
    name: object = None
    if isinstance(given, ast.keyword) and dotted == "absl.testing.parameterized.product":
        name = given.arg
    elif dotted == "pytest.mark.parametrize" and call.args[1:] == [values]:
        named = call.args[0]
        name = named.value if isinstance(named, ast.Constant) else None
    scope = tree.scope_of(function)
    taken = (each.arg for each in (*function.args.args, *function.args.kwonlyargs))
    parameter = next((each for each in taken if each == name), None)
    if parameter is None or parameter in tree.project.function(scope).bindings:
        return None
    return scope, parameter


def _is_of_another(finder: SiteFinder, site: Site, load: ast.Name) -> bool:
    """Whether a call stands where the name is another function: `if jit == jax.jit: ...`."""
    inside: ast.AST = load
    for around in finder.tree.ancestors(load):
        if isinstance(around, FunctionNode | ast.Lambda):
            return False
        if isinstance(around, ast.If) and inside in around.body:
            match around.test:
                case ast.Compare(
                    left=ast.Name(id=name), ops=[ast.Eq() | ast.Is()], comparators=[other]
                ) if name == load.id:
                    dotted = finder.tree.dotted(other)
                    if dotted is not None and finder.tree.nnx_name(other) != site.transform:
                        return True
        inside = around
    return False


def _is_used_elsewhere(finder: SiteFinder, module: str, name: str) -> bool:
    """Whether a name of this file may be read by others."""
    project = finder.tree.project
    if is_visible_outside(project, module, name):
        return True
    dotted = f"{module}.{name}"
    for other in project.modules.values():
        if other.module == module or name not in other.words:
            continue
        for key, function in other.functions.items():
            scope = Scope(other.module, key)
            imported = (v for values in function.bindings.values() for v in values)
            if any(isinstance(v, ir.ImportRef) and v.target == dotted for v in imported):
                return True
            if any(r.name == name and project.dotted(scope, r) == dotted for r in function.reads):
                return True
        if module in other.star_imports:
            return True
    return False
