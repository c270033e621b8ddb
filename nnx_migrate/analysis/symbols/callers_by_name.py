"""Which functions may be running when another one runs, told by names alone."""

from __future__ import annotations

import functools

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.occurrences import Mentions

_PLAIN_DECORATORS = frozenset({"staticmethod", "classmethod"})
#: Decorators after which the framework runs a test as before: it skips it, or runs it repeatedly.
_MARKS = ("pytest.mark.", "absl.testing.parameterized.", "unittest.skip")
#: What code says that may call methods by names that it computes, or runs texts.
_COMPUTING = frozenset({"attrgetter", "eval", "exec", "methodcaller"})
#: Stands for all names, in a set of those that code may look up by texts.
_ANY_NAME = ""


class RunsByName:
    """Tells which methods do not run while a function does, of an object that it made itself."""

    def __init__(self, mentions: Mentions) -> None:
        self.mentions = mentions
        self.project = mentions.project
        self._running: dict[Scope, frozenset[Scope]] = {}
        self._texts: dict[str, frozenset[str]] = {}

    def may_run_during(self, method: Scope, during: Scope) -> bool:
        """Whether a method may run while a function does."""
        name = self.project.function(method).name
        texts = self._called_by_text.union(*map(self._looked_up, {method.module, during.module}))
        if not texts.isdisjoint({name, _ANY_NAME}):
            return True
        if method not in self._running:
            self._running[method] = may_be_running(self.mentions, method)
        running = self._running[method]
        return not running or during in running

    def _looked_up(self, module: str) -> frozenset[str]:
        """The names that code of a module may ask for by `getattr(x, text)`."""
        if module not in self._texts:
            if self.project.modules[module].says(_COMPUTING):
                self._texts[module] = frozenset({_ANY_NAME})
            else:
                found = (_name_given(call) for call in self._calls_by_text(module))
                self._texts[module] = frozenset(name for name in found if name is not None)
        return self._texts[module]

    @functools.cached_property
    def _called_by_text(self) -> frozenset[str]:
        """The names of what code of the project gets so and calls at once."""
        found = (
            _name_given(call.func)
            for module in self.project.modules
            for call in self._calls_by_text(module)
        )
        return frozenset(name for name in found if name is not None)

    def _calls_by_text(self, module: str) -> list[ir.Call]:
        """The calls of a module that asks for attributes by texts; none of another."""
        index = self.project.modules[module]
        if not index.says(frozenset({"getattr"})):
            return []
        return [call for each in index.functions.values() for call in each.calls]


def _name_given(expr: ir.Expr) -> str | None:
    """The text of `getattr(x, text)`; None where it is no such call."""
    match expr:
        case ir.Call(func=ir.Name("getattr"), args=(_, asked, *_)):
            return asked.text if isinstance(asked, ir.Constant) else _ANY_NAME
        case _:
            return None


def may_be_running(mentions: Mentions, start: Scope) -> frozenset[Scope]:
    """The functions that may be running when one runs; empty where that cannot be told.

    Whatever calls something of the name of the function, and so on.
    """
    project = mentions.project
    found: set[Scope] = set()
    wanted = [start]
    while wanted:
        scope = wanted.pop()
        if scope in found:
            continue
        found.add(scope)
        if scope.function == ir.MODULE_SCOPE:
            continue
        function = project.function(scope)
        if function.parent is not None:
            wanted.append(Scope(scope.module, function.parent))
        if _is_run_by_others(mentions, scope, function):
            return frozenset()
        wanted += (where for where, _ in mentions.calls_of(function.name))
        wanted += (where for where, _ in mentions.implied_calls_of(function.name))
    return frozenset(found)


def _is_run_by_others(mentions: Mentions, scope: Scope, function: ir.Function) -> bool:
    """Whether a function may be called otherwise than by its name."""
    name = function.name
    if not name.isidentifier() or name.startswith("__"):
        return True
    if not all(_adds_no_caller(mentions, scope, each) for each in function.decorators):
        return True
    handed_on = (passed.source for passed in mentions.passed_on(name))
    if any(not isinstance(source, ir.Call) for source in handed_on):
        return True
    return any(mentions.renamed(name))


def _adds_no_caller(mentions: Mentions, scope: Scope, decorator: ir.Expr) -> bool:
    """Whether what calls a function below a decorator is what calls it by name."""
    if isinstance(decorator, ir.Name) and decorator.id in _PLAIN_DECORATORS:
        return True
    named = decorator.func if isinstance(decorator, ir.Call) else decorator
    dotted = mentions.project.dotted(scope, named)
    return dotted is not None and dotted.startswith(_MARKS)
