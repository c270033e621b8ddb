"""Flags that a script of its own sets: they are false in the programs that do not run its code."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import Outcome
from nnx_migrate.engine.run import run
from nnx_migrate.sources.configuration import Configuration

NETS = """
from flax import nnx

class Block(nnx.Module):
    def __init__(self, rngs, keeping=False):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.keeping = keeping

    def __call__(self, x):
        if self.keeping:
            self.last = x
        return self.linear(x)

class Net(nnx.Module):
    def __init__(self, rngs):
        self.block = Block(rngs)

    def __call__(self, x):
        return self.block(x)
"""
TRAIN = """
from flax import nnx
from lib.nets import Net
MORE

def main(x):
    @nnx.jit
    def step(model: Net, x):
        return model(x)
    return step(Net(nnx.Rngs(0)), x)

if __name__ == "__main__":
    main(1)
"""
LOOK = """
from lib.nets import Net
MORE

def look(model: Net):
    SETTING

GUARD
"""
GUARD = 'if __name__ == "__main__":\n    look(None)'
SETTING = {
    "setattr": 'setattr(model.block, "keeping", True)',
    "a store": "model.block.keeping = True",
    "a store of what is unknown": "model.block.keeping = unknown()",
    "a method": "model.set_attributes(keeping=True)",
}


def outcome(
    folder: Path,
    setting: str = SETTING["setattr"],
    train: str = "",
    look: str = "",
    guard: str = GUARD,
    **others: str,
) -> set[Outcome]:
    """What becomes of a step, when another file sets the flag."""
    files = {
        "lib/__init__.py": "",
        "lib/nets.py": NETS,
        "lib/train.py": TRAIN.replace("MORE", train),
        "lib/look.py": LOOK.replace("MORE", look)
        .replace("SETTING", setting)
        .replace("GUARD", guard),
        **{f"lib/{name}.py": text for name, text in others.items()},
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    results = run([folder], Configuration(), write=None).results
    (found,) = [each for each in results if Path(each.path).name == "train.py"]
    return {each.outcome for each in found.findings} - {Outcome.SAME}


@pytest.mark.parametrize("setting", SETTING)
def test_what_another_script_sets_does_not_count(setting: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, SETTING[setting]) == set()


def test_what_several_scripts_set_counts_everywhere(tmp_path: Path) -> None:
    # To follow each of them would make as many effects of one.
    look = LOOK.replace("MORE", "").replace("SETTING", SETTING["setattr"])
    assert outcome(tmp_path, other=look.replace("GUARD", GUARD)) == {Outcome.PINNED}


@pytest.mark.parametrize("setting", SETTING)
def test_what_a_module_of_the_library_sets_counts(setting: str, tmp_path: Path) -> None:
    assert Outcome.PINNED in outcome(tmp_path, SETTING[setting], guard="")


def test_what_may_be_another_object_by_then_counts(tmp_path: Path) -> None:
    assert outcome(tmp_path, "model.set_attributes(**unknown())") == {Outcome.PINNED}


def test_what_the_script_itself_sets_counts(tmp_path: Path) -> None:
    text = 'def look(model): setattr(model.block, "keeping", True)'
    assert outcome(tmp_path, "pass", train=text) == {Outcome.PINNED}


def test_what_a_script_sets_that_is_imported_counts(tmp_path: Path) -> None:
    assert outcome(tmp_path, train="from lib.look import look") == {Outcome.PINNED}


def test_what_a_script_sets_that_imports_the_step_counts(tmp_path: Path) -> None:
    assert outcome(tmp_path, look="import lib.train") == {Outcome.PINNED}


def test_what_sets_it_counts_where_a_third_file_imports_both(tmp_path: Path) -> None:
    both = "import lib.look, lib.train"
    assert outcome(tmp_path, both=both) == {Outcome.PINNED}


def test_it_counts_where_the_step_may_load_other_code(tmp_path: Path) -> None:
    text = "import importlib\nlook = importlib.import_module(NAME)"
    assert outcome(tmp_path, train=text) == {Outcome.PINNED}


def test_it_counts_where_the_script_may_write_its_objects(tmp_path: Path) -> None:
    text = "import pickle\ndef keep(model, file): pickle.dump(model, file)"
    assert outcome(tmp_path, look=text) == {Outcome.PINNED}


def test_what_a_constructor_asks_for_counts_all_the_same(tmp_path: Path) -> None:
    assert Outcome.PINNED in outcome(
        tmp_path, nets=NETS.replace("Block(rngs)", "Block(rngs, True)")
    )
