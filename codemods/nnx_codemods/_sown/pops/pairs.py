"""A call that sows, and the `nnx.pop` that takes what it sowed: are they a pair in the text?"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_codemods._sown.pops.functions import filters_of, popper_of
from nnx_migrate.analysis.domain.values import Instance, LibraryValue, Scope
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.sown_plans import CapturedCall
from nnx_migrate.rewrite.style.evaluation_order import evaluated_before
from nnx_migrate.rewrite.style.layout import is_hoistable, why_unhoistable

_SIMPLE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return
#: Objects of the library that hold no Module of the program.
_LIBRARY_KINDS = frozenset({"optimizer", "metric", "rngs"})
LEAVING = ast.Return | ast.Break | ast.Continue | ast.Raise | ast.Yield | ast.YieldFrom | ast.Await


def popped_after(
    context: FileContext, use: ast.Call, own: ast.expr | None = None
) -> CapturedCall | str:
    """The pop that follows a call of a function that sows on its first argument.

    Nothing between the two may do anything with the object, and one may not run without the other.

    Args:
        own: of a method, the object that it is called of.

    Returns:
        The pair, or in words why there is none.
    """
    where = f"line {use.lineno}"
    model = own if own is not None else use.args[0] if use.args else None
    if not isinstance(model, ast.Name):
        return f"the object is not passed by its name as the first argument ({where})"
    others = [arg for arg in use.args if arg is not model]
    others += [keyword.value for keyword in use.keywords if keyword.value is not model]
    if any(mentioned(other, model.id) for other in others):
        return f"{model.id} is passed twice ({where})"
    statement = context.tree.statement(use)
    inside = why_not_alone(statement, use)
    if inside and (reason := why_not_before(context, statement, use)):
        return f"{inside}, and {reason} ({where})"
    pop = _pop_beside(context, statement, use, model.id) or _next_pop(context, statement, model)
    if isinstance(pop, str):
        return f"{pop} ({where})"
    popping = context.tree.statement(pop)
    if len(mentions_of(statement, model.id)) != (2 if popping is statement else 1):
        return f"{model.id} is used twice in the statement ({where})"
    between = [] if popping is statement else statements_between(context, statement, popping)
    if any(isinstance(node, LEAVING) for each in between for node in ast.walk(each)):
        return f"code between the call and nnx.pop may leave ({where})"
    later = [*([statement] if inside and popping is not statement else []), *between, popping]
    foreign = foreign_call(context, statement, later, pop, use, *calls_around(context, pop))
    if foreign is not None:
        return f"what line {foreign.lineno} calls may use {model.id} before it is popped ({where})"
    wanted = filters_of(context, pop)
    popper = None if wanted else popper_of(context, pop)
    if popper is not None:
        wanted = tuple(popper.pop.args[1:])
    module = context.tree.module
    return CapturedCall(use, pop, bool(inside), module=module, popper=popper, wanted=wanted)


def is_cleared_before(context: FileContext, pair: CapturedCall) -> bool:
    """Whether the same is popped before the call too, so that nothing was left on the object."""
    if pair.pop is None:
        return False
    model, *wanted = pair.pop.args
    assert isinstance(model, ast.Name)
    statement = context.tree.statement(pair.use)
    block = context.tree.block_of(statement)
    for earlier in reversed(block[: block.index(statement)]):
        if not mentioned(earlier, model.id):
            continue
        match earlier:
            case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call):
                same = ast.dump(call) == ast.dump(pair.pop)
                return (
                    same
                    and _is_pop(context, call)
                    and not any(_reads(each, earlier) for each in wanted)
                )
        return False
    return False


def statements_between(context: FileContext, first: ast.stmt, last: ast.stmt) -> Sequence[ast.stmt]:
    block = context.tree.block_of(first)
    return block[block.index(first) + 1 : block.index(last)]


def is_alone(statement: ast.stmt, use: ast.Call) -> bool:
    """Whether a result can be unpacked where the call stands."""
    return not why_not_alone(statement, use)


def why_not_alone(statement: ast.stmt, use: ast.Call) -> str:
    """Why a result cannot be unpacked where the call stands; empty when it can."""
    match statement:
        case ast.Assign(value=value, targets=[_]) if value is use:
            return ""
        case ast.Expr(value=value) if value is use:
            return ""
        case ast.Assign(value=value) if value is use:
            return "the result is bound to several names at once"
        case _:
            return "the call is part of a larger expression"


def why_not_before(context: FileContext, statement: ast.stmt, use: ast.Call) -> str:
    """Why a call cannot be made before the statement that it is a part of; empty when it can."""
    if not isinstance(statement, _SIMPLE):
        return "it is part of the head of a block"
    if why := why_unhoistable(context, use):
        return why.told()
    for earlier in evaluated_before(context, use):
        values = context.values(earlier.func) if isinstance(earlier, ast.Call) else frozenset()
        library = bool(values) and all(isinstance(value, LibraryValue) for value in values)
        if use not in context.tree.ancestors(earlier) and not library:
            return "something else runs before it"
    return ""


def _pop_beside(
    context: FileContext, statement: ast.stmt, use: ast.Call, name: str
) -> ast.Call | None:
    """A pop that the statement of the call itself makes after it."""
    for call in ast.walk(statement):
        if isinstance(call, ast.Call) and call is not use and _is_pop(context, call):
            behind = context.text.span(use)[1] <= context.text.span(call)[0]
            only = len(mentions_of(statement, name)) == 2 and mentioned(call, name)
            if behind and only and is_hoistable(context, call):
                return call
    return None


def _next_pop(context: FileContext, statement: ast.stmt, model: ast.Name) -> ast.Call | str:
    """The pop in the first statement of the block that mentions the object again."""
    block = context.tree.block_of(statement)
    following = block[block.index(statement) + 1 :]
    found = next(
        (
            each
            for each in following
            if mentioned(each, model.id) and not updates_only(context, each, model)
        ),
        None,
    )
    if found is None:
        return f"no nnx.pop({model.id}, ...) follows in the same block"
    if not isinstance(found, _SIMPLE):
        return f"{model.id} is used in line {found.lineno} before it is popped"
    calls = [node for node in ast.walk(found) if isinstance(node, ast.Call)]
    pops = [
        call
        for call in calls
        if (_is_pop(context, call) or _is_given_to_popper(context, call))
        and any(each.id == model.id for each in call.args[:1] if isinstance(each, ast.Name))
    ]
    if len(pops) != 1 or _mentioned_before(context, found, model.id, pops[0]):
        return f"{model.id} is used in line {found.lineno} before it is popped"
    why = why_unhoistable(context, pops[0])
    return pops[0] if why is None else why.told("nnx.pop")


def _mentioned_before(context: FileContext, statement: ast.stmt, name: str, pop: ast.Call) -> bool:
    """Whether the statement of a pop mentions the object elsewhere than behind it."""
    behind = context.text.span(pop)[1]
    others = (each for each in mentions_of(statement, name) if each is not pop.args[0])
    assigns = isinstance(statement, ast.AugAssign)
    return assigns or any(context.text.span(each)[0] < behind for each in others)


def updates_only(context: FileContext, statement: ast.stmt, model: ast.Name) -> bool:
    """Whether it is `optimizer.update(model, grads)`, which sees nothing that is sown."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="update"), args=[first, *_]) as call):
            named = isinstance(first, ast.Name) and first.id == model.id
            once = len(mentions_of(statement, model.id)) == 1
            return named and once and _is_of_library(context, call, frozenset({"optimizer"}))
        case _:
            return False


def sets_mode(context: FileContext, node: ast.AST, model: ast.Name) -> bool:
    """Whether it is `model.train()` or `model.eval()`, as nnx defines them."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="train" | "eval" as mode)):
            hierarchy = context.evaluator.hierarchy
            values = [v for v in context.values(model) if isinstance(v, Instance)]
            classes = {c for v in values for c in context.evaluator.hierarchy.classes_of(v)}
            known = len(values) == len(context.values(model)) > 0
            closed = all(hierarchy.ancestry(each).closed for each in classes)
            own = any(isinstance(hierarchy.method(each, mode), Scope) for each in classes)
            return name == model.id and known and closed and not own
        case _:
            return False


def _is_of_library(context: FileContext, call: ast.Call, kinds: frozenset[str]) -> bool:
    """Whether a method of an object of these kinds is called that the library defines."""
    if not isinstance(call.func, ast.Attribute):
        return False
    hierarchy = context.evaluator.hierarchy
    values = context.values(call.func.value)
    return bool(values) and all(
        isinstance(value, Instance)
        and hierarchy.kind(value.class_name) in kinds
        and isinstance(hierarchy.method(value.class_name, call.func.attr), str)
        for value in values
    )


def is_pop(context: FileContext, call: ast.Call, model: str) -> bool:
    """Whether it is `nnx.pop(model, T)` of an object of that name."""
    return (
        _is_pop(context, call) and isinstance(call.args[0], ast.Name) and call.args[0].id == model
    )


def _is_pop(context: FileContext, call: ast.Call) -> bool:
    """Whether it is `nnx.pop(model, T)`; with more filters what is popped comes in parts."""
    return bool(filters_of(context, call))


def _is_given_to_popper(context: FileContext, call: ast.Call) -> bool:
    """Whether its first argument is an object that it pops, and does nothing else with."""
    plain = bool(call.args) and not any(isinstance(each, ast.Starred) for each in call.args)
    return plain and popper_of(context, call) is not None


def calls_around(context: FileContext, pop: ast.Call) -> list[ast.Call]:
    """The calls that a pop is an argument of, which run after it."""
    return [parent for parent in context.tree.ancestors(pop) if isinstance(parent, ast.Call)]


def foreign_call(
    context: FileContext, taking: ast.AST, later: Sequence[ast.stmt], *known: ast.Call
) -> ast.Call | None:
    """A call, but for those that are known, of something that may get at the object by other names.

    What the function returned has no way to: it is made of arrays.
    """
    result = {n.id for n in ast.walk(taking) if isinstance(n, ast.Name) and _is_stored(n)}
    for call in (n for each in later for n in ast.walk(each) if isinstance(n, ast.Call)):
        values = context.values(call.func)
        library = bool(values) and all(isinstance(v, LibraryValue) for v in values)
        library = library or _is_of_library(context, call, _LIBRARY_KINDS)
        of_result = _root(call.func) in result or any(n in known for n in ast.walk(call.func))
        if call not in known and not library and not of_result:
            return call
    return None


def _root(expression: ast.expr) -> str:
    """The name that attributes and elements are looked up from, one at least."""
    node = expression
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) and node is not expression else ""


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def mentions_of(node: ast.AST, name: str) -> list[ast.Name]:
    """Where code names a variable; what a lambda calls its own parameter is another one."""
    found: list[ast.Name] = []
    stack = [node]
    while stack:
        each = stack.pop()
        if isinstance(each, ast.Name) and each.id == name:
            found.append(each)
        own = isinstance(each, ast.Lambda) and name in _parameters(each)
        stack += [each.args] if isinstance(each, ast.Lambda) and own else ast.iter_child_nodes(each)
    return found


def _parameters(function: ast.Lambda) -> set[str]:
    return {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}


def mentioned(node: ast.AST, name: str) -> bool:
    return bool(mentions_of(node, name))


def _reads(expression: ast.expr, statement: ast.stmt) -> bool:
    """Whether a statement binds what an expression reads."""
    bound = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and _is_stored(n)}
    return any(isinstance(n, ast.Name) and n.id in bound for n in ast.walk(expression))
