"""`batch --facts`: what runs have shown counts as it does in `apply`, and is asked for anew."""

from __future__ import annotations

import re
from pathlib import Path

from nnx_migrate.engine.projects.assign import Projects
from nnx_migrate.sources.facts.observed_facts import read_facts
from tests.cli.conftest import Command
from tests.cli.facts import write_facts
from tests.cli.test_observe import GRADIENTS

GIVEN = {"model": ["net.py::Net"], "x": ["array"]}


def planned_anew(err: str) -> str:
    found = re.search(r"files? with nnx, (\d+) of them planned again", err)
    assert found is not None, err
    return found[1]


def test_a_batch_takes_facts_as_apply_does(tmp_path: Path, command: Command) -> None:
    tree = tmp_path / "src"
    tree.mkdir()
    file = tree / "net.py"
    file.write_text(GRADIENTS)
    write_facts(tree, GRADIENTS, {"at_once": GIVEN, "later": GIVEN})
    assert command("apply", "src", "--facts", "src/facts.json").code == 0
    wanted = file.read_text()
    assert wanted != GRADIENTS
    file.write_text(GRADIENTS)

    with_facts = ("batch", "src", "--out", "out", "--facts", "src/facts.json")
    assert planned_anew(command(*with_facts).err) == "1"
    assert "observed in 1 call" in (tmp_path / "out/findings.jsonl").read_text()
    assert planned_anew(command(*with_facts).err) == "0"
    # Other facts are another question, and so are none.
    assert planned_anew(command("batch", "src", "--out", "out").err) == "1"
    assert "observed" not in (tmp_path / "out/findings.jsonl").read_text()
    write_facts(tree, GRADIENTS, {"at_once": GIVEN})
    assert planned_anew(command(*with_facts).err) == "1"

    write_facts(tree, GRADIENTS, {"at_once": GIVEN, "later": GIVEN})
    command(*with_facts, "--write")
    assert file.read_text() == wanted


def test_shards_take_facts_too(tmp_path: Path, command: Command) -> None:
    (tmp_path / "net.py").write_text(GRADIENTS)
    write_facts(tmp_path, GRADIENTS, {"at_once": GIVEN, "later": GIVEN})
    common = ("batch", "net.py", "--out", "out", "--facts", "facts.json")
    assert command(*common, "--plan").code == 0
    assert command(*common, "--shard", "1/1").code == 0
    assert planned_anew(command(*common, "--merge").err) == "0"
    assert "observed in 1 call" in (tmp_path / "out/findings.jsonl").read_text()


def test_facts_go_to_machines_of_a_cluster(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(GRADIENTS)
    write_facts(tmp_path, GRADIENTS, {"at_once": GIVEN})
    facts = read_facts(tmp_path / "facts.json")
    assert Projects([], facts).loaded().facts is facts


def test_facts_that_cannot_be_read_stop_a_batch(tmp_path: Path, command: Command) -> None:
    (tmp_path / "net.py").write_text(GRADIENTS)
    done = command("batch", "net.py", "--out", "out", "--facts", "facts.json")
    assert done.code == 2
    assert "facts.json" in done.err
