import nets
from flax import nnx


def quiet(x):
    model = nets.Net(nnx.Rngs(1))
    return nets.left_there(model, x), model


def logged(function, model, x):
    return function(model, x)


def warm(model, x):
    model(x)


plain = nets.replaced
nets.replaced = lambda model, x: -plain(model, x)
