"""`nnx-migrate apply --explain FILE:LINE`: the evidence of one site, and why it ends as it does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import TRAIN, Command

OTHERS = b"""\
import jax.numpy as jnp
from flax import nnx
from train import Net


@nnx.jit
def reset(model: Net):
    model.linear = nnx.Linear(2, 2, rngs=nnx.Rngs(0))


decided = nnx.jit(lambda model: model(jnp.ones(2)), graph=True)
with nnx.set_graph_mode(True):
    covered = nnx.jit(lambda model: model(jnp.ones(2)))
handed_on = list(map(nnx.remat, []))
"""


def test_a_rewrite_shows_its_evidence(command: Command, project: Path) -> None:
    done = command("apply", "--explain", "src/train.py:18")
    assert (done.code, done.err) == (0, "")
    assert done.out.decode().splitlines() == [
        "train.py:18:19: nnx.value_and_grad (called with its function)",
        "  runs loss_fn (train.py:15)",
        "    model: Net or a subclass (annotation)",
        "  module-gradient: rewrite: the Module is split, and the gradient is taken with respect "
        "to its differentiable State",
        "    proved: argument 0 is Net (annotation)",
        "    proved: the function keeps the structure of argument 0 (train.py:15)",
    ]
    assert (project / "train.py").read_bytes() == TRAIN


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (6, "  structural-update: keep in graph mode: the function changes model: attribute"),
        (6, "    model: Net or a subclass (annotation); attribute linear is set"),
        (6, "    help: return the value, or keep it in a Variable that __init__ makes"),
        (11, "  unchanged: it chooses its mode"),
        (13, "  unchanged: the code around it sets the mode"),
        (14, "nnx.remat (passed on as a value)"),
        (1, "others.py:1: no transform of nnx here; try lines 6, 11, 13, 14"),
    ],
)
def test_every_end_has_its_reason(command: Command, project: Path, line: int, said: str) -> None:
    (project / "others.py").write_bytes(OTHERS)
    assert said in command("apply", "--explain", f"src/others.py:{line}").out.decode()


def test_the_first_of_many_kinds_are_named(command: Command, tmp_path: Path) -> None:
    classes = "".join(f"class {name}(nnx.Module):\n    pass\n\n\n" for name in "ABCDE")
    calls = "".join(f"step({name}())\n" for name in "ABCDE")
    step = "@nnx.jit\ndef step(model):\n    return model.x\n\n\n"
    handed_on = "def run(other):\n    return step(other)\n"
    text = f"from flax import nnx\n\n\n{classes}{step}{calls}\n\n{handed_on}"
    (tmp_path / "many.py").write_text(text)
    line = text.splitlines().index("@nnx.jit") + 1
    told = command("apply", "--explain", f"many.py:{line}", cwd=tmp_path).out.decode()
    (model,) = [each for each in told.splitlines() if each.startswith("    model: ")]
    assert model.startswith("    model: not known, ")
    assert " or A (many.py:" in model
    assert " or 3 more" in model
    assert " or C (" not in model


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("src/train.py", "--explain takes FILE:LINE"),
        ("src/none.py:3", "src/none.py: No such file"),
        ("src/broken.py:1", "src/broken.py: "),
    ],
)
def test_what_cannot_be_explained(
    command: Command, project: Path, place: str, message: str
) -> None:
    (project / "broken.py").write_bytes(b"nnx = = 1\n")
    done = command("apply", "--explain", place)
    assert (done.code, done.out) == (2, b"")
    assert message in done.err


def test_a_place_without_findings_says_so(command: Command, project: Path) -> None:
    (project / "plain.py").write_text(
        "from flax import nnx\n\n\n@nnx.jit\ndef double(x):\n    return x + x\n"
    )
    told = command("apply", "--explain", "src/plain.py:4").out.decode()
    assert told.splitlines()[-1] == "  unchanged: no rule applies here"


PASSED_ON = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)


def step(loss, net: Net, **more):
    return nnx.grad(loss, argnums=0)(net, **more)


def parts(number):
    pair = (Net(nnx.Rngs(0)), number)
    return nnx.split(pair)


def flat(net: Net, x):
    return step(lambda net, x: net.linear(x).sum(), net, x=x), parts(3)
"""


def test_a_place_ends_as_the_run_says(command: Command, tmp_path: Path) -> None:
    """What a rule would rewrite is kept where the edits cannot be made."""
    (tmp_path / "steps.py").write_text(PASSED_ON)
    run = command("apply", ".", "--check", "--output-format", "json", cwd=tmp_path)
    pin, leaves = json.loads(run.out)["files"][0]["findings"]
    assert pin["outcome"] == leaves["outcome"] == "pinned"
    for finding in (pin, leaves):
        place = f"steps.py:{finding['line']}"
        told = command("apply", "--explain", place, cwd=tmp_path).out.decode()
        reason = finding["message"].removeprefix("kept in graph mode: ")
        assert f"  {finding['rule']}: keep in graph mode: {reason}\n" in told
        assert all(f"help: {way}\n" in told for way in finding["help"])
        assert "rewrite" not in told
    assert command("apply", ".", cwd=tmp_path).code == 0
    listed = command("pins", ".", "--format", "json", cwd=tmp_path)
    pins = [place for group in json.loads(listed.out)["groups"] for place in group["places"]]
    assert len(pins) == 2
    for place in pins:
        at = f"steps.py:{place['line']}"
        told = command("apply", "--explain", at, cwd=tmp_path).out.decode()
        assert told.startswith(f"{at}:")
        assert f"  {place['cause']}: still kept in graph mode: " in told
        assert f"    help: {place['way_out']}\n" in told


WITHOUT_TREE = """\
from flax import nnx


class Net(nnx.Module, pytree=False):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = [
            nnx.Linear(2, 2, rngs=rngs),
            nnx.Linear(2, 2, rngs=rngs),
        ]

    def __call__(self, x):
        return self.layers[0](x)


@nnx.jit
def forward(net: Net, x):
    return net(x)
"""
USER = """\
from flax import nnx
from model import Net


@nnx.jit
def apply(net: Net, x):
    return net(x)
"""
TWO_NAMES = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.embed = nnx.Linear(2, 2, rngs=rngs)
        self.head = self.embed

    def __call__(self, x):
        return self.head(self.embed(x))


@nnx.jit
def forward(net: Net, x):
    return net(x)
"""


@pytest.mark.parametrize("model", [WITHOUT_TREE, TWO_NAMES])
def test_a_site_is_explained_with_the_classes_as_they_will_be(
    command: Command, tmp_path: Path, model: str
) -> None:
    (tmp_path / "model.py").write_text(model)
    (tmp_path / "user.py").write_text(USER)
    line = model.splitlines().index("@nnx.jit") + 1
    here = command("apply", "--explain", f"model.py:{line}", cwd=tmp_path)
    assert here.code == 0
    assert here.out.decode().splitlines()[:3] == [
        f"model.py:{line}:2: nnx.jit (as a decorator)",
        f"  runs forward (model.py:{line + 1})",
        "    net: Net or a subclass (annotation)",
    ]
    there = command("apply", "--explain", "user.py:5", cwd=tmp_path)
    assert there.out.decode().splitlines()[0] == "user.py:5:2: nnx.jit (as a decorator)"
    for done in (here, there):
        assert "keep in graph mode" not in done.out.decode()


SHARED = (
    "from flax import nnx\n\n\nclass Net(nnx.Module):\n    def __init__(self, rngs):\n"
    "        self.a = nnx.Linear(2, 2, rngs=rngs)\n        self.b = self.a\n\n"
    "    def __call__(self, x):\n        return self.b(self.a(x))\n"
)


def test_a_rewrite_of_a_class_is_explained_where_it_is(command: Command, project: Path) -> None:
    (project / "shared.py").write_text(SHARED)
    (project / "uses.py").write_text(
        "from flax import nnx\nfrom shared import Net\n\n\n@nnx.jit\ndef run(net: Net, x):\n"
        "    return net(x)\n"
    )
    told = command("apply", "--explain", "src/shared.py:7").out.decode()
    assert "shared.py:7:9\n  shared-reference: rewrite: Net reads b from a" in told


def test_a_line_behind_the_last_says_how_many_there_are(command: Command, project: Path) -> None:
    (project / "shared.py").write_text(SHARED)
    told = command("apply", "--explain", "src/shared.py:99").out.decode()
    assert told == "src/shared.py: the file has 10 lines\n"
