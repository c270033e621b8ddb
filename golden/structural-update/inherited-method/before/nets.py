from base import Tracked
from flax import nnx


class Net(Tracked):
    def __init__(self, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x):
        return self.linear(x)
