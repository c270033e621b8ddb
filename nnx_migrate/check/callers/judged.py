"""Functions that a migration gave another interface, judged through all that calls them.

Such a call alone is another one on the new side, whatever the function does. It passes `by callers`
where everything that names the function, in both trees, is a function that was compared and passes,
ran where it names it, and made all calls that were recorded. Where anything else could call it,
the call alone counts: it stays `different`, and says what was not compared.
"""

from __future__ import annotations

import ast
import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence

from nnx_migrate.check.branches.lines import probes
from nnx_migrate.check.branches.sites import line_of
from nnx_migrate.check.callers.interface import has_another_interface, may_be_its_interface, tree_of
from nnx_migrate.check.callers.mentions import Mention, mentions_in
from nnx_migrate.check.callers.recorded import Recorded
from nnx_migrate.check.compare.verdicts import CaseResult, Verdict
from nnx_migrate.check.jobs import Side, SideName

_MOST_NAMED = 3
_SIDES: tuple[SideName, SideName] = ("old", "new")


def may_pass_by_callers(case: CaseResult) -> bool:
    """Whether a verdict may change once all others are known.

    Args:
        case: of any kind.
    """
    return "#" in case.name and may_be_its_interface(case)


def through_callers(
    results: Sequence[CaseResult], sides: tuple[Side, Side], recorded: Recorded
) -> list[CaseResult]:
    """Looks again at what differs, once all cases are known.

    Args:
        results: of all cases.
        sides: the trees, or the programs.
        recorded: of the calls among them.
    """
    if not recorded.callers or not any(map(may_pass_by_callers, results)):
        return list(results)
    known = _Known(results, sides, recorded)
    judged = {each: known.whats_open(each) for each in known.candidates}
    while passing := [
        each for each, why in judged.items() if not why and each not in known.passing
    ]:
        known.passing.update(passing)
        judged = {each: known.whats_open(each) for each in known.candidates}
    return [
        known.said(each, judged.get(function_of(each.name))) if may_pass_by_callers(each) else each
        for each in results
    ]


def function_of(case: str) -> str:
    """The function that a recorded case calls, as "path:name".

    Args:
        case: its name.
    """
    function = case.rpartition("#")[0]
    for part in (".fget", ".fset", ".fdel"):
        function = function.removesuffix(part)
    return function


class _Known:
    """All that is known of the cases.

    Args:
        results: of the cases.
        sides: the trees.
        recorded: the recording.
    """

    def __init__(
        self, results: Sequence[CaseResult], sides: tuple[Side, Side], recorded: Recorded
    ) -> None:
        name = sides[0].root.name
        self._trees = {side: tree_of(each, name) for side, each in zip(_SIDES, sides, strict=True)}
        self._recorded = recorded
        self._cases: dict[str, list[CaseResult]] = {}
        for each in results:
            self._cases.setdefault(function_of(each.name) or each.name, []).append(each)
        self.passing = {name for name, some in self._cases.items() if self._all_pass(name, some)}
        self._ran = {side: _lines_of(self._of_passing(), side) for side in _SIDES}
        self.candidates = {
            name
            for name, some in self._cases.items()
            if name not in self.passing and self._has_another_interface(name, some)
        }

    def whats_open(self, function: str) -> str:
        """Why the callers of a function do not speak for it; "" where they do.

        Args:
            function: "path:name".
        """
        path, _, name = function.partition(":")
        *scopes, last = name.split(".")
        if last == "__init__" and scopes:
            last = scopes[-1]
        if "(" in name or (last.startswith("__") and last.endswith("__")):
            return "callers do not call it by its name"
        callers = self._recorded.callers.get(function, frozenset()) - {function}
        if not callers:
            return "no function was seen to call it"
        for caller in sorted(callers):
            if caller not in self.passing:
                return _not_compared(caller)
        for side, tree in self._trees.items():
            if tree.unread or any(last in text for text in tree.texts):
                return "some files could not be searched for its callers"
            found = [
                (place, each)
                for place, file in tree.files.items()
                for each in mentions_in(file, last, name if place == path else "")
            ]
            if not found:
                return f"nothing in {side.upper()} calls it by its name"
            places = Counter((place, each.owner) for place, each in found)
            for place, each in found:
                alone = places[place, each.owner] == 1 and _named(place, each) in callers
                if why := self._is_open(side, place, each, alone):
                    return why
            if all(each.drops for _, each in found) and self._returns(side, function):
                return f"nothing in {side.upper()} uses what it returns"
        return self._branches_open(function)

    def said(self, case: CaseResult, why: str | None) -> CaseResult:
        """A case with what its callers say for it.

        Args:
            case: it differs.
            why: they do not speak for it; None where its interface is as before.
        """
        if why is None:
            return case
        verdict = Verdict.DIFFERENT if why else Verdict.BY_CALLERS
        told = f"its interface changed, and its callers do not vouch for it: {why}"
        if not why:
            callers = sorted(self._recorded.callers[function_of(case.name)])
            names = ", ".join(callers[:_MOST_NAMED])
            more = f" and {len(callers) - _MOST_NAMED} more" if len(callers) > _MOST_NAMED else ""
            several = f"{len(callers)} callers were compared and pass"
            count = "1 caller was compared and passes" if len(callers) == 1 else several
            told = f"its interface changed; {count}: {names}{more}"
        columns = {
            name: dataclasses.replace(each, verdict=verdict, reason=told)
            if each.verdict is Verdict.DIFFERENT
            else each
            for name, each in case.columns.items()
        }
        return dataclasses.replace(case, columns=columns)

    def _all_pass(self, name: str, cases: Sequence[CaseResult]) -> bool:
        columns = [column for case in cases for column in case.columns.values()]
        passes = all(each.verdict.passes and not each.raised for each in columns)
        return passes and name not in self._recorded.missed

    def _of_passing(self) -> Iterator[CaseResult]:
        for name in self.passing:
            yield from self._cases[name]

    def _has_another_interface(self, name: str, cases: Sequence[CaseResult]) -> bool:
        if name in self._recorded.missed or ":" not in name:
            return False
        both = [self._trees[side].definition(name) for side in _SIDES]
        return all(
            case.verdict.passes or has_another_interface(case, both[0], both[1]) for case in cases
        )

    def _is_open(self, side: SideName, path: str, each: Mention, alone: bool) -> str:
        """Why a place that names a function does not speak for it.

        Args:
            side: whose code it is.
            path: of its file.
            each: the place.
            alone: it has to be where the calls of its function were seen to come from.
        """
        where = f"{path}:{each.line}" + (" of OLD" if side == "old" else "")
        if each.owner is None:
            return f"{where} calls it, and no case runs that line"
        if _named(path, each) not in self.passing:
            return _not_compared(_named(path, each))
        if not each.stays:
            return f"{where} passes it on, and other code may call it"
        if each.caught:
            return f"{where} may catch what it raises"
        if not each.certain and not alone:
            return f"nothing shows that {where}, which calls it, ran"
        if each.block and each.block not in self._ran[side].get(path, ()):
            return f"no passing case ran {where}, which calls it"
        return ""

    def _returns(self, side: SideName, function: str) -> bool:
        """Whether a function gives anything back."""
        node = self._trees[side].definition(function)
        returns = [each for each in ast.walk(node) if isinstance(each, ast.Return)] if node else []
        values = [each.value for each in returns if each.value is not None]
        return any(not isinstance(each, ast.Constant) or each.value is not None for each in values)

    def _branches_open(self, function: str) -> str:
        """Whether its callers went every way in it that its own calls went."""
        path = function.partition(":")[0]
        for side in _SIDES:
            node = self._trees[side].definition(function)
            assert node is not None
            lines = {line for _, _, line in probes(node)}
            own = _lines_of(self._cases[function], side).get(path, set()) & lines
            seen = self._ran[side].get(path, set()) & lines
            # What is compiled once for all cases is traced by one of them alone.
            if (seen or len(lines) > 1) and own - seen:
                return (
                    "its callers did not take a branch that its own calls took: "
                    f"{path}:{min(own - seen)}"
                )
        return ""


def _lines_of(cases: Iterator[CaseResult] | Sequence[CaseResult], side: str) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for case in cases:
        for path, ran in case.lines.get(side, {}).items():
            found.setdefault(path, set()).update(map(line_of, ran))
    return found


def _named(path: str, each: Mention) -> str:
    """The function that a place is in, as cases are named; at module level the file."""
    return f"{path}:{each.owner}" if each.owner else path


def _not_compared(caller: str) -> str:
    return f"{caller or 'other code'} calls it, and was not compared or did not pass"
