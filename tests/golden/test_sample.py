"""The sample project shows one of each, and runs as before in both modes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult, Outcome
from tests.hazards.running import all_settled, migrated_files, verdicts

_SAMPLE = Path(__file__).parents[2] / "examples" / "sample"
_MAIN = """
import jax, jax.numpy as jnp, optax
from flax import nnx
from ranker import diagnostics, ensemble
from ranker.models import Linear, Tower
from ranker.training import baseline_step, finetune_step, train_step

def main():
    x = jnp.arange(32.0).reshape(4, 8) / 10
    batch = x, jnp.ones((4, 1))
    found = []
    last = nnx.All(nnx.Param, nnx.PathContains("outer"))
    for step, trained in ((train_step, nnx.Param), (finetune_step, last)):
        model = Tower(8, 16, 1, rngs=nnx.Rngs(0))
        optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=trained)
        found += [step(model, optimizer, batch), step(model, optimizer, batch), model, optimizer]
    baseline = Linear(8, 1, rngs=nnx.Rngs(1))
    optimizer = nnx.Optimizer(baseline, optax.sgd(1e-3), wrt=nnx.Param)
    found += [baseline_step(baseline, optimizer, batch), baseline]
    towers = ensemble.create(nnx.Rngs(2))
    towers.eval()
    found += [ensemble.predict(towers, x), towers, ensemble.create_heads(nnx.Rngs(3))]
    found += [diagnostics.activations(x), diagnostics.attributions(x)]
    return found
"""


@pytest.fixture(scope="module")
def results() -> dict[str, FileResult]:
    package = sorted((_SAMPLE / "ranker").glob("*.py"))
    files = {str(path.relative_to(_SAMPLE)): path.read_text() for path in package}
    return migrated_files(files)


def test_one_of_each_is_shown(results: dict[str, FileResult]) -> None:
    findings = [each for result in results.values() for each in result.findings]
    rewritten = Counter(each.rule for each in findings if each.outcome is Outcome.REWRITTEN)
    assert set(rewritten) >= {
        "captured-module",
        "diff-state",
        "module-gradient",
        "sown-intermediates",
        "state-axes",
        "transform-metadata",
    }
    assert rewritten["sown-intermediates"] == 2, "what is sown, and what is perturbed"
    assert {each.outcome for each in findings} == {Outcome.REWRITTEN, Outcome.PINNED, Outcome.SAME}
    assert all_settled(results)


@pytest.mark.runs_jax
def test_it_runs_as_before(
    results: dict[str, FileResult], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("sample")
    files = {**results, **migrated_files({"main.py": _MAIN})}
    assert verdicts({"sample": files}, folder) == {"sample": ""}
