"""The record of a function, while the body is being walked."""

from __future__ import annotations

import ast
import dataclasses

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.statement_order import BindingPlace, definition


@dataclasses.dataclass(slots=True)
class FunctionBuilder:
    """A function under construction while its body is being walked."""

    key: str
    name: str
    line: int
    parent: FunctionBuilder | None
    owner: str | None
    parameters: tuple[ir.Parameter, ...] = ()
    decorators: tuple[ir.Expr, ...] = ()
    return_annotation: ir.Expr | None = None
    bindings: dict[str, list[ir.Expr]] = dataclasses.field(default_factory=dict)
    lines: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    places: dict[str, list[BindingPlace]] = dataclasses.field(default_factory=dict)
    #: Lines on which several statements begin.
    shared_lines: set[int] = dataclasses.field(default_factory=set)
    loops: list[tuple[int, int]] = dataclasses.field(default_factory=list)
    globals: set[str] = dataclasses.field(default_factory=set)
    nonlocals: set[str] = dataclasses.field(default_factory=set)
    returns: list[ir.Expr] = dataclasses.field(default_factory=list)
    yields: list[ir.Expr] = dataclasses.field(default_factory=list)
    writes: list[ir.Write] = dataclasses.field(default_factory=list)
    calls: list[ir.Call] = dataclasses.field(default_factory=list)
    nested: list[str] = dataclasses.field(default_factory=list)
    reads: dict[ir.Attribute, None] = dataclasses.field(default_factory=dict)
    loose: set[str] = dataclasses.field(default_factory=set)
    guard: str = ""
    guards: dict[int, str] = dataclasses.field(default_factory=dict)
    write_guards: dict[int, str] = dataclasses.field(default_factory=dict)
    implied: dict[str, list[ir.Expr]] = dataclasses.field(default_factory=dict)
    repeated: list[ir.Write] = dataclasses.field(default_factory=list)
    pops: tuple[tuple[int, ir.Call], ...] = ()
    branches: list[ir.Branch] = dataclasses.field(default_factory=list)
    on_new: frozenset[ast.Call] = frozenset()
    of_new: set[int] = dataclasses.field(default_factory=set)
    conditional: list[tuple[int, int]] = dataclasses.field(default_factory=list)
    removals: tuple[ir.Removal, ...] = ()
    puts: list[ir.Write] = dataclasses.field(default_factory=list)

    def call(self, call: ir.Call, node: ast.Call | None = None) -> None:
        """Take note of a call, and of the name that has to be true where it is made."""
        if self.guard:
            self.guards[len(self.calls)] = self.guard
        if node in self.on_new:
            self.of_new.add(len(self.calls))
        self.calls.append(call)

    def store(self, write: ir.Write) -> None:
        """Take note of a store, and of the name that has to be true where it is made."""
        if self.guard:
            self.write_guards[len(self.writes)] = self.guard
        self.writes.append(write)

    def bind(
        self, name: str, value: ir.Expr, line: int, place: BindingPlace, loose: bool = False
    ) -> None:
        """Take note of what a name is bound to.

        Args:
            loose: by a comprehension, outside of which the name may mean something else.
        """
        if loose and name not in self.bindings:
            self.loose.add(name)
        elif not loose:
            self.loose.discard(name)
        self.bindings.setdefault(name, []).append(value)
        self.lines.setdefault(name, []).append(line)
        self.places.setdefault(name, []).append(place)

    def definitions(self) -> dict[str, tuple[ir.Definition, ...]]:
        """Where each binding stands, of names for which that matters."""
        passed = {parameter.name for parameter in self.parameters}
        return {
            name: tuple(definition(place, self.shared_lines) for place in places)
            for name, places in self.places.items()
            if len(places) > 1 or name in passed
        }

    def build(self) -> ir.Function:
        return ir.Function(
            self.key,
            self.name,
            self.line,
            self.parent.key if self.parent else None,
            self.owner,
            self.parameters,
            self.decorators,
            self.return_annotation,
            {name: tuple(values) for name, values in self.bindings.items()},
            frozenset(self.globals),
            tuple(self.returns),
            tuple(self.yields),
            tuple(self.writes),
            tuple(self.calls),
            tuple(self.nested),
            tuple(self.reads),
            frozenset(self.loose),
            tuple(self.guards.items()),
            tuple((method, tuple(on)) for method, on in self.implied.items()),
            tuple(self.repeated),
            {name: tuple(lines) for name, lines in self.lines.items()},
            tuple(self.loops),
            self.pops,
            tuple(self.branches),
            self.definitions(),
            frozenset(self.of_new),
            tuple(self.write_guards.items()),
            tuple(self.conditional) if self.loops else (),
            self.removals,
            tuple(self.puts),
        )
