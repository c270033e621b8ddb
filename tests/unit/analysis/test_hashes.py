"""Sets of values have the same order in every run, as has what is computed in it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_VALUES = """
from nnx_migrate.analysis.domain.values import *
from nnx_migrate.core.place import Place
at = Scope("main", "f:1:0")
names = [f"n{i}" for i in range(20)]
made = {
    "Instance": [Instance(name, frozenset(names), origin=Place(name, 3)) for name in names],
    "ClassValue": [ClassValue(name) for name in names],
    "FunctionValue": [FunctionValue(at, n, (n,), True, 1, frozenset(names)) for n in names],
    "LibraryValue": [LibraryValue(name) for name in names],
    "TupleValue": [TupleValue((frozenset({LibraryValue(name)}), PLAIN)) for name in names],
    "ContainerValue": [ContainerValue(frozenset({LibraryValue(name)}), "yes") for name in names],
    "Basic": [Basic("unknown", name, "element") for name in names],
}
"""


@pytest.mark.parametrize(
    "kind",
    [
        "Instance",
        "ClassValue",
        "FunctionValue",
        "LibraryValue",
        "TupleValue",
        "ContainerValue",
        "Basic",
    ],
)
def test_the_order_of_values_follows_no_seed(kind: str) -> None:
    program = f"{_VALUES}\nprint([made[{kind!r}].index(v) for v in frozenset(made[{kind!r}])])"
    orders = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(orders) == 1
