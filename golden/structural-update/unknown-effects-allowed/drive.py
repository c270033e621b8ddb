import jax.numpy as jnp
from flax import nnx


def scaled(net, x):
    net.linear.bias[...] += 1.0
    return 2 * net(x)


def drive(program):
    net, x = program.Net(nnx.Rngs(0)), jnp.ones((3, 2))
    trainer = program.Trainer(scaled, "scaled")
    return (
        trainer.step(net, x),
        trainer.compiled(net, x),
        program.branch((lambda net: net(x), lambda net: 2 * net(x)), net),
        program.counted(net, None, x),
        net.steps,
        nnx.state(net),
    )
