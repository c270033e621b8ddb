import jax.numpy as jnp
from flax import nnx


def drive(program):
    x = jnp.ones((8, 2))
    fitted = program.fit(0, x)
    stepped, trainer = program.Net(nnx.Rngs(1)), program.Trainer(program.Net(nnx.Rngs(2)))
    outputs = program.steps(stepped, [x, 2 * x]), [trainer.step(x)]
    trainer.model.eval()
    outputs[1].append(trainer.step(x))
    return fitted, outputs, stepped, trainer.model, program.count(program.Net(nnx.Rngs(3)), x)
