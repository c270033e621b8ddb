import jax
from flax import nnx
from nets import Net
from probe import look


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    y = model(x)
    hidden = nnx.pop(model, nnx.Intermediate)
    other = Net(nnx.Rngs(1))
    y2 = other(2 * x)
    nnx.pop(other, nnx.Intermediate)
    return y, hidden, y2, look(model, x), look(other, x), model, other
