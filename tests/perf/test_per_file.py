"""The clocks around the steps of a run are where the steps are."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from benchmarks.measure import ROOT, python_command
from tests.perf.test_ratios import USES_NNX


def test_a_file_is_timed(tmp_path: Path) -> None:
    text = USES_NNX.replace("{number}", "") + "x = 1\n" * 500
    (tmp_path / "model.py").write_text(text)
    command = python_command("-m", "benchmarks.per_file", tmp_path)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    medians = json.loads(done.stdout)["rewritten"]
    assert medians["files"] == 1
    assert medians["ms"] > 1
