"""How to make one small instance of every public node class of flax.nnx, and variations of it."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import optax
from flax import linen, nnx

# Bases that are never instances themselves, or that hold nothing until a subclass adds it.
ABSTRACT = frozenset(
    {
        nnx.Pytree,
        nnx.Object,
        nnx.Module,
        nnx.Metric,
        nnx.RNNCellBase,
        nnx.bridge.Module,
        nnx.bridge.Scope,
    }
)

# The caller, not the class, chooses the names of their attributes: the table says "*".
NAMED_BY_CALLER = frozenset({nnx.Dict, nnx.List, nnx.MultiMetric, nnx.Rngs})


@dataclasses.dataclass(frozen=True)
class Example:
    """Arguments for a constructor.

    Args:
        positional: positional arguments.
        keywords: keyword arguments.
    """

    positional: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def _rngs() -> nnx.Rngs:
    return nnx.Rngs(0)


def _linear() -> nnx.Linear:
    return nnx.Linear(2, 2, rngs=_rngs())


def _cell() -> nnx.LSTMCell:
    return nnx.LSTMCell(2, 2, rngs=_rngs())


def _with_rngs(*positional: Any, **keywords: Any) -> Callable[[], Example]:
    return lambda: Example(positional, {**keywords, "rngs": _rngs()})


_EXAMPLES: Mapping[type, Callable[[], Example]] = {
    nnx.BatchNorm: _with_rngs(2),
    nnx.Bidirectional: lambda: Example((nnx.RNN(_cell()), nnx.RNN(_cell()))),
    nnx.Conv: _with_rngs(2, 2, (3,)),
    nnx.ConvTranspose: _with_rngs(2, 2, (3,)),
    nnx.Dict: lambda: Example((), {"only": _linear()}),
    nnx.Dropout: lambda: Example((0.5,)),
    nnx.EMA: lambda: Example((_linear(), 0.9)),
    nnx.Einsum: _with_rngs("ab,bc->ac", (2, 2), (2,)),
    nnx.Embed: _with_rngs(2, 2),
    nnx.GRUCell: _with_rngs(2, 2),
    nnx.GroupNorm: _with_rngs(2, 1),
    nnx.InstanceNorm: _with_rngs(2),
    nnx.LSTMCell: _with_rngs(2, 2),
    nnx.LayerNorm: _with_rngs(2),
    nnx.Linear: _with_rngs(2, 2),
    nnx.LinearGeneral: _with_rngs(2, 2),
    nnx.List: lambda: Example(([_linear()],)),
    nnx.LoRA: _with_rngs(2, 1, 2),
    nnx.LoRALinear: _with_rngs(2, 2, lora_rank=1),
    nnx.ModelAndOptimizer: lambda: Example((_linear(), optax.adam(0.1))),
    nnx.MultiHeadAttention: _with_rngs(1, 2),
    nnx.MultiMetric: lambda: Example((), {"loss": nnx.metrics.Average()}),
    nnx.OptimizedLSTMCell: _with_rngs(2, 2),
    nnx.Optimizer: lambda: Example((_linear(), optax.adam(0.1)), {"wrt": nnx.Param}),
    nnx.PReLU: Example,
    nnx.RMSNorm: _with_rngs(2),
    nnx.RNN: lambda: Example((_cell(),)),
    nnx.RngStream: lambda: Example((0,), {"tag": "params"}),
    nnx.Rngs: lambda: Example((0,)),
    nnx.Sequential: lambda: Example((_linear(),)),
    nnx.SimpleCell: _with_rngs(2, 2),
    nnx.SpectralNorm: lambda: Example((_linear(),), {"rngs": _rngs()}),
    nnx.WeightNorm: lambda: Example((_linear(),), {"rngs": _rngs()}),
    nnx.bridge.ToNNX: lambda: Example((linen.Dense(2),)),
    nnx.metrics.Accuracy: Example,
    nnx.metrics.Average: Example,
    nnx.metrics.Welford: Example,
}

# Keywords that matter although they are no flags.
_WITH: Mapping[tuple[type, str], Mapping[str, Any]] = {
    (nnx.MultiHeadAttention, "decode"): {"decode": True},
    (nnx.MultiHeadAttention, "deterministic"): {"deterministic": True},
    (nnx.MultiHeadAttention, "dropout_rate"): {"dropout_rate": 0.5},
}


def example_of(layer: type) -> Example:
    """The arguments for an instance with nothing but defaults.

    Raises:
        LookupError: a class without an example; give it one above.
    """
    try:
        return _EXAMPLES[layer]()
    except KeyError:
        name = f"{layer.__module__}.{layer.__name__}"
        raise LookupError(f"no example of how to make a {name}") from None


def variations(layer: type) -> Iterator[tuple[str, Example]]:
    """The same instance with one constructor keyword at a time set to other than its default.

    Tried are the flags (set the other way), `rngs` (given, or False where True is the default),
    and what is listed above; the other keywords are sizes, dtypes and functions.
    """
    for name, parameter in inspect.signature(layer.__init__).parameters.items():  # type: ignore[misc]
        changes: list[Mapping[str, Any]] = []
        if (layer, name) in _WITH:
            changes.append(_WITH[layer, name])
        elif isinstance(parameter.default, bool):
            changes.append({name: not parameter.default})
        if name == "rngs" and parameter.default in (None, True):
            changes.append({name: _rngs()})
        for change in changes:
            example = example_of(layer)
            yield name, Example(example.positional, {**example.keywords, **change})
