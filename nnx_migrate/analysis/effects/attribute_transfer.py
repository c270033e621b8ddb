"""What becomes of an object where its attributes are read and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from nnx_migrate.analysis.callgraph.dunder_dispatch import (
    Run,
    descriptors_run,
    lookups_run,
    methods_run,
)
from nnx_migrate.analysis.domain.values import Basic, FunctionValue, Instance, Scope, Value
from nnx_migrate.analysis.effects.aliases.keepers import done_by_reading, under_name
from nnx_migrate.analysis.effects.call_transfer import Handing
from nnx_migrate.analysis.effects.causes import (
    AttributeWritten,
    ElementReplaced,
    MethodChanges,
    PropertyCached,
    VariableAdded,
    of_object,
)
from nnx_migrate.analysis.effects.effect import Effect, all_done
from nnx_migrate.analysis.effects.only_tested import is_only_tested
from nnx_migrate.analysis.heap.global_readers import kept_in, name_of_module, readers
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.effect_model import CHANGING_METHODS, VARIABLE_WRITES
from nnx_migrate.core.place import Place

_How = Literal["set", "updated", "deleted"]
_HOW: Mapping[str, _How] = {"set": "set", "augment": "updated", "delete": "deleted"}
_OPERATORS = "add sub mul matmul truediv floordiv mod pow lshift rshift and xor or"
#: What `+=` and its likes run.
_IN_PLACE = tuple(f"__i{name}__" for name in _OPERATORS.split())


class Touching(Handing):
    """Looks at reads and writes, and at the methods that they run."""

    def write(self, scope: Scope, write: ir.Write) -> Iterator[Effect]:
        target = write.target
        if write.how == "grow":  # the call that does it is looked at as a call
            return
        if write.how in {"item", "key"}:
            yield from self._element_write(scope, write)
        elif write.how == "augment" and self._is_variable_in_place(scope, target):
            return  # flax raises, and older versions of it give the same Variable back
        elif isinstance(target, ir.Attribute) and self.rooted(scope, target.base):
            if not self.aliases.is_of_variable(scope, target, VARIABLE_WRITES):
                yield self._written(scope, target, write)
        elif write.value is not None and self.aliases.escapes(scope, write.value):
            yield self.kept(scope, target, write.line)
            yield from self.by_readers(scope, target)

    def _written(self, scope: Scope, target: ir.Attribute, write: ir.Write) -> Effect:
        added = self.finder.added.type_of(scope, write) if write.how == "set" else ""
        if added:
            where = self.where(scope, write.line)
            return Effect("structure", VariableAdded(target.name, added), where, sows=True)
        return self.structure(AttributeWritten(target.name, _HOW[write.how]), scope, write.line)

    def _is_variable_in_place(self, scope: Scope, target: ir.Expr) -> bool:
        """Whether it is a Variable for sure, whose class leaves `+=` to flax."""
        values = self.aliases.values(scope, target)
        if not values or not self.aliases.is_variable(scope, target):
            return False
        return not any(
            isinstance(self.hierarchy.method(class_name, name), Scope)
            for value in values
            if isinstance(value, Instance)
            for class_name in self.hierarchy.classes_of(value)
            for name in _IN_PLACE
        )

    def _element_write(self, scope: Scope, write: ir.Write) -> Iterator[Effect]:
        target = write.target
        if self.aliases.is_local_container(scope, target):
            return
        if self.aliases.is_made_container(scope, target) or not self.rooted(scope, target):
            if write.value is not None and self.aliases.escapes(scope, write.value):
                yield self.kept(scope, target, write.line)
                yield from self.by_readers(scope, target)
        elif write.how == "key" and not self.aliases.is_variable(scope, target):
            of_attributes = self.is_attributes(scope, target)
            cause = ElementReplaced(of_attributes, of_object=self.keeps(scope, target))
            yield self.structure(cause, scope, write.line)

    def keeps(self, scope: Scope, expr: ir.Expr) -> bool:
        """Whether it is an object, or what one keeps: `models[0].parts`, and not `models`."""
        while isinstance(expr, ir.Element | ir.Unpacked):
            expr = expr.base
        if isinstance(expr, ir.Attribute):
            return True
        return any(isinstance(value, Instance) for value in self.aliases.values(scope, expr))

    def kept(self, scope: Scope, target: ir.Expr, line: int) -> Effect:
        own = isinstance(target, ir.Attribute) and self.is_self(scope, target.base)
        return self.escape("kept in self" if own else "kept", scope, line)

    def by_readers(self, scope: Scope, target: ir.Expr) -> Iterator[Effect]:
        """What functions change of what they find where it is kept: `CURRENT[-1].n = 1`."""
        keeper, way = kept_in(target)
        found = name_of_module(self.project, scope, keeper)
        if found is None:
            return
        name = under_name(".".join(found), way) if way else ".".join(found)
        for reader in readers(self.project, *found):
            for effect in self.finder.of(reader, name):
                if effect.kind == "structure" and of_object(effect.cause):
                    yield effect

    def read(self, scope: Scope, read: ir.Attribute) -> Iterator[Effect]:
        """A property runs when it is read; a bound method may be called wherever it goes."""
        if self.rooted(scope, read.base):
            yield from self.read_any(scope, read.base, [read.name])
        for done in done_by_reading(self.aliases, scope, read):
            yield from self.joined(done)

    def read_any(self, scope: Scope, base: ir.Expr, names: Iterable[str]) -> Iterable[Effect]:
        """What reading any of some attributes of the object does.

        Each method is asked once: hundreds of classes may have it, and of code that computes the
        name all methods of all of them count.
        """
        where = self.where(scope, 0)
        found: set[Effect] = set()
        methods: dict[Scope, None] = {}
        for value in self.aliases.values(scope, base):
            for name in names:
                read = ir.Attribute(base, name)
                if not isinstance(value, Instance):
                    changes = name in CHANGING_METHODS and _is_unknown(value)
                else:
                    found.update(self.looked_up(scope, read, value))
                    changes = self.changes_itself(value, name)
                    own = self.hierarchy.first_methods.of(self.hierarchy, value, (name,))
                    methods.update(dict.fromkeys(own))
                    if any(map(self._is_cached, own)):
                        found.add(Effect("structure", PropertyCached(name), where))
                if changes and self._is_handed_on(scope, read):
                    found.add(by_method(name, where))
        done = all_done(map(self.finder.of_own_method, methods))
        return found.union(self.joined(done))

    def run(self, scope: Scope, run: Run, line: int) -> Iterator[Effect]:
        """What a method does that nobody calls by its name."""
        own, given = self.rooted(scope, run.operand), self.rooted(scope, run.given)
        if not own and not given:
            return
        evaluator = self.finder.evaluator
        call = ir.Call(ir.Attribute(run.operand, run.methods[0]), (run.given,), (), line)
        for value in self.aliases.values(scope, run.operand):
            for method in methods_run(evaluator, value, run.methods):
                if own:
                    yield from self.joined(self.finder.of_own_method(method))
                if given:
                    called = FunctionValue(method, method.function, bound=True)
                    yield from self.to_function(scope, called, call, self.where(scope, line))

    def looked_up(self, scope: Scope, read: ir.Attribute, value: Instance) -> Iterator[Effect]:
        """What runs where an attribute is looked up: `__getattr__`, and descriptors."""
        evaluator = self.finder.evaluator
        for method in lookups_run(evaluator, value, read.name):
            yield from self.joined(self.finder.of_own_method(method))
        for method in descriptors_run(evaluator, value, read.name):
            called = FunctionValue(method, method.function, bound=True)
            call = ir.Call(read, (read.base,), (), 0)
            yield from self.to_function(scope, called, call, self.where(scope, 0))

    def _is_handed_on(self, scope: Scope, read: ir.Attribute) -> bool:
        """Whether a method is also used as a value: `put = self.sow`."""
        calls = self.project.function(scope).calls
        if any(call.func == read for call in calls):
            return False
        return not is_only_tested(self.finder.evaluator, scope, read)

    def changes_itself(self, base: Instance, name: str) -> bool:
        """Whether it is a method of nnx that changes the object, of a class beside it too."""
        if name not in CHANGING_METHODS:
            return False
        classes = self.hierarchy.classes_of(base)
        if any(isinstance(self.hierarchy.method(each, name), Scope) for each in classes):
            return False
        kinds = [self.hierarchy.kind(each) for each in classes]
        return kinds[0] != "plain" or "module" in kinds

    def _is_cached(self, method: Scope) -> bool:
        decorators = self.project.function(method).decorators
        names = [getattr(d, "name", getattr(d, "id", "")) for d in decorators]
        return "cached_property" in names


def _is_unknown(value: Value) -> bool:
    return isinstance(value, Basic) and value.sort == "unknown"


def by_method(name: str, where: Place, kept: bool = True) -> Effect:
    """What a method of nnx, or of a list where that may be meant, does that changes the object."""
    sows = name in {"sow", "perturb"}
    return Effect("structure", MethodChanges(name, of_object=kept), where, sows=sows)
