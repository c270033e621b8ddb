"""Arguments are on the other side what they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cloudpickle")
jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
np = pytest.importorskip("numpy")
optax = pytest.importorskip("optax")
pytest.importorskip("flax")
from flax import nnx

from nnx_migrate.check.compare.comparison import compare_views
from nnx_migrate.check.compare.leaves import view_of
from nnx_migrate.check.jobs import Side
from nnx_migrate.check.recording.packing import TooManyBytes, packed
from nnx_migrate.check.recording.unpacking import Reader, unpacked

pytestmark = pytest.mark.runs_jax

_LARGE = 2**24


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.linear = nnx.Linear(40, 40, rngs=rngs)
        self.tied = self.linear
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.act = jax.nn.relu


def _again(value: object, folder: Path, *, shapes: bool = False, numbers: bool = True) -> Any:
    side = Side("old", folder, (folder,))
    blob = packed(value, folder, _LARGE, shapes=shapes)
    return unpacked(blob, Reader(side, "a.py", numbers))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Net(nnx.Rngs(0)),
        lambda: nnx.Optimizer(Net(nnx.Rngs(0)), optax.adamw(1e-3), wrt=nnx.Param),
        lambda: nnx.state(Net(nnx.Rngs(0))),
        lambda: optax.adam(1e-3).init({"w": jnp.ones(3)}),
        lambda: [jax.random.key(3), jax.random.split(jax.random.key(3), 2), np.arange(3)],
        lambda: {"a": (1, None, "b"), "c": jnp.asarray(1.5, jnp.bfloat16)},
    ],
)
def test_values_are_the_same(make: Any, tmp_path: Path) -> None:
    value = make()
    views = view_of(value), view_of(_again(value, tmp_path))
    assert compare_views(*views).equal
    assert views[0].shared == views[1].shared


def test_graphdefs_merge_with_their_states(tmp_path: Path) -> None:
    model = Net(nnx.Rngs(0))
    merged = nnx.merge(*_again(nnx.split(model), tmp_path))
    assert compare_views(view_of(model), view_of(merged)).equal
    assert merged.tied is merged.linear


def test_weak_types_and_functions_stay_what_they_are(tmp_path: Path) -> None:
    value, relu, absolute = _again((jnp.asarray(1.0), jax.nn.relu, abs), tmp_path)
    assert value.weak_type
    assert relu is jax.nn.relu
    assert absolute is abs


def test_shapes_are_kept_of_large_arrays_and_keys(tmp_path: Path) -> None:
    given = (jnp.ones((40, 40)), jnp.arange(3), jax.random.key(1), np.ones(2000))
    large, small, key, plain = _again(given, tmp_path, shapes=True, numbers=False)
    assert (large.shape, large.dtype) == ((40, 40), jnp.float32)
    assert isinstance(large, jax.ShapeDtypeStruct)
    assert small.tolist() == [0, 1, 2]
    assert isinstance(key, jax.ShapeDtypeStruct)
    assert key.dtype == given[2].dtype
    assert plain.shape == (2000,)
    large, small, key, _ = _again(given, tmp_path, shapes=True)
    assert 0 < large.min() < large.max() < 1
    assert key.dtype == given[2].dtype


def test_traced_arguments_are_kept_by_shape(tmp_path: Path) -> None:
    kept = []

    def traced(model: Net, key: Any) -> Any:
        kept.append(_again((model, key), tmp_path, shapes=True, numbers=False))
        return model.linear.kernel.sum()

    nnx.jit(traced)(Net(nnx.Rngs(0)), jax.random.key(0))
    model, key = kept[0]
    assert isinstance(model.linear.kernel.get_raw_value(), jax.ShapeDtypeStruct)
    assert isinstance(key, jax.ShapeDtypeStruct)
    assert model.tied is model.linear


def test_what_is_too_large_is_refused_before_it_is_copied(tmp_path: Path) -> None:
    with pytest.raises(TooManyBytes):
        packed(jnp.ones(300), tmp_path, 1000)
    with pytest.raises(TooManyBytes):
        packed(["word" * 300], tmp_path, 1000)


def test_what_a_property_reads_on_this_side_is_not_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    side = Side("new", tmp_path, (tmp_path,))
    blob = packed(Net(nnx.Rngs(0)), tmp_path, _LARGE)
    monkeypatch.setattr(Net, "tied", property(lambda net: net.linear), raising=False)
    read = unpacked(blob, Reader(side, "a.py", numbers=True))
    assert read.tied is read.linear
    assert "tied" not in vars(read)
    assert nnx.merge(*nnx.split(read)).tied.kernel.shape == (40, 40)


@pytest.mark.parametrize("reads", [lambda net: net.drop, lambda net: 1 / 0])
def test_what_a_property_reads_otherwise_stays(
    reads: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    side = Side("new", tmp_path, (tmp_path,))
    blob = packed(Net(nnx.Rngs(0)), tmp_path, _LARGE)
    monkeypatch.setattr(Net, "tied", property(reads), raising=False)
    assert "tied" in vars(unpacked(blob, Reader(side, "a.py", numbers=True)))
