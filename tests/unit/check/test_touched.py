"""Which functions a migration touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.check.cases.touched import Touched, module_jobs, touched_functions
from nnx_migrate.check.jobs import Side


def _touched(tmp_path: Path, old: str, new: str, name: str = "a.py") -> tuple[Touched, ...]:
    for side, text in (("old", old), ("new", new)):
        file = tmp_path / side / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    old_side = Side("old", tmp_path / "old", (tmp_path / "old",))
    return touched_functions(old_side, Side("new", tmp_path / "new", (tmp_path / "new",)))


_OLD = """
import jax
from flax import nnx

LIMIT = 3

@nnx.jit
def step(x):
    def inner(y):
        return y + 1
    return inner(x)

class Net:
    size = 2
    @property
    def width(self):
        return self.size
    def __call__(self, x):
        return x

if LIMIT:
    def chosen(x):
        return x

train = nnx.jit(step)
print(train)

if __name__ == "__main__":
    print(train(1))
"""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("y + 1", "y + 2", Touched("a.py", ("step",))),
        ("@nnx.jit\n", "@nnx.jit(graph=False)\n", Touched("a.py", ("step",))),
        ("return x\n\nif", "return -x\n\nif", Touched("a.py", ("Net.__call__",))),
        ("return self.size", "return 2", Touched("a.py", ("Net.width",))),
        ("def chosen(x):\n", "def chosen(x, y=0):\n", Touched("a.py", ("chosen",))),
        ("nnx.jit(step)", "nnx.jit(step, graph=False)", Touched("a.py", (), ("train",))),
        ("LIMIT = 3", "LIMIT = 4", Touched("a.py", (), ("LIMIT",))),
        ("print(train)\n", "print(train, 1)\n", Touched("a.py", module=True)),
        ("print(train(1))", "print(train(2))", Touched("a.py", guarded=True)),
        ("size = 2", "size = 3", Touched("a.py", ("Net.width", "Net.__call__"))),
        ("class Net:", "class Net(dict):", Touched("a.py", ("Net.width", "Net.__call__"))),
        ("from flax import nnx", "from other import nnx", Touched("a.py", module=True)),
        ("if LIMIT:", "if not LIMIT:", Touched("a.py", module=True)),
    ],
)
def test_what_differs_is_named(tmp_path: Path, before: str, after: str, expected: Touched) -> None:
    assert before in _OLD
    assert _touched(tmp_path, _OLD, _OLD.replace(before, after)) == (expected,)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y + 1", "(y + 1)  # the same"),
        ("import jax\n", "import jax\nimport functools\n"),
        ("LIMIT = 3\n", "LIMIT = 3\n\ndef added(x):\n    return x\n"),
    ],
)
def test_what_is_no_difference_is_not_touched(tmp_path: Path, before: str, after: str) -> None:
    assert before in _OLD
    assert _touched(tmp_path, _OLD, _OLD.replace(before, after)) == ()


def test_a_method_that_goes_is_touched_with_its_class(tmp_path: Path) -> None:
    old = "class A:\n    def f(self): pass\n    def g(self): pass\n"
    assert _touched(tmp_path, old, "class A:\n    def g(self): pass\n") == (
        Touched("a.py", ("A.f", "A.g")),
    )


def test_files_are_named_by_their_paths_and_hidden_ones_left_out(tmp_path: Path) -> None:
    (found,) = _touched(tmp_path, "x = 1\n", "x = 2\n", "pkg/sub/a.py")
    assert found.path == "pkg/sub/a.py"
    assert _touched(tmp_path, "x = 1\n", "x = 2\n", ".venv/a.py") == (found,)


def test_a_file_that_does_not_parse_is_told(tmp_path: Path) -> None:
    (found,) = _touched(tmp_path, "x = 1\n", "x = (\n")
    assert (found.functions, found.module) == ((), False)
    (remark,) = found.remarks
    assert remark.startswith("a.py cannot be compared: SyntaxError: '(' was never closed")


def test_what_is_no_case_by_itself_is_told(tmp_path: Path) -> None:
    (found,) = _touched(
        tmp_path, _OLD, _OLD.replace("print(train(1))", "print(train(2))"), "b/c.py"
    )
    (remark,) = found.remarks
    assert remark.startswith('b/c.py: the block under `if __name__ == "__main__":` differs')


def test_single_programs_are_compared_whatever_they_are_called(tmp_path: Path) -> None:
    for name, text in (("before.py", "def f(): return 1\n"), ("after.py", "def f(): return 2\n")):
        (tmp_path / name).write_text(text)
    old = Side("old", tmp_path / "before.py", ())
    new = Side("new", tmp_path / "after.py", ())
    assert touched_functions(old, new) == (Touched("before.py", ("f",)),)


def test_only_files_with_other_code_are_cases_as_a_whole() -> None:
    (job,) = module_jobs([Touched("a.py", ("f",)), Touched("b/c.py", module=True)])
    assert (job.name, job.kind, job.entry) == ("b/c.py", "module", "b/c.py")
