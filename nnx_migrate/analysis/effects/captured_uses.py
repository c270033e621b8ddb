"""What a function does with an object that it captures: updates it, hands it to a transform.

Either raises in graph mode when the function is traced: the object is of another trace level
(docs/semantics.md: CLO-2).
"""

from __future__ import annotations

from nnx_migrate.analysis.domain.values import Scope, Values
from nnx_migrate.analysis.effects.captured_use_search import Search, Uses
from nnx_migrate.analysis.effects.summary import EffectFinder
from nnx_migrate.analysis.heap.reachable_variables import ContentsFinder
from nnx_migrate.core.place import Place


class UseFinder:
    """Finds the uses of what functions capture, or are given, through all that they call."""

    def __init__(self, effects: EffectFinder, contents: ContentsFinder) -> None:
        self.effects = effects
        self.contents = contents
        self._found: dict[tuple[Scope, str], Uses] = {}

    def of(self, scope: Scope, name: str) -> Uses:
        """The uses that function `scope` makes of what it calls `name`."""
        key = scope, name
        if key not in self._found:
            self._found[key] = frozenset(Search(self.effects, self.contents).function(scope, name))
        return self._found[key]

    def of_call(self, values: Values, where: Place) -> Uses:
        """The uses that a call of an object makes of it."""
        search = Search(self.effects, self.contents)
        return frozenset(use for value in values for use in search.called(value, where))
