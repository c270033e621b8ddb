from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.count = 0

    def __call__(self, x):
        self.count = self.count + 1
        return self.linear(x)


@nnx.compat.jit
def forward(model, x):
    return model(x)
