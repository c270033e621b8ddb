import jax
import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    def fit(model, optimizer, x):
        graphdef, params, rest = nnx.split(model, nnx.Param, ...)

        def loss_of_state(params, rest):
            return jnp.mean(nnx.merge(graphdef, params, rest)(x) ** 2)

        loss, grads = nnx.value_and_grad(loss_of_state)(params, rest)
        optimizer.update(model, grads)
        return loss

    def measure(model, y):
        return jnp.mean(y) + jnp.sum(model.norm.mean)

    x = jnp.arange(6.0).reshape(3, 2)
    model = program.Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)
    metric = nnx.metrics.Average()
    train_step = program.make_train_step(fit)
    eval_step = program.make_eval_step(measure)
    seen = []
    for _ in range(3):
        seen.append(train_step(model, optimizer, x))
        eval_step(model, metric, x)
    report = program.make_report(measure)
    seen += [metric.compute(), report(model, x), report(model, x[0])]
    seen.append(program.make_mean(measure)(model, x))
    seen.append(program.make_spread(lambda model, x: model(x))(model, x))
    seen.append(program.make_marked(measure)(model, x))
    keys = jax.random.split(jax.random.key(1), 3)
    stack = nnx.vmap(lambda key: nnx.Linear(2, 2, rngs=nnx.Rngs(key)))(keys)
    seen.append(program.make_each(lambda layer, x: layer(x))(stack, x))
    return seen, model, optimizer, metric, model.seen
