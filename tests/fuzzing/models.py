"""Modules that map (n, 2) to (n, 2), made of layers each of which can be left out.

A layer is what people write in one; a few do what depends on the mode: tied parts, counters that
are replaced, arrays and flags that a call sets, values that are sown, layers under transforms.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from tests.fuzzing.drawing import Draw, Piece, block

_BLOCK = block(
    """
    class Block(nnx.Module):
        def __init__(self, rngs: nnx.Rngs):
            self.linear = nnx.Linear(2, 2, rngs=rngs)
            self.norm = nnx.BatchNorm(2, rngs=rngs)
            self.drop = nnx.Dropout(0.5, rngs=rngs)

        def __call__(self, x):
            return nnx.tanh(self.drop(self.norm(self.linear(x))))
    """
)
_COUNT = block(
    """
    class Count(nnx.Variable):
        pass
    """
)
#: What programs may lean on, whether they do or not.
COMMON = (*_BLOCK, "", "", *_COUNT)


@dataclasses.dataclass(frozen=True, slots=True)
class Class:
    """A Module class.

    Args:
        name: of the class.
        base: of the class before it, or nnx.Module.
        layers: the definitions of a layer are lines of `__init__`, its lines those of `__call__`.
    """

    name: str
    base: str
    layers: tuple[Piece, ...]

    def lines(self) -> list[str]:
        """Its source."""
        made = [line for layer in self.layers for line in layer.definitions]
        called = [line for layer in self.layers for line in layer.lines]
        if self.base != "nnx.Module":
            made.insert(0, "super().__init__(rngs)")
            called.insert(0, "x = super().__call__(x)")
        return [
            f"class {self.name}({self.base}):",
            "    def __init__(self, rngs: nnx.Rngs):",
            *(f"        {line}" for line in made or ["pass"]),
            "",
            "    def __call__(self, x):",
            *(f"        {line}" for line in called),
            "        return x",
        ]


def _layer(name: str, made: str, called: str, **names: str) -> Piece:
    return Piece(name, block(made, **names) if made else (), block(called, **names))


def _linear(draw: Draw) -> Piece:
    a = draw.name("linear")
    call = draw.pick("x = self.$a(x)", "x = nnx.tanh(self.$a(x))", "x = x + self.$a(x)")
    return _layer("linear", "self.$a = nnx.Linear(2, 2, rngs=rngs)", call, a=a)


def _norm(draw: Draw) -> Piece:
    kind = draw.pick("BatchNorm", "BatchNorm", "LayerNorm")
    made = f"self.$a = nnx.{kind}(2, rngs=rngs)"
    return _layer("norm", made, "x = self.$a(x)", a=draw.name("norm"))


def _dropout(draw: Draw) -> Piece:
    made = "self.$a = nnx.Dropout(0.5, rngs=rngs)"
    return _layer("dropout", made, "x = self.$a(x)", a=draw.name("drop"))


def _scale(draw: Draw) -> Piece:
    made = draw.pick(
        "self.$a = nnx.Param(jnp.full(2, 0.5))", "self.$a = nnx.Param(rngs.params.normal((2,)))"
    )
    call = draw.pick("x = x * self.$a", "x = x * self.$a[...]", "x = x + jnp.sin(self.$a[...])")
    return _layer("scale", made, call, a=draw.name("scale"))


def _part(draw: Draw) -> Piece:
    return _layer("part", "self.$a = Block(rngs)", "x = self.$a(x)", a=draw.name("block"))


def _parts(draw: Draw) -> Piece:
    made = "self.$a = nnx.List([nnx.Linear(2, 2, rngs=rngs) for _ in range(2)])"
    call = draw.pick(
        "for part in self.$a:\n    x = nnx.tanh(part(x))",
        "for i in range(len(self.$a)):\n    x = x + self.$a[i](x)",
    )
    return _layer("parts", made, call, a=draw.name("parts"))


def _mean(draw: Draw) -> Piece:
    call = draw.pick(
        "self.$a[...] = 0.9 * self.$a[...] + 0.1 * x.reshape(-1, 2).mean(0)\nx = x - self.$a[...]",
        "self.$a.set_value(0.9 * self.$a.get_value() + 0.1 * x.reshape(-1, 2).mean(0))",
    )
    return _layer("mean", "self.$a = nnx.BatchStat(jnp.zeros(2))", call, a=draw.name("mean"))


def _count(draw: Draw) -> Piece:
    made = draw.pick("self.$a = Count(jnp.zeros(()))", "self.$a = Count(jnp.array(0))")
    call = draw.pick(
        "self.$a[...] += 1",
        "self.$a.set_value(self.$a[...] + 1)",
        "self.$a[...] = self.$a[...] + 1\nx = x + 0.1 * self.$a[...]",
    )
    return _layer("count", made, call, a=draw.name("count"))


def _count_anew(draw: Draw) -> Piece:
    made = "self.$a = Count(jnp.zeros(()))"
    return _layer("count-anew", made, "self.$a = Count(self.$a[...] + 1)", a=draw.name("count"))


def _sow(draw: Draw) -> Piece:
    call = draw.pick(
        'self.sow(nnx.Intermediate, "$a", x)',
        'self.sow(nnx.Intermediate, "$a", jnp.mean(x**2))',
        'self.sow(Count, "$a", x.sum(), init_fn=lambda: 0.0, reduce_fn=lambda a, b: a + b)',
    )
    return _layer("sow", "", call, a=draw.name("sown"))


def _tied(draw: Draw) -> Piece:
    made = draw.pick(
        "self.$a = nnx.Linear(2, 2, rngs=rngs)\nself.$b = self.$a",
        "self.$a = nnx.Linear(2, 2, rngs=rngs)\nself.$b = nnx.Linear(2, 2, rngs=rngs)\n"
        "self.$b.kernel = self.$a.kernel",
    )
    return _layer("tied", made, "x = self.$b(self.$a(x))", a=draw.name("tied"), b=draw.name("tied"))


def _raw(draw: Draw) -> Piece:
    call = draw.pick("x = x + self.$a", "self.$a = self.$a * 0.9\nx = x + self.$a")
    return _layer("raw", "self.$a = jnp.ones(2)", call, a=draw.name("raw"))


def _static(draw: Draw) -> Piece:
    call = draw.pick(
        "self.$a += 1",
        "if self.$a == 0:\n    x = x * 2",
        "x = x * (1 + self.$a)\nself.$a = 1",
    )
    return _layer("static", "self.$a = 0", call, a=draw.name("calls"))


def _keep(draw: Draw) -> Piece:
    made = draw.pick("self.$a = nnx.Cache(jnp.zeros(()))", "self.$a = nnx.data(None)")
    return _layer("keep", made, "self.$a = nnx.Cache(jnp.mean(x))", a=draw.name("kept"))


def _noise(draw: Draw) -> Piece:
    made = draw.pick("self.$a = rngs.fork()", "self.$a = rngs", "self.$a = nnx.Rngs(noise=3)")
    call = "x = x + 0.1 * jax.random.normal(self.$a.noise(), x.shape)"
    return _layer("noise", made, call, a=draw.name("rngs"))


def _recurrent(draw: Draw) -> Piece:
    kind = draw.pick("LSTMCell", "GRUCell", "SimpleCell")
    made = f"self.$a = nnx.RNN(nnx.{kind}(2, 2, rngs=rngs))"
    call = draw.pick(
        "x = self.$a(x.reshape(1, -1, 2)).reshape(x.shape)",
        "x = x + self.$a(x.reshape(-1, 1, 2)).reshape(x.shape)",
    )
    return _layer("recurrent", made, call, a=draw.name("rnn"))


def _scanned(draw: Draw) -> Piece:
    made = draw.pick(
        "self.$a = nnx.split_rngs(splits=2)(nnx.vmap(lambda rngs: Block(rngs)))(rngs)",
        "@nnx.split_rngs(splits=2)\n@nnx.vmap\ndef make(rngs: nnx.Rngs):\n    return Block(rngs)\n"
        "self.$a = make(rngs)",
        "@nnx.split_rngs(splits=2)\n"
        "@nnx.vmap(in_axes=0, out_axes=nnx.StateAxes({nnx.Param: 0, ...: 0}))\n"
        "def make(rngs: nnx.Rngs):\n    return Block(rngs)\nself.$a = make(rngs)",
    )
    call = draw.pick(
        "x = nnx.scan(lambda x, layer: layer(x), in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)"
        "(x, self.$a)",
        "@nnx.scan(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)\n"
        "def forward(x, layer: Block):\n    return layer(x)\nx = forward(x, self.$a)",
        "@nnx.scan(in_axes=(nnx.StateAxes({nnx.Param: 0, ...: 0}), nnx.Carry),\n"
        "          out_axes=nnx.Carry)\n"
        "def forward(layer: Block, x):\n    return layer(x)\nx = forward(self.$a, x)",
        "def forward(x, layer: Block):\n    y = layer(x)\n    return y, y.mean()\n"
        "x, means = nnx.scan(forward)(x, self.$a)\nx = x + means.sum()",
    )
    return _layer("scanned", made, call, a=draw.name("layers"))


def _transformed(draw: Draw) -> Piece:
    made = draw.pick("self.$a = nnx.Linear(2, 2, rngs=rngs)", "self.$a = Block(rngs)")
    call = draw.pick(
        "x = nnx.remat(lambda m, x: m(x))(self.$a, x)",
        "@nnx.remat\ndef again(m, x):\n    return m(x)\nx = again(self.$a, x)",
        "x = nnx.cond(x.sum() > 0, lambda m, x: m(x), lambda m, x: x, self.$a, x)",
        "x = nnx.cond(x.sum() > 0, lambda x: self.$a(x), lambda x: x, x)",
        "x = nnx.jit(lambda m, x: m(x))(self.$a, x)",
        "x = nnx.fori_loop(0, 2, lambda i, c: (c[0], c[0](c[1])), (self.$a, x))[1]",
        "x = nnx.remat(self.$a)(x)",
        "x = nnx.remat(lambda x: self.$a(x))(x)",
    )
    return _layer("transformed", made, call, a=draw.name("inner"))


_LAYERS: tuple[tuple[Callable[[Draw], Piece], float], ...] = (
    (_linear, 8),
    (_norm, 4),
    (_dropout, 4),
    (_scale, 2),
    (_part, 3),
    (_parts, 2),
    (_mean, 2),
    (_count, 3),
    (_count_anew, 0.6),
    (_sow, 1),
    (_tied, 1),
    (_raw, 1),
    (_static, 1),
    (_keep, 0.6),
    (_noise, 1.5),
    (_recurrent, 1),
    (_scanned, 1.5),
    (_transformed, 2),
)


def class_of(draw: Draw, name: str, base: str = "nnx.Module") -> Class:
    """Draw a class.

    Args:
        draw: the choices.
        name: of the class.
        base: of another class, or nnx.Module.
    """
    makers, weights = zip(*_LAYERS, strict=True)
    layers = [_linear(draw)] if base == "nnx.Module" else []
    layers += [make(draw) for make in draw.some(makers, weights, draw.number(1, 4))]
    return Class(name, base, tuple(layers))
