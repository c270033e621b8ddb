"""Ways to change one place of a program by machine: some break it, some do not, most do not say.

A way finds its places in the syntax tree and gives, for each, the text that is replaced and the
text that replaces it. Whether the program does something else afterwards is for a run to say.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import random
from collections.abc import Callable, Iterator

#: Attributes of calls that change their object, and are left out.
_UPDATES = frozenset(
    {"update", "set_value", "eval", "train", "set_attributes", "append", "reset", "pop", "sow"}
)
_AXES = frozenset(
    {"in_axes", "out_axes", "axis", "argnums", "length", "static_argnums", "donate_argnums"}
)
_STOP = '__import__("jax").lax.stop_gradient'


@dataclasses.dataclass(frozen=True, slots=True)
class Edit:
    """A change of one place.

    Args:
        start: offset of what is replaced.
        end: the offset behind it.
        text: what replaces it.
    """

    start: int
    end: int
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Way:
    """A way to change a program.

    Args:
        name: as it is reported.
        keeps: whether the program does the same afterwards.
        edits: finds the places.
    """

    name: str
    keeps: bool
    edits: Callable[[Source], Iterator[Edit]]


class Source:
    """A program with its syntax tree, and the offsets of its nodes.

    Args:
        text: of the program.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        # Offsets count characters and columns count bytes: programs with others are left alone.
        self.is_plain = text.isascii()
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends."""
        found: ast.expr = node  # type: ignore[assignment]
        assert found.end_lineno is not None
        assert found.end_col_offset is not None
        start = self._starts[found.lineno - 1] + found.col_offset
        return start, self._starts[found.end_lineno - 1] + found.end_col_offset

    def of(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def replaced(self, node: ast.AST, text: str) -> Edit:
        """The edit that puts a text in the place of a node."""
        return Edit(*self.span(node), text)

    def walk(self) -> Iterator[ast.AST]:
        """The nodes that are code of the program: nothing of annotations and imports."""
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            yield node
            for name, field in ast.iter_fields(node):
                if name not in ("annotation", "returns", "type_comment"):
                    nodes = field if isinstance(field, list) else [field]
                    waiting += [each for each in nodes if isinstance(each, ast.AST)]

    def functions(self) -> Iterator[ast.FunctionDef]:
        """The functions and methods."""
        return (node for node in self.walk() if isinstance(node, ast.FunctionDef))


def mutants(text: str, ways: tuple[Way, ...]) -> list[tuple[Way, str]]:
    """All programs that differ in one place.

    Args:
        text: of the program.
        ways: how they may differ.
    """
    source = Source(text)
    if not source.is_plain:
        return []
    found: dict[str, Way] = {}
    for way in ways:
        for edit in way.edits(source):
            changed = text[: edit.start] + edit.text + text[edit.end :]
            if changed != text and _parses(changed):
                found.setdefault(changed, way)
    return [(way, changed) for changed, way in found.items()]


def drawn(name: str, text: str, ways: tuple[Way, ...], most: int) -> list[tuple[Way, str]]:
    """Some of the mutants of a program, of as many ways as there are, always the same.

    Args:
        name: seeds the draw.
        text: of the program.
        ways: how they may differ.
        most: how many.
    """
    draw = random.Random(hashlib.sha256(name.encode()).digest())
    waiting: dict[str, list[tuple[Way, str]]] = {}
    for each in mutants(text, ways):
        waiting.setdefault(each[0].name, []).append(each)
    for some in waiting.values():
        draw.shuffle(some)
    names = list(waiting)
    draw.shuffle(names)
    found: list[tuple[Way, str]] = []
    while len(found) < most and any(waiting.values()):
        found += [waiting[each].pop() for each in names if waiting[each]]
    return found[:most]


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _dropped_updates(source: Source) -> Iterator[Edit]:
    for node in source.walk():
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = node.value.func
            if isinstance(function, ast.Attribute) and function.attr in _UPDATES:
                yield source.replaced(node, "pass")
        elif isinstance(node, ast.AugAssign) or (
            isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
        ):
            yield source.replaced(node, "pass")


def _swapped_arguments(source: Source) -> Iterator[Edit]:
    for node in source.walk():
        if not isinstance(node, ast.Call) or len(node.args) < 2:
            continue
        one, two = node.args[:2]
        if isinstance(one, ast.Starred) or isinstance(two, ast.Starred):
            continue
        start, end = source.span(one)[0], source.span(two)[1]
        between = source.text[source.span(one)[1] : source.span(two)[0]]
        yield Edit(start, end, source.of(two) + between + source.of(one))


def _swapped_parameters(source: Source) -> Iterator[Edit]:
    """Results that change places."""
    for node in source.walk():
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            parts = [source.of(each) for each in node.value.elts]
            if len(parts) > 1:
                swapped = ", ".join([parts[1], parts[0], *parts[2:]])
                yield source.replaced(node.value, f"({swapped})")


def _changed_axes(source: Source) -> Iterator[Edit]:
    for node in source.walk():
        if isinstance(node, ast.keyword) and node.arg in _AXES:
            yield from _other_axes(source, node.value)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("StateAxes", "sum", "mean", "concatenate", "stack")
        ):
            for each in node.args:
                yield from _other_axes(source, each)


def _other_axes(source: Source, value: ast.expr) -> Iterator[Edit]:
    for node in ast.walk(value):
        if isinstance(node, ast.Constant) and node.value is None:
            yield source.replaced(node, "0")
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield source.replaced(node, "1" if node.value == 0 else "0")
            yield source.replaced(node, "None")


def _stopped_gradients(source: Source) -> Iterator[Edit]:
    for function in source.functions():
        for node in ast.walk(function):
            if isinstance(node, ast.BinOp):
                yield source.replaced(node.left, f"{_STOP}({source.of(node.left)})")


def _clones(source: Source) -> Iterator[Edit]:
    for function in source.functions():
        for node in ast.walk(function):
            if isinstance(node, ast.Call):
                for each in node.args:
                    if isinstance(each, ast.Name):
                        clone = f'__import__("flax").nnx.clone({each.id})'
                        yield source.replaced(each, clone)


def _changed_constants(source: Source) -> Iterator[Edit]:
    for node in source.walk():
        if not isinstance(node, ast.Constant):
            continue
        if isinstance(node.value, bool):
            yield source.replaced(node, str(not node.value))
        elif isinstance(node.value, int):
            yield source.replaced(node, str(node.value + 1))
        elif isinstance(node.value, float):
            yield source.replaced(node, repr(node.value * 1.5 + 0.25))


def _reordered(source: Source) -> Iterator[Edit]:
    """Two statements that draw change places, or any that do not need each other."""
    for function in source.functions():
        for one, two in zip(function.body, function.body[1:], strict=False):
            simple = (
                isinstance(one, (ast.Assign, ast.Expr)),
                isinstance(two, (ast.Assign, ast.Expr)),
            )
            if not all(simple) or _is_text(one):
                continue
            start, end = source.span(one)[0], source.span(two)[1]
            between = source.text[source.span(one)[1] : source.span(two)[0]]
            if "\n" in between:
                yield Edit(start, end, source.of(two) + between + source.of(one))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _shared(source: Source) -> Iterator[Edit]:
    for node in source.walk():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            copies = node.func.attr in ("clone", "deepcopy", "copy", "stop_gradient")
            if copies and len(node.args) == 1 and not node.keywords:
                yield source.replaced(node, source.of(node.args[0]))
        elif isinstance(node, ast.ListComp) and len(node.generators) == 1:
            made = node.generators[0]
            if isinstance(made.target, ast.Name) and made.target.id == "_":
                one, many = source.of(node.elt), source.of(made.iter)
                yield source.replaced(node, f"[{one}] * len({many})")


def _changed_defaults(source: Source) -> Iterator[Edit]:
    for function in source.functions():
        for node in [*function.args.defaults, *function.args.kw_defaults]:
            if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
                new = not node.value if isinstance(node.value, bool) else node.value + 1
                yield source.replaced(node, repr(new))


def _dropped_keywords(source: Source) -> Iterator[Edit]:
    """A keyword is left to its default."""
    for node in source.walk():
        if isinstance(node, ast.Call) and node.args:
            for each in node.keywords:
                if each.arg and each is node.keywords[-1]:
                    start = source.span(
                        node.keywords[-2] if len(node.keywords) > 1 else node.args[-1]
                    )
                    yield Edit(start[1], source.span(each)[1], "")


def _other_operators(source: Source) -> Iterator[Edit]:
    others = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+"}
    for node in source.walk():
        if isinstance(node, ast.BinOp) and type(node.op) in others:
            left, right = source.of(node.left), source.of(node.right)
            yield source.replaced(node, f"({left} {others[type(node.op)]} {right})")


def _turned_conditions(source: Source) -> Iterator[Edit]:
    for node in source.walk():
        if isinstance(node, (ast.If, ast.IfExp)) and not _is_guard(node.test):
            yield source.replaced(node.test, f"not ({source.of(node.test)})")


def _is_guard(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(test))


def _named_results(source: Source) -> Iterator[Edit]:
    for function in source.functions():
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value is not None and node.col_offset:
                indent = " " * node.col_offset
                kept = f"result_of_it = {source.of(node.value)}\n{indent}return result_of_it"
                if _is_alone(source, node):
                    yield source.replaced(node, kept)


def _is_alone(source: Source, node: ast.stmt) -> bool:
    """Whether a statement has lines of its own."""
    start, end = source.span(node)
    before = source.text[:start].rpartition("\n")[2]
    after = source.text[end:].partition("\n")[0]
    return not before.strip() and not after.strip()


def _commuted(source: Source) -> Iterator[Edit]:
    for node in source.walk():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            yield source.replaced(node, f"({source.of(node.right)} * ({source.of(node.left)}))")


def _through_functions(source: Source) -> Iterator[Edit]:
    for function in source.functions():
        for node in ast.walk(function):
            if isinstance(node, ast.BinOp):
                yield source.replaced(node, f"(lambda it: it)({source.of(node)})")


def _dead_code(source: Source) -> Iterator[Edit]:
    for function in source.functions():
        last = function.body[-1]
        if isinstance(last, ast.Return) and _is_alone(source, last):
            start, _ = source.span(last)
            yield Edit(start, start, "nobody_reads_it = 1 + 1\n" + " " * last.col_offset)


def _always_taken(source: Source) -> Iterator[Edit]:
    for function in source.functions():
        for node in function.body:
            if isinstance(node, ast.Return) and _is_alone(source, node):
                text = source.of(node)
                if "\n" not in text:
                    yield source.replaced(node, f"if True:\n{' ' * (node.col_offset + 4)}{text}")


BREAKING = (
    Way("an update is dropped", False, _dropped_updates),
    Way("two arguments change places", False, _swapped_arguments),
    Way("two results change places", False, _swapped_parameters),
    Way("an axis is another one", False, _changed_axes),
    Way("a gradient is stopped", False, _stopped_gradients),
    Way("an object is cloned", False, _clones),
    Way("a constant is another one", False, _changed_constants),
    Way("two statements change places", False, _reordered),
    Way("shared and not copied", False, _shared),
    Way("a default is another one", False, _changed_defaults),
    Way("a keyword is dropped", False, _dropped_keywords),
    Way("an operator is another one", False, _other_operators),
    Way("a condition is turned round", False, _turned_conditions),
)
KEEPING = (
    Way("a result gets a name", True, _named_results),
    Way("factors change places", True, _commuted),
    Way("a value goes through a function", True, _through_functions),
    Way("code that nobody needs", True, _dead_code),
    Way("a condition that always holds", True, _always_taken),
)
