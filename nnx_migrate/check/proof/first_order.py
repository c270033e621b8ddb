"""Names for constants and for the results of equations without bodies.

A result is named by a key for the equation, combined with the names of its operands.

Some equations are given the name of what they are equal to: copies, shapes that do not change,
reshapes of reshapes, constants that are filled into a shape, keys that are unwrapped and wrapped
again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from jax.extend import core

from nnx_migrate.check.proof import encoding
from nnx_migrate.check.proof.primitives import (
    COMMUTATIVE,
    COPIES,
    FLIPPED,
    FUNCTIONALS,
    RANDOM,
    SAME_AS,
    ignored,
)
from nnx_migrate.check.proof.values import Refusal, Value, combine, digest, number


class FirstOrder:
    """Names constants and equations.

    Args:
        function: the hash of a closed function, for the parameters of functionals.
    """

    def __init__(self, function: Callable[[encoding.Jaxpr], bytes]) -> None:
        self._function = function
        self._keys: dict[int, bytes] = {}  # by the identity of the equation
        self._shared_keys: dict[Any, bytes] = {}  # of those whose parameters are all None
        # By identity (the object is kept alive beside its name); a Python number gets its dtype
        # from the place.
        self._constants: dict[tuple[int, Any], tuple[Any, Value]] = {}
        self._avals: dict[Any, bytes] = {}
        self._fills: dict[bytes, bytes] = {}  # of arrays of one number: that number
        self._reshaped: dict[bytes, tuple[bytes, tuple[int, ...]]] = {}
        self._unwrapped: dict[bytes, bytes] = {}
        self._wrapped: dict[bytes, bytes] = {}

    def aval(self, aval: Any) -> bytes:
        known = self._avals.get(aval)
        if known is None:
            known = self._avals[aval] = encoding.aval(aval)
        return known

    def constant(self, value: Any, aval: Any) -> Value:
        """An array that is part of the program: named by what it holds, wherever it was made."""
        typed = hasattr(value, "dtype")
        place = (id(value), None if typed else aval.dtype)
        known = self._constants.get(place)
        if known is not None:
            return known[1]
        held = value if typed else np.asarray(value, aval.dtype)
        kind, shape, data = encoding.array(held)
        size = math.prod(np.shape(held))
        one = data[: len(data) // size] if size else b""
        if size and one * size == data:
            named = self._fill(digest(b"number", kind, one), shape)
        else:
            named = Value(digest(b"constant", kind, shape, data))
        self._constants[place] = (value, named)
        return named

    def _fill(self, one: bytes, shape: bytes) -> Value:
        name = digest(b"fill", one, shape)
        self._fills[name] = one
        return Value(name)

    def equation(self, equation: core.JaxprEqn, operands: list[Value]) -> list[Value]:
        primitive = equation.primitive.name
        if primitive in COPIES:
            self._check_copies(equation)
            return operands
        if len(operands) == 1:
            named = self._alias(equation, operands[0])
            if named is not None:
                return [named]
        names = [operand.name for operand in operands]
        if primitive in FLIPPED:
            names.reverse()
        elif primitive in COMMUTATIVE:
            names.sort()
        carries = levels = 0
        for operand in operands:
            carries |= operand.carries
            levels |= operand.levels
        name = combine(self._key(equation), names)
        if len(equation.outvars) == 1:
            return [Value(name, carries, levels)]
        return [
            Value(digest(b"output", name, number(i)), carries, levels)
            for i in range(len(equation.outvars))
        ]

    def _check_copies(self, equation: core.JaxprEqn) -> None:
        before = [self.aval(v.aval) for v in equation.invars]
        if before != [self.aval(v.aval) for v in equation.outvars]:
            raise Refusal(f"{equation.primitive.name} changes shapes or dtypes")

    def _key(self, equation: core.JaxprEqn) -> bytes:
        key = self._keys.get(id(equation))
        if key is None:
            key = self._keys[id(equation)] = self._new_key(equation)
        return key

    def _new_key(self, equation: core.JaxprEqn) -> bytes:
        params = equation.params
        random = equation.primitive.name.startswith(RANDOM)  # of these the context counts
        if random or any(value is not None for value in params.values()):
            return self._unshared_key(equation)
        avals = tuple(v.aval for v in equation.outvars)
        kind = (equation.primitive, tuple(params), len(equation.invars), avals)
        key = self._shared_keys.get(kind)
        if key is None:
            key = self._shared_keys[kind] = self._unshared_key(equation)
        return key

    def _unshared_key(self, equation: core.JaxprEqn) -> bytes:
        primitive = equation.primitive.name
        functional = primitive in FUNCTIONALS
        if not functional and any(core.jaxprs_in_params(equation.params)):
            raise Refusal(f"{primitive} runs a function in a way that is not known")
        function = self._function if functional else encoding.no_function
        left_out = ignored(primitive)
        parts = [SAME_AS.get(primitive, primitive).encode(), number(len(equation.invars))]
        for name, value in sorted(equation.params.items()):
            if name in left_out:
                continue
            try:
                parts += [name.encode(), encoding.encode(value, function)]
            except Refusal as refusal:
                raise Refusal(f"{primitive}, {name}: {refusal}") from refusal
        if primitive.startswith(RANDOM):
            partitionable = getattr(equation.ctx, "threefry_partitionable", None)
            parts.append(encoding.encode(partitionable, function))
        return digest(*parts, b"->", *(self.aval(v.aval) for v in equation.outvars))

    def _alias(self, equation: core.JaxprEqn, operand: Value) -> Value | None:
        """A name that the result has already, or the one that all ways to spell it share."""
        before: Any = equation.invars[0].aval
        after: Any = equation.outvars[0].aval
        match equation.primitive.name:
            case "convert_element_type":
                return operand if self.aval(before) == self.aval(after) else None
            case "transpose":
                plain = tuple(equation.params["permutation"]) == tuple(range(len(after.shape)))
                return operand if plain else None
            case "reshape":
                # With `dimensions` it transposes as well.
                plain = equation.params.get("dimensions") is None
                return self._reshape(operand, before, after) if plain else None
            case "squeeze":
                return self._reshape(operand, before, after)
            case "broadcast_in_dim":
                # Dimensions keep their order, so that where nothing is repeated it is a reshape.
                same = math.prod(before.shape) == math.prod(after.shape)
                if same or operand.name in self._fills:
                    return self._reshape(operand, before, after)
            case "random_unwrap":
                return self._undo(equation, operand, self._wrapped, self._unwrapped)
            case "random_wrap":
                return self._undo(equation, operand, self._unwrapped, self._wrapped)
        return None

    def _reshape(self, operand: Value, before: Any, after: Any) -> Value:
        one = self._fills.get(operand.name)
        if one is not None:
            return self._fill(one, b",".join(map(number, after.shape)))
        base, shape = self._reshaped.get(operand.name, (operand.name, before.shape))
        if shape == after.shape:
            return operand._replace(name=base)
        name = digest(b"reshape", base, self.aval(after))
        self._reshaped[name] = (base, shape)
        return operand._replace(name=name)

    def _undo(
        self,
        equation: core.JaxprEqn,
        operand: Value,
        inverse: dict[bytes, bytes],
        done: dict[bytes, bytes],
    ) -> Value:
        after = self.aval(equation.outvars[0].aval)
        original = inverse.get(digest(operand.name, after))
        if original is not None:
            return operand._replace(name=original)
        name = combine(self._key(equation), (operand.name,))
        done[digest(name, self.aval(equation.invars[0].aval))] = operand.name
        return operand._replace(name=name)
