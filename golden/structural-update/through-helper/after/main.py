from flax import nnx

import modes
from nets import Net


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def eval_step(model: Net, x):
    modes.freeze(model)
    return model(x)


@nnx.jit
def train_step(model: Net, x):
    return model(x).sum()
