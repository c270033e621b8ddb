"""`state-sharding`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned, check_transformed

RULE = "state-sharding"


def test_one_sharding_for_all_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit(in_shardings=(None, None))
def forward(model: nnx.Linear, x):
    return model(x)
""",
    )


def test_a_sharding_of_jax_stays() -> None:
    check_noop(
        RULE,
        """\
from jax.sharding import NamedSharding, PartitionSpec as P


def forward(mesh, x):
    return jax.jit(jnp.sum, in_shardings=NamedSharding(mesh, P("data")))(x)
""",
    )


def test_a_sharding_by_filters_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
from jax.sharding import NamedSharding, PartitionSpec as P


def forward(model: Net, x):
    return model(x)


def evaluate(model: Net, mesh, batches):
    by_kind = nnx.StateSharding({nnx.Param: NamedSharding(mesh, P("data")), ...: None})
    run = nnx.jit(forward, in_shardings=(by_kind, None))
    # compiled once
    return [run(model, batch) for batch in batches]
""",
        """\
from jax.sharding import NamedSharding, PartitionSpec as P


def forward(model: Net, x):
    return model(x)


def evaluate(model: Net, mesh, batches):
    @nnx.jit(in_shardings=(None, NamedSharding(mesh, P("data")), None, None))
    def run_of_state(graphdef, params, rest, x):
        model = nnx.merge(graphdef, params, rest)
        return forward(model, x)

    def run(model, x):
        graphdef, params, rest = nnx.split(model, nnx.Param, ...)
        return run_of_state(graphdef, params, rest, x)

    # compiled once
    return [run(model, batch) for batch in batches]
""",
    )


def test_filters_that_are_not_to_be_seen_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def compiled(rules: dict):
    @nnx.jit(in_shardings=(nnx.StateSharding(rules), None))
    def forward(model: Net, x):
        return model(x)

    return forward
""",
        "the filters of StateSharding cannot be read from the code",
    )
