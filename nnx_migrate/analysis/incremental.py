"""Answers that an edit of a file leaves as they are, so that they need not be found anew.

What a file is rewritten to does the same, so whatever was shown of other files holds after it too.
Only names and lines of the file itself are new: what mentions them, and what is asked of it or of
files in which names may lead to it, is found again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, cast

from nnx_migrate.analysis.domain.containers import parts_of
from nnx_migrate.analysis.domain.fixpoint import UNKNOWN, Fixpoint
from nnx_migrate.analysis.domain.values import (
    Basic,
    ClassValue,
    ContainerValue,
    FunctionValue,
    Instance,
    LibraryValue,
    Scope,
    TupleValue,
)
from nnx_migrate.analysis.effects.effect import Effect
from nnx_migrate.analysis.effects.summary import EffectFinder
from nnx_migrate.analysis.heap.contents import Contents
from nnx_migrate.analysis.heap.reachable_variables import ContentsFinder
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.object_finder import ObjectFinder
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.core.place import Place, refers_to

#: Questions about a function, or an object of a class, by the first part of their keys. Who calls
#: a function is asked of all files, the edited one included.
_ABOUT = frozenset({"parameter", "returned", "called", "gives back"})


class Lasting:
    """The answers of an earlier project that count in a later one.

    Args:
        earlier: what was found before the edit.
        project: as it is after the edit.
        ask: has what is asked for the first time found there too, where it can be.
    """

    def __init__(
        self, earlier: Fixpoint, project: Project, ask: Callable[[Hashable], None] | None = None
    ) -> None:
        self._earlier = earlier
        self._ask = ask
        self._renewed = project.renewed
        self._found_anew = project.renewed | {""}
        #: Whether answers name files that are renewed: few are different, and some hold hundreds.
        self._naming: dict[frozenset[object], bool] = {}

    def answer(self, key: Hashable) -> object:
        """The answer to what has that key; UNKNOWN where it has to be found."""
        if self._module(key) in self._found_anew:
            return UNKNOWN
        found = self._earlier.final(key)
        if found is UNKNOWN and self._ask is not None:
            self._ask(key)
            found = self._earlier.final(key)
        if found is UNKNOWN or self._mentioned(found):
            return UNKNOWN
        return found

    def _module(self, key: Hashable) -> str:
        """The module that a question is about; "" for one whose answer does not last."""
        match key:
            case (Scope(module=module), _):
                return module
            case (str() as asked, Scope(module=module), *_) if asked in _ABOUT:
                return module
            case (str() as asked, str() as class_name, _) if asked in _ABOUT:
                return class_name.partition(":")[0]
            case str() as class_name:  # what its objects hold
                return class_name.partition(":")[0]
            case _:
                return ""

    def _mentioned(self, found: object) -> bool:
        if isinstance(found, Contents):
            return any(map(self._owns, found.variables)) or any(map(self._told, found.unseen))
        if not isinstance(found, frozenset):
            return False
        known = self._naming.get(found)
        if known is None:
            known = self._naming[found] = any(map(self._is_mentioned_by, found))
        return known

    def _is_mentioned_by(self, part: object) -> bool:
        match part:
            case Instance(class_name=class_name, wraps=wraps, origin=origin):
                return self._owns(class_name) or self._told(origin) or self._mentioned(wraps)
            case ClassValue(class_name=name) | LibraryValue(dotted=name):
                return self._owns(name)
            case FunctionValue(scope=scope):
                return scope.module in self._renewed
            case TupleValue() | ContainerValue():
                return any(map(self._mentioned, parts_of(part)))
            case Basic(reason=reason):
                return self._told(reason)
            case Effect(where=where, flag=flag, field=field, home=home):
                depends = flag is not None and flag[0].module in self._renewed
                depends |= field is not None and any(map(self._owns, field.classes))
                depends |= home in self._renewed
                return depends or where.module in self._renewed or self._told(part.what)
            case _:
                return True

    def _owns(self, name: str) -> bool:
        module, colon, _ = name.partition(":")
        return module in self._renewed or (not colon and _within(name, self._renewed))

    def _told(self, words: Place | str) -> bool:
        if isinstance(words, Place):
            return words.module in self._renewed
        return bool(words) and any(refers_to(words, module) for module in self._renewed)


class LastingObjects:
    """The answers about which objects an expression gives that count in a later project.

    An object is known by the lines that make it, and elements by those that put them there. So an
    answer lasts only if no function of a file that is renewed was looked at for it.

    Args:
        earlier: what was found before the edit.
        project: as it is after the edit.
        asks: have what is asked for the first time found there too, where it can be.
    """

    def __init__(self, earlier: ObjectFinder, project: Project, *, asks: bool) -> None:
        self._earlier = earlier
        self._asks = asks
        self._renewed = project.renewed

    def answer(self, key: Hashable) -> object:
        """The answer to what has that key; UNKNOWN where it has to be found."""
        if not isinstance(key, tuple) or not self._renewed.isdisjoint(_modules(key)):
            return UNKNOWN
        found = self._earlier.final(key)
        if found is UNKNOWN and self._asks:
            ask_objects(self._earlier, key)
            found = self._earlier.final(key)
        if found is UNKNOWN or self._earlier.rests_on.is_any_of(key, self._renewed):
            return UNKNOWN
        return found


def _modules(key: tuple[Any, ...]) -> Iterator[str]:
    """The modules that a question about objects is about."""
    match key:
        case (Scope(module=module), _, _) | (str(), Scope(module=module), *_):
            yield module
        case (str(), tuple() as to):
            yield from (binding.scope.module for binding, _ in to)


def ask_objects(objects: ObjectFinder, key: Hashable) -> None:
    """Have found which objects are given by what has that key."""
    match key:
        case (Scope() as scope, expr, float() | int() as at):
            objects.held(scope, cast("ir.Expr", expr), at)
        case ("returned", Scope() as scope):
            objects.returned(scope)
        case ("kept", Scope() as method):
            objects.kept(method)
        case ("may store", Scope() as scope, str() as name):
            objects.may_store(scope, name)
        case ("stored", Scope() as scope, str() as name):
            objects.stored(scope, name)
        case (
            ("all" | "by then" | "on entry") as filled,
            Scope() as scope,
            str() as name,
            float() | int() as at,
        ):
            objects.so_far(scope, name, at, filled)


def ask_evaluator(evaluator: Evaluator, key: Hashable) -> None:
    """Have an evaluator find what has that key."""
    match key:
        case ("parameter", Scope() as scope, str() as name):
            for parameter in evaluator.project.function(scope).parameters:
                if parameter.name == name:
                    evaluator.parameter(scope, parameter)
        case ("returned", Scope() as scope):
            evaluator.returned(scope)
        case (Scope() as scope, expr) if not isinstance(expr, str):
            evaluator.values(scope, cast("ir.Expr", expr))


def ask_effects(effects: EffectFinder, key: Hashable) -> None:
    """Have effects found of what has that key."""
    match key:
        case (Scope() as scope, str() as name):
            effects.of(scope, name)
        case ("gives back", Scope() as scope, str() as name):
            effects.gives_back(scope, name)


def ask_contents(contents: ContentsFinder, key: Hashable) -> None:
    """Have found what objects hold, of the class that has that key."""
    match key:
        case str() as class_name:
            contents.of_class(class_name)


def _within(dotted: str, modules: Iterable[str]) -> bool:
    return any(dotted.startswith(f"{module}.") for module in modules)
