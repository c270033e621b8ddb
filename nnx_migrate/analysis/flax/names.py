"""What dotted names mean in `flax.nnx`: the public name of each, and its own classes."""

from __future__ import annotations

import functools

from nnx_migrate.analysis.flax.model import Layer, layers, mode_dependent_functions

NNX = "flax.nnx"


# Of the table, as it is installed with this package.
@functools.cache
def _public_names() -> dict[str, str]:
    known = {name: row.name for name, row in mode_dependent_functions().items()}
    known.update({name: layer.name for name, layer in layers().items()})
    return known


def is_public(dotted: str) -> bool:
    """Whether it is the name of something of nnx that anybody may use."""
    return dotted in _public_names()


def nnx_name(dotted: str | None) -> str | None:
    """The public name after `nnx.` for an absolute dotted name, private paths included."""
    if dotted is None or not dotted.startswith(NNX + "."):
        return None
    if dotted in _public_names():
        return _public_names()[dotted]
    rest = dotted.removeprefix(NNX + ".")
    if rest.startswith("compat."):
        return rest
    return rest.rpartition(".")[2]


def library_class(dotted: str) -> str | None:
    """The name by which flax's own class of that dotted name is known here, if it is one."""
    layer = layer_of(dotted)  # first, since nnx.bridge.Module is no nnx.Module
    if layer is not None:
        return layer.qualified_names[0]
    name = nnx_name(dotted)
    known = name is not None and layer_of(f"flax.nnx.{name}") is not None
    return f"flax.nnx.{name}" if known else None


def layer_of(class_name: str) -> Layer | None:
    """The library's own class of that dotted name, if it is one."""
    return layers().get(class_name)
