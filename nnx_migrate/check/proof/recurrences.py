"""The carries of a loop as a system of equations, and names for them.

Carries are first taken to be equal wherever they start equal, and told apart as their updates
differ (the coarsest partition that holds, as for the states of an automaton). One that is updated
to itself, or to what it started as, is no state at all: it is replaced by its initial value,
which may show more of the kind.

Finding the partition only chooses names. What ends up in the hash of a result is the whole system
that it depends on, written out: every carry's initial value and update. So it does not matter in
which order carries stand, what else the loop carries, or whether something constant is carried or
closed over.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import NamedTuple

from nnx_migrate.check.proof.liveness import positions, reached
from nnx_migrate.check.proof.values import Value, digest, number

#: Given the value of each carry in a step: their updates, and what else the step computes.
Step = Callable[[Mapping[int, Value]], tuple[Mapping[int, Value], list[Value | None]]]


@dataclasses.dataclass(frozen=True)
class Frame:
    """Where a loop stands.

    Attributes:
        level: how many loops it stands in, of those whose steps its operands change with. Names of
            what changes from step to step contain it: a loop, and one in it, may go over the same
            array and start from the same value.
        first: the bit of its first carry; those below belong to the loops around.
    """

    level: int
    first: int

    @property
    def varies(self) -> int:
        return 1 << self.level

    @property
    def outer(self) -> int:
        return (1 << self.first) - 1


def frame(operands: list[Value | None]) -> Frame:
    carries = levels = 0
    for operand in operands:
        if operand is not None:
            carries |= operand.carries
            levels |= operand.levels
    return Frame(levels.bit_length(), carries.bit_length())


class Summary(NamedTuple):
    """What a result depends on: its system of equations, and the loops around."""

    system: bytes
    carries: int
    levels: int


class Recurrence:
    """The carries of one loop, solved.

    Attributes:
        values: of each carry, in a step. An invariant one has its initial value here.
        updates: of each carry, in the same terms.
        others: what else a step computes.
    """

    def __init__(
        self, where: Frame, initial: Mapping[int, Value], avals: Mapping[int, bytes], step: Step
    ) -> None:
        self.where = where
        self.initial = initial
        self.invariant: set[int] = set()
        while True:
            self._partition(avals, step)
            still = {i for i in initial if i not in self.invariant and self._stays(i)}
            if not still:
                break
            self.invariant |= still
        self._members = {self.values[i].carries: i for i in initial if i not in self.invariant}
        self._closures: dict[int, int] = {}
        self._summaries: dict[int, Summary] = {}

    def _stays(self, carry: int) -> bool:
        return self.updates[carry].name in (self.values[carry].name, self.initial[carry].name)

    def _partition(self, avals: Mapping[int, bytes], step: Step) -> None:
        level = number(self.where.level)
        names = {
            i: digest(b"carry", level, avals[i], value.name)
            for i, value in self.initial.items()
            if i not in self.invariant
        }
        while True:
            self.values = {i: self.initial[i] for i in self.invariant} | self._symbols(names)
            self.updates, self.others = step(self.values)
            found: dict[bytes, set[bytes]] = {}
            for i, name in names.items():
                found.setdefault(name, set()).add(self.updates[i].name)
            if all(len(updates) == 1 for updates in found.values()):
                return
            names = {
                i: digest(name, self.updates[i].name) if len(found[name]) > 1 else name
                for i, name in names.items()
            }

    def _symbols(self, names: Mapping[int, bytes]) -> dict[int, Value]:
        bits: dict[bytes, int] = {}
        for i, name in names.items():
            bits.setdefault(name, 1 << self.where.first + i)
        return {i: Value(name, bits[name], self.where.varies) for i, name in names.items()}

    def summary(self, *results: Value) -> Summary:
        """The system of equations that results depend on, together."""
        mask = 0
        for result in results:
            mask |= result.carries & ~self.where.outer
        closure = self._closure(mask)
        known = self._summaries.get(closure)
        if known is None:
            known = self._summaries[closure] = self._summarize(closure)
        carries, levels = known.carries, known.levels
        for result in results:
            carries |= result.carries & self.where.outer
            levels |= result.levels & ~self.where.varies
        return Summary(known.system, carries, levels)

    def _closure(self, mask: int) -> int:
        """With these carries, all that they are computed from."""
        inner = ~self.where.outer

        def direct(bit: int) -> int:
            return self.updates[self._members[bit]].carries & inner

        return reached(mask, inner, direct, self._closures)

    def _summarize(self, closure: int) -> Summary:
        carries = levels = 0
        equations = []
        for bit in positions(closure):
            i = self._members[1 << bit]
            start, update = self.initial[i], self.updates[i]
            equations.append(self.values[i].name + start.name + update.name)
            carries |= start.carries | update.carries
            levels |= start.levels | update.levels
        system = digest(b"system", *sorted(equations))
        return Summary(system, carries & self.where.outer, levels & ~self.where.varies)
