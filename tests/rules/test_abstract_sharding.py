"""`abstract-sharding`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned

RULE = "abstract-sharding"


def test_an_abstract_model_without_a_mesh_stays() -> None:
    check_noop(
        RULE,
        """\
def shapes():
    abstract = nnx.eval_shape(lambda: Net(nnx.Rngs(0)))
    return [leaf.shape for leaf in jax.tree.leaves(nnx.state(abstract))]
""",
    )


def test_arrays_of_jax_under_a_mesh_stays() -> None:
    check_noop(
        RULE,
        """\
def shapes(mesh, x):
    with jax.set_mesh(mesh):
        return jax.eval_shape(jnp.sum, x)
""",
    )


def test_a_model_that_is_made_under_a_mesh_stays() -> None:
    check_noop(
        RULE,
        """\
def made(mesh):
    with jax.set_mesh(mesh):
        return Net(nnx.Rngs(0))
""",
    )


def test_an_abstract_model_under_a_mesh_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
class Placed(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        init = nnx.with_partitioning(nnx.initializers.lecun_normal(), (None, "x"))
        self.linear = nnx.Linear(2, 4, kernel_init=init, rngs=rngs)


def placements(mesh):
    with jax.set_mesh(mesh):
        abstract = nnx.eval_shape(lambda: Placed(nnx.Rngs(0)))
    return [leaf.sharding for leaf in jax.tree.leaves(nnx.state(abstract))]
""",
        "tree mode leaves out the shardings of the mesh",
    )


def test_under_use_mesh_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def shapes():
    with jax.make_mesh((1,), ("x",)):
        abstract = nnx.eval_shape(lambda: Net(nnx.Rngs(0)))
    return nnx.state(abstract)
""",
        "tree mode leaves out the shardings of the mesh",
    )
