"""The names of what `scan` and `while` compute: the systems of carries that outputs depend on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from jax.extend import core

from nnx_migrate.check.proof.liveness import positions
from nnx_migrate.check.proof.recurrences import Recurrence, frame
from nnx_migrate.check.proof.values import Value, digest, number

if TYPE_CHECKING:
    from nnx_migrate.check.proof.evaluation import Evaluation, Values


def scan(evaluation: Evaluation, equation: core.JaxprEqn, operands: Values, wanted: int) -> Values:
    params = equation.params
    body, count, first = params["jaxpr"], params["num_carry"], params["num_consts"]
    reads = evaluation.liveness.of(equation)
    needed = 0
    for output in positions(wanted):
        needed |= reads[output]
    carried = [i for i in range(count) if needed >> first + i & 1]
    live = [operand if needed >> i & 1 else None for i, operand in enumerate(operands)]
    where = frame(live)
    avals = [evaluation.first_order.aval(v.aval) for v in body.jaxpr.invars]

    elements: list[Value | None] = []
    whole: dict[bytes, Value] = {}  # of an element's name: what it is an element of
    for operand, aval in zip(live[first + count :], avals[first + count :], strict=True):
        if operand is None:
            elements.append(None)
            continue
        name = digest(b"element", number(where.level), aval, operand.name)
        whole[name] = operand
        elements.append(Value(name, operand.carries, operand.levels | where.varies))

    produced = [k for k in range(count, len(equation.outvars)) if wanted >> k & 1]
    outputs = sum(1 << k for k in (*carried, *produced))

    def step(values: Mapping[int, Value]) -> tuple[dict[int, Value], list[Value | None]]:
        given = [*live[:first], *(values.get(i) for i in range(count)), *elements]
        results = evaluation.run(body, given, outputs)
        return _present(results, carried), results[count:]

    state = Recurrence(where, _present(live[first:], carried), dict(enumerate(avals[first:])), step)
    length = number(params["length"])
    backwards = b"backwards" if params["reverse"] else b"forwards"
    results: Values = [None] * len(equation.outvars)
    for i in positions(wanted):
        if i >= count:
            stacked = state.others[i - count]
            assert stacked is not None, "a wanted output is computed"
            aval = evaluation.first_order.aval(equation.outvars[i].aval)
            results[i] = _stacked(state, stacked, whole, digest(length, aval), backwards)
        elif i in state.invariant:
            results[i] = state.initial[i]
        else:
            value = state.values[i]
            system, carries, levels = state.summary(value)
            name = digest(b"scanned", length, backwards, system, value.name)
            results[i] = Value(name, carries, levels)
    return results


def _stacked(
    state: Recurrence, value: Value, whole: Mapping[bytes, Value], key: bytes, direction: bytes
) -> Value:
    if value.name in whole:
        return whole[value.name]
    system, carries, levels = state.summary(value)
    if not value.carries & ~state.where.outer:
        direction = b"any"  # no step needs another
    return Value(digest(b"stacked", key, direction, system, value.name), carries, levels)


def while_loop(
    evaluation: Evaluation, equation: core.JaxprEqn, operands: Values, wanted: int
) -> Values:
    params = equation.params
    of_cond, of_body = params["cond_nconsts"], params["body_nconsts"]
    first, count = of_cond + of_body, len(equation.outvars)
    reads = evaluation.liveness.of(equation)
    needed = 0
    for output in positions(wanted):
        needed |= reads[output]
    carried = [i for i in range(count) if needed >> first + i & 1]
    live = [operand if needed >> i & 1 else None for i, operand in enumerate(operands)]
    outputs = sum(1 << i for i in carried)

    def step(values: Mapping[int, Value]) -> tuple[dict[int, Value], list[Value | None]]:
        carries = [values.get(i) for i in range(count)]
        results = evaluation.run(params["body_jaxpr"], live[of_cond:first] + carries, outputs)
        return _present(results, carried), evaluation.run(
            params["cond_jaxpr"], live[:of_cond] + carries, 1
        )

    avals = {i: evaluation.first_order.aval(v.aval) for i, v in enumerate(equation.outvars)}
    state = Recurrence(frame(live), _present(live[first:], carried), avals, step)
    again = state.others[0]
    assert again is not None, "the condition is live"
    results: Values = [None] * count
    for i in positions(wanted):
        if i in state.invariant:
            results[i] = state.initial[i]
            continue
        value = state.values[i]
        system, carries, levels = state.summary(value, again)
        results[i] = Value(digest(b"while", system, again.name, value.name), carries, levels)
    return results


def _present(values: Values, chosen: list[int]) -> dict[int, Value]:
    found = {}
    for i in chosen:
        value = values[i]
        assert value is not None, "what is live is computed"
        found[i] = value
    return found
