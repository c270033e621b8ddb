import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Generator(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.fc = nnx.Linear(2, 4, rngs=rngs)
        self.bn = nnx.BatchNorm(4, rngs=rngs)
        self.out = nnx.Linear(4, 2, rngs=rngs)
        self.rngs = rngs.fork()

    def __call__(self, n: int) -> jax.Array:
        z = jax.random.normal(self.rngs.noise(), (n, 2))
        return self.out(nnx.relu(self.bn(self.fc(z))))


class Discriminator(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.fc = nnx.Linear(2, 4, rngs=rngs)
        self.drop = nnx.Dropout(0.3, rngs=rngs)
        self.out = nnx.Linear(4, 1, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.out(self.drop(nnx.leaky_relu(self.fc(x))))[:, 0]


def bce(logits, target):
    return optax.sigmoid_binary_cross_entropy(logits, jnp.full_like(logits, target)).mean()


@nnx.jit
def train_step(
    generator: Generator,
    discriminator: Discriminator,
    g_optimizer: nnx.Optimizer,
    d_optimizer: nnx.Optimizer,
    real: jax.Array,
):
    def d_loss_fn(
        discriminator_params: nnx.State, discriminator_nondiff: nnx.State, generator: Generator
    ):
        discriminator = nnx.merge(
            discriminator_graphdef, discriminator_params, discriminator_nondiff
        )
        fake = jax.lax.stop_gradient(generator(real.shape[0]))
        return bce(discriminator(real), 1.0) + bce(discriminator(fake), 0.0)

    def g_loss_fn(
        generator_params: nnx.State, generator_nondiff: nnx.State, discriminator: Discriminator
    ):
        generator = nnx.merge(generator_graphdef, generator_params, generator_nondiff)
        return bce(discriminator(generator(real.shape[0])), 1.0)

    # First the discriminator ...
    discriminator_graphdef, discriminator_params, discriminator_nondiff = nnx.split(
        discriminator, nnx.Param, ...
    )
    d_loss, grads = nnx.value_and_grad(d_loss_fn)(
        discriminator_params, discriminator_nondiff, generator
    )
    d_optimizer.update(discriminator, grads)
    # ... then the generator against the updated discriminator.
    generator_graphdef, generator_params, generator_nondiff = nnx.split(generator, nnx.Param, ...)
    g_loss, grads = nnx.value_and_grad(g_loss_fn)(
        generator_params, generator_nondiff, discriminator
    )
    g_optimizer.update(generator, grads)
    return {"d_loss": d_loss, "g_loss": g_loss}
