"""The clocks around the steps of a run are where the steps are, and no step is done twice."""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.measure import ROOT, python_command
from nnx_migrate.engine import run as engine
from nnx_migrate.sources.configuration import Configuration
from tests.perf.test_ratios import USES_NNX


def test_a_file_is_timed(tmp_path: Path) -> None:
    text = USES_NNX.replace("{number}", "") + "x = 1\n" * 500
    (tmp_path / "model.py").write_text(text)
    command = python_command("-m", "benchmarks.per_file", tmp_path)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    medians = json.loads(done.stdout)["rewritten"]
    assert medians["files"] == 1
    assert medians["ms"] > 1


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        pytest.param("from flax import nnx\n\nmodel = nnx.Linear(2, 2)\n", 1, id="no site"),
        pytest.param("from flax import nnx\n\nstep = nnx.jit(print)\n", 2, id="planned"),
        # For its index, as it is, as its one round of edits leaves it, and to tell of these.
        pytest.param(USES_NNX.replace("{number}", ""), 4, id="rewritten"),
        # Text of a newer Python may look so.
        pytest.param(USES_NNX.replace("{number}", "") + 'f"{1}"\n', 4, id="with an f-string"),
    ],
)
def test_a_file_is_parsed_no_more_often_than_its_texts_need(
    text: str, parsed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.py").write_text(text)
    texts: list[str] = []
    monkeypatch.setattr(ast, "parse", _noting(texts, ast.parse))
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    assert len(texts) == parsed


def _noting(texts: list[str], parse: Callable[..., ast.Module]) -> Callable[..., ast.Module]:
    def noting(text: str, *given: Any, **named: Any) -> ast.Module:
        texts.append(text)
        return parse(text, *given, **named)

    return noting
