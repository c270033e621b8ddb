"""Runs a jaxpr on names instead of numbers: names of inputs give names of outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jax.extend import core

from nnx_migrate.check.proof import calls, loops, sharding
from nnx_migrate.check.proof.encoding import Jaxpr
from nnx_migrate.check.proof.first_order import FirstOrder
from nnx_migrate.check.proof.liveness import Liveness
from nnx_migrate.check.proof.values import Refusal, Value, digest, number

Values = list[Value | None]  # None: what nothing needs


class Evaluation:
    """One program's.

    Args:
        limit: how many equations may be looked at.
    """

    def __init__(self, limit: int) -> None:
        self.equations = 0
        self._limit = limit
        self.liveness = Liveness()
        self.first_order = FirstOrder(self._function)
        self._inspected: set[int] = set()

    def run(self, jaxpr: Jaxpr, inputs: Sequence[Value | None], wanted: int) -> Values:
        """The wanted outputs (a bit each); None for the others."""
        inner, constants = calls.opened(jaxpr)
        values: dict[object, Value | None] = dict(zip(inner.invars, inputs, strict=True))
        for variable, constant in zip(inner.constvars, constants, strict=True):
            values[variable] = self.first_order.constant(constant, variable.aval)

        def read(atom: core.Var | core.Literal) -> Value | None:
            if isinstance(atom, core.Literal):
                return self.first_order.constant(atom.val, atom.aval)
            return values.get(atom)

        for equation, outputs in self.liveness.live(inner, wanted):
            operands = [read(atom) for atom in equation.invars]
            results = self._equation(equation, operands, outputs)
            values.update(zip(equation.outvars, results, strict=True))
        return [read(v) if wanted >> i & 1 else None for i, v in enumerate(inner.outvars)]

    def _equation(
        self, equation: core.JaxprEqn, operands: Values, wanted: int
    ) -> Sequence[Value | None]:
        self.equations += 1
        if self.equations > self._limit:
            raise Refusal(f"more than {self._limit} equations to compare")
        if id(equation) not in self._inspected:
            calls.inspect(equation)
            self._inspected.add(id(equation))
        called = calls.body(equation)
        if called is not None:
            return self.run(called, operands, wanted)
        rule = _RULES.get(equation.primitive.name)
        if rule is not None:
            return rule(self, equation, operands, wanted)
        given = [operand for operand in operands if operand is not None]
        assert len(given) == len(operands), "every operand of such an equation is live"
        return self.first_order.equation(equation, given)

    def _function(self, jaxpr: Jaxpr) -> bytes:
        """The hash of a function that closes over nothing."""
        inner, _ = calls.opened(jaxpr)
        avals = [self.first_order.aval(v.aval) for v in inner.invars]
        arguments = [Value(digest(b"argument", number(i), a)) for i, a in enumerate(avals)]
        outputs = self.run(jaxpr, arguments, (1 << len(inner.outvars)) - 1)
        return digest(*avals, b"->", *(value.name for value in outputs if value is not None))


def _cond(evaluation: Evaluation, equation: core.JaxprEqn, operands: Values, wanted: int) -> Values:
    index, *rest = operands
    branches = [evaluation.run(b, rest, wanted) for b in equation.params["branches"]]
    results: Values = []
    for choices in zip(*branches, strict=True):
        given = [choice for choice in choices if choice is not None]
        if not given:
            results.append(None)
            continue
        assert index is not None, "an output of a branch is live, so its index is"
        names = [choice.name for choice in given]
        if len(set(names)) == 1:
            results.append(given[0])
            continue
        carries, levels = index.carries, index.levels
        for choice in given:
            carries, levels = carries | choice.carries, levels | choice.levels
        results.append(Value(digest(b"cond", index.name, *names), carries, levels))
    return results


Rule = Callable[[Evaluation, core.JaxprEqn, Values, int], Values]
_RULES: dict[str, Rule] = {
    "cond": _cond,
    "scan": loops.scan,
    "shard_map": sharding.shard_map,
    "while": loops.while_loop,
}
