"""Runs old and new code side by side and tells whether they compute the same.

For case files: arrays in shorthand (`f32[16, 4]`, `i32[16] < 3`) and `build(Module, size=3)`.
Importing this imports neither jax nor flax.
"""

from nnx_migrate.check.cases.building import build
from nnx_migrate.check.cases.shapes import b1, bf16, f16, f32, f64, i8, i32, i64, key, u8, u32

__all__ = ["b1", "bf16", "build", "f16", "f32", "f64", "i8", "i32", "i64", "key", "u8", "u32"]
