"""Probes note which branches run, and change nothing else."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from nnx_migrate.check.branches.lines import LinesRun, as_written, probed_code
from nnx_migrate.check.branches.sites import line_of, place_of
from nnx_migrate.check.jobs import Side

TEXT = '''"""Of the module."""
from __future__ import annotations

import functools


class Held:
    def __private(self, x):
        """Of the method."""
        if x > 1:
            return 1
        elif x > 0:
            return 2
        else:
            @functools.cache
            def inner():
                return 3

            return inner()

    def asked(self, x):
        return self.__private(x)


def documented():
    """Nothing else."""


def matched(x):
    match x:
        case 0:
            return "none"
        case _:
            if False:
                def never():
                    return 1
            return lambda: x
'''


def functions(code: CodeType) -> list[CodeType]:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return [found for each in inner for found in (each, *functions(each))]


def test_lines_of_branches_are_noted_and_the_code_is_known_as_it_is_written(
    tmp_path: Path,
) -> None:
    file = tmp_path / "work.py"
    file.write_text(TEXT)
    side = Side("new", tmp_path, (tmp_path,), watched=("work.py",))
    probed, plain = probed_code(str(file)), compile(TEXT, str(file), "exec", dont_inherit=True)
    assert [as_written(each) for each in functions(probed)] == functions(plain)
    assert as_written(plain) is plain
    made: dict[str, Any] = {"__name__": "work"}
    exec(probed, made)
    assert (made["__doc__"], made["documented"].__doc__) == ("Of the module.", "Nothing else.")
    assert isinstance(made["matched"], FunctionType)
    assert inspect.getsource(made["matched"]).startswith("def matched")
    run = LinesRun(side)
    assert made["Held"]().asked(0.5) == 2
    # The method that is called, the other method, the `elif` as what `else` is, and its body.
    assert run.lines == {"work.py": (10, 12, 13, 22)}
    assert LinesRun(side).lines == {}
    run = LinesRun(side)
    assert made["Held"]().asked(0) == 3
    assert made["matched"](1)() == 1
    assert made["documented"]() is None
    assert run.lines == {"work.py": (10, 12, 15, 17, 22, 26, 30, 34)}


def test_each_value_of_a_conditional_expression_is_noted(tmp_path: Path) -> None:
    text = (
        "def signed(x):\n"
        "    names = [name if name else '-' for name in ('a', '')]\n"
        "    return (1 if x > 2 else 2) if x > 0 else (lambda y: -y if y else y)(x), names\n"
    )
    file = tmp_path / "work.py"
    file.write_text(text)
    side = Side("new", tmp_path, (tmp_path,), watched=("work.py",))
    probed, plain = probed_code(str(file)), compile(text, str(file), "exec", dont_inherit=True)
    assert [as_written(each) for each in functions(probed)] == functions(plain)
    made: dict[str, Any] = {"__name__": "work"}
    exec(probed, made)
    values = {
        ast.unparse(value): place_of(value)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.IfExp)
        for value in (node.body, node.orelse)
    }
    assert len(set(values.values())) == 8
    for x, returned, taken in (
        (3, 1, ("1 if x > 2 else 2", "1")),
        (1, 2, ("1 if x > 2 else 2", "2")),
        (0, 0, ("(lambda y: -y if y else y)(x)", "y")),
    ):
        run = LinesRun(side)
        assert made["signed"](x) == (returned, ["a", "-"])
        found = [place for place in run.lines["work.py"] if place != line_of(place)]
        assert set(found) == {values[each] for each in (*taken, "name", "'-'")}
