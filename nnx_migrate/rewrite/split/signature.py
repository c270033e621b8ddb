"""How a function over Modules becomes one over States: its parameters, first lines and result."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection, Sequence

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.causes import SplitCause
from nnx_migrate.rewrite.model.decisions import CannotEmit, CarryPlan, ReturnSplit
from nnx_migrate.rewrite.split.arguments import NamedSplit, filled, replaced_slots
from nnx_migrate.rewrite.style.naming import fresh


@dataclasses.dataclass(frozen=True, slots=True)
class Rewiring:
    """The pieces of the function over States and of the function that calls it.

    Args:
        parameters: of the function over States, as written in its header.
        arguments: what it is called with.
        splits: statements before that call.
        top: its first statements.
        carried: names that it returns in the carry beside what it returned before.
        carry: how they join.
        result_names: what to call each of its results, when some of them are split.
        returns: results that it splits.
        result: what it calls its result; empty where nothing stands behind that.
        checks: statements behind the result.
    """

    parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    splits: tuple[str, ...]
    top: tuple[str, ...]
    carried: tuple[str, ...]
    carry: CarryPlan | None
    returns: tuple[ReturnSplit, ...]
    nnx: str
    taken: frozenset[str]
    result_names: tuple[str, ...] = ()
    result: str = ""
    checks: tuple[str, ...] = ()

    def returned(self, value: str, first: str | None, second: str | None) -> str:
        """What the function over States returns in the place of `value`.

        Args:
            value: source text of what was returned.
            first: source text of its first element, when it is written as a pair.
            second: that of the second one.

        Raises:
            CannotEmit: the carry cannot be told from the rest.
        """
        items = ", ".join(self.carried)
        if self.carry is None:
            return value
        if self.carry.place is None:
            head = f"({items})" if len(self.carried) > 1 else items
            return f"{head}, {value}"
        if self.carry.alone:
            return f"({value}, {items})"
        if first is None or second is None:
            raise CannotEmit(SplitCause.RESULT_NO_CARRY_PAIR)
        return f"({first}, {items}), {second}"

    def closing(self, inner: str) -> list[str]:
        """The statements that call the function over States and return what callers expect."""
        call = f"{inner}({', '.join(self.arguments)})"
        if self.carry is not None:
            return self._carry_closing(call)
        whole = [r for r in self.returns if r.place is None]
        if whole:
            return [f"return {self.nnx}.merge(*{call})"]
        if not self.returns:
            return [f"return {call}"]
        return self._tuple_closing(call)

    def _tuple_closing(self, call: str) -> list[str]:
        """Results of which some are split: at least as many as the highest place."""
        if not self.result_names:
            raise CannotEmit(SplitCause.RESULTS_NOT_COUNTED)
        split = {r.place for r in self.returns}
        merged = [
            f"{self.nnx}.merge(*{name})" if place in split else name
            for place, name in enumerate(self.result_names)
        ]
        return [f"{', '.join(self.result_names)} = {call}", f"return {', '.join(merged)}"]

    def _carry_closing(self, call: str) -> list[str]:
        assert self.carry is not None
        if self.carry.place is None:
            return [f"return {call}[1]"]
        if self.carry.alone:
            return [f"return {call}[0]"]
        carry, outputs = fresh(["final_carry", "outputs"], self.taken)
        return [f"({carry}, *_), {outputs} = {call}", f"return {carry}, {outputs}"]


def rewire(
    positional: Sequence[str],
    args: ast.arguments | None,
    named: Sequence[NamedSplit],
    carry: CarryPlan | None,
    returns: Sequence[ReturnSplit],
    nnx: str,
    taken: Collection[str],
    result_names: Sequence[str] = (),
) -> Rewiring:
    """Compute the pieces for a function with these parameters.

    Args:
        positional: names of its positional parameters.
        args: its whole signature, for `*args`, keyword-only parameters and `**kwargs`.
        taken: identifiers that new names must not collide with.

    Raises:
        CannotEmit: an argument to split is no positional parameter.
    """
    for split in named:
        if split.split.index >= len(positional):
            raise CannotEmit(SplitCause.NOT_POSITIONAL)
    slots = replaced_slots(named) if named else {}
    parameters: list[str] = []
    arguments: list[str] = []
    top: list[str] = []
    carried = _carried_names(positional, named) if carry is not None else []
    if carry is not None and carry.place is None:
        name = carried[0] if len(carried) == 1 else fresh(["carry"], taken)[0]
        parameters.append(name)
        arguments.append(name if len(carried) == 1 else f"({', '.join(carried)})")
        if len(carried) > 1:
            top.append(f"{', '.join(carried)} = {name}")
    for place, name in enumerate(positional):
        if carry is not None and place == carry.place:
            joined = fresh(["carry"], {*taken, *positional}, "scan")[0]
            parameters.append(joined)
            arguments.append(f"({', '.join([name, *carried])})")
            top.append(f"{', '.join([name, *carried])} = {joined}")
            continue
        new = filled(slots.get(place, [name]), name)
        parameters += new
        arguments += new
    if args is not None:
        _variable_parameters(args, parameters, arguments)
    top += [f"{positional[n.split.index]} = {n.merged(nnx)}" for n in named if not n.whole]
    statements = [n.statement(nnx, positional[n.split.index]) for n in named if not n.whole]
    return Rewiring(
        tuple(parameters),
        tuple(arguments),
        tuple(statements),
        tuple(top),
        tuple(carried),
        carry,
        tuple(returns),
        nnx,
        frozenset(taken),
        tuple(result_names),
    )


def _carried_names(positional: Sequence[str], named: Sequence[NamedSplit]) -> list[str]:
    names: list[str] = []
    for n in named:
        if n.whole:
            names.append(positional[n.split.index])
        else:
            carried = n.split.carried or (False,) * len(n.states)
            names += [s for s, moved in zip(n.states, carried, strict=True) if moved]
    return names


def _variable_parameters(args: ast.arguments, parameters: list[str], arguments: list[str]) -> None:
    if args.vararg:
        parameters.append(f"*{args.vararg.arg}")
        arguments.append(f"*{args.vararg.arg}")
    elif args.kwonlyargs:
        parameters.append("*")
    for arg in args.kwonlyargs:
        parameters.append(arg.arg)
        arguments.append(f"{arg.arg}={arg.arg}")
    if args.kwarg:
        parameters.append(f"**{args.kwarg.arg}")
        arguments.append(f"**{args.kwarg.arg}")


def result_name(site: Site) -> str:
    """What to call the result of a loss."""
    return "result" if "has_aux" in site.options else "loss"
