"""Case files: which functions are cases, and what their parameters become."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("flax")
from flax import nnx

from nnx_migrate.check import b1, build, f32, i32, key
from nnx_migrate.check.cases.building import NotBuildable
from nnx_migrate.check.cases.calls import Call
from nnx_migrate.check.cases.casefile import BadCase, call_of, case_names

pytestmark = pytest.mark.runs_jax


class Inner(nnx.Module):
    def __init__(self, size: int, rngs: nnx.Rngs) -> None:
        self.linear = nnx.Linear(size, size, rngs=rngs)


class Outer(nnx.Module):
    def __init__(self, inner: Inner, rate: float, *, train: bool, depth: int = 2) -> None:
        self.inner, self.rate, self.train_, self.depth = inner, rate, train, depth


class Wants(nnx.Module):
    def __init__(self, path: str) -> None:
        self.path = path


def called(function: object) -> Call:
    assert callable(function)
    return call_of(function, lambda: "the program")


def test_cases_are_found_without_an_import(tmp_path: Path) -> None:
    file = tmp_path / "cases.py"
    file.write_text(
        "import nothing_of_that_name\n"
        "def helper(): ...\ndef case_b(): ...\nclass T:\n    def case_c(self): ...\n"
        "def case_a(): ...\ndef drive(program): ...\n"
    )
    assert case_names(file) == ["case_b", "case_a", "drive"]
    assert "nothing_of_that_name" not in sys.modules


def test_arrays_are_the_same_in_every_run_and_differ_by_name() -> None:
    def case_x(x: f32[2, 3], y: f32[2, 3], labels: i32[50] < 3, mask: b1[4]):  # type: ignore[no-untyped-def,valid-type]
        return print, (x, y, labels, mask)

    first, second = called(case_x).arguments, called(case_x).arguments
    assert all((one == two).all() for one, two in zip(first, second, strict=True))
    assert first[0].shape == (2, 3)
    assert not (first[0] == first[1]).all()
    assert {int(label) for label in first[2]} == {0, 1, 2}
    assert first[3].dtype == bool


def test_keys_and_scalars_have_a_shorthand() -> None:
    assert key[()].make("k").shape == ()
    assert key[3].make("k").shape == (3,)
    assert f32[()].make("x").shape == ()


def test_modules_are_built_from_their_signatures() -> None:
    def case_module(model: Outer, rngs: nnx.Rngs, program, scale=2.0):  # type: ignore[no-untyped-def]
        return print, (model, rngs, program), {"scale": scale}

    call = called(case_module)
    model, rngs, program = call.arguments
    assert model.inner.linear.kernel.shape == (4, 4)
    assert (model.rate, model.train_, model.depth) == (0.5, False, 2)
    assert isinstance(rngs, nnx.Rngs)
    assert (program, call.keywords) == ("the program", {"scale": 2.0})


def test_a_program_may_be_annotated_as_the_module_that_it_is() -> None:
    def drive(program: ModuleType):  # type: ignore[no-untyped-def]
        return program

    assert called(drive).function() == "the program"


def test_what_is_given_counts_before_what_is_made_up() -> None:
    assert build(Inner, size=3).linear.kernel.shape == (3, 3)


def test_a_class_that_needs_more_is_refused_by_name() -> None:
    with pytest.raises(NotBuildable, match="Wants needs path"):
        build(Wants)


def test_functions_that_are_no_cases_are_told_apart() -> None:
    def case_nothing():  # type: ignore[no-untyped-def]
        return 3

    def case_unknown(x):  # type: ignore[no-untyped-def]
        return print, (x,)

    with pytest.raises(BadCase, match="has to return"):
        called(case_nothing)
    with pytest.raises(BadCase, match="annotate the parameter x"):
        called(case_unknown)
