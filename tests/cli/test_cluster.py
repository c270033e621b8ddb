"""`nnx-migrate batch --engine ray` on a real cluster of several nodes in one machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.cli.batches import VMAP, contents, disturbed, disturbing, grow
from tests.cli.conftest import COMMAND, Command
from tests.cli.test_verify import CASES, project

pytestmark = pytest.mark.skipif(not find_spec("ray"), reason="ray is not installed")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("site")


@pytest.fixture(scope="module")
def cluster(site: Path) -> Iterator[Any]:
    """A cluster of three nodes, one with what counts as a GPU; files do harm on all of them."""
    from ray.cluster_utils import Cluster

    kept = dict(os.environ)
    os.environ.update(disturbing(site))
    try:
        small: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
        found = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
        found.add_node(**small)
        found.add_node(**small, num_gpus=1)
        yield found
        found.shutdown()
    finally:
        os.environ.clear()
        os.environ.update(kept)


def on(cluster: Any, *flags: str) -> tuple[str, ...]:
    return ("batch", "src", "--out", "out", "--engine", "ray", "--address", cluster.address, *flags)


def test_a_cluster_writes_what_apply_writes_and_gives_up_what_harms(
    tmp_path: Path, cluster: Any, command: Command
) -> None:
    tree = grow(tmp_path / "src")
    other = grow(tmp_path / "other" / "src")
    command("apply", "src", cwd=tmp_path / "other")
    for word in ("HANGS", "DIES", "GROWS"):
        (tree / f"{word.lower()}.py").write_text(f"{VMAP}# {word}\n")
    done = command(*on(cluster, "--write", "--timeout", "12", "--memory", "1"))
    assert done.code == 1, done.err
    expected = contents(other)
    assert {name: data for name, data in contents(tree).items() if name in expected} == expected
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    reasons = {each["path"]: each["reason"] for each in summary["quarantined"]}
    assert sorted(reasons) == ["src/dies.py", "src/grows.py", "src/hangs.py"]
    assert reasons["src/dies.py"].startswith("the process that worked on it died")
    assert reasons["src/grows.py"].startswith("it took more than 1 GB of memory")
    assert reasons["src/hangs.py"].startswith("it took more than 12 s")
    # What was done on the cluster is known here.
    here = command("batch", "src", "--out", "out", "--resume")
    assert "0 files changed" not in here.err
    assert "quarantined-file" in here.err


def test_the_loss_of_a_node_costs_no_file(
    tmp_path: Path, cluster: Any, site: Path, command: Command
) -> None:
    tree = grow(tmp_path / "src", small=0)
    for number in range(128):
        (tree / f"slow{number}.py").write_text(f"{VMAP}# {number}\n# SLOW\n")
    other = tmp_path / "other"
    other.mkdir()
    lost = cluster.add_node(num_cpus=2, object_store_memory=80 * 2**20)
    running = subprocess.Popen(
        [sys.executable, COMMAND, *on(cluster, "--timeout", "60")],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while len(list(site.glob("[0-9]*"))) < 4 and time.monotonic() < deadline:
        time.sleep(0.1)
    cluster.remove_node(lost, allow_graceful=False)
    _, told = running.communicate(timeout=120)
    assert running.returncode == 1, told
    document = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert document["quarantined"] == []
    assert document["files"]["failed"] == 0
    assert document["files"]["changed"] >= 128
    apply = disturbed(site, "batch", "src", "--out", str(other / "out"), cwd=tmp_path)
    assert apply.code == 1
    patches = tmp_path / "out" / "patches"
    for file in (other / "out" / "patches").glob("*.patch"):
        assert (patches / file.name).read_bytes() == file.read_bytes()


def test_a_check_runs_where_a_gpu_is(tmp_path: Path, cluster: Any, command: Command) -> None:
    project(tmp_path, CASES)
    # The check runs in copies of the tree: what it says is written beside them.
    telling = (
        f"pathlib.Path({str(tmp_path / 'seen')!r}).write_text(os.environ['CUDA_VISIBLE_DEVICES'])"
    )
    with (tmp_path / "cases.py").open("a") as cases:
        cases.write(f"\n\nimport os, pathlib\n{telling}\n")
    flags = ("--engine", "ray", "--address", cluster.address, "--write", "--verify")
    done = command("batch", "train.py", "--out", "out", *flags, "--check-gpus", "1")
    assert (tmp_path / "seen").read_text() == "0", done.err
    assert "equal" in done.err  # what writes elsewhere is never proved
    assert b"nnx.split" in (tmp_path / "train.py").read_bytes()


def test_no_cluster_is_told(tmp_path: Path, command: Command) -> None:
    grow(tmp_path / "src", small=1)
    done = command("batch", "src", "--out", "out", "--engine", "ray", "--address", "127.0.0.1:1")
    assert (done.code, "--address 127.0.0.1:1" in done.err) == (2, True)


_UNFIT = """\
import sys
from nnx_migrate.batch.processes import cluster
from nnx_migrate.batch.processes.limits import Limits
from nnx_migrate.batch.processes.supervised import Work
from nnx_migrate.sources.config_values import ConfigError

def same(task): return task
def given_up(task, reason): return reason
def exhausted(answer): return False

address, what = sys.argv[1:]
with cluster.cluster_processes(address, 1, Limits(), 0) as processes:
    if what == "folder":
        cluster.os.getcwd = lambda: "/not/here"
    else:
        cluster.program_digest = lambda: b"another"
    try:
        print(list(processes.map(Work(same, given_up, exhausted), [1])))
    except ConfigError as error:
        print(error)
"""


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("folder", "cannot work in /not/here: FileNotFoundError"),
        ("program", "has another version of nnx-migrate"),
    ],
)
def test_a_node_that_cannot_do_the_work_is_told(cluster: Any, what: str, told: str) -> None:
    program = [sys.executable, "-c", _UNFIT, cluster.address, what]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60, check=True)
    assert told in done.stdout
