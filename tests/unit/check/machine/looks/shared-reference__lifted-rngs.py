"""Whether the parts of a model keep the Rngs that they were made with."""

from types import ModuleType

from flax import nnx


def drive(program: ModuleType) -> list[str]:
    return [name for name in vars(program.Noise(2, rngs=nnx.Rngs(0))) if "rngs" in name]
