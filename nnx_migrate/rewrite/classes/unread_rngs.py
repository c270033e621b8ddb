"""Modules that keep the Rngs that they are given, and never use it again.

`self.rngs = rngs` in each block of a model is, most of the time, read by the constructor alone, if
by anything. The blocks share one object all the same, which tree mode takes for no tree
(docs/semantics.md: ALI-3). Without the attribute they share nothing. All random numbers stay what
they are; what leaves is the path of the Rngs in `nnx.state`.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Iterator, Mapping

from nnx_migrate.analysis.domain.values import Scope, short_name
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.findings import Evidence, Finding, Outcome, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.claims import ClassClaim
from nnx_migrate.rewrite.classes.change import RULE_NAME, ClassChange
from nnx_migrate.rewrite.classes.kept_rngs import KeptRngs, kept_rngs, target_of
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.style.layout import removed_statement
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.sources.bound_names import are_bound_in, inside

#: Methods that decide what an attribute of an object means.
_SPECIAL = frozenset(
    {"__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__new__", "__post_init__"}
)


@dataclasses.dataclass(frozen=True, slots=True)
class UnreadRngs:
    """A kept Rngs that no method of its class but the constructor reads.

    Args:
        of: the class, over the whole project.
        attribute: what it is kept as.
        local: the name in the constructor that stands for the same Rngs.
        init: the constructor.
        reads: where the constructor reads the attribute.
    """

    of: str
    attribute: str
    local: str
    init: Scope
    statement: ast.Assign | ast.AnnAssign
    value: ast.expr
    reads: tuple[ast.Attribute, ...]

    @property
    def stored(self) -> tuple[Scope, str]:
        """The constructor, and what it stores."""
        return self.init, self.attribute


def unread_rngs(context: FileContext) -> Iterator[UnreadRngs]:
    """What the constructors of a file keep, and its classes never read elsewhere.

    Whether other code reads it, the caller has to see.
    """
    for kept in kept_rngs(context):
        init = context.tree.function_around(kept.statement)
        if isinstance(init, ast.FunctionDef) and _stands_alone(context, kept.statement):
            found = _unread(context, kept, init)
            if found is not None:
                yield found


def may_keep(record: ir.ModuleIndex) -> bool:
    """Whether a constructor of a file may keep an Rngs that no other method reads."""
    return next(kept_by_name(record), None) is not None


def kept_by_name(record: ir.ModuleIndex) -> Iterator[tuple[str, tuple[Scope, str]]]:
    """The classes that may keep an Rngs so, each with its constructor and what that stores.

    It is asked of each file of a project, so it looks at no values, and goes by names alone.
    """
    for each in record.classes.values():
        init = record.functions.get(each.methods.get("__init__", ""))
        if init is None or not init.parameters:
            continue
        own, given = ir.Name(init.parameters[0].name), {p.name for p in init.parameters[1:]}
        for write in init.writes:
            match write.target:
                case ir.Attribute(base=base, name=name) if base == own and "rng" in name:
                    stored = Scope(record.module, init.key), name
                    if _given_name(write.value) in given and not method_reads(record, each, name):
                        yield f"{record.module}:{each.key}", stored


def _given_name(value: ir.Expr | None) -> str:
    match value:
        case ir.Call(func=func, args=(_, inner)) if func == ir.ANNOTATED:
            return _given_name(inner)
        case ir.Name(id=name) | ir.Choice(options=(ir.Name(id=name), *_)):
            return name
        case ir.Choice(options=(_, ir.Name(id=name))):
            return name
        case _:
            return ""


def method_reads(
    record: ir.ModuleIndex, of: ir.Class, attribute: str, *, all_methods: bool = False
) -> bool:
    """Whether a method of a class plainly reads an attribute of its own object.

    Args:
        record: the file of the class.
        all_methods: the constructor too.
    """
    for name, key in of.methods.items():
        method = record.functions[key]
        if (name == "__init__" and not all_methods) or not method.parameters:
            continue
        wanted = ir.Attribute(ir.Name(method.parameters[0].name), attribute)
        called = (each.func for each in method.calls)
        if wanted in method.reads or any(_begins_with(each, wanted) for each in called):
            return True
    return False


def _begins_with(expr: ir.Expr, wanted: ir.Expr) -> bool:
    while isinstance(expr, ir.Attribute) and expr != wanted:
        expr = expr.base
    return expr == wanted


def _stands_alone(context: FileContext, statement: ast.stmt) -> bool:
    """Whether its lines hold nothing else, and what is around it does without it."""
    start, end = context.text.span(statement)
    text = context.text.text
    line_end = text.find("\n", end)
    rest = text[end : line_end if line_end >= 0 else len(text)].strip()
    head = text[context.text.line_start(statement.lineno) : start]
    alone = not head.strip() and (not rest or rest.startswith("#"))
    return alone and len(context.tree.block_of(statement)) > 1


def _unread(context: FileContext, kept: KeptRngs, init: ast.FunctionDef) -> UnreadRngs | None:
    """What is kept, where it may go as far as its own class shows."""
    node, target = context.tree.class_around(init), kept.target
    local = _local(kept.value)
    if node is None or not local or _decides_attributes(context, kept.of):
        return None
    if _sets_otherwise(node, target):
        return None
    reads = [
        each
        for each in ast.walk(init)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Load)
        and each.attr == target.attr
        and _is_own(init, each.value)
    ]
    end = kept.statement.end_lineno or kept.statement.lineno
    texts = [each for each in ast.walk(init) if isinstance(each, ast.JoinedStr)]
    formatted = {inner for text in texts for inner in ast.walk(text)}
    if any(each.lineno <= end or each in formatted for each in reads):
        return None
    if reads and _is_rebound(init, local, end):
        return None
    if reads and not isinstance(kept.value, ast.Name) and _is_used(init, local, kept.value):
        return None
    if reads and context.tree.block_of(kept.statement) is not init.body:
        return None  # on another way through the constructor they read what was there before
    scope = context.tree.scope_of(init)
    return UnreadRngs(kept.of, target.attr, local, scope, kept.statement, kept.value, tuple(reads))


def _local(value: ast.expr) -> str:
    """The parameter that is stored, as it is or where none is given another one."""
    match value:
        case ast.Name(id=name):
            return name
        case ast.BoolOp(values=[ast.Name(id=name), _]):
            return name
        case ast.IfExp(body=ast.Name(id=name)) | ast.IfExp(orelse=ast.Name(id=name)):
            return name
        case _:
            return ""


def _decides_attributes(context: FileContext, class_name: str) -> bool:
    """Whether a class, or one above it, says otherwise what its attributes are."""
    ancestry = context.evaluator.hierarchy.ancestry(class_name)
    if not ancestry.closed:
        return True
    located = [context.project.class_of(each) for each in ancestry.classes]
    return any(found is not None and _SPECIAL & found[1].methods.keys() for found in located)


def _sets_otherwise(node: ast.ClassDef, target: ast.Attribute) -> bool:
    """Whether a class sets, deletes or defines the attribute in another place too."""
    for each in ast.walk(node):
        match each:
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                if name == target.attr and each is not target:
                    return True
    names = {
        inner.id for each in node.body for inner in _bound(each) if isinstance(inner, ast.Name)
    }
    methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    return target.attr in names | methods


def _bound(statement: ast.stmt) -> Iterable[ast.expr]:
    match statement:
        case ast.Assign(targets=targets):
            return targets
        case ast.AnnAssign(target=target):
            return (target,)
        case _:
            return ()


def _is_own(init: ast.FunctionDef, expr: ast.expr) -> bool:
    positional = [*init.args.posonlyargs, *init.args.args]
    return isinstance(expr, ast.Name) and expr.id == positional[0].arg


def _is_rebound(init: ast.FunctionDef, name: str, line: int) -> bool:
    """Whether a constructor binds a name of its parameters anew below a line, or within."""
    nodes = (n for n in inside(init) if not isinstance(n, ast.Name) or n.lineno > line)
    return are_bound_in(nodes, {name})


def _is_used(init: ast.FunctionDef, name: str, but: ast.expr) -> bool:
    """Whether a parameter is read anywhere but in one expression."""
    within = set(ast.walk(but))
    return any(isinstance(n, ast.Name) and n.id == name and n not in within for n in ast.walk(init))


def drops_in(
    context: FileContext, wanted: Mapping[tuple[Scope, str], Refusal | None]
) -> Iterator[ClassChange]:
    """What takes unread Rngs out of the Modules of a file, of those that are wanted.

    Args:
        wanted: with what may read it, None where nothing does.
    """
    if not wanted:
        return
    for kept in unread_rngs(context):
        if kept.stored in wanted:
            first, last = kept.statement.lineno, kept.statement.end_lineno or 0
            finding = _finding(context, kept, wanted[kept.stored])
            yield ClassChange(first, last, tuple(_edits(context, kept)), finding)


def _edits(context: FileContext, kept: UnreadRngs) -> Iterator[Edit]:
    if kept.reads and not isinstance(kept.value, ast.Name):
        yield Edit(*context.text.span(target_of(kept.statement)), kept.local)
    else:
        yield _removal(context, kept.statement)
    for read in kept.reads:
        yield Edit(*context.text.span(read), kept.local)


def _removal(context: FileContext, statement: ast.stmt) -> Edit:
    """Take a statement out, and an empty line where two would be left, or one at the end."""
    edit, text = removed_statement(context, statement), context.text.text
    if edit.replacement:
        return edit
    if context.tree.block_of(statement)[-1] is statement:
        end = len(text[: edit.end].rstrip("\r\n"))
        return Edit(len(text[: edit.start].rstrip()), end, "")
    before = text[: edit.start].splitlines()[-1:]
    after = text[edit.end :].splitlines(keepends=True)[:1]
    if after and not after[0].strip() and not "".join(before).strip():
        return Edit(edit.start, edit.end + len(after[0]), "")
    return edit


def _finding(context: FileContext, kept: UnreadRngs, why: Refusal | None) -> Finding:
    start = context.text.span(kept.statement)[0]
    line, column = context.text.line_and_column(start)
    short, where = short_name(kept.of), context.where(kept.statement)
    message = (
        f"{short} no longer keeps the Rngs that its constructor alone uses; "
        f"the path {kept.attribute} leaves nnx.state{Permission.DROP_RNGS.told}"
    )
    allowed = str(ClassClaim.PATH_LEAVES_STATE.about(attribute=kept.attribute))
    evidence = [Evidence(allowed, Proof.ASSUMED, where, Permission.DROP_RNGS)]
    if why is None:
        claim = ClassClaim.NOTHING_READS.about(attribute=kept.attribute, name=short)
        evidence.append(Evidence(str(claim), Proof.PROVED, where))
    else:
        evidence.append(Evidence(str(why), Proof.ASSUMED, where, Permission.DROP_RNGS))
    return Finding(RULE_NAME, line, column, Outcome.REWRITTEN, message, tuple(evidence))
