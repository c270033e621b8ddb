import jax.numpy as jnp
from flax import errors, nnx


def drive(program):
    x = jnp.ones(2)
    functions = [
        program.Net.used_twice,
        program.Net.through_a_helper,
        program.Net.through_a_kept_helper,
        lambda model, x: model.beside_an_argument(nnx.Linear(2, 2, rngs=nnx.Rngs(1)), x),
        program.Net.carries_a_part,
        program.Net.with_a_default,
        program.Net.under_a_transform_of_jax,
        program.Net.bent,
        program.Net.pulled_back,
        program.Net.changes_itself,
        lambda model, x: program.two_of_a_kind(model, model, x),
        program.tied_by_a_function,
        program.around_the_same,
        program.hands_on,
        program.compiled_for_two_calls,
        program.bound_anew,
        program.partial_inside,
        lambda model, x: program.several([model], x),
        lambda model, x: program.Trainer(nnx.Rngs(2)).run(x),
        lambda model, x: program.shadowed(x),
    ]
    found = []
    for function in functions:
        model = program.Net(nnx.Rngs(0))
        try:
            function(model, x)
        except errors.TraceContextError as error:
            found.append(type(error).__name__)
    return found, len(found)
