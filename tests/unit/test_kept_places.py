"""Places that a run is told to pin are pinned, and stay so."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import Outcome
from nnx_migrate.core.pins import KeptPlace
from nnx_migrate.engine.run import run_text
from nnx_migrate.rewrite.planner import kept_places
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.imports.module_names import place_of

NET = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x):
        return self.norm(x).sum()


"""
INLINE = """\
def step(model: Net, x):
    return nnx.grad(lambda m: m(x))(model)


def other(model: Net, x):
    return nnx.grad(lambda m: m(x))(model)
"""
# What runs inside may depend on the mode, too, so graph mode is set for all of it.
COVERED = """\
def step(model: Net, weigh, x):
    def loss(m):
        return weigh(m(x))

    return nnx.grad(loss)(model)
"""
BROKEN_LINES = """\
def step(model: Net, x):
    loss, grads = nnx.value_and_grad(
        lambda m: m(x)
    )(
        model
    )
    return loss, grads
"""
OF_PARAMS = """\
def plain(model: nnx.Linear, optimizer: nnx.Optimizer, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    optimizer.update(model, grads)
"""
NESTED = """\
@nnx.jit
def step(model: Net, x):
    return nnx.grad(lambda m: m(x))(model)
"""


def outcomes(text: str, path: Path, *kept: int) -> tuple[str, dict[int, Outcome]]:
    places = {place_of(path): tuple(KeptPlace(line, "it differed") for line in kept)}
    result = run_text(text.encode(), path, Configuration({}, kept=places))
    return result.after.decode(), {each.line: each.outcome for each in result.findings}


def test_other_places_are_rewritten(tmp_path: Path) -> None:
    after, found = outcomes(NET + INLINE, tmp_path / "a.py", 13)
    assert found == {13: Outcome.PINNED, 17: Outcome.REWRITTEN}
    assert "nnx.compat.grad(" in after


@pytest.mark.parametrize("code", [INLINE, BROKEN_LINES, COVERED])
def test_a_kept_place_stays_in_later_runs(tmp_path: Path, code: str) -> None:
    path = tmp_path / "a.py"
    lines = [n for n, line in enumerate((NET + code).splitlines(), 1) if "grad(" in line]
    after, found = outcomes(NET + code, path, *lines)
    assert [found[line] for line in lines] == [Outcome.PINNED] * len(lines)
    again, found = outcomes(after, path)
    assert again == after
    assert Outcome.MANUAL not in found.values()


def test_what_only_runs_leave_alone_is_kept_behind_a_rewrite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_places, "rests_on_runs", lambda evidence: True)
    text = f"{NET}{INLINE}\n\n{OF_PARAMS}"
    assert outcomes(text, tmp_path / "a.py")[1][21] is Outcome.SAME
    after, found = outcomes(text, tmp_path / "a.py", 21)
    assert found[13] is found[17] is Outcome.REWRITTEN
    assert found[21] is Outcome.PINNED
    assert after.count("nnx.compat.grad(") == 1


def test_a_comment_keeps_a_pin_that_later_runs_would_plan_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    after, _ = outcomes(NET + COVERED, path, 16)
    comment = "  # nnx-migrate: ignore[module-gradient]"
    assert after.count(comment) == 1
    assert "compat" not in outcomes(after.replace(comment, ""), path)[0]


def test_what_stands_around_a_kept_place_is_pinned_with_it(tmp_path: Path) -> None:
    after, found = outcomes(NET + NESTED, tmp_path / "a.py", 14)
    assert found[14] is Outcome.PINNED
    assert "@nnx.compat.jit" in after


def test_a_kept_place_that_is_a_pin_of_an_earlier_run_keeps_that(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    pinned, _ = outcomes(NET + COVERED, path, 16)
    bare = pinned.replace("  # nnx-migrate: ignore[module-gradient]", "")
    line = next(n for n, each in enumerate(bare.splitlines(), 1) if "compat.grad" in each)
    assert outcomes(bare, path, line)[0] == pinned
