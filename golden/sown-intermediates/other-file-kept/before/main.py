import jax
import logs
import nets
from flax import nnx


def run(x: jax.Array):
    model = nets.Net(nnx.Rngs(0))
    y = nets.left_there(model, x)
    found = [(y, nnx.pop(model, nnx.Intermediate))]
    y = logs.logged(nets.handed_on, model, x)
    found.append((y, nnx.pop(model, nnx.Intermediate)))
    y = nets.replaced(model, x)
    found.append((y, nnx.pop(model, nnx.Intermediate)))
    logs.warm(model, x)
    y = nets.sown_before(model, x)
    found.append((y, nnx.pop(model, nnx.Intermediate)))
    return found, logs.quiet(x)
