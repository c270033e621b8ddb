"""Functions whose interface a migration changed, through the installed command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.schemas import require_valid

pytestmark = pytest.mark.runs_jax

_HEAD = """\
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", y)
        return y


"""
# What was sown is returned, and the callers are changed with that.
_SOWN = """\
@nnx.jit
def forward(model, x):
    return model(x) * 2


def activations(model, x):
    y = forward(model, x)
    return y, nnx.to_pure_dict(nnx.pop(model, nnx.Intermediate))
"""
_RETURNED = """\
@nnx.jit
@nnx.capture(nnx.Intermediate)
def forward(model, x):
    return model(x) * 2


def activations(model, x):
    y, sown = forward(model, x)
    return y, nnx.to_pure_dict(sown)
"""
_USE = "import jax.numpy as jnp\nfrom flax import nnx\n\nimport lib\n\n\n"
_RUN = "lib.activations(lib.Net(nnx.Rngs(0)), jnp.ones((3, 2)))\n"
_ANOTHER = "getattr(lib, 'for' + 'ward')(lib.Net(nnx.Rngs(0)), jnp.ones((3, 2)))\n"


def _checked(
    folder: Path, command: Command, old: str, new: str, run: str = _RUN, *options: str
) -> tuple[int, dict[str, Any], str]:
    pytest.importorskip("cloudpickle")
    pytest.importorskip("pebble")
    for side, text in (("old", old), ("new", new)):
        (folder / side).mkdir()
        (folder / side / "lib.py").write_text(_HEAD + text)
        (folder / side / "main.py").write_text(_USE + run)
    arguments = ("check", "old", "new", "--platform", "cpu", *options)
    done = command(*arguments, "--", "python", "main.py", cwd=folder)
    if "json" not in options:
        return done.code, {}, done.said
    document = json.loads(done.out)
    require_valid("check", document)
    found = {
        case["name"].rpartition(":")[2]: case["columns"]["new@tree"] for case in document["cases"]
    }
    return done.code, found, done.said


def test_a_function_that_returns_more_passes_by_its_callers(
    tmp_path: Path, command: Command
) -> None:
    code, _, said = _checked(tmp_path, command, _SOWN, _RETURNED)
    assert code == 0, said
    assert "lib.py:forward#1      by callers   by callers" in said
    told = "its interface changed; 1 caller was compared and passes: lib.py:activations"
    assert f"  new@graph: {told}\n" in said
    assert said.splitlines()[-1] == "2 cases: 1 proved, 1 by callers. OLD and NEW compute the same."


@pytest.mark.parametrize(
    ("new", "run", "verdict", "why"),
    [
        # A call that nobody sees in the text: the recording did.
        (_RETURNED, _RUN + _ANOTHER, "different", "main.py calls it, and was not compared"),
        # The caller is wrong as well.
        (_RETURNED.replace("* 2", "* 3"), _RUN, "different", ""),
        # What is wrong in the one is made good in the other.
        (
            _RETURNED.replace("* 2", "* 3").replace("return y,", "return y / 1.5,"),
            _RUN,
            "different",
            "",
        ),
    ],
    ids=["called-by-a-computed-name", "a-wrong-number", "a-wrong-number-made-good"],
)
def test_what_is_broken_does_not_hide(
    tmp_path: Path, command: Command, new: str, run: str, verdict: str, why: str
) -> None:
    code, found, said = _checked(tmp_path, command, _SOWN, new, run, "--format", "json")
    assert code == 1, said
    assert found["forward#1"]["verdict"] == verdict
    assert why in found["forward#1"]["reason"]
