"""Where a Module keeps the Rngs that it is given, and what makes it keep a fork of its own.

`self.rngs = rngs` in each block of a model puts one object into all of them, which tree mode takes
for no tree (docs/semantics.md: ALI-3). Layers of Flax keep a fork instead. The numbers that are
drawn are others then, so it is done where a user asks for it by name and nowhere else.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection, Iterator

from nnx_migrate.analysis.domain.values import PLAIN, Instance, Scope, short_name
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.findings import Evidence, Finding, Outcome, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.rewrite.claims import ClassClaim
from nnx_migrate.rewrite.classes.change import RULE_NAME, ClassChange
from nnx_migrate.rewrite.classes.held import classes_held
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.text.edits import Edit

_OBJECTS = frozenset({"module", "metric"})


@dataclasses.dataclass(frozen=True, slots=True)
class KeptRngs:
    """A statement that keeps a given Rngs.

    Args:
        of: the class, over the whole project.
        value: what is stored.
        may_be_none: it is not certain that there is an Rngs at all.
    """

    of: str
    statement: ast.Assign | ast.AnnAssign
    value: ast.expr
    may_be_none: bool

    @property
    def target(self) -> ast.Attribute:
        """The attribute that it is stored in."""
        return target_of(self.statement)


def target_of(statement: ast.Assign | ast.AnnAssign) -> ast.Attribute:
    """The attribute that a statement sets."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    assert isinstance(target, ast.Attribute)
    return target


def sharing_classes(
    analysis: Analysis, dropped: Collection[tuple[Scope, str]] = ()
) -> frozenset[str]:
    """The Modules of a project of which an object holds something twice, and all that they hold.

    The classes above them count too: `super().__init__(rngs=rngs)` may be what keeps it.

    Args:
        dropped: constructors, and what they are not to store any more.
    """
    hierarchy, found = analysis.evaluator.hierarchy, set[str]()
    sharing = analysis.sharing_without(frozenset(dropped)) if dropped else analysis.sharing
    for name in hierarchy.all_classes:
        if name not in found and hierarchy.kind(name) in _OBJECTS:
            made = frozenset({Instance(name)})
            if sharing.of(made):
                found |= {name} | classes_held(analysis.evaluator, made)
    return frozenset(above for name in found for above in hierarchy.ancestry(name).classes)


def forks_in(
    context: FileContext, sharing: frozenset[str], dropped: Collection[tuple[Scope, str]] = ()
) -> Iterator[ClassChange]:
    """What makes the Modules of a file keep forks; nothing where that is not allowed.

    Args:
        sharing: the classes of which it is wanted.
        dropped: constructors, and what they are not to store any more.
    """
    if not context.options.allows(Permission.FORK_RNGS):
        return
    for kept in kept_rngs(context):
        stored = context.scope(kept.statement), kept.target.attr
        if kept.of in sharing and stored not in dropped:
            first, last = kept.statement.lineno, kept.statement.end_lineno or 0
            yield ClassChange(first, last, (_edit(context, kept),), _finding(context, kept))


def kept_rngs(context: FileContext) -> Iterator[KeptRngs]:
    """Where the constructors of the Modules of a file keep an Rngs as they are given it."""
    hierarchy = context.evaluator.hierarchy
    for node in context.tree.of_kind(ast.ClassDef):
        name = hierarchy.class_name(context.scope(node), ir.Name(node.name))
        if name is None or hierarchy.kind(name) not in _OBJECTS:
            continue
        for init in node.body:
            if isinstance(init, ast.FunctionDef) and init.name == "__init__":
                yield from _kept_by(context, name, init)


def _kept_by(context: FileContext, class_name: str, init: ast.FunctionDef) -> Iterator[KeptRngs]:
    positional = [*init.args.posonlyargs, *init.args.args]
    if not positional:
        return
    for node in ast.walk(init):
        if context.tree.function_around(node) is not init:
            continue
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=own))], value=value):
                pass
            case ast.AnnAssign(
                target=ast.Attribute(value=ast.Name(id=own)), value=ast.expr() as value
            ):
                pass
            case _:
                continue
        parameter = _given(context, init, value)
        if own == positional[0].arg and parameter and _is_rngs(context, init, parameter, value):
            none = isinstance(value, ast.Name) and _may_be_none(context, init, parameter, node)
            yield KeptRngs(class_name, node, value, none)


def _given(context: FileContext, init: ast.FunctionDef, value: ast.expr) -> str:
    """The parameter that is stored, as it is or where none is given another one."""
    match value:
        case ast.Name(id=name):
            pass
        case ast.BoolOp(op=ast.Or(), values=[ast.Name(id=name), ast.Call(func=made)]) if (
            context.tree.nnx_name(made) == "Rngs"
        ):
            pass
        case (
            ast.IfExp(body=ast.Name(id=name), orelse=ast.Call(func=made))
            | ast.IfExp(body=ast.Call(func=made), orelse=ast.Name(id=name))
        ) if context.tree.nnx_name(made) == "Rngs":
            pass
        case _:
            return ""
    return name if name in _parameters(init) else ""


def _parameters(init: ast.FunctionDef) -> dict[str, tuple[ast.arg, ast.expr | None]]:
    """The parameters by name, each with its default."""
    args = init.args
    positional = [*args.posonlyargs, *args.args]
    without = len(positional) - len(args.defaults)
    defaults = [*[None] * without, *args.defaults, *args.kw_defaults]
    named = [*positional, *args.kwonlyargs]
    return {each.arg: (each, default) for each, default in zip(named, defaults, strict=True)}


def _is_rngs(context: FileContext, init: ast.FunctionDef, parameter: str, value: ast.expr) -> bool:
    """Whether it is an Rngs for certain, if it is anything."""
    argument, default = _parameters(init)[parameter]
    annotation = argument.annotation
    if annotation is not None:
        named = {
            context.tree.nnx_name(each)
            for each in ast.walk(annotation)
            if isinstance(each, ast.Name | ast.Attribute)
        }
        return "Rngs" in named and not named & {"RngStream"}
    kind = context.evaluator.hierarchy.kind
    values = context.values(value)
    if isinstance(default, ast.Constant) and default.value is None:
        values -= PLAIN
    return bool(values) and all(
        isinstance(each, Instance) and not each.probable and kind(each.class_name) == "rngs"
        for each in values
    )


def _may_be_none(
    context: FileContext, init: ast.FunctionDef, parameter: str, store: ast.stmt
) -> bool:
    """Whether the constructor may be given no Rngs, and does not see to it before it stores it."""
    argument, default = _parameters(init)[parameter]
    said = [] if argument.annotation is None else list(ast.walk(argument.annotation))
    optional = any(
        (isinstance(each, ast.Constant) and each.value is None)
        or (isinstance(each, ast.Name | ast.Attribute) and _last(each) == "Optional")
        for each in [default, *said]
    )
    return optional and not (
        any(_is_test(each, parameter, ast.IsNot) for each in context.tree.ancestors(store))
        or any(_settles(each, parameter) for each in init.body if each.lineno < store.lineno)
    )


def _settles(statement: ast.stmt, parameter: str) -> bool:
    """Whether there is an Rngs behind a statement in any case."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BoolOp() | ast.IfExp() | ast.Call()):
            return name == parameter
        case ast.If(body=[*_, ast.Raise()]):
            return _is_test(statement, parameter, ast.Is)
        case ast.If(body=[ast.Assign(targets=[ast.Name(id=name)], value=ast.Call())]):
            return name == parameter and _is_test(statement, parameter, ast.Is)
        case ast.Assert(test=ast.Name(id=name)):
            return name == parameter
        case _:
            return False


def _is_test(node: ast.AST, parameter: str, operator: type[ast.cmpop]) -> bool:
    match node:
        case ast.If(
            test=ast.Compare(
                left=ast.Name(id=name), ops=[by], comparators=[ast.Constant(value=None)]
            )
        ):
            return name == parameter and isinstance(by, operator)
        case _:
            return False


def _last(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _edit(context: FileContext, kept: KeptRngs) -> Edit:
    start, end = context.text.span(kept.value)
    text = context.text.of(kept.value)
    if not isinstance(kept.value, ast.Name):
        stands = context.text.text[start - 1] == "(" and context.text.text[end : end + 1] == ")"
        return Edit(end + 1, end + 1, ".fork()") if stands else Edit(start, end, f"({text}).fork()")
    if kept.may_be_none:
        return Edit(start, end, f"None if {text} is None else {text}.fork()")
    return Edit(end, end, ".fork()")


def _finding(context: FileContext, kept: KeptRngs) -> Finding:
    start = context.text.span(kept.value)[0]
    line = context.text.line_of(start)
    column = start - context.text.line_start(line) + 1
    message = f"{short_name(kept.of)} keeps a fork of the Rngs that it is given"
    message += Permission.FORK_RNGS.told
    claim = str(ClassClaim.OTHER_NUMBERS.about(name=short_name(kept.of)))
    evidence = Evidence(claim, Proof.ASSUMED, context.where(kept.statement), Permission.FORK_RNGS)
    return Finding(RULE_NAME, line, column, Outcome.REWRITTEN, message, (evidence,))
