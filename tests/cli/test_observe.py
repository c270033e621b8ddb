"""`nnx-migrate observe`: what runs show stands where a proof is missing, never against one."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, Observe, observed
from tests.cli.facts import write_facts

MODEL = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.linear(x))


class Growing(nnx.Module):
    def __call__(self, x):
        self.last = x
        return x
"""
TRAINER = """\
from flax import nnx


class Trainer:
    def __init__(self, model):
        self.model = model

    def rows(self, x):
        @nnx.vmap(in_axes=(nnx.StateAxes({nnx.Param: None, ...: None}), 0))
        def body(model, row):
            return model.linear(row)

        return body(self.model, x)


def gradient(model, x):
    return nnx.grad(lambda m: m(x).sum())(model)


def growth(model, x):
    return nnx.grad(lambda m, y: m(y).sum())(model, x)


def unused(model, x):
    return nnx.grad(lambda m: 2 * m(x).sum())(model)
"""
# The analysis cannot follow the name of a class into pydoc.
TESTS = """\
import pydoc

import jax
import jax.numpy as jnp
from flax import nnx

from app import trainer


def build(name):
    return pydoc.locate(f"app.model.{name}")


def test_rows():
    trainer.Trainer(build("Net")(nnx.Rngs(0))).rows(jnp.ones((4, 2)))


def test_gradient():
    grads = trainer.gradient(build("Net")(nnx.Rngs(0)), jnp.ones((4, 2)))
    assert len(jax.tree.leaves(grads)) == 4


def test_growth():
    trainer.growth(build("Growing")(), jnp.ones(()))
"""
# Classes with the names and places of flax's: what is recorded needs no jax to run.
PLAIN = """\
import os


class Base:
    pass


class Net(Base):
    pass


class Other(Base):
    pass


def given(one, *rest, two=None, **more):
    "A docstring."
    return one


def generated(one):
    yield one


def proved(model: Net):
    return model


def ended(one):
    os._exit(3)
"""


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A project whose models are made by a name that is not in sight."""
    for name, text in (
        ("app/__init__.py", ""),
        ("app/model.py", MODEL),
        ("app/trainer.py", TRAINER),
        ("tests/test_app.py", TESTS),
        ("pyproject.toml", "[project]\nname = 'app'\nversion = '1'\n"),
    ):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return tmp_path


def outcomes(command: Command, *options: str) -> dict[int, dict[str, Any]]:
    done = command("apply", "app", "--check", "--format", "json", *options)
    (file,) = (
        each for each in json.loads(done.out)["files"] if each["path"].endswith("trainer.py")
    )
    return {each["line"]: each for each in file["findings"]}


def pytest_passes(folder: Path, graph: str) -> None:
    variables = {"NNX_GRAPH_MODE": graph, "NNX_GRAPH_UPDATES": graph, "JAX_PLATFORMS": "cpu"}
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(
        run, cwd=folder, env={**os.environ, **variables}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout.decode()


@pytest.mark.runs_jax
def test_what_tests_show_lets_rewrites_be_made(app: Path, command: Command) -> None:
    before = outcomes(command)
    assert {line: each["outcome"] for line, each in before.items()} == dict.fromkeys(
        (9, 17, 21, 25), "pinned"
    )
    done = command("observe", "--", sys.executable, "-m", "pytest", "-q", "tests")
    assert done.code == 0, done.err
    assert "next: nnx-migrate apply . --facts facts.json --dry-run" in done.err
    assert b"3 passed" in done.out

    after = outcomes(command, "--facts", "facts.json")
    assert {line: each["outcome"] for line, each in after.items()} == {
        9: "rewritten",
        17: "rewritten-checked",
        21: "pinned",  # what was seen there changes structure
        25: "pinned",  # nobody called it
    }
    assert after[9]["message"].endswith("; observed in 1 call of 1 test")
    assert {each["proof"] for each in after[9]["evidence"]} == {"observed"}
    assert [each["proof"] for each in after[17]["evidence"]] == [
        "observed",
        "checked when traced",
        "observed",  # the loss never changed it
        "observed",
    ]
    assert any("tests/test_app.py::test_rows" in each["claim"] for each in after[9]["evidence"])
    assert after[25]["message"].endswith("; no recorded run calls it")

    assert command("apply", "app", "--facts", "facts.json").code == 0
    pytest_passes(app, "true")
    pytest_passes(app, "false")

    # A class that no run has passed: the check raises, and nothing is silently another.
    unseen = (
        "def test_unseen():\n    with pytest.raises(ValueError, match='must keep its structure'):\n"
    )
    unseen += '        trainer.gradient(build("Growing")(), jnp.ones(()))\n'
    (app / "tests/test_app.py").write_text(f"import pytest\n{TESTS}\n\n{unseen}")
    pytest_passes(app, "true")
    pytest_passes(app, "false")


@pytest.mark.runs_jax
def test_explain_says_what_was_observed(app: Path, command: Command) -> None:
    command("observe", "--", sys.executable, "-m", "pytest", "-q", "tests")
    done = command("apply", "--explain", "app/trainer.py:17", "--facts", "facts.json")
    assert b"observed: argument 0 is Net" in done.out


def plain_project(folder: Path, script: str) -> None:
    (folder / "lib.py").write_text(PLAIN)
    (folder / "run.py").write_text(script)


def test_types_are_kept_and_no_values(tmp_path: Path, command: Command) -> None:
    script = """\
import lib

given = lib.given
given(lib.Net(), 1, two="secret", three=4)
given(lib.Other(), two=None)
given(given)
list(lib.generated(2.5))
print("from the program")
"""
    plain_project(tmp_path, script)
    done = command("observe", "--", sys.executable, "run.py")
    assert (done.code, done.out) == (0, b"from the program\n"), done.err
    assert observed(tmp_path) == {
        "lib.py::given": {
            "calls": 3,
            "tests": [],
            "parameters": {
                "one": ["lib.py::Net", "lib.py::Other", "lib.py::given()"],
                "two": ["none", "plain"],
                "more": ["keyword three"],
            },
        },
        "lib.py::generated": {"calls": 1, "tests": [], "parameters": {"one": ["plain"]}},
    }
    text = (tmp_path / "facts.json").read_text()
    assert "secret" not in text
    assert str(tmp_path) not in text


CONTAINERS = """\
import functools

import lib


class Holder(lib.Net):
    def method(self):
        pass


def make():
    def inner():
        pass
    return inner


looped = []
looped.append(looped)
for each in (
    [lib.Net(), 1],
    {"a": (2.5, None)},
    (),
    lib.given,
    make(),
    Holder().method,
    [].append,
    lambda: None,
    functools.partial(lib.given),
    looped,
    list(range(100)),
):
    lib.given(each)
"""


def test_functions_and_what_containers_hold_are_kept(tmp_path: Path, observe: Observe) -> None:
    plain_project(tmp_path, CONTAINERS)
    assert observe("run.py")["lib.py::given"]["parameters"]["one"] == sorted(
        [
            "in lib.py::Net",
            "in plain",
            "in in none",
            "in in plain",
            "lib.py::given()",
            "run.py::<lambda>()",
            "run.py::Holder.method(self)",
            "run.py::make.inner()",
            "other",
            "in in in other",
        ]
    )


GIVEN = """from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(1.0)
        self.seen = nnx.BatchStat(1.0)

    def __call__(self, x):
        return self.w * x


def plain_loss(model, batch):
    return model(batch["x"])


def growing_loss(model, batch):
    model.last = batch["x"]
    return model(batch["x"])


def step(model: Net, loss, batch):
    return nnx.jit(lambda m, b: loss(m, b))(model, batch)


def all_of(models, x):
    for model in models:
        yield nnx.grad(lambda m: m(x))(model)
"""


@pytest.mark.parametrize(("loss", "outcome"), [("plain_loss", "same"), ("growing_loss", "pinned")])
def test_functions_and_containers_that_were_passed_count(
    tmp_path: Path, command: Command, loss: str, outcome: str
) -> None:
    (tmp_path / "net.py").write_text(GIVEN)
    seen = {
        "step": {"model": ["net.py::Net"], "loss": [f"net.py::{loss}()"], "batch": ["in array"]},
        "all_of": {"models": ["in net.py::Net"], "x": ["array"]},
    }
    write_facts(tmp_path, GIVEN, seen)
    plain = command("apply", "net.py", "--check", "--format", "json")
    found = {each["line"]: each for each in json.loads(plain.out)["files"][0]["findings"]}
    assert {line: each["outcome"] for line, each in found.items()} == dict.fromkeys(
        (23, 28), "pinned"
    )
    done = command("apply", "net.py", "--check", "--facts", "facts.json", "--format", "json")
    found = {each["line"]: each for each in json.loads(done.out)["files"][0]["findings"]}
    assert {line: each["outcome"] for line, each in found.items()} == {
        23: outcome,
        28: "rewritten-checked",
    }
    assert found[28]["message"].endswith("observed in 1 call")


TIED = """\
from flax import nnx


class Tied(nnx.Module):
    def __init__(self, tie, rngs):
        self.embed = nnx.Linear(2, 2, rngs=rngs)
        self.head = self.embed if tie else nnx.Linear(2, 2, rngs=rngs)


class Never(nnx.Module, pytree=False):
    def __init__(self, rngs):
        self.head = nnx.Linear(2, 2, rngs=rngs)


def step(model: Tied, x):
    return nnx.jit(lambda m, y: m.head(y))(model, x)


def other(model: Never, x):
    return nnx.jit(lambda m, y: m.head(y))(model, x)
"""


@pytest.mark.parametrize(
    ("sharing", "outcome"), [(0, "same"), (1, "pinned-mid"), (None, "pinned-mid")]
)
def test_what_runs_never_saw_in_two_places_is_in_one(
    tmp_path: Path, command: Command, sharing: int | None, outcome: str
) -> None:
    (tmp_path / "net.py").write_text(TIED)
    kinds = ("Tied", "Never") if sharing is not None else ()
    write_facts(
        tmp_path,
        TIED,
        {"step": {"model": ["net.py::Tied"]}, "other": {"model": ["net.py::Never"]}},
        {kind: {"objects": 3, "sharing": sharing} for kind in kinds},
    )
    done = command("apply", "net.py", "--check", "--facts", "facts.json", "--format", "json")
    found = {each["line"]: each for each in json.loads(done.out)["files"][0]["findings"]}
    assert found[16]["outcome"] == outcome
    assert ("observed in 1 call" in found[16]["message"]) == (outcome == "same")
    # A class that is told to be no tree becomes one, whatever its objects were seen to hold.
    assert (found[10]["outcome"], 20 in found) == ("rewritten", False)


def test_classes_of_one_name_are_not_taken_for_each_other(tmp_path: Path, command: Command) -> None:
    other = "\n\ndef made():\n    class Tied(nnx.Module):\n        pass\n\n    return Tied()\n"
    for text, outcome in ((TIED, "same"), (TIED + other, "pinned-mid")):
        (tmp_path / "net.py").write_text(text)
        types = {"step": {"model": ["net.py::Tied"]}}
        write_facts(tmp_path, text, types, {"Tied": {"objects": 3, "sharing": 0}})
        done = command("apply", "net.py", "--check", "--facts", "facts.json", "--format", "json")
        found = {each["line"]: each for each in json.loads(done.out)["files"][0]["findings"]}
        assert found[16]["outcome"] == outcome


@pytest.mark.runs_jax
def test_what_modules_hold_in_two_places_is_kept(tmp_path: Path, observe: Observe) -> None:
    script = """\
from flax import nnx

import net

for tie in (False, True):
    net.step(net.Tied(tie, nnx.Rngs(0)), [[1.0, 2.0]])
"""
    (tmp_path / "net.py").write_text(TIED.replace("m.head(y))", "y)"))
    (tmp_path / "run.py").write_text(script)
    observe("run.py")
    files = json.loads((tmp_path / "facts.json").read_text())["files"]
    # Each of the two is looked at in step, and in the method of its own that runs there.
    assert files["net.py"]["classes"] == {"Tied": {"objects": 4, "sharing": 2}}


def test_runs_add_up_until_a_file_changes(tmp_path: Path, command: Command) -> None:
    plain_project(tmp_path, "import lib\nlib.given(1)\n")
    run = ("observe", "--out", "kept.json", "--", sys.executable, "run.py")
    assert command(*run).code == command(*run).code == 0
    assert observed(tmp_path, name="kept.json")["lib.py::given"]["calls"] == 2
    (tmp_path / "lib.py").write_text(PLAIN + "\n")
    assert command(*run).code == 0
    assert observed(tmp_path, name="kept.json")["lib.py::given"]["calls"] == 1
    fresh = ("observe", "--fresh", "--out", "kept.json", "--", sys.executable, "-c", "")
    assert "run observe in the folder" in command(*fresh).err
    assert observed(tmp_path, name="kept.json") == {}


def test_facts_of_another_folder_are_not_added_to(tmp_path: Path, command: Command) -> None:
    plain_project(tmp_path, "import lib\nlib.given(1)\n")
    (tmp_path / "inner").mkdir()
    plain_project(tmp_path / "inner", "import lib\nlib.given('x')\n")
    assert command("observe", "--", sys.executable, "run.py").code == 0
    before = (tmp_path / "facts.json").read_text()
    run = ("--out", "../facts.json", "--", sys.executable, "run.py")
    done = command("observe", *run, cwd=tmp_path / "inner")
    assert done.code == 2
    assert "has facts of another folder" in done.err
    assert (tmp_path / "facts.json").read_text() == before
    assert command("observe", "--fresh", *run, cwd=tmp_path / "inner").code == 0


def test_a_process_that_ends_at_once_has_told_what_it_saw(tmp_path: Path, command: Command) -> None:
    script = """\
import subprocess, sys
import lib

if len(sys.argv) > 1:
    lib.ended(b"1")
else:
    sys.exit(subprocess.run([sys.executable, "run.py", "again"]).returncode)
"""
    plain_project(tmp_path, script)
    done = command("observe", "--", sys.executable, "run.py")
    assert done.code == 3, done.err
    assert observed(tmp_path)["lib.py::ended"]["parameters"] == {"one": ["plain"]}


def test_facts_of_a_changed_file_do_not_count(tmp_path: Path, command: Command) -> None:
    plain_project(tmp_path, "import lib\nlib.given(1)\n")
    command("observe", "--", sys.executable, "run.py")
    (tmp_path / "lib.py").write_text(PLAIN.replace("one", "first"))
    done = command("apply", ".", "--facts", "facts.json", "--dry-run")
    assert "says nothing about 1 file that changed since (lib.py)" in done.err


CONTRADICTED = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(1.0)


class Other(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(2.0)


def step(model: Net, x):
    return nnx.jit(lambda m: m.w * x)(model)


def twice(model: nnx.Module, x):
    return nnx.jit(lambda m: m.w * x)(model)
"""


def test_what_a_proof_contradicts_is_told_and_does_not_count(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "net.py").write_text(CONTRADICTED)
    model = {"model": ["net.py::Other"]}
    write_facts(tmp_path, CONTRADICTED, {"step": model, "twice": model})
    done = command("apply", "net.py", "--check", "--facts", "facts.json", "--format", "json")
    findings = json.loads(done.out)["files"][0]["findings"]
    told = [each for each in findings if each["rule"] == "observed-facts"]
    assert [each["line"] for each in told] == [14], findings
    assert "model of step was Other in a recorded run, but the code says" in told[0]["message"]


PARTLY_KNOWN = """\
import pydoc

from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(1.0)

    def __call__(self, x):
        return self.w * x


class Growing(nnx.Module):
    def __call__(self, x):
        self.last = x
        return x


def step(model, x):
    return nnx.jit(lambda m, y: m(y))(model, x)


def known(x):
    return step(Growing(), x)


def by_name(name, x):
    return step(pydoc.locate(name)(), x)
"""


def test_what_a_call_in_sight_passes_counts_beside_what_ran(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "net.py").write_text(PARTLY_KNOWN)
    write_facts(tmp_path, PARTLY_KNOWN, {"step": {"model": ["net.py::Net"], "x": ["array"]}})
    done = command("apply", "net.py", "--check", "--facts", "facts.json", "--format", "json")
    (finding,) = json.loads(done.out)["files"][0]["findings"]
    assert (finding["line"], finding["outcome"]) == (21, "pinned")

    harmless = PARTLY_KNOWN.replace("Growing()", "Net()")
    (tmp_path / "net.py").write_text(harmless)
    write_facts(tmp_path, harmless, {"step": {"model": ["net.py::Net"], "x": ["array"]}})
    done = command("apply", "net.py", "--check", "--facts", "facts.json", "--format", "json")
    (finding,) = json.loads(done.out)["files"][0]["findings"]
    assert (finding["line"], finding["outcome"]) == (21, "same")


GRADIENTS = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(1.0)
        self.n = nnx.BatchStat(1.0)

    def __call__(self, x):
        return self.w * x


def at_once(model, x):
    return nnx.grad(lambda m: m(x))(model)


def loss(model, x):
    return model(x)


kept = nnx.grad(loss)


def later(model, x):
    return kept(model, x)
"""


@pytest.mark.parametrize(
    ("options", "at_once"), [((), "rewritten-checked"), (("--no-trace-checks",), "rewritten")]
)
def test_what_only_runs_show_is_checked_when_traced(
    tmp_path: Path, command: Command, options: tuple[str, ...], at_once: str
) -> None:
    (tmp_path / "net.py").write_text(GRADIENTS)
    given = {"model": ["net.py::Net"], "x": ["array"]}
    functions = {"at_once": given, "loss": given, "later": given}
    write_facts(tmp_path, GRADIENTS, functions)
    done = command(
        "apply", "net.py", "--check", "--facts", "facts.json", "--format", "json", *options
    )
    findings = json.loads(done.out)["files"][0]["findings"]
    assert {each["line"]: each["outcome"] for each in findings} == {14: at_once, 21: at_once}
    proofs = {each["line"]: {e["proof"] for e in each["evidence"]} for each in findings}
    assert all("observed" in proofs[line] for line in (14, 21))
    checked = {line for line in proofs if "checked when traced" in proofs[line]}
    assert checked == ({14, 21} if at_once == "rewritten-checked" else set())


def test_reviewers_see_which_test_showed_it(tmp_path: Path, command: Command) -> None:
    pytest.importorskip("jinja2")
    (tmp_path / "net.py").write_text(GRADIENTS)
    write_facts(tmp_path, GRADIENTS, {"at_once": {"model": ["net.py::Net"], "x": ["array"]}})
    facts = json.loads((tmp_path / "facts.json").read_text())
    facts["files"]["net.py"]["functions"]["at_once"]["tests"] = ["tests/test_net.py::test_it"]
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    given = ("net.py", "--dry-run", "--facts", "facts.json")
    told = "this ran in 1 call of 1 test, one of them tests/test_net.py::test_it"

    done = command("apply", *given, "--format", "sarif", "--html", "review")
    (run,) = json.loads(done.out)["runs"]
    evidence = {
        result["locations"][0]["physicalLocation"]["region"]["startLine"]: result
        for result in run["results"]
    }[14]
    assert f"observed: {told}" in evidence["properties"]["evidence"]
    related = {
        each["message"]["text"]: each["physicalLocation"]["region"]["startLine"]
        for each in evidence["relatedLocations"]
    }
    assert related[f"observed: {told}"] == 13
    page = (tmp_path / "review" / "index.html").read_text()
    packed = re.findall(r"[A-Za-z0-9+/]{100,}={0,2}", page)
    pages = b"".join(zlib.decompress(base64.b64decode(each)) for each in packed)
    assert b"one of them tests/test_net.py::test_it" in pages
    command("apply", "net.py", "--facts", "facts.json", "--patch", "out", "--patch-by", "rule")
    (text,) = (each.read_text() for each in (tmp_path / "out").rglob("*module-gradient*.md"))
    assert "observed in 1 call of 1 test" in text


@pytest.mark.parametrize("text", ["", "[]", '{"version": 2}', '{"version": 1, "files": 3}'])
def test_what_holds_no_facts_is_refused(tmp_path: Path, command: Command, text: str) -> None:
    (tmp_path / "facts.json").write_text(text)
    (tmp_path / "net.py").write_text("")
    done = command("apply", "net.py", "--facts", "facts.json")
    assert done.code == 2
    assert "record them again with `nnx-migrate observe" in done.err


def test_a_command_that_is_not_there(tmp_path: Path, command: Command) -> None:
    done = command("observe", "--", "no-such-command")
    assert done.code == 2
    assert "cannot run no-such-command" in done.err
    assert not (tmp_path / "facts.json").exists()


def test_without_a_command_it_says_what_to_type(command: Command) -> None:
    done = command("observe")
    assert done.code == 2
    assert "nnx-migrate observe -- pytest tests/" in done.err
