"""The generated table of flax's own layers: what it says, and that it still agrees with flax."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.analysis.flax import model
from nnx_migrate.analysis.flax.model import layers, mode_dependent_functions
from nnx_migrate.analysis.flax.transforms import COMPUTED, SITE_NAMES, TRANSFORMS
from nnx_migrate.analysis.sites.gradient_uses import STATE_METHODS

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def regenerated() -> dict[str, Any]:
    """The table as the installed flax would give it."""
    try:
        installed = importlib.metadata.version("flax")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("flax is not installed")
    if installed != model.flax_version():
        pytest.fail(
            f"the table was made from flax {model.flax_version()}, but {installed} is "
            "installed: run scripts/generate_flax_layers.py, read the diff and commit it"
        )
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "generate_flax_layers.py", "--print"],
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    table: dict[str, Any] = json.loads(done.stdout)
    return table


@pytest.mark.runs_jax
@pytest.mark.parametrize("part", ["layers", "transforms", "functions"])
def test_table_agrees_with_the_installed_flax(regenerated: dict[str, Any], part: str) -> None:
    committed = json.loads(Path(model.__file__).with_name("layers.json").read_text("utf-8"))
    by_name = {row["qualified_names"][0]: row for row in committed[part]}
    expected = {row["qualified_names"][0]: row for row in regenerated[part]}
    assert by_name == expected


def test_loading_the_table_imports_neither_flax_nor_jax() -> None:
    program = (
        "import sys; from nnx_migrate.analysis.flax import model as t; t.layers();"
        "t.mode_dependent_functions(); print([m for m in ('flax', 'jax') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_layer_is_found_by_every_name_it_can_be_imported_by() -> None:
    assert layers()["flax.nnx.Linear"] is layers()["flax.nnx.nn.linear.Linear"]
    assert layers()["flax.nnx.metrics.Average"] is layers()["flax.nnx.training.metrics.Average"]
    assert layers()["flax.nnx.bridge.Module"] is not layers()["flax.nnx.Module"]


@pytest.mark.parametrize(
    ("name", "variables"),
    [
        ("Linear", {"Param"}),
        ("BatchNorm", {"Param", "BatchStat"}),
        ("Dropout", set()),
        ("LoRALinear", {"Param", "LoRAParam"}),
        ("RNN", {"RngKey", "RngCount"}),
        ("Sequential", set()),
    ],
)
def test_variables_of_an_instance_with_default_arguments(name: str, variables: set[str]) -> None:
    assert layers()[f"flax.nnx.{name}"].variables == variables


def test_keywords_that_add_or_remove_variables() -> None:
    rng_state = {"RngKey", "RngCount"}
    assert layers()["flax.nnx.Dropout"].conditional_variables == {"rngs": rng_state}
    attention = layers()["flax.nnx.MultiHeadAttention"]
    assert attention.conditional_variables == {"dropout_rate": rng_state}
    assert layers()["flax.nnx.RNN"].absent_variables == {"rngs": rng_state}


def test_keywords_that_make_an_attribute_a_node() -> None:
    dropout = layers()["flax.nnx.Dropout"]
    assert dropout.attribute("rngs") == "None"
    assert dropout.attributes_with("rngs", {"rngs"}) == {"RngStream"}
    assert dropout.attributes_with("rngs", {"**"}) == {"RngStream"}
    assert not dropout.attributes_with("rngs", {"rate"})
    assert not dropout.attributes_with("rate", {"rngs"})


def test_what_was_passed_to_the_constructor_is_no_fact_of_the_class() -> None:
    assert layers()["flax.nnx.RNN"].attributes["cell"] == "argument"
    assert layers()["flax.nnx.Sequential"].attributes["layers"] == "argument"
    assert layers()["flax.nnx.List"].attributes["*"] == "argument"


def test_structural_methods() -> None:
    always = {"train", "eval", "set_attributes", "sow", "perturb"}
    assert layers()["flax.nnx.Linear"].structural_methods == always
    attention = layers()["flax.nnx.MultiHeadAttention"]
    assert attention.structural_methods == always | {"init_cache", "set_view"}
    assert attention.structural_when == {"__call__": {"sow_weights"}}
    bridged = layers()["flax.nnx.bridge.ToNNX"]
    assert bridged.structural_methods == always | {"lazy_init"}
    assert bridged.structural_when == {"__call__": {"mutable"}}
    assert {"append", "__setitem__"} <= layers()["flax.nnx.List"].structural_methods
    assert layers()["flax.nnx.Optimizer"].structural_methods == set()
    assert layers()["flax.nnx.metrics.Average"].structural_methods == set()


def test_raw_arrays_outside_of_variables() -> None:
    holders = {layer.name for layer in layers().values() if layer.raw_arrays}
    assert holders == {"WeightNorm"}


def test_kinds_and_bases() -> None:
    assert layers()["flax.nnx.Perturbation"].bases == ("Intermediate", "Variable")
    assert layers()["flax.nnx.Perturbation"].kind == "variable"
    assert layers()["flax.nnx.ModelAndOptimizer"].kind == "optimizer"
    assert layers()["flax.nnx.Rngs"].kind == "rngs"
    assert layers()["flax.nnx.State"].kind == "state"


def test_mode_dependent_functions() -> None:
    functions = mode_dependent_functions()
    grad = functions["flax.nnx.grad"]
    assert grad.has_graph_parameter
    assert grad.has_graph_updates_parameter
    assert grad.in_compat
    assert grad.parameters[:3] == ("f", "*", "argnums")
    assert functions["flax.nnx.transforms.autodiff.grad"] is grad
    without_compat = {
        known.name
        for known in functions.values()
        if known.has_graph_parameter and not known.in_compat and known.name[0].islower()
    }
    assert without_compat >= {"prefix", "jit_partial", "transform_metadata", "with_attributes"}
    assert not functions["flax.nnx.capture"].has_graph_parameter
    assert functions["flax.nnx.Module.train"].reference


def test_every_site_can_be_pinned() -> None:
    functions = mode_dependent_functions()
    ways: dict[str, set[str]] = {}
    for name in SITE_NAMES:
        function = functions.get(f"flax.nnx.{name}")
        way = (
            "no mode of its own"
            if function is None
            else "compat"
            if function.in_compat
            else "option"
            if function.has_graph_parameter
            else "setter"
        )
        ways.setdefault(way, set()).add(name)
    assert ways.pop("no mode of its own") == {"merge", "checkpoint", "ToLinen", COMPUTED}
    # `call` is left to a person: what is called is a method of the object, under its own name.
    of_setters = {"tabulate", "set_metadata", "ModelAndOptimizer", "capture", "call"}
    assert ways.pop("setter") == of_setters
    assert {"Optimizer", "EMA", "variables"} <= ways.pop("option")
    assert not TRANSFORMS - {"checkpoint"} - ways["compat"]


@pytest.mark.runs_jax
def test_methods_of_a_state_are_all_known() -> None:
    nnx = pytest.importorskip("flax.nnx")
    assert {name for name in dir(nnx.State) if not name.startswith("_")} == STATE_METHODS
