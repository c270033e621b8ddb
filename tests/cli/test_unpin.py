"""Pins of earlier runs: planned again, put back as they stood, and never somebody's own choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command

# What the loss does is not known, so a run without checks pins it and the step around it.
LOSS = """\
import jax.numpy as jnp
from flax import nnx


@nnx.jit
def train_step(model: nnx.Module, x):
    def loss_fn(model):
        return jnp.mean(model(x) ** 2)

    return nnx.value_and_grad(loss_fn)(model)[0]
"""
STRUCTURE = """\
from flax import nnx


@nnx.jit
def reset(model: nnx.Module, call):
    model.made = call(model)


run = nnx.vmap(lambda model, call: setattr(model, "made", call(model)), axis_size=2, in_axes=None)
"""
WRITTEN_BY_HAND = """\
from flax import nnx


@nnx.compat.jit
def double(x):
    return 2 * x


@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def traced(model: nnx.Linear, x):
    return nnx.jit(lambda model, x: model(x))(model, x)


def block(model: nnx.Linear, x):
    with nnx.set_graph_mode(True), nnx.set_graph_updates(True):
        return nnx.jit(lambda model, x: model(x))(model, x)


@nnx.jit(graph=True, graph_updates=True)
def option(model: nnx.Linear, x):
    return model(x)


optimizer = nnx.set_graph_mode(True)(nnx.Optimizer)(nnx.Linear(2, 2, rngs=nnx.Rngs(0)), None)
"""


def applied(command: Command, file: Path, *arguments: str) -> str:
    done = command("apply", file.name, "--no-journal", *arguments)
    assert done.code == 0, done.err
    return file.read_text()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "train.py"


def pinned(command: Command, file: Path, text: str, *arguments: str) -> str:
    file.write_text(text)
    found = applied(command, file, *arguments)
    assert "nnx.compat." in found
    assert "nnx.set_graph_mode(True)" in found
    return found


def test_what_an_earlier_run_pinned_becomes_what_a_first_run_makes(
    command: Command, file: Path
) -> None:
    file.write_text(LOSS)
    direct = applied(command, file)
    assert "compat" not in direct
    pinned(command, file, LOSS, "--no-trace-checks")
    assert applied(command, file, "--unpin") == direct
    assert applied(command, file, "--unpin") == direct


def test_a_pin_that_is_needed_stays_byte_for_byte(command: Command, file: Path) -> None:
    once = pinned(command, file, STRUCTURE)
    for arguments in ((), ("--unpin",), ("--no-unpin",), ("--check",), ("--on-unsafe", "leave")):
        assert applied(command, file, *arguments) == once


def test_a_pin_that_a_formatter_has_laid_out_stays_too(command: Command, file: Path) -> None:
    once = pinned(command, file, STRUCTURE)
    laid_out = once.replace(
        "nnx.set_graph_updates(True)(lambda", "nnx.set_graph_updates(True)(\n            lambda"
    )
    assert laid_out != once
    file.write_text(laid_out)
    assert applied(command, file) == laid_out


def test_a_pin_that_nothing_needs_goes_with_a_finding(command: Command, file: Path) -> None:
    once = pinned(command, file, STRUCTURE)
    file.write_text(once.replace("    model.made = call(model)\n", "    return 1\n"))
    done = command("apply", file.name, "--no-journal")
    assert "train.py:4:2: old-pin: rewritten: no longer kept in graph mode" in done.said
    assert "@nnx.jit\ndef reset" in file.read_text()


@pytest.mark.parametrize("option", ["--select=module-gradient", "--ignore=structural-update"])
def test_a_rule_that_does_not_run_keeps_its_pins(command: Command, file: Path, option: str) -> None:
    once = pinned(command, file, STRUCTURE)
    assert applied(command, file, option) == once


def test_an_ignore_comment_keeps_its_pin(command: Command, file: Path) -> None:
    once = pinned(command, file, STRUCTURE)
    first, comment = (
        "@nnx.compat.jit\n",
        "@nnx.compat.jit  # nnx-migrate: ignore[structural-update]\n",
    )
    file.write_text(once.replace(first, comment))
    assert applied(command, file) == once.replace(first, comment)


def test_a_choice_of_mode_is_left_alone(command: Command, file: Path) -> None:
    file.write_text(WRITTEN_BY_HAND)
    assert applied(command, file) == WRITTEN_BY_HAND


def test_unpin_asks_about_what_looks_like_a_pin(command: Command, file: Path) -> None:
    file.write_text(WRITTEN_BY_HAND)
    expected = (
        WRITTEN_BY_HAND.replace("nnx.compat.jit", "nnx.jit")
        .replace("@nnx.jit(graph=True, graph_updates=True)", "@nnx.jit()")
        .replace("nnx.set_graph_mode(True)(nnx.Optimizer)", "nnx.Optimizer")
    )
    assert applied(command, file, "--unpin") == expected


def test_unpin_asks_about_methods_that_a_call_chooses(command: Command, file: Path) -> None:
    """They are pins of shared parts, which this model has no more."""
    native = """\
from flax import nnx


def modes(model: nnx.Linear, training):
    (model.train if training else model.eval)()
    getattr(model, "train" if training else "eval")()
"""
    calls = ("model.train", "model.eval", 'getattr(model, "train" if training else "eval")')
    once = native
    for each in calls:
        once = once.replace(each, f"nnx.set_graph_mode(True)({each})")
    file.write_text(once)
    assert applied(command, file) == once
    assert applied(command, file, "--unpin") == native


def test_a_table_can_ask_for_it(command: Command, file: Path, tmp_path: Path) -> None:
    file.write_text(WRITTEN_BY_HAND)
    table = '[[tool.nnx-migrate.overrides]]\npaths = ["train.py"]\nunpin = true\n'
    (tmp_path / "pyproject.toml").write_text(table)
    assert "compat" not in applied(command, file)
    file.write_text(WRITTEN_BY_HAND)
    assert "compat" in applied(command, file, "--no-unpin")


def test_a_pin_around_somebodys_choice_stays(command: Command, file: Path) -> None:
    """The step is in graph mode for what runs inside it, of which nothing is taken out."""
    once = pinned(command, file, LOSS, "--no-trace-checks")
    assert " nnx.value_and_grad" in once
    assert applied(command, file, "--no-trace-checks") == once
    chosen = once.replace(" nnx.value_and_grad", " nnx.compat.value_and_grad")
    file.write_text(chosen)
    assert applied(command, file) == chosen


def test_what_is_known_of_a_pin_is_what_is_known_without_it(command: Command, file: Path) -> None:
    pinned(command, file, STRUCTURE)
    done = command("apply", "--explain", "train.py:4")
    assert "structural-update: still kept in graph mode: " in done.out.decode()


def test_what_is_put_back_is_so_when_it_was_pinned(command: Command, tmp_path: Path) -> None:
    for folder in ("direct", "pinned"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "nets.py").write_text(NETS)
        (tmp_path / folder / "probe.py").write_text(PROBE)
    command("apply", "direct", "--no-journal")
    names = ("nets.py", "probe.py")
    direct = {name: (tmp_path / "direct" / name).read_text() for name in names}
    assert "_forward_and_pop" in direct["nets.py"]
    nets = tmp_path / "pinned" / "nets.py"
    setters = "@nnx.compat.jit\n@nnx.set_graph_mode(True)\n@nnx.set_graph_updates(True)\n"
    nets.write_text(NETS.replace("@nnx.jit\n", setters))
    command("apply", "pinned", "--no-journal")
    assert {name: (tmp_path / "pinned" / name).read_text() for name in names} == direct


NETS = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", y)
        return y


@nnx.jit
def forward(model: Net, x):
    return model(x)
"""
PROBE = """\
import jax.numpy as jnp
from flax import nnx
from nets import Net, forward


def probe():
    model = Net(nnx.Rngs(0))
    y = forward(model, jnp.ones(2))
    return y, nnx.pop(model, nnx.Intermediate)
"""
