"""Case files: plain functions that say what to call with what.

    from nnx_migrate.check import f32, i32
    from training import Net, train_step

    def case_train_step(x: f32[16, 4], labels: i32[16] < 3, model: Net):
        return train_step, (model, x, labels)

A function that starts with `case_` is one case. Its parameters are made from their annotations
(arrays from the shorthand, Modules from their signatures) or defaults. It returns the callable,
its positional arguments and, if there are any, its keyword arguments. In a file that stands for one
program, `drive(program)` runs the imported program and returns what is to be compared.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from nnx_migrate.check.cases.building import build
from nnx_migrate.check.cases.calls import Call
from nnx_migrate.check.cases.shapes import ArraySpec


class BadCase(Exception):
    """A case that says nothing that can be called; the text says what is wrong with it."""


def case_names(file: Path) -> list[str]:
    """The cases in a file, in its order; nothing is imported.

    Args:
        file: a case file.

    Raises:
        OSError: it cannot be read.
        SyntaxError: it is no Python.
    """
    tree = ast.parse(file.read_bytes(), str(file))
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [name for name in functions if name.startswith("case_") or name == "drive"]


def call_of(function: Callable[..., Any], load_program: Callable[[], object]) -> Call:
    """Asks a case function for its call.

    Args:
        function: of a case file.
        load_program: imports the program that the case is about, for `drive(program)`.

    Raises:
        BadCase: a parameter cannot be made, or what it returns is no call.
        NotBuildable: a Module among the parameters needs what its signature does not tell.
    """

    def answer() -> Any:
        parameters = inspect.signature(function, eval_str=True).parameters.values()
        return function(
            **{each.name: _made(function.__name__, each, load_program) for each in parameters}
        )

    if function.__name__ == "drive":
        # What the program raises when it is imported is what becomes of it.
        return Call(answer, returns_driver=True)
    returned = answer()
    if callable(returned):
        return Call(returned)
    if (
        isinstance(returned, tuple)
        and len(returned) in (2, 3)
        and callable(returned[0])
        and isinstance(returned[1], tuple)
    ):
        return Call(*returned)
    raise BadCase(
        f"{function.__name__} has to return (callable, (arguments, ...)), not {returned!r}"[:300]
    )


def _made(case: str, parameter: inspect.Parameter, load_program: Callable[[], object]) -> object:
    wanted = parameter.annotation
    if isinstance(wanted, ArraySpec):
        return wanted.make(f"{case} {parameter.name}")
    if parameter.name == "program" and wanted in (parameter.empty, ModuleType):
        return load_program()
    if parameter.default is not parameter.empty:
        return parameter.default
    if isinstance(wanted, type) and wanted is not parameter.empty:
        from flax import nnx

        if wanted is nnx.Rngs:
            return nnx.Rngs(0)
        return build(wanted)
    raise BadCase(
        f"{case}: annotate the parameter {parameter.name}, so that a value can be made for it"
    )
