"""The registry of transforms: every entry is whole, and the page shows what it says."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from nnx_migrate.analysis.flax.model import mode_dependent_functions
from nnx_migrate.analysis.flax.transforms import (
    CONTROL_FLOW,
    GRADIENTS,
    SPECS,
    SPLITTERS,
    TRACING,
    of_jax,
    of_nnx,
    spec,
)

SCRIPT = Path(__file__).parents[3] / "scripts" / "transforms_page.py"


def test_the_page_has_the_tables_of_the_registry() -> None:
    script = runpy.run_path(str(SCRIPT))
    text = script["PAGE"].read_text(encoding="utf-8")
    assert script["page"](text) == text, "run scripts/transforms_page.py and read the diff"


def test_what_is_no_transform_does_nothing() -> None:
    for name in ("", "Linear", "Module.eval", "getattr", None):
        known = spec(name)
        assert not any((known.traces, known.compiles, known.gives_function, known.is_site))


def test_the_name_in_compat_means_the_same() -> None:
    assert spec("compat.jit") is spec("jit")
    assert spec("compat.while_loop").is_loop


def test_all_that_flax_gives_a_mode_for_updates_is_known() -> None:
    rows = {row.name for row in mode_dependent_functions().values()}
    of_updates = {
        row.name for row in mode_dependent_functions().values() if row.has_graph_updates_parameter
    }
    # They raise in graph mode, whatever they are given: no program uses them.
    assert of_updates - SPECS.keys() == {"make_jaxpr", "jvp"}
    names = of_nnx(lambda known: known.is_site) - {"checkpoint"}  # nnx.remat by its name in jax
    assert names <= rows


def test_each_of_jax_that_is_like_one_of_nnx_answers_as_that_does() -> None:
    for name in of_jax(lambda known: known.twin in SPECS):
        mine, other = spec(name), spec(spec(name).twin)
        assert mine.operands == other.operands
        assert (mine.traces, mine.compiles, mine.carries, mine.result) == (
            other.traces,
            other.compiles,
            other.carries,
            other.result,
        )
        assert not mine.checks_trace_level


def test_each_of_nnx_is_of_one_kind() -> None:
    kinds = (TRACING, CONTROL_FLOW, GRADIENTS, SPLITTERS)
    others = of_nnx(lambda known: known.is_site).difference(*kinds)
    assert others == {"custom_vjp", "cached_partial", "eval_shape"}
    assert sum(map(len, kinds)) == len(frozenset().union(*kinds))


@pytest.mark.parametrize("name", sorted(CONTROL_FLOW))
def test_operands_begin_behind_the_functions(name: str) -> None:
    flow = spec(name).operands
    assert flow is not None
    assert max(flow.functions) < (flow.start if flow.carried is None else flow.carried + 1)
    assert set(flow.changing) <= set(flow.functions)
    assert flow.carried is None or flow.parameters[flow.carried] == "init_val"
