"""One run of a constructor: which of its lines run, by the constants that it is called with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nnx_migrate.analysis.ir import nodes as ir

_NONE = ir.Constant("none")
_FALSE = ir.Constant("number", "False")
#: What is needed, with the constants that a test can tell it is not.
NEVER: Mapping[ir.Needed, frozenset[ir.Constant]] = {
    "true": frozenset({_NONE, _FALSE}),
    "false": frozenset(),
    "none": frozenset({_FALSE}),
    "given": frozenset({_NONE}),
    "is false": frozenset({_NONE}),
    "is not false": frozenset({_FALSE}),
}
#: Needs that no number (but False) and no text meets.
_NO_CONSTANT = frozenset({"none", "is false"})
#: A value that is made of numbers, texts, and None, and is none of the constants above.
PLAIN_VALUE = ir.Constant("other")
#: Functions that make such values of such values.
OF_NUMBERS = frozenset(
    {"abs", "bool", "float", "int", "isinstance", "len", "max", "min", "round", "str", "sum"}
    | {"tuple"}
)


#: An attribute's name -> what the constructor stores under it; None where other code may, too.
Stored = Callable[[str], Sequence[ir.Write] | None]


class ConstructorRun:
    """A constructor, run with some constants: which of its lines may run.

    At first no branch counts that the constants rule out. Each that may run after all, since a
    branch that counts binds a name anew, counts from then on, until there is no other.
    """

    def __init__(
        self,
        functions: Sequence[ir.Function],
        given: frozenset[tuple[str, ir.Constant]],
        rebound: frozenset[str],
        stored: Stored,
    ) -> None:
        self.function = functions[0]
        self.stored = stored
        self.given = dict(given)
        self.builtins = OF_NUMBERS - rebound
        self.parameters = {each.name for each in self.function.parameters}
        #: Names that a function inside binds may change at any time.
        self.unsteady = {name for each in functions for name in each.globals}
        self.dead = list(self.function.branches)
        while True:
            left = [each for each in self.dead if self._is_ruled_out(each)]
            if len(left) == len(self.dead):
                break
            self.dead = left

    def is_live(self, line: int) -> bool:
        return not any(branch.first <= line <= branch.last for branch in self.dead)

    def live_bindings(self, name: str) -> list[ir.Expr]:
        values = self.function.bindings.get(name, ())
        lines = self.function.lines.get(name, ())
        pairs = zip(values, lines, strict=True)
        return [value for value, line in pairs if self.is_live(line)]

    def constants(
        self, name: str, asked: frozenset[str] = frozenset()
    ) -> frozenset[ir.Constant] | None:
        """All that a name may be; None where it may be something else than constants.

        Args:
            asked: names that depend on this one, which are plain if nothing else says otherwise.
        """
        if name in asked:
            return frozenset()
        if name in self.unsteady:
            return None
        found: set[ir.Constant] = set()
        if name in self.parameters:
            if name not in self.given:
                return None
            found.add(self.given[name])
        for value in self.live_bindings(name):
            if isinstance(value, ir.Constant):
                found.add(value)
            elif self.is_plain(value, asked | {name}):
                found.add(PLAIN_VALUE)
            else:
                return None
        return frozenset(found) or None

    def is_plain(self, expr: ir.Expr, asked: frozenset[str] = frozenset()) -> bool:
        match expr:
            case ir.Constant():
                return True
            case ir.Name(id=name):
                return self.constants(name, asked) is not None
            case ir.Attribute(base=ir.Name(id=base), name=name):
                return self._is_own(base) and self._is_plain_attribute(name, asked)
            case ir.Choice(options=parts):
                return all(self.is_plain(each, asked) for each in parts)
            case (
                ir.Sequence(elements=parts, is_tuple=True) | ir.Computed(operands=(_, *_) as parts)
            ):
                return all(self.is_plain(each, asked) for each in parts)
            case ir.Call(func=ir.OPERATED, args=parts):
                return all(self.is_plain(each, asked) for each in parts)
            case ir.Call(func=ir.Name(id=name), args=parts, keywords=()) if name in self.builtins:
                return all(self.is_plain(each, asked) for each in parts)
            case _:
                return False

    def chosen(self, expr: ir.Expr) -> ir.Expr:
        """What a conditional expression gives where its test is settled; others as they are."""
        match expr:
            case ir.Choice(options=(_, second), test=test) if test:
                values = self.constants(test)
                return second if values and values <= NEVER["true"] else expr
            case _:
                return expr

    def _is_own(self, name: str) -> bool:
        """Whether a name is the object that is made."""
        own = self.function.parameters[0].name if self.function.parameters else None
        return name == own and not self.function.bindings.get(name) and name not in self.unsteady

    def _is_plain_attribute(self, name: str, asked: frozenset[str]) -> bool:
        """Whether an attribute of the object is plain, wherever the constructor asks for it."""
        key = f"self.{name}"
        if key in asked:
            return True
        writes = self.stored(name)
        return bool(writes) and all(
            write.value is not None and self.is_plain(write.value, asked | {key})
            for write in writes or ()
            if self.is_live(write.line)
        )

    def _is_ruled_out(self, branch: ir.Branch) -> bool:
        return any(self._is_never(name, need) for name, need in branch.needs)

    def _is_never(self, name: str, need: ir.Needed) -> bool:
        values = self.constants(name)
        if values is None:
            return False
        return all(
            value in NEVER[need] or (need in _NO_CONSTANT and _is_shown(value)) for value in values
        )


def _is_shown(value: ir.Constant) -> bool:
    """Whether it is a number or a text, and not False."""
    return value != _FALSE and value.type in {"number", "str"}
