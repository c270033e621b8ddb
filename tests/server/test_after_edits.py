"""What is answered after an edit is what a look at everything anew gives."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

import nnx_migrate
from nnx_migrate.engine.projects.known import KnownFiles, Look
from tests.golden.cases import Case, all_cases

CASES = [case for case in all_cases() if len(case.files("before")) > 1]
#: Of the edits of a golden file, one of so many is made.
EVERY = 11

MAIN = """\
from flax import nnx

import lib


class Net(nnx.Module):
    def __init__(self, rngs):
        self.layer = nnx.Linear(2, 2, rngs=rngs)
        self.other = nnx.Linear(2, 2, rngs=rngs)

    def grow(self):
        pass

    def again(self):
        return None


def make():
    return Net(nnx.Rngs(0))


@nnx.jit
def step(model: Net, x):
    lib.touch(model)
    return model.layer(x)


@nnx.jit
def called(model: Net, x):
    lib.call(lib.quiet, model)
    return model.layer(x)


@nnx.jit
def run(model, x):
    return x


@nnx.jit
def whole(pair, x):
    return lib.first(pair)(x)


def main(x):
    model = lib.build(make)
    run(lib.kept(1), x)
    whole((model, 1), x)
    return step(model, x)
"""
LIB = """\
from flax import nnx


def touch(model):
    model.grow()


def call(function, model):
    function(model)


def quiet(model):
    return None


def loud(model):
    model.more = nnx.Param(1)


def first(pair):
    return pair[0]


def build(maker):
    return maker()


def kept(thing):
    return [thing][0]
"""
#: What other files are found to do depends on these, and no name leads from there to the file.
FELT = {
    "a method adds a Param": ("        pass\n", "        self.more = nnx.Param(1)\n"),
    "another function is passed": ("lib.quiet, model", "lib.loud, model"),
    "a method is renamed": ("def grow", "def shrink"),
    "a Module is passed": ("lib.kept(1)", "lib.kept(model)"),
    "a function returns something else": ("    return Net(nnx.Rngs(0))\n", "    return 1\n"),
    "a Module is passed twice": ("(model, 1)", "(model, model)"),
}
#: And on these nothing does.
NOT_FELT = {
    "a remark": ("import lib\n", "import lib  # a remark\n"),
    "a line": ("import lib\n", "import lib\n\n# a remark\n"),
    "a docstring": ("class Net(nnx.Module):\n", 'class Net(nnx.Module):\n    """Text."""\n\n'),
    "an import": ("import lib\n", "import functools\n\nimport lib\n"),
    "a local variable": ("    run(lib", "    fresh = 1\n    run(lib"),
    "a function": ("@nnx.jit\ndef step", "def fresh(x):\n    return x + 1\n\n\n@nnx.jit\ndef step"),
    "a method that nobody calls": (
        "    def again",
        "    def fresh(self):\n        pass\n\n    def again",
    ),
    "a constant of a class": (
        "class Net(nnx.Module):\n",
        "class Net(nnx.Module):\n    fresh = 1\n\n",
    ),
    "a finding": (
        "def main(x)",
        "@nnx.jit\ndef fresh(model: Net):\n    model.layer = None\n\n\ndef main(x)",
    ),
}


def told(text: str, path: Path, known: KnownFiles | None) -> object:
    result = nnx_migrate.migrate_text(text, path, known=known)
    return result.status, result.text, result.findings, result.edits, result.pins


def anew(known: KnownFiles) -> int:
    """How often all files were looked at anew."""
    assert known.edited is not None
    return known.edited.anew


def is_preliminary(known: KnownFiles) -> bool:
    """Whether the last answer rests on what other files were known to do before the edit."""
    return known.is_preliminary


@pytest.fixture
def main(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "tour"\n')
    (tmp_path / "lib.py").write_text(LIB)
    (tmp_path / "main.py").write_text(MAIN)
    return tmp_path / "main.py"


@pytest.mark.parametrize("edit", NOT_FELT)
def test_an_edit_that_no_other_file_feels_leaves_what_is_known_of_them(
    edit: str, main: Path
) -> None:
    known = KnownFiles(edited=1)
    told(MAIN, main, known)
    after = MAIN.replace(*NOT_FELT[edit])
    assert after != MAIN
    assert told(after, main, known) == told(after, main, None)
    assert anew(known) == 1


@pytest.mark.parametrize("edit", FELT)
def test_what_other_files_feel_is_found_anew(edit: str, main: Path) -> None:
    known = KnownFiles(edited=1)
    told(MAIN, main, known)
    after = MAIN.replace(*FELT[edit])
    assert after != MAIN
    assert told(after, main, known) == told(after, main, None)
    # And back, while what is known rests on the new text.
    assert told(MAIN, main, known) == told(MAIN, main, None)


@pytest.mark.parametrize("edit", FELT)
def test_what_can_be_told_at_once_is_told_apart(edit: str, main: Path) -> None:
    known = KnownFiles(edited=1)
    told(MAIN, main, known)
    after = MAIN.replace(*FELT[edit])
    known.look = Look.AT_ONCE
    told(after, main, known)
    assert is_preliminary(known)
    assert anew(known) == 1
    # Asked again, it is no more than it was.
    told(after, main, known)
    assert is_preliminary(known)
    known.look = Look.WHOLE
    assert told(after, main, known) == told(after, main, None)
    assert not is_preliminary(known)
    assert anew(known) == 2
    known.look = Look.AT_ONCE
    told(after + "# a remark\n", main, known)
    assert not is_preliminary(known)


def test_a_second_file_is_made_ready_before_it_is_edited(main: Path) -> None:
    lib = main.with_name("lib.py")
    known = KnownFiles(edited=2)
    known.look = Look.AT_ONCE
    told(MAIN, main, known)
    assert not is_preliminary(known)
    told(LIB, lib, known)
    assert is_preliminary(known)
    assert anew(known) == 1
    known.look = Look.FOR_EDITS
    assert told(LIB, lib, known) == told(LIB, lib, None)
    assert anew(known) == 2
    known.look = Look.AT_ONCE
    after = "# a remark\n" + LIB
    assert told(after, lib, known) == told(after, lib, None)
    assert not is_preliminary(known)
    assert anew(known) == 2


def test_what_is_told_at_once_is_about_the_new_text(main: Path) -> None:
    known = KnownFiles(edited=1)
    told(MAIN, main, known)
    known.look = Look.AT_ONCE
    after = MAIN.replace(*NOT_FELT["a finding"]).replace(*FELT["a method is renamed"])
    result = nnx_migrate.migrate_text(after, main, known=known)
    assert is_preliminary(known)
    exact = nnx_migrate.migrate_text(after, main)
    line = 1 + after[: after.index("@nnx.jit\ndef fresh")].count("\n")
    assert line in {each.line for each in exact.findings}
    assert line in {each.line for each in result.findings}


def test_what_a_method_does_to_what_another_file_is_given_is_no_secret(main: Path) -> None:
    known = KnownFiles(edited=1)
    before = told(MAIN, main, known)
    after = told(MAIN.replace(*FELT["a method adds a Param"]), main, known)
    assert "Param" in repr(after)
    assert after != before
    assert anew(known) == 2


def test_another_file_that_changes_is_seen(main: Path) -> None:
    known = KnownFiles(edited=1)
    before = told(MAIN, main, known)
    main.with_name("lib.py").write_text(LIB.replace("model.grow()", "model.more = nnx.Param(1)"))
    after = told(MAIN, main, known)
    assert after == told(MAIN, main, None)
    assert after != before


def edits(text: str) -> Iterator[str]:
    """The text with each statement taken out, or another put above it, or itself once more.

    And with names that are those of before them, where nothing else moves.
    """
    yield "# a remark\n" + text
    yield text + "\n\ndef added(model, x):\n    return model(x)\n"
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.stmt) or node.end_lineno is None:
            continue
        start, end, indent = node.lineno - 1, node.end_lineno, " " * node.col_offset
        if not lines[start][: node.col_offset].strip():
            yield "".join([*lines[:start], f"{indent}pass\n", *lines[end:]])
            yield "".join([*lines[:start], f"{indent}fresh = 1\n", *lines[start:]])
            yield "".join([*lines[:end], *lines[start:]])
    names = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
    for before, node in itertools.pairwise(names):
        line, at = lines[node.lineno - 1], node.col_offset
        edited = line[:at] + before.id + line[at + len(node.id) :]
        yield "".join([*lines[: node.lineno - 1], edited, *lines[node.lineno :]])


def parses(text: str) -> bool:
    try:
        compile(text, "<text>", "exec")
    except SyntaxError:
        return False
    return True


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_answers_after_edits_are_those_of_a_new_look(case: Case, tmp_path: Path) -> None:
    files = {name: data.decode() for name, data in case.files("before").items()}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    known, made = KnownFiles(edited=1), 0
    for name, before in files.items():
        path = tmp_path / name
        for text in list(filter(parses, edits(before)))[::EVERY] if path.suffix == ".py" else ():
            made += 1
            assert told(text, path, known) == told(text, path, None), text
    assert made > 1
