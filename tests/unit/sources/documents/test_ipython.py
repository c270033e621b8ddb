"""IPython's own syntax is put aside and comes back."""

from __future__ import annotations

import pytest

from nnx_migrate.sources.documents.document import CannotPlace
from nnx_migrate.sources.documents.ipython import read_cell

MARK = "#~"
CELLS = [
    "%matplotlib inline\nx = 1",
    "!pip install 'flax>=1' \\\n   jax\nx = 1",
    "if x:\n    !ls {folder}\n    y = 2",
    "files = !ls\nfor f in files:\n    print(f)",
    "%%time\nx = f()",
    "%%timeit -n 3 y = 1\nx = f()",
    "x?\nprint??\n?print\n%timeit?",
    "%time x = f(1)\n%timeit -n 10 -r2 f(x)",
    "x = %time f(1)",
    "pip install flax\nimport flax",
    "x = (1\n  % 2)\n!ls",
    's = """\n%no magic\n!none\n"""\n%magic',
    "async def f():\n    !ls\nawait f()",
    "%load_ext autoreload\n%autoreload 2",
    ";f a b\n/g x\n,h y",
    "!!ls -l  # comment",
    "%cd ..\n\n\n",
]


@pytest.mark.parametrize("cell", CELLS)
def test_it_is_python_in_between_and_the_same_afterwards(cell: str) -> None:
    lines = cell.split("\n")
    read = read_cell(lines, MARK, 7)
    assert not read.reason
    assert len(read.code) == len(lines)
    assert read.restored(read.code, MARK) == lines
    compile("\n".join(read.code), "cell", "exec", flags=0x2000)  # PyCF_ALLOW_TOP_LEVEL_AWAIT


def test_what_a_magic_runs_is_python() -> None:
    read = read_cell(["%time x = f(1)", "y = %timeit -o -n 3 g(x)"], MARK, 0)
    assert [line.split("  #")[0] for line in read.code] == ["x = f(1)", "y = g(x)"]
    moved = ["a = 1", read.code[0].replace("f(1)", "f(a, 1)"), f"{read.code[1]}"]
    assert read.restored(moved, MARK) == [
        "a = 1",
        "%time x = f(a, 1)",
        "y = %timeit -o -n 3 g(x)",
    ]


def test_names_that_a_command_reads_are_used() -> None:
    read = read_cell(["!echo {len(state)} $path", "%load_ext {path}"], MARK, 0)
    assert read.code[0].startswith("__shell__(len, path, state)")
    assert read.code[1].startswith("__ipython__(path)")


@pytest.mark.parametrize(
    ("line", "called"),
    [
        ("!pip install {name}", "__shell__(name)"),
        ("!!ls", "__shell__()"),
        ("files = !ls", "files = __shell__()"),
        ("%pip install flax", "__shell__()"),
        ("pip install flax", "__shell__()"),
        ("%matplotlib inline", "__shell__()"),
        ("step?", "__shell__()"),
        ("%run other.ipynb", "__ipython__()"),
        ("here = %pwd", "here = __shell__()"),
        ("kept = %store", "kept = __ipython__()"),
        ("%autoreload 2", "__ipython__()"),
        ("%environment x", "__ipython__()"),
    ],
)
def test_commands_that_bring_no_python_are_told_apart(line: str, called: str) -> None:
    assert read_cell([line], MARK, 0).code[0].startswith(called)


@pytest.mark.parametrize(
    ("magic", "told"),
    [("%%bash", False), ("%%html", False), ("%%writefile x.py", True), ("%%python", True)],
)
def test_what_runs_elsewhere_stays_as_it_is(magic: str, told: bool) -> None:
    read = read_cell([magic, "nnx.jit(f)", "x"], MARK, 0)
    assert read.foreign
    assert read.reason.endswith("writes it to a file or runs it in another process") is told
    assert read.code[0] == ""
    with pytest.raises(CannotPlace):
        read.restored(["x = 1", "", ""], MARK)


def test_an_unknown_cell_magic_is_said() -> None:
    assert read_cell(["%%unknown", "x ="], MARK, 0).reason == "what %%unknown does is unknown"


@pytest.mark.parametrize(
    "edit",
    [
        lambda lines: lines[1:],
        lambda lines: [*lines, lines[0]],
        lambda lines: ["x = 1", *lines],
        lambda lines: [lines[0], lines[1].replace("f(1)", "f(\n1)"), *lines[2:]],
        lambda lines: [lines[0], lines[1], lines[2], "y = 2", lines[3]],
    ],
    ids=["lost", "doubled", "before a cell magic", "spread", "inside a command"],
)
def test_edits_that_break_it_are_refused(edit) -> None:  # type: ignore[no-untyped-def]
    read = read_cell(["%%time", "%time f(1)", "!ls \\", "  -l"], MARK, 0)
    assert not read.reason
    lines = [line for each in edit(list(read.code)) for line in each.split("\n")]
    with pytest.raises(CannotPlace):
        read.restored(lines, MARK)


@pytest.mark.parametrize(
    ("line", "unseen"),
    [
        ("!echo {nnx.grad(f)(m)}", (1,)),
        ("%store nnx.state(m)", (1,)),
        ("x = !run {nnx.state(m)}", (1,)),
        ("!pip install nnx.thing", ()),
        ("%time nnx.grad(f)(m)", ()),
    ],
)
def test_code_in_a_command_is_not_overlooked(line: str, unseen: tuple[int, ...]) -> None:
    assert read_cell(["a = 1", line], MARK, 0).unseen == unseen
