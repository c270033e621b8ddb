"""What code that is not known may do to an object, where it may be any code in sight.

The files of a run are taken for all there are. So a call of something of which nothing is known
runs, of all the classes and functions in sight, one that such a call can run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator

from nnx_migrate.analysis.callgraph.call_form import CallForm
from nnx_migrate.analysis.domain.fixpoint import Fixpoint
from nnx_migrate.analysis.domain.values import Instance, Scope
from nnx_migrate.analysis.effects.causes import (
    CalleeUnknown,
    MethodUnknown,
    PassedTo,
    TextExecuted,
    Unseen,
    only_of_objects,
    shows_after_loop,
)
from nnx_migrate.analysis.effects.effect import Effect, worst
from nnx_migrate.analysis.effects.summary import EffectFinder
from nnx_migrate.analysis.heap.reachable_variables import ContentsFinder
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.imports.import_graph import ImportFinder

#: Methods of arrays, dictionaries and texts; what has no other is taken for one of them.
_OF_DATA = {
    name for kind in (bytes, dict, list, tuple, str, set, float) for name in dir(kind)
}.union(
    {"all", "any", "argmax", "argmin", "argsort", "astype", "at", "block_until_ready", "clip"},
    {"conj", "cumprod", "cumsum", "diagonal", "dot", "flatten", "item", "max", "mean", "min"},
    {"nonzero", "prod", "ravel", "repeat", "reshape", "round", "searchsorted", "set", "std", "sum"},
    {"squeeze", "swapaxes", "take", "tobytes", "tolist", "trace", "transpose", "var", "view"},
    {"apply", "choose", "compress", "divide", "mul", "multiply", "power"},
)

#: Those of arrays that take numbers, axes, types and arrays, and do nothing to them.
_OF_ARRAYS = frozenset(
    {"all", "any", "argmax", "argmin", "argsort", "astype", "clip", "cumprod", "cumsum", "diagonal"}
    | {"flatten", "max", "mean", "min", "prod", "ravel", "repeat", "reshape", "round", "squeeze"}
    | {"std", "sum", "swapaxes", "transpose", "var"}
)


_LINEN = "flax.linen.Module"


@dataclasses.dataclass(frozen=True, slots=True)
class Possible:
    """Something that may happen to an object, out of sight.

    Args:
        effect: what is not known.
        by: what code in sight does that may be meant; None where no code in sight tells.
        name: of that code.
    """

    effect: Effect
    by: Effect | None = None
    name: str = ""


#: The code that is found, by its name, and what it does.
_Found = tuple[str, Effect] | None


class InSight:
    """Looks for code in sight that may be what a call of something unknown runs."""

    def __init__(
        self, effects: EffectFinder, imports: ImportFinder, contents: ContentsFinder
    ) -> None:
        self.effects = effects
        self.imports = imports
        self.contents = contents
        self.project = effects.project
        self.hierarchy = effects.hierarchy
        self._narrowed: dict[tuple[str, bool], InSight] = {}
        self._differentiated: dict[str, InSight] = {}
        self._document = ""
        self._program = ""
        self._in_loop = False
        self._fixpoint = Fixpoint()
        self._named: dict[str, list[Scope]] = {}
        self._methods_named: dict[str, list[Scope]] = {}

    def of(self, module: str, in_loop: bool) -> InSight:
        """The same for one file: a notebook or page runs what it defines and imports, directly or
        through others; where that may import more at run time, all but what other ones define.

        Args:
            in_loop: what happens to what a loop carries, so that most of it raises in both modes.
        """
        document = module if self.project.modules[module].stands else ""
        if not document and not in_loop:
            return self
        if (document, in_loop) not in self._narrowed:
            narrowed = InSight(self.effects, self.imports, self.contents)
            narrowed._document, narrowed._in_loop = document, in_loop
            self._narrowed[document, in_loop] = narrowed
        return self._narrowed[document, in_loop]

    def differentiated(self, module: str) -> InSight:
        """The same, where the object is differentiated, and the new code checks what happens to it.

        So it has Params, and its class stands in a file that some program of the project runs
        together with this one; imports at run time (`importlib`) are not followed.
        """
        if module not in self._differentiated:
            narrowed = InSight(self.effects, self.imports, self.contents)
            narrowed._program = module
            self._differentiated[module] = narrowed
        return self._differentiated[module]

    def possible(self, effect: Effect, is_object: bool) -> Possible | None:
        """What may happen where an effect is not known; None when nothing can, in sight.

        Args:
            effect: it is not known.
            is_object: what it happens to, or what holds that, is an object of nnx for sure.
        """
        cause = effect.cause
        match cause:
            case CalleeUnknown(form=form):
                return self._by(effect, self._of_methods("__call__", form))
            case MethodUnknown(name=name, form=form, of_nnx=of_nnx):
                return self._by(effect, self._of_method_or_part(name, form, of_nnx))
            case PassedTo(called=called) if called.startswith("assert"):
                return None  # methods of test cases
            case PassedTo(called=called, library=False) if called in _OF_ARRAYS and not (
                self._functions(called)
            ):
                return None
            case PassedTo(called=called, library=False, form=form) if not is_object or any(
                self._fits(scope, form, own=False) for scope in self._functions(called)
            ):
                found = self._given(called, form) or self._given("__call__", form)
                return self._by(effect, found)
            case PassedTo() | Unseen() if is_object:
                return Possible(effect)
            case _:
                return None

    def _by(self, effect: Effect, found: _Found) -> Possible | None:
        return None if found is None else Possible(effect, found[1], found[0])

    def _of_method_or_part(self, name: str, form: CallForm | None, of_nnx: bool) -> _Found:
        """A method of that name changes its object, or something kept under it does when called."""
        found = self._of_methods(name, form, of_nnx)
        if found is not None or name in _OF_DATA or any(self._methods(name)):
            return found
        return self._of_methods("__call__", form)

    def _of_methods(self, name: str, form: CallForm | None, of_nnx: bool = False) -> _Found:
        """The first method of that name in sight that changes its own object, or may do so.

        Args:
            form: how it is called, if that is seen: what cannot be called like that is not meant.
            of_nnx: its object is one of nnx, and no other tree.
        """
        named = self._methods_of_nnx if of_nnx else self._methods
        return self._first(named, name, form, own=True, of_nnx=of_nnx)

    def _given(self, name: str, form: CallForm | None) -> _Found:
        """The first function of that name that changes something that it is given."""
        return self._first(self._functions, name, form, own=False)

    def _first(
        self,
        named: Callable[[str], Iterable[Scope]],
        name: str,
        form: CallForm | None,
        *,
        own: bool,
        of_nnx: bool = False,
    ) -> _Found:
        def first() -> _Found:
            for scope in named(name):
                found = worst(self._structural(scope, form, own))
                if found is not None:
                    function = self.project.function(scope)
                    owner = (function.owner or "").partition(":")[0]
                    return f"{owner}.{function.name}" if owner else function.name, found
            return None

        # What it calls itself, it need not be asked for.
        return self._fixpoint.get((name, form, own, of_nnx), first, None, lambda found: found)

    def _structural(self, scope: Scope, form: CallForm | None, own: bool) -> Iterator[Effect]:
        if not self._fits(scope, form, own):
            return
        function = self.project.function(scope)
        count = 1 if function.owner is not None else 0
        asked = function.parameters[:count] if own else function.parameters[count:]
        for parameter in asked:
            if form is not None and not own and not _is_given(form, function, parameter):
                continue
            for effect in self.effects.of(scope, parameter.name):
                if self._in_loop and not shows_after_loop(effect.cause):
                    continue
                if effect.kind == "structure":
                    if own or only_of_objects(effect.cause):  # the rest is done to lists as well
                        yield effect
                elif isinstance(effect.cause, TextExecuted):
                    yield effect
                elif effect.kind == "unknown":
                    # Of what may be meant only what is in sight counts, or all would be unknown.
                    inner = self.possible(effect, is_object=False)
                    if inner is not None and inner.by is not None:
                        yield inner.by

    def _fits(self, scope: Scope, form: CallForm | None, own: bool) -> bool:
        """Whether a function takes a call of that form, of an object's own method or as a value."""
        function = self.project.function(scope)
        count = 1 if function.owner is not None else 0
        bounds = {count} if own else {0, count}
        return form is None or any(form.fits(function, bound) for bound in bounds)

    def _methods(self, name: str) -> list[Scope]:
        """The methods of that name of classes whose instances a traced function may be given."""
        if name not in self._methods_named:
            traced = [scope for scope in self._functions(name) if self._is_traced(scope)]
            self._methods_named[name] = traced
        return self._methods_named[name]

    def _functions(self, name: str) -> list[Scope]:
        """The functions and methods in sight that have a name."""
        if name not in self._named:
            mentions = self.effects.evaluator.callers.mentions
            named = sorted(mentions.functions_named(name), key=str) if name else []
            self._named[name] = [scope for scope in named if self._can_run(scope.module)]
        return self._named[name]

    def _can_run(self, module: str) -> bool:
        """Whether what is looked at may run code of a file."""
        if self._program and not self.imports.in_one_program(self._program, module):
            return False
        if not self._document:
            return True
        program = self.imports.program_of(self._document)
        if program is not None:
            return module in program
        return module == self._document or not self.project.modules[module].stands

    def _is_traced(self, method: Scope) -> bool:
        function: ir.Function = self.project.function(method)
        if function.owner is None:
            return False
        class_name = f"{method.module}:{function.owner}"
        if _LINEN in self.hierarchy.ancestry(class_name).classes:
            return False  # linen keeps its attributes frozen, and what it sows elsewhere
        if self._program and not self._may_have_params(class_name):
            return False
        return self.hierarchy.kind(class_name) != "plain" or self.hierarchy.is_tree(class_name)

    def _methods_of_nnx(self, name: str) -> list[Scope]:
        """Those of classes whose objects may be of nnx, and not of another tree."""
        return [each for each in self._methods(name) if self._kind(each) != "plain"]

    def _kind(self, method: Scope) -> str | None:
        """What the objects of the class are that a method is of."""
        return self.hierarchy.kind(f"{method.module}:{self.project.function(method).owner}")

    def _may_have_params(self, class_name: str) -> bool:
        found = self.contents.of(frozenset({Instance(class_name)}))
        return bool(found.unseen) or "Param" in found.variables


def _is_given(form: CallForm, function: ir.Function, parameter: ir.Parameter) -> bool:
    bounds = {0, 1} if function.owner is not None else {0}
    return any(form.may_give_object(function, parameter, bound) for bound in bounds)
