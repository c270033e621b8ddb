import jax
import jax.numpy as jnp
from flax import nnx


def drive(program):
    net = program.Net(nnx.Rngs(0))
    other = nnx.Linear(2, 2, rngs=nnx.Rngs(1))
    x = jax.random.normal(jax.random.key(2), (3, 2))
    functions = {
        "unpacked": program.Net.unpacked,
        "aliased": program.Net.aliased,
        "whole": program.Net.whole,
        "whole in function": program.Net.whole_in_function,
        "by keyword": program.by_keyword,
        "elements": program.elements,
        "returned by name": program.returned_by_name,
        "nested": program.nested,
    }
    found = {}
    for name, function in functions.items():
        found[name] = function(net, x), nnx.jit(lambda net, x: function(net, x))(net, x)
    found["unused"] = program.unused_and_shared(net, other, x)
    return found, net
