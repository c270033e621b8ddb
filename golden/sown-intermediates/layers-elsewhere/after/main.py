import jax
from flax import nnx
from nets import Net
from probe import look


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    y, hidden = nnx.capture(model, nnx.Intermediate)(x)
    other = Net(nnx.Rngs(1))
    y2, _ = nnx.capture(other, nnx.Intermediate)(2 * x)
    return y, hidden, y2, look(model, x), look(other, x), model, other
