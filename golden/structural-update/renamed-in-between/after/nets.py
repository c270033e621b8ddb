from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.count = 0

    def __call__(self, x):
        self.count = self.count + 1
        return x


@nnx.compat.jit
def forward(model, x):
    return model(x)


@nnx.compat.jit
def twice(model, x):
    return model(model(x))


@nnx.compat.jit
def thrice(model, x):
    return model(model(model(x)))
