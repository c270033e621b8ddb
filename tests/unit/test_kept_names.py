"""Whether a check behind the code of a function still finds the argument under its name."""

from __future__ import annotations

import ast

import pytest

from nnx_codemods._gradient.trace_check import keeps_name

KEPT = [
    "return model(x)",
    "def part(model):\n        model = model.layer\n        return model\n    return part(model)",
    "other = model\n    return other(x)",
]
LOST = [
    "model = model.layer\n    return model(x)",
    "def model(x):\n        return x\n    return model(x)",
    "import model\n    return model.loss(x)",
    "try:\n        return x\n    except ValueError as model:\n        return 0",
    "match x:\n        case [model]:\n            return 1\n    return 0",
    "def replace():\n        nonlocal model\n        model = None\n    return replace()",
    "del model\n    return x",
]


@pytest.mark.parametrize(("body", "kept"), [(b, True) for b in KEPT] + [(b, False) for b in LOST])
def test_a_name_is_kept_where_nothing_binds_it_again(body: str, kept: bool) -> None:
    (loss,) = ast.parse(f"def loss(model, x):\n    {body}\n").body
    assert isinstance(loss, ast.FunctionDef)
    assert keeps_name(loss, 0) is kept
