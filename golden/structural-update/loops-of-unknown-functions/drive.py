import jax.numpy as jnp
from flax import nnx


def add(model):
    model.w[...] += 1


def replace(model):
    model.w = nnx.Param(model.w[...] + 5)


def evaluate(model):
    model.eval()


def swap(model):
    model.w, model.other = model.other, model.w


def replace_element(model):
    model.parts[0] = nnx.Param(jnp.ones(2) * 7)


def drive(program):
    found = []
    for update in (add, evaluate, replace, swap, replace_element):
        model = program.Counter()
        try:
            given = program.repeat(update, model)
        except ValueError as error:
            found.append(type(error).__name__)
            continue
        found += [nnx.to_pure_dict(nnx.state(each)) for each in (model, given)]
    return found
