"""The new argument list of a function whose Modules are passed as States."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence

from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.causes import SplitCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import ArgumentSplit, CannotEmit
from nnx_migrate.rewrite.style.options import in_place_of_one
from nnx_migrate.rewrite.text.edits import Edit

#: Stands among the names for a place for the argument that was there.
KEPT = ""


@dataclasses.dataclass(frozen=True, slots=True)
class NamedSplit:
    """An argument split with the names that it introduces."""

    split: ArgumentSplit
    graphdef: str
    states: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether the object is carried as it is, so that nothing has to be split."""
        return self.split.carried == (True,)

    def statement(self, nnx: str, argument: str) -> str:
        """The assignment that splits `argument`."""
        targets = ", ".join([self.graphdef, *self.states])
        return f"{targets} = {self.split_of(nnx, argument)}"

    def split_of(self, nnx: str, argument: str) -> str:
        """The expression that splits `argument`."""
        return f"{nnx}.split({argument}, {', '.join(self.split.filters)})"

    def merged(self, nnx: str) -> str:
        """The expression that merges the States again."""
        clone = self.split.clone or (False,) * len(self.states)
        states = [
            f"{nnx}.clone({name})" if copied else name
            for name, copied in zip(self.states, clone, strict=True)
        ]
        return f"{nnx}.merge({', '.join([self.graphdef, *states])})"


def replaced_slots(splits: Sequence[NamedSplit]) -> dict[int, list[str]]:
    """For each place that changes: the names that stand there, trailing ones included."""
    slots: dict[int, list[str]] = {}
    late: list[str] = []
    for named in splits:
        if named.split.placement == "together":
            head = [named.graphdef] if named.split.with_graphdef else []
            carried = named.split.carried or (False,) * len(named.states)
            kept = [n for n, moved in zip(named.states, carried, strict=True) if not moved]
            slots[named.split.index] = head + kept
        else:
            slots[named.split.index] = [named.states[0]]
            late += named.states[1:]
    last = max(max(slots), *(named.split.behind for named in splits if late), 0)
    slots[last] = slots.get(last, [KEPT]) + late
    return slots


def filled(names: Sequence[str], kept: str) -> list[str]:
    """The names for a place, with what was there where it is kept."""
    return [name or kept for name in names]


def call_edits(
    context: FileContext, call: ast.Call, splits: Sequence[NamedSplit], parameters: Sequence[str]
) -> tuple[list[Edit], list[str]]:
    """Edits to the arguments of a call, and the source text of each argument that was split.

    Args:
        parameters: names of the function's positional parameters, as far as they are known, to find
            an argument that is passed by keyword.

    Raises:
        CannotEmit: the arguments are hidden in `*args`, or a place cannot be told.
    """
    slots = replaced_slots(splits)
    edits: list[Edit] = []
    arguments: dict[int, str] = {}
    last = max(slots)
    for place, arg in enumerate(call.args):
        if isinstance(arg, ast.Starred) and place <= last:
            raise CannotEmit(SplitCause.CALL_FROM_SEQUENCE)
        if place in slots:
            arguments[place] = context.text.of(arg)
            if KEPT in slots[place]:
                end = context.text.span(arg)[1]
                edits.append(Edit(end, end, ", ".join(["", *slots[place][1:]])))
                continue
            edits.append(in_place_of_one(context, arg, slots[place]))
            _check_movable(arg)
    for place in sorted(set(slots) - set(arguments)):
        keyword = _keyword_for(call, place, parameters)
        if KEPT in slots[place]:
            raise CannotEmit(SplitCause.DIFFERENTIATED_BY_KEYWORD)
        _check_movable(keyword.value)
        edits += _keyword_edits(context, call, keyword, place, ", ".join(slots[place]))
        arguments[place] = context.text.of(keyword.value)
    return edits, [arguments[named.split.index] for named in splits]


def split_arguments(
    call: ast.Call, splits: Sequence[NamedSplit], parameters: Sequence[str]
) -> list[ast.expr]:
    """The arguments of a call that are split, in the order of the splits."""
    return [
        call.args[named.split.index]
        if named.split.index < len(call.args)
        else _keyword_for(call, named.split.index, parameters).value
        for named in splits
    ]


def _check_movable(argument: ast.expr) -> None:
    for node in ast.walk(argument):
        if isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            raise CannotEmit(SplitCause.NOT_ONLY_A_NAME)


def _keyword_for(call: ast.Call, place: int, parameters: Sequence[str]) -> ast.keyword:
    if place < len(parameters):
        for keyword in call.keywords:
            if keyword.arg == parameters[place]:
                return keyword
    raise CannotEmit(SplitCause.MODULE_ARGUMENT_NOT_SHOWN)


def _keyword_edits(
    context: FileContext, call: ast.Call, keyword: ast.keyword, place: int, replacement: str
) -> list[Edit]:
    if place != len(call.args):
        raise CannotEmit(SplitCause.KEYWORDS_BEFORE_MODULE)
    first = call.keywords[0]
    start, end = context.text.span(keyword)
    if keyword is first:
        return [Edit(start, end, replacement)]
    previous = call.keywords[call.keywords.index(keyword) - 1]
    insert = context.text.span(first)[0]
    return [
        Edit(insert, insert, f"{replacement}, "),
        Edit(context.text.span(previous)[1], end, ""),
    ]


def parameter_edits(
    context: FileContext, function: AnyFunction, splits: Sequence[NamedSplit], nnx: str
) -> tuple[list[Edit], list[str]]:
    """Edits to the parameters of a function, and the names of those that were split.

    Where one of these says what it is, what stands in its place says so, too.

    Raises:
        CannotEmit: a split parameter is not a plain positional one.
    """
    slots = replaced_slots(splits)
    positional = [*function.args.posonlyargs, *function.args.args]
    first_default = len(positional) - len(function.args.defaults)
    typed: dict[str, str] = {}
    for named in splits:
        if named.split.index < len(positional) and positional[named.split.index].annotation:
            typed |= {state: f"{state}: {nnx}.State" for state in named.states}
            typed[named.graphdef] = f"{named.graphdef}: {nnx}.GraphDef"
    edits = []
    for place, names in sorted(slots.items()):
        if place >= len(positional):
            raise CannotEmit(SplitCause.NOT_POSITIONAL)
        if place >= first_default:
            raise CannotEmit(SplitCause.PARAMETER_DEFAULT)
        text = context.text.of(positional[place])
        new = [typed.get(name, name) for name in filled(names, text)]
        edits.append(in_place_of_one(context, positional[place], new))
    if function.args.posonlyargs and max(slots) >= len(function.args.posonlyargs) - 1:
        raise CannotEmit(SplitCause.POSITIONAL_ONLY)
    return edits, [positional[named.split.index].arg for named in splits]


def positional_names(function: AnyFunction | None) -> list[str]:
    """Names of a function's positional parameters; none for something unknown."""
    if function is None:
        return []
    return [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
