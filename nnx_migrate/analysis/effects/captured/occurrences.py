"""Which functions an object of a module can occur in: a cheap question, before the dear ones.

What a function does with an object of a module is looked for in all that it calls, and to find out
what it calls, the evaluator may go through a whole package. Most such objects occur in no function
at all, under whatever name: one pass over the names of the files from which they can be reached
says so. Names are taken for all that they are bound to, whatever is done on the way, so that what
is not told here is nowhere.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Iterator, Mapping

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.mentioned_names import words_in
from nnx_migrate.analysis.symbols.program import Project

#: What code can mention: a variable, by its function, or what files may import by that name.
_Variable = tuple[str, str]
_Mentioned = _Variable | str


@dataclasses.dataclass(frozen=True, slots=True)
class _Flows:
    """Where what a file mentions goes.

    Args:
        into: the variables that something is bound to in which it is mentioned.
        given: the methods that are called with it, each with the function that does so.
        within: the functions in which it is mentioned.
    """

    into: Mapping[_Mentioned, tuple[_Variable, ...]]
    given: Mapping[_Mentioned, tuple[tuple[str, ir.Attribute], ...]]
    within: Mapping[_Mentioned, tuple[str, ...]]


class ObjectOccurrences:
    """Finds the functions in which objects of modules can occur.

    Args:
        before: of the project that this one is but for a file.
    """

    def __init__(self, project: Project, before: ObjectOccurrences | None = None) -> None:
        self._project = project
        self._before = before
        self._flows: dict[str, _Flows] = {}
        self._found: dict[str, frozenset[Scope]] = {}

    def of(self, dotted: str) -> frozenset[Scope]:
        """The functions in which "module.name" can occur; the bodies of modules are left out."""
        if dotted not in self._found:
            self._found[dotted] = frozenset(self._functions(dotted))
        return self._found[dotted]

    def _functions(self, dotted: str) -> Iterator[Scope]:
        home, _, name = dotted.rpartition(".")
        modules = self._project.leading_to(home) & self._project.modules.keys()
        waiting: list[tuple[str, _Mentioned]] = [("", name)]
        waiting += [(home, (ir.MODULE_SCOPE, each)) for each in self._bound_together(home, name)]
        seen = set(waiting)
        for module, mentioned in waiting:
            for each in modules if module == "" else (module,):
                flows = self._of_module(each)
                for key in flows.within.get(mentioned, ()):
                    if key != ir.MODULE_SCOPE:
                        yield Scope(each, key)
                new: list[tuple[str, _Mentioned]] = []
                for variable in (*flows.into.get(mentioned, ()), *self._keeping(each, mentioned)):
                    new.append((each, variable))
                    if variable[0] == ir.MODULE_SCOPE:
                        new.append(("", variable[1]))
                waiting += [one for one in dict.fromkeys(new) if one not in seen]
                seen.update(new)

    def _keeping(self, module: str, mentioned: _Mentioned) -> Iterator[_Variable]:
        """The variables with a method that may keep what it is given."""
        for key, func in self._of_module(module).given.get(mentioned, ()):
            root = ir.root_name(func)
            if root is not None and self._may_be_method(Scope(module, key), func):
                yield from (
                    each
                    for each in _meant(self._project.modules[module], key, root.id)
                    if not isinstance(each, str)
                )

    def _may_be_method(self, scope: Scope, func: ir.Attribute) -> bool:
        """Whether an attribute is none of a library, and no function or class of the project."""
        dotted = self._project.dotted(scope, func)
        if dotted is None:
            return True
        if dotted.partition(".")[0] not in self._project.packages:
            return False
        bound = self._project.member(dotted)
        return not bound or not all(
            isinstance(each, Located) and isinstance(each.expr, ir.FunctionRef | ir.ClassRef)
            for each in bound
        )

    def _bound_together(self, module: str, name: str) -> Iterator[str]:
        """The names that are bound to the same as this one: both of `a = b = Model()`."""
        bindings = self._project.modules[module].functions[ir.MODULE_SCOPE].bindings
        values = frozenset(bindings.get(name, ()))
        yield name
        yield from (other for other, held in bindings.items() if not values.isdisjoint(held))

    def _of_module(self, module: str) -> _Flows:
        index = self._project.modules[module]
        if module not in self._flows:
            before = self._before
            if before is not None and before._project.modules.get(module) is index:
                self._flows[module] = before._of_module(module)
            else:
                self._flows[module] = _flows(index)
        return self._flows[module]


def _flows(index: ir.ModuleIndex) -> _Flows:
    into: dict[_Mentioned, dict[_Variable, None]] = collections.defaultdict(dict)
    given: dict[_Mentioned, dict[tuple[str, ir.Attribute], None]] = collections.defaultdict(dict)
    within: dict[_Mentioned, dict[str, None]] = collections.defaultdict(dict)
    for key, function in index.functions.items():
        for variable, where, held in _bound(key, function):
            for mentioned in _mentioned(index, where, held):
                into[mentioned][variable] = None
                within[mentioned][where] = None
        for call in function.calls:
            if isinstance(call.func, ir.Attribute):
                arguments = (*call.args, *(value for _, value in call.keywords))
                for mentioned in _mentioned(index, key, arguments):
                    given[mentioned][key, call.func] = None
        calls = [part for each in function.calls for part in _parts_of_call(each)]
        rest = (*calls, *function.returns, *function.yields, *function.reads)
        for mentioned in _mentioned(index, key, rest):
            within[mentioned][key] = None
    return _Flows(
        {mentioned: tuple(variables) for mentioned, variables in into.items()},
        {mentioned: tuple(methods) for mentioned, methods in given.items()},
        {mentioned: tuple(keys) for mentioned, keys in within.items()},
    )


def _bound(key: str, function: ir.Function) -> Iterator[tuple[_Variable, str, tuple[ir.Expr, ...]]]:
    """What variables get: by assignments, as defaults, and by stores into their parts."""
    for name, values in function.bindings.items():
        yield (key, name), key, values
    for parameter in function.parameters:
        if parameter.default is not None:
            yield (key, parameter.name), function.parent or ir.MODULE_SCOPE, (parameter.default,)
    for write in (*function.writes, *function.repeated):
        yield (key, _kept_by(write.target)), key, (write.target, write.value or write.target)


def _kept_by(target: ir.Expr) -> str:
    """The name of what a store changes; empty for something else than a variable or its parts."""
    while isinstance(target, ir.Attribute | ir.Element | ir.Unpacked):
        target = target.base
    return target.id if isinstance(target, ir.Name) else ""


def _parts_of_call(call: ir.Call) -> Iterator[ir.Expr]:
    yield call.func
    yield from call.args
    yield from (value for _, value in call.keywords)


def _mentioned(
    index: ir.ModuleIndex, key: str, expressions: Iterable[ir.Expr]
) -> Iterator[_Mentioned]:
    """What expressions mention that may stand for an object, at any depth."""
    waiting = [(key, each) for each in expressions]
    while waiting:
        here, expr = waiting.pop()
        match expr:
            case ir.Name(id=name):
                yield from _meant(index, here, name)
            case ir.Attribute(base=base, name=name):
                if _may_be_module(index, here, base):
                    yield name
                waiting.append((here, base))
            case ir.ImportRef(target=target):
                yield target.rpartition(".")[2]
            case ir.Constant(text=text):
                yield from words_in(text)
            case ir.Within(key=inner, expr=held):
                waiting.append((inner, held))
            case ir.Call():
                waiting += [(here, each) for each in _parts_of_call(expr)]
            case ir.Sequence(elements=parts) | ir.Choice(options=parts):
                waiting += [(here, each) for each in parts]
            case ir.Computed(operands=parts):
                waiting += [(here, each) for each in parts]
            case ir.Element(base=base) | ir.Unpacked(base=base) | ir.Starred(value=base):
                waiting.append((here, base))
            case ir.FunctionRef() | ir.ClassRef():
                pass


def _may_be_module(index: ir.ModuleIndex, key: str, expr: ir.Expr) -> bool:
    """Whether an expression may be a module: a parameter is none that is followed by name."""
    root = ir.root_name(expr)
    if root is None:
        return ir.is_reference(expr) or isinstance(expr, ir.Attribute)
    first = next(_meant(index, key, root.id))
    if isinstance(first, str):
        return True
    function = index.functions[first[0]]
    return root.id in function.loose or all(p.name != root.id for p in function.parameters)


def _meant(index: ir.ModuleIndex, key: str, name: str) -> Iterator[_Mentioned]:
    """The variables that a name can be there, from the inside out."""
    around: str | None = key
    while around is not None:
        function = index.functions[around]
        own = name in function.bindings or any(p.name == name for p in function.parameters)
        if own and name not in function.globals:
            yield around, name
            if name not in function.loose:
                return
        around = function.parent
    yield name  # what a star import may bind
