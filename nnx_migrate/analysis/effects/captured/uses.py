"""What a function does with an object that it captures: updates it, hands it to a transform.

Either raises in graph mode when the function is traced: the object is of another trace level
(docs/semantics.md: CLO-2).
"""

from __future__ import annotations

import collections

from nnx_migrate.analysis.domain.values import Scope, Values
from nnx_migrate.analysis.effects.aliases.may_alias import is_of_module
from nnx_migrate.analysis.effects.captured.local_steps import WORDS, LocalSteps
from nnx_migrate.analysis.effects.captured.occurrences import ObjectOccurrences
from nnx_migrate.analysis.effects.captured.search import Search
from nnx_migrate.analysis.effects.captured.steps import Enter, Followed, Steps, Use, concerns
from nnx_migrate.analysis.effects.summary import EffectFinder
from nnx_migrate.analysis.heap.reachable_variables import ContentsFinder
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.place import Place

Uses = frozenset[Use]


class UseFinder:
    """Finds the uses of what functions capture, or are given, through all that they call.

    What a function does itself is found once for all searches, those after an edit included. Most
    functions use nothing of most objects, and neither does what they call: all that such a search
    has looked at need not be looked at by another one.

    Args:
        before: of the project that this one is but for a file.
    """

    def __init__(
        self, effects: EffectFinder, contents: ContentsFinder, before: UseFinder | None = None
    ) -> None:
        self._steps = LocalSteps(effects, contents)
        self._project = effects.project
        self._occurrences: ObjectOccurrences = ObjectOccurrences(
            effects.project, None if before is None else before._occurrences
        )
        self._found: dict[Followed, Uses] = {}
        self._local: dict[Followed, Steps] = {}
        #: What uses nothing, with what it leads to, which uses nothing either.
        self._silent: dict[Followed, set[Followed]] = (
            {} if before is None else before._lasting(effects.project.renewed)
        )
        self._before = before if before is not None and before._words == self._words else None

    @property
    def _words(self) -> tuple[bool, ...]:
        """Which words are in the project that say whether layers update themselves."""
        return tuple(map(self._project.has_word, WORDS))

    def _lasting(self, renewed: frozenset[str]) -> dict[Followed, set[Followed]]:
        """What uses nothing whatever these modules do: it leads to none of them.

        Neither does a name in it, so that no object of theirs can be meant.
        """
        leading: dict[Followed, list[Followed]] = collections.defaultdict(list)
        for one, others in self._silent.items():
            for other in others:
                leading[other].append(one)
        waiting = [each for each in self._silent if each[0].module in renewed]
        lost = set(waiting)
        for each in waiting:
            new = [one for one in leading[each] if one not in lost]
            lost.update(new)
            waiting += new
        return {one: others for one, others in self._silent.items() if one not in lost}

    def of(self, scope: Scope, name: str) -> Uses:
        """The uses that function `scope` makes of what it calls `name`."""
        key = scope, name
        if self._occurs_nowhere(scope, name):
            return frozenset()
        if key not in self._found:
            search = self._search()
            found = self._found[key] = frozenset(search.uses((Enter(key),)))
            if not found:
                self._silent.update(search.seen)
        return self._found[key]

    def _occurs_nowhere(self, scope: Scope, name: str) -> bool:
        """Whether an object of a module is known to no function, so that none can use it."""
        if not is_of_module(name) or scope.function == ir.MODULE_SCOPE:
            return False
        return not self._occurrences.of(name)

    def of_call(self, values: Values, where: Place) -> Uses:
        """The uses that a call of an object makes of it."""
        search = self._search()
        return frozenset(
            use for value in values for use in search.uses(tuple(self._steps.called(value, where)))
        )

    def _search(self) -> Search:
        return Search(self._done_by, self._silent)

    def _done_by(self, followed: Followed) -> Steps:
        if followed not in self._local:
            found = self._done_before(followed)
            self._local[followed] = self._steps.of(*followed) if found is None else found
        return self._local[followed]

    def _done_before(self, followed: Followed) -> Steps | None:
        """What a function did before the edit, where none of it is about such files.

        It is found there, and not only looked up, so that all edits that are tried share it.
        """
        renewed = self._project.renewed
        if self._before is None or followed[0].module in renewed:
            return None
        found = self._before._done_by(followed)
        return None if concerns(found, renewed) else found
