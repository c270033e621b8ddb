"""The record of a function, while the body is being walked."""

from __future__ import annotations

import ast
import dataclasses

from nnx_migrate.analysis.ir import nodes as ir


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
    within_lines: dict[str, set[int]] = dataclasses.field(default_factory=dict)
    settled: dict[str, tuple[tuple[int, int], ...]] = dataclasses.field(default_factory=dict)
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
    in_order: dict[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)
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
        self, name: str, value: ir.Expr, in_comprehension: bool = False, line: int = 0
    ) -> None:
        if in_comprehension and name not in self.bindings:
            self.loose.add(name)
        elif not in_comprehension:
            self.loose.discard(name)
        self.bindings.setdefault(name, []).append(value)
        self.lines.setdefault(name, []).append(line)

    def note_more_on_line(self, line: int) -> None:
        """Take note that another statement stands behind what a line has bound so far."""
        for name, lines in self.lines.items():
            if line in lines:
                self.within_lines.setdefault(name, set()).add(line)

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
            self.in_order,
            tuple(self.branches),
            {name: frozenset(lines) for name, lines in self.within_lines.items()},
            {n: lines for n, lines in self.settled.items() if len(self.bindings.get(n, ())) > 1},
            frozenset(self.of_new),
            tuple(self.write_guards.items()),
            tuple(self.conditional) if self.loops else (),
            self.removals,
            tuple(self.puts),
        )
