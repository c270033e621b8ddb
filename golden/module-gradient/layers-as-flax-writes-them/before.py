import jax
import jax.numpy as jnp
from flax import nnx
from flax.nnx import rnglib
from flax.nnx.nn import dtypes, initializers
from flax.typing import DotGeneralT, Dtype, Initializer, PrecisionLike
from jax import lax

default_kernel_init = initializers.lecun_normal()

class Dense(nnx.Module):
    """A layer in the style of flax's own: what it keeps beside Params are settings."""

    def __init__(
        self,
        din: int,
        dout: int,
        *,
        dtype: Dtype | None = None,
        param_dtype: Dtype = jnp.float32,
        precision: PrecisionLike = None,
        kernel_init: Initializer = default_kernel_init,
        bias_init: Initializer = initializers.zeros_init(),
        dot_general: DotGeneralT = lax.dot_general,
        rngs: rnglib.Rngs,
    ):
        self.kernel = nnx.Param(kernel_init(rngs.params(), (din, dout), param_dtype))
        self.bias = nnx.Param(bias_init(rngs.params(), (dout,), param_dtype))
        self.dtype = dtype or self.kernel[...].dtype
        self.param_dtype = param_dtype
        self.precision = precision
        self.kernel_init = kernel_init
        self.bias_init = bias_init
        self.dot_general = dot_general
        self.shape = self.kernel[...].shape

    def __call__(self, x: jax.Array):
        x, kernel, bias = dtypes.promote_dtype((x, self.kernel[...], self.bias[...]), dtype=self.dtype)
        return self.dot_general(x, kernel, (((1,), (0,)), ((), ())), precision=self.precision) + bias

@nnx.jit
def train_step(model: Dense, optimizer: nnx.Optimizer, x: jax.Array):
    def loss_fn(model: Dense):
        return jnp.mean(model(x) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss

def operands_of(model_kernel: jax.Array, x: jax.Array):
    """The types that a layer multiplies, as a test would record them."""
    seen = []

    def recording(lhs, rhs, dimension_numbers, **options):
        seen.append((lhs.dtype, rhs.dtype, options.get("precision")))
        return lax.dot_general(lhs, rhs, dimension_numbers, **options)

    Dense(2, 2, dot_general=recording, rngs=nnx.Rngs(0))(x)
    return [str(each) for each in seen]
