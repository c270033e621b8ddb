import jax
import jax.numpy as jnp
from flax import nnx


class Conv(nnx.Module):
    def __init__(
        self,
        features: int,
        kernel_size: int | tuple[int, ...],
        *,
        use_noise: bool = False,
        rngs: nnx.Rngs,
    ):
        if isinstance(kernel_size, int):
            kernel_size = (kernel_size,)
        self.features = features
        self.kernel_shape = kernel_size + (self.features, self.features)
        self.size = self.features * self.features
        self.kernel = nnx.Param(jax.random.normal(rngs.params(), self.kernel_shape))
        self.noise = rngs.noise.fork() if use_noise else None

    def __call__(self, x: jax.Array) -> jax.Array:
        if self.noise is not None:
            x = x + jax.random.normal(self.noise(), x.shape)
        return jnp.einsum("bi,kio->bo", x, self.kernel[...]) / self.size


def plain_gradient(x: jax.Array):
    with_noise = False
    conv = Conv(2, (3,), use_noise=with_noise, rngs=nnx.Rngs(0))
    grads = nnx.grad(lambda model: jnp.mean(model(x) ** 2))(conv)
    return grads.kernel[...]


def noisy_gradient(x: jax.Array):
    conv = Conv(2, (3,), use_noise=True, rngs=nnx.Rngs(0, noise=1))
    graphdef, params, nondiff = nnx.split(conv, nnx.Param, ...)

    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(model(x) ** 2)

    grads = nnx.grad(loss_fn)(params, nondiff)
    return grads.kernel[...], conv.noise.count[...]
