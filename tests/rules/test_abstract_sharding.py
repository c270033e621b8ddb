"""`abstract-sharding`: what it leaves alone, and what it does."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    "entered", ["jax.make_mesh((1,), ('x',))", "Mesh(devices, ('x',))", "mesh"]
)
def test_a_mesh_that_is_made_or_entered_by_itself_sets_nothing(entered: str) -> None:
    check_noop(
        RULE,
        f"""\
from jax.sharding import Mesh


def shapes(mesh, devices):
    with {entered}:
        abstract = nnx.eval_shape(lambda: Net(nnx.Rngs(0)))
    return nnx.state(abstract)
""",
    )


def test_a_mesh_of_a_transform_stays() -> None:
    check_noop(
        RULE,
        """\
def shapes():
    return nnx.state(nnx.eval_shape(lambda: Net(nnx.Rngs(0))))


def summed(mesh, spec, xs):
    return nnx.shard_map(jnp.sum, mesh=mesh, in_specs=spec, out_specs=spec)(xs)
""",
    )


def test_a_mesh_around_other_code_stays() -> None:
    check_noop(
        RULE,
        """\
def shapes():
    return nnx.state(nnx.eval_shape(lambda: Net(nnx.Rngs(0))))


def train(mesh, step, model):
    with jax.set_mesh(mesh):
        step(model)


def main(mesh, step):
    print(shapes())
    train(mesh, step, Net(nnx.Rngs(0)))
""",
    )


_MARKS = {
    "pytest": ("import pytest", '@pytest.mark.parametrize("size", [1, 2])'),
    "absl": ("from absl.testing import parameterized", "@parameterized.parameters(1, 2)"),
    "unittest": ("import unittest", '@unittest.skipIf(jax.device_count() > 1, "one device")'),
}


@pytest.mark.parametrize("framework", _MARKS)
def test_a_test_that_a_framework_runs_stays(framework: str) -> None:
    imported, mark = _MARKS[framework]
    check_noop(
        RULE,
        f"""\
{imported}


def shapes():
    return nnx.state(nnx.eval_shape(lambda: Net(nnx.Rngs(0))))


{mark}
def test_shapes(size=1):
    assert shapes()


def train(mesh, step, model):
    with jax.set_mesh(mesh):
        step(model)
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
        "tree mode omits the shardings of the mesh",
    )


_RUN_UNDER_A_MESH = {
    "called": """\
def main(mesh):
    with jax.set_mesh(mesh):
        return shapes()
""",
    "called by what is called": """\
def loaded():
    return shapes()


class Loader:
    def load(self):
        return loaded()


def main(mesh):
    with jax.set_mesh(mesh):
        return Loader().load()
""",
    "handed on": """\
def under(mesh, function):
    with jax.set_mesh(mesh):
        return function()


def main(mesh):
    return under(mesh, shapes)
""",
    "wrapped": """\
def under_a_mesh(run):
    def wrapped(mesh):
        with jax.set_mesh(mesh):
            return run()

    return wrapped


@under_a_mesh
def main():
    return shapes()
""",
    "tested": """\
import pytest


@pytest.mark.slow
def test_shapes(mesh):
    with jax.set_mesh(mesh):
        assert shapes()
""",
    "set for good": """\
def main(mesh):
    jax.set_mesh(mesh)
    return shapes()
""",
    "in a context manager": """\
@contextlib.contextmanager
def placed(mesh):
    with jax.set_mesh(mesh):
        yield


def main(mesh):
    with placed(mesh):
        return shapes()
""",
    "by a Variable": """\
def made(mesh):
    return nnx.Param(jnp.zeros(2), sharding=("x",), mesh=mesh)
""",
}


@pytest.mark.parametrize("how", _RUN_UNDER_A_MESH)
def test_what_may_run_under_a_mesh_is_kept_in_graph_mode(how: str) -> None:
    check_pinned(
        RULE,
        f"""\
import contextlib


def shapes():
    return nnx.state(nnx.eval_shape(lambda: Net(nnx.Rngs(0))))


{_RUN_UNDER_A_MESH[how]}""",
        "tree mode omits the shardings of the mesh",
    )
