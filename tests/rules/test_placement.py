"""`placement`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned

RULE = "placement"


def test_no_shardings_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit
def forward(model: Net, x):
    return model(x)
""",
    )


def test_an_array_that_is_placed_stays() -> None:
    check_noop(
        RULE,
        """\
from jax.sharding import NamedSharding, PartitionSpec as P


def forward(mesh, x):
    return nnx.jit(jnp.sum, in_shardings=NamedSharding(mesh, P("data")))(x)
""",
    )


def test_shardings_of_results_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit(out_shardings=None)
def forward(model: Net, x):
    return model(x)
""",
    )


def test_pmap_in_a_function_that_does_not_ask_stays() -> None:
    check_noop(
        RULE,
        """\
def forward(model: Net, x):
    return nnx.pmap(lambda m, x: m(x), in_axes=(None, 0))(model, x)


def where(array):
    return array.sharding
""",
    )


def test_pmap_in_a_function_that_asks_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def forward(model: Net, x):
    y = nnx.pmap(lambda m, x: m(x), in_axes=(None, 0))(model, x)
    return y, [each.sharding for each in jax.tree.leaves(nnx.state(model))]
""",
        "tree mode does not place the parts of m that the function does not change",
    )


def test_a_model_that_jit_places_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((1,), ("data",))


@nnx.jit(in_shardings=(NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))))
def forward(model: Net, x):
    return model(x)
""",
        "tree mode does not place the parts of model that the function does not change",
    )
