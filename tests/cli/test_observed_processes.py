"""A command may be many processes: each tells what it saw, and their facts are one."""

from __future__ import annotations

import json
import sys
import venv
from pathlib import Path

import pytest

from tests.cli.conftest import Command, Observe, observed
from tests.cli.test_campaign import contents, project, reported

WORKER = """\
import os
import sys


class First:
    pass


class Second:
    pass


def work(one, rank):
    return rank


def crash(one):
    os.kill(os.getpid(), 9)


if __name__ == "__main__":
    rank = int(os.environ["RANK"])
    work([First(), Second()][rank], rank)
    if rank:
        crash(First())
    work(None, rank)
"""
# As torchrun does it: one Python process for each rank, which find their places in variables.
LAUNCHER = """\
import os
import subprocess
import sys

ranks = [
    subprocess.Popen([sys.executable, "worker.py"], env={**os.environ, "RANK": str(rank)})
    for rank in range(2)
]
codes = [each.wait() for each in ranks]
sys.exit(codes != [0, -9])
"""
POOLS = """\
import multiprocessing
import sys
import threading

import worker


def inside(rank):
    worker.work(rank, rank)


if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(2) as pool:
        pool.map(inside, range(4))
    threads = [threading.Thread(target=worker.work, args=(worker.First(), n)) for n in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
"""


def test_a_launcher_of_several_processes(tmp_path: Path, observe: Observe) -> None:
    (tmp_path / "worker.py").write_text(WORKER)
    (tmp_path / "launch.py").write_text(LAUNCHER)
    seen = observe("launch.py")
    assert seen["worker.py::work"]["parameters"] == {
        "one": ["none", "worker.py::First", "worker.py::Second"],
        "rank": ["plain"],
    }
    # What is killed has told what it saw, and not how often.
    assert seen["worker.py::crash"]["parameters"] == {"one": ["worker.py::First"]}


@pytest.mark.parametrize("way", ["spawn", "fork", "forkserver"])
def test_pools_and_threads(tmp_path: Path, way: str, observe: Observe) -> None:
    (tmp_path / "worker.py").write_text(WORKER)
    (tmp_path / "pools.py").write_text(POOLS)
    seen = observe("pools.py", way)
    assert seen["worker.py::work"]["parameters"]["one"] == ["plain", "worker.py::First"]
    assert seen["worker.py::work"]["calls"] >= 8


def test_a_python_without_the_tool_imports_its_own_folders(
    tmp_path: Path, command: Command
) -> None:
    code = tmp_path / "code"
    (code / "tests").mkdir(parents=True)  # as the folder of our own tests is called
    (code / "tests" / "given.py").write_text("def given(x):\n    return x\n")
    (code / "run.py").write_text("from tests.given import given\n\ngiven(1)\n")
    venv.create(tmp_path / "env", symlinks=True)
    python = tmp_path / "env" / "bin" / "python"
    done = command("observe", "--", python, "run.py", cwd=code)
    assert done.code == 0, done.said
    assert observed(code)["tests/given.py::given"]["calls"] == 1


@pytest.mark.runs_jax
def test_a_campaign_over_a_launcher(tmp_path: Path, command: Command) -> None:
    launcher = LAUNCHER.replace("worker.py", "rank.py").replace("[0, -9]", "[0, 0]")
    train = TRAIN
    project(tmp_path, train=train, rank=RANK, run=launcher)
    done = command("campaign", "--", sys.executable, "run.py", seconds=500)
    assert done.code == 0, done.said
    ends = {
        each["line"]: (each["outcome"], each["verdict"]) for each in reported(tmp_path)["places"]
    }
    # Each rank runs another one of them.
    assert ends == {5: ("rewritten-checked", "proved"), 9: ("rewritten-checked", "proved")}
    assert contents(tmp_path)["train.py"] != train


TRAIN = """\
from flax import nnx


def first(model, x):
    return nnx.grad(lambda m: m(x))(model)


def second(model, x):
    return nnx.grad(lambda m: 2 * m(x))(model)
"""
RANK = """\
import os
import pydoc

import jax.numpy as jnp

import train

step = [train.first, train.second][int(os.environ["RANK"])]
step(pydoc.locate("net.Net")(), jnp.ones(()))
"""
SECRETS = """\
import enum

import jax.numpy as jnp
from flax import nnx


class Level(enum.Enum):
    HIGH = "secret-enum"


class Net(nnx.Module):
    def __init__(self, name):
        self.name = name
        self.table = nnx.Dict({"secret_key": nnx.Param(jnp.full((2,), 31337.5))})
        self.kept = {"secret key": 27182}

    def __call__(self, x, mode="secret-default", **more):
        self.table["secret_grown"] = nnx.Param(x)
        setattr(self, "open", mode)
        secret_local = (lambda: self.kept)()
        return self.table["secret_key"] * x


def run(net, *given, **more):
    secret = given
    return (lambda: secret)() and net(jnp.full((2,), 16180.25), **more)


net = Net("secret-name")
run(net, "secret-text", b"secret-bytes", 27182, 31337.5, Level.HIGH, {"secret-dict": 1})
run(net, 1, **{"secret argument": 3})
"""


@pytest.mark.runs_jax
def test_facts_hold_no_values(tmp_path: Path, command: Command, observe: Observe) -> None:
    (tmp_path / "net.py").write_text(SECRETS)
    observe("net.py", "--token=given")
    text = (tmp_path / "facts.json").read_text()
    for value in ("secret-", "secret_key", "secret_grown", "secret key", "secret argument"):
        assert value not in text
    for value in ("27182", "31337", "16180", str(tmp_path)):
        assert value not in text
    facts = json.loads(text)
    assert facts["command"][1:] == ["net.py", "--token=given"]
    changes = facts["files"]["net.py"]["functions"]["Net.__call__"]["objects"]["self"]["changes"]
    assert changes == [".open made", ".table[] made", ".table[] replaced"]
    # Without the facts, and what they say of the command, a run leaves nothing behind.
    assert sorted(each.name for each in tmp_path.iterdir()) == ["facts.json", "net.py"]


def test_workers_of_pytest_xdist(tmp_path: Path, command: Command) -> None:
    pytest.importorskip("xdist")
    (tmp_path / "worker.py").write_text(WORKER)
    tests = "".join(
        f"def test_{number}():\n    worker.work(worker.{kind}(), {number})\n\n\n"
        for number, kind in enumerate(("First", "Second") * 4)
    )
    (tmp_path / "test_worker.py").write_text(f"import worker\n\n\n{tests}")
    run = (sys.executable, "-m", "pytest", "-q", "-p", "xdist", "-n", "2", "test_worker.py")
    done = command("observe", "--", *run)
    assert done.code == 0, done.out
    seen = observed(tmp_path)["worker.py::work"]
    assert seen["calls"] == 8
    assert seen["tests"] == [f"test_worker.py::test_{number}" for number in range(8)]
    assert seen["parameters"]["one"] == ["worker.py::First", "worker.py::Second"]
