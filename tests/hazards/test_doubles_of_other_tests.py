"""Classes that other tests and notebooks define: they do not come to the code of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nnx_migrate.core.findings import Outcome
from nnx_migrate.engine.run import run
from nnx_migrate.sources.configuration import Configuration

LIBRARY = """
import jax.numpy as jnp
from flax import nnx

class Pipeline:
    def __init__(self, model):
        self.model = model

    def loss_fn(self):
        def loss(model, x):
            return jnp.mean(model.log_prob(x))
        return loss
"""
TEST = """
from flax import nnx
from lib.pipeline import Pipeline
MORE

class Flow(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def log_prob(self, x):
        return self.linear(x)

def test_gradient(x):
    pipeline = Pipeline(Flow(nnx.Rngs(0)))
    loss = pipeline.loss_fn()
    return nnx.grad(loss)(pipeline.model, x)
"""
DOUBLE = """
from lib.pipeline import Pipeline
MORE

class Echo:
    def __init__(self, log_prob):
        self.log_prob = log_prob

def test_loss(x, log_prob):
    pipeline = Pipeline(Echo(log_prob))
    return pipeline.loss_fn()(pipeline.model, x)
"""
SETTING = """
from flax import nnx
from lib.pipeline import Pipeline

class Counted(nnx.Module):
    def log_prob(self, x):
        self.calls = 1
        return x

def run(x):
    pipeline = Pipeline(Counted())
    return pipeline.loss_fn()(pipeline.model, x)
"""


def outcome(folder: Path, **others: str) -> Outcome:
    """What becomes of the gradient in a test."""
    files = {
        "lib/__init__.py": "",
        "lib/pipeline.py": LIBRARY,
        "tests/__init__.py": "",
        "tests/test_flow.py": TEST.replace("MORE", ""),
        **{each.replace("__", "/").replace("_py", ".py"): text for each, text in others.items()},
    }
    for name, text in files.items():
        path = folder / name.replace("_ipynb", ".ipynb")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    results = run([folder], Configuration(), write=None).results
    (found,) = [
        each
        for result in results
        for each in result.findings
        if Path(result.path).name == "test_flow.py" and each.rule == "module-gradient"
    ]
    return found.outcome


def notebook(text: str) -> str:
    """A notebook of one cell."""
    cell = {"cell_type": "code", "source": text, "metadata": {}, "outputs": []}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_a_double_of_another_test_does_not_come_here(tmp_path: Path) -> None:
    assert outcome(tmp_path, tests__test_echo_py=DOUBLE.replace("MORE", "")) is Outcome.REWRITTEN


def test_nor_does_what_its_class_is_not_known_to_do(tmp_path: Path) -> None:
    double = DOUBLE.replace("class Echo:", "class Echo(nnx.Module):")
    double = double.replace("MORE", "from flax import nnx")
    assert outcome(tmp_path, tests__test_echo_py=double) is Outcome.REWRITTEN


def test_nor_does_a_class_of_a_notebook(tmp_path: Path) -> None:
    assert outcome(tmp_path, tour_ipynb=notebook(SETTING)) is Outcome.REWRITTEN


@pytest.mark.parametrize("importing", ["tests.test_flow", "tests.test_echo"])
def test_a_double_of_a_test_that_is_imported_may_come_here(importing: str, tmp_path: Path) -> None:
    if importing == "tests.test_flow":
        found = outcome(tmp_path, tests__test_echo_py=DOUBLE.replace("MORE", f"import {importing}"))
    else:
        found = outcome(
            tmp_path,
            tests__test_echo_py=DOUBLE.replace("MORE", ""),
            tests__test_flow_py=TEST.replace("MORE", f"import {importing}"),
        )
    assert found is Outcome.PINNED


def test_a_class_of_a_file_of_fixtures_may_come_to_each_test(tmp_path: Path) -> None:
    assert outcome(tmp_path, conftest_py=SETTING) is Outcome.PINNED


def test_where_more_is_imported_at_run_time_it_may(tmp_path: Path) -> None:
    found = outcome(
        tmp_path,
        tour_ipynb=notebook(SETTING),
        tests__test_flow_py=TEST.replace("MORE", "import importlib"),
    )
    assert found is Outcome.PINNED


def test_a_class_of_a_file_that_is_started_may(tmp_path: Path) -> None:
    assert outcome(tmp_path, tour_py=SETTING) is Outcome.PINNED


GUARD = """
if __name__ == "__main__":
    run(1.0)
"""


def test_what_the_class_of_a_script_with_a_guard_does_is_not_done_here(tmp_path: Path) -> None:
    assert outcome(tmp_path, tour_py=SETTING + GUARD) is Outcome.REWRITTEN
    unknown = SETTING.replace("self.calls = 1", "self.count(x)").replace(
        "def log", "count = 1\n\n    def log"
    )
    assert outcome(tmp_path, tour_py=unknown + GUARD) is Outcome.REWRITTEN


@pytest.mark.parametrize(
    ("test", "script"),
    [
        ("import tour", ""),
        ("import importlib\nload = importlib.import_module", ""),
        ("", "import joblib\nsave = joblib.dump\n"),
        ("", "import tests.test_flow\n"),
    ],
)
def test_the_class_of_such_a_script_may_come_by_an_import_or_a_file(
    test: str, script: str, tmp_path: Path
) -> None:
    text = script + SETTING + GUARD
    found = outcome(tmp_path, tour_py=text, tests__test_flow_py=TEST.replace("MORE", test))
    assert found is Outcome.PINNED


@pytest.mark.parametrize("where", ["conftest_py", "tests__conftest_py"])
def test_or_by_a_file_of_fixtures(where: str, tmp_path: Path) -> None:
    files = {"tour_py": SETTING + GUARD, where: "import tour\n"}
    assert outcome(tmp_path, **files) is Outcome.PINNED


def test_a_double_of_a_test_that_a_file_of_fixtures_imports_may_come_here(tmp_path: Path) -> None:
    double = DOUBLE.replace("MORE", "")
    found = outcome(tmp_path, tests__test_echo_py=double, conftest_py="import tests.test_echo\n")
    assert found is Outcome.PINNED


def test_a_class_of_the_library_may_come_to_each_test(tmp_path: Path) -> None:
    assert outcome(tmp_path, lib__counted_py=SETTING) is Outcome.PINNED


PLAIN = """
from flax import nnx
from lib.flows import Base, Held
MORE

class Kept(Base):
    def __init__(self):
        self.asked = nnx.data({"n": 1})

def test_asked():
    return Held(Kept()).base.asked["n"]
"""
HOLDING = """
from flax import nnx

class Base(nnx.Module):
    pass

class Held(nnx.Module):
    def __init__(self, base: Base):
        self.base = base
"""
SPLITTING = """
from flax import nnx
from lib.flows import Held
MORE

def test_split(held: Held):
    return nnx.split(held)
"""


def split_outcomes(folder: Path, double: str = "", split: str = "", **others: str) -> set[Outcome]:
    """What becomes of `nnx.split` in a test, where the double of another keeps a number."""
    files = {
        "lib/__init__.py": "",
        "lib/flows.py": HOLDING,
        "tests/__init__.py": "",
        "tests/test_kept.py": PLAIN.replace("MORE", double),
        "tests/test_split.py": SPLITTING.replace("MORE", split),
        **{each.replace("__", "/") + ".py": text for each, text in others.items()},
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    results = run([folder], Configuration(), write=None).results
    (found,) = [each for each in results if Path(each.path).name == "test_split.py"]
    return {each.outcome for each in found.findings if each.rule == "plain-leaves"}


def test_what_a_double_of_another_test_keeps_is_no_leaf_here(tmp_path: Path) -> None:
    assert Outcome.PINNED not in split_outcomes(tmp_path)


def test_what_a_double_keeps_may_be_a_leaf_where_one_test_imports_the_other(
    tmp_path: Path,
) -> None:
    assert split_outcomes(tmp_path, split="import tests.test_kept") == {Outcome.PINNED}
    assert split_outcomes(tmp_path, double="import tests.test_split") == {Outcome.PINNED}


def test_what_a_double_keeps_may_be_a_leaf_where_a_third_file_imports_both(tmp_path: Path) -> None:
    both = "import tests.test_split, tests.test_kept"
    assert split_outcomes(tmp_path, tests__test_all=both) == {Outcome.PINNED}


def test_what_a_class_of_the_library_keeps_is_a_leaf_in_each_test(tmp_path: Path) -> None:
    kept = PLAIN.replace("MORE", "").replace("Kept", "Noted")
    assert split_outcomes(tmp_path, lib__noted=kept) == {Outcome.PINNED}


def test_what_the_library_marks_is_a_leaf_whoever_passes_it(tmp_path: Path) -> None:
    marking = HOLDING.replace("self.base = base", "self.base = nnx.data([base, 1])")
    assert split_outcomes(tmp_path, lib__flows=marking) == {Outcome.PINNED}


GIVEN = """
from flax import nnx

class Base(nnx.Module):
    pass

class Kept(Base):
    def __init__(self, base, **asked):
        self.base = base
        self.asked = nnx.data(asked)

class Held(nnx.Module):
    def __init__(self, base: Base):
        self.base = base
"""
FILLED = GIVEN.replace("        self.asked", "        FILL\n        self.asked")
GIVING = """
from lib.flows import Base, Kept

def test_asked():
    return Kept(Base(), n=1, m=2.0).asked["n"]
"""


def test_numbers_that_another_test_passes_are_no_leaves_here(tmp_path: Path) -> None:
    found = split_outcomes(tmp_path, lib__flows=GIVEN, tests__test_kept=GIVING)
    assert Outcome.PINNED not in found


@pytest.mark.parametrize(
    "changes",
    [
        {"split": "from tests.test_kept import test_asked"},
        {"lib__made": GIVING},
        {"conftest": GIVING},
        {"lib__flows": GIVEN.replace("**asked", "asked: dict[str, int]")},
        {"lib__flows": GIVEN.replace("**asked", "n=1, m=2").replace("(asked)", '({"n": n})')},
        {"lib__flows": GIVEN.replace("(asked)", '({"m": 1, **asked})')},
        {"lib__flows": FILLED.replace("FILL", 'asked["k"] = 3')},
        {"lib__flows": FILLED.replace("FILL", 'asked.setdefault("k", 3)')},
        {"lib__flows": FILLED.replace("FILL", "more = asked; more.update(k=3)")},
        {"lib__flows": FILLED.replace("FILL", "fill(asked)")},
    ],
)
def test_numbers_that_others_may_pass_are(changes: dict[str, str], tmp_path: Path) -> None:
    files = {"lib__flows": GIVEN, "tests__test_kept": GIVING, **changes}
    assert Outcome.PINNED in split_outcomes(tmp_path, **files)
