"""Arrays in shorthand, for the parameters of cases: `x: f32[16, 4], labels: i32[16] < 3`."""

from __future__ import annotations

import dataclasses
import zlib
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True)
class ArraySpec:
    """An array that is made when the case is run.

    Args:
        dtype: its name.
        shape: its shape.
        below: whole numbers are drawn from 0 up to this one, without it.
    """

    dtype: str
    shape: tuple[int, ...]
    below: int = 8

    def __lt__(self, bound: int) -> ArraySpec:
        return dataclasses.replace(self, below=bound)

    def make(self, name: str) -> Any:
        """Makes the array: the same one for the same name, in any process.

        Args:
            name: seeds the draw; floats are normal, whole numbers and booleans even.
        """
        import jax.numpy as jnp
        import numpy as np

        if self.dtype == "key":
            import jax

            key = jax.random.key(zlib.crc32(name.encode()))
            return jax.random.split(key, self.shape) if self.shape else key
        draw = np.random.default_rng(zlib.crc32(name.encode()))
        if "float" in self.dtype:
            return jnp.asarray(draw.standard_normal(self.shape), dtype=self.dtype)
        below = 2 if self.dtype == "bool" else self.below
        return jnp.asarray(draw.integers(0, below, self.shape), dtype=self.dtype)


@dataclasses.dataclass(frozen=True, slots=True)
class ArrayKind:
    """A dtype that takes a shape in brackets."""

    dtype: str

    def __getitem__(self, shape: int | tuple[int, ...]) -> ArraySpec:
        return ArraySpec(self.dtype, shape if isinstance(shape, tuple) else (shape,))


f16, bf16, f32, f64 = (
    ArrayKind(f"{name}") for name in ("float16", "bfloat16", "float32", "float64")
)
i8, i32, i64, u8, u32 = (ArrayKind(name) for name in ("int8", "int32", "int64", "uint8", "uint32"))
b1 = ArrayKind("bool")
key = ArrayKind("key")
