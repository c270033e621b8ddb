"""Methods that put a new Variable in the place of one of the same type: `self.loss = Loss(value)`.

Tree mode gives back what is in the Variables that a function got, and forgets which ones it puts
into their places (docs/semantics.md: STR-2).
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.symbols.passed_on import writes_in
from nnx_migrate.rewrite.classes.definitions import defined_classes
from nnx_migrate.rewrite.classes.second_names.stored_again import constructor
from nnx_migrate.rewrite.model.context import FileContext

_OBJECTS = frozenset({"module", "metric"})


@dataclasses.dataclass(frozen=True, slots=True)
class ReplacedVariable:
    """An attribute that a constructor and methods of its class set to new Variables of one type.

    Args:
        of: the class, over the whole project.
        attribute: its name.
        variable: the class of the Variables.
        init: the constructor.
        made: the statement in it that makes the first one.
        stores: those of the methods that make others.
    """

    of: str
    attribute: str
    variable: str
    init: ast.FunctionDef
    made: ast.Assign
    stores: tuple[ast.Assign, ...]

    @property
    def name(self) -> tuple[str, str]:
        """What it is told apart by in a project."""
        return self.of, self.attribute


def may_replace(record: ir.ModuleIndex) -> bool:
    """Whether a method of a file sets an attribute to a call that its constructor sets it to.

    It is asked of each file of a project, so it goes by names alone.
    """
    for each in record.classes.values():
        init = record.functions.get(each.methods.get("__init__", ""))
        made = _calls_stored(init) if init is not None else set[tuple[str, str]]()
        if made and any(
            made & _calls_stored(record.functions[key])
            for name, key in each.methods.items()
            if name != "__init__"
        ):
            return True
    return False


def _calls_stored(function: ir.Function) -> set[tuple[str, str]]:
    """The attributes that a method sets to what a call gives, each with what is called."""
    own = ir.Name(function.parameters[0].name) if function.parameters else ir.UNSEEN
    return {
        (name, str(func))
        for write in writes_in(function)
        for name, func in _call_stored(write, own)
    }


def _call_stored(write: ir.Write, own: ir.Expr) -> Iterator[tuple[str, ir.Expr]]:
    match write:
        case ir.Write(
            target=ir.Attribute(base=base, name=name),
            value=ir.Call(func=func, args=(_,), keywords=()),
            how="set",
        ) if base == own:
            yield name, func


def replaced_variables(context: FileContext) -> Iterator[ReplacedVariable]:
    """Those of the classes of a file; what else the conditions are is not asked here."""
    if not may_replace(context.project.modules[context.tree.module]):
        return
    hierarchy = context.evaluator.hierarchy
    for of, node in defined_classes(context):
        init = constructor(node)
        if init is None or hierarchy.kind(of) not in _OBJECTS:
            continue
        made = {name: store for name, store in _stores(context, init) if store in init.body}
        for attribute, first in sorted(made.items()):
            stores = tuple(
                store
                for method in node.body
                if isinstance(method, ast.FunctionDef) and method is not init
                for name, store in _stores(context, method)
                if name == attribute
            )
            variable = variable_made(context, first)
            if stores and variable:
                yield ReplacedVariable(of, attribute, variable, init, first, stores)


def _stores(context: FileContext, method: ast.FunctionDef) -> Iterator[tuple[str, ast.Assign]]:
    """The statements of a method that set attributes of its own object to Variables."""
    positional = [*method.args.posonlyargs, *method.args.args]
    for statement in ast.walk(method):
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=own), attr=name)]):
                ours = positional and own == positional[0].arg
                inside = context.tree.function_around(statement) is method
                if ours and inside and variable_made(context, statement):
                    yield name, statement


def variable_made(context: FileContext, statement: ast.Assign) -> str:
    """The class of the Variable that a statement makes of one value; "" where it is none."""
    match statement.value:
        case ast.Call(func=func, args=[given], keywords=[]) if not isinstance(given, ast.Starred):
            pass
        case _:
            return ""
    hierarchy = context.evaluator.hierarchy
    name = hierarchy.class_name(context.scope(statement), lower_expr(func))
    return name if name is not None and hierarchy.kind(name) == "variable" else ""


def value_given(statement: ast.Assign) -> ast.expr:
    """What the Variable is made of that a statement makes."""
    assert isinstance(statement.value, ast.Call)
    return statement.value.args[0]
