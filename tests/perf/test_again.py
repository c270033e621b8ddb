"""A second run over files that have not changed looks answers up, and loads no rule."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from nnx_migrate.engine.cache.user_cache import CACHE_VARIABLE
from nnx_migrate.sources.imports import scan

_TRAIN = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.count = 0

    def __call__(self, x):
        self.count = self.count + 1
        return x


@nnx.jit
def run(model: Net, x):
    return model(x)
"""


def _imported(folder: Path) -> set[str]:
    """The modules that a run imports."""
    command = [sys.executable, "-X", "importtime", "-m", "nnx_migrate", "apply", "--check", "."]
    environment = os.environ | {CACHE_VARIABLE: str(folder.parent / "kept")}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert "pinned" in done.stdout
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}


def _deciding(modules: set[str]) -> set[str]:
    """Of these modules the packages that decide."""
    names = {name.removeprefix("nnx_migrate.").partition(".")[0] for name in modules}
    return names & {"nnx_codemods", "analysis"}


def test_a_second_run_loads_no_rule(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(_TRAIN)
    assert _deciding(_imported(folder)) == {"nnx_codemods", "analysis"}
    assert not _deciding(_imported(folder))


def test_what_a_file_imports_is_read_once_however_often_it_is_asked() -> None:
    scan.written_imports.cache_clear()
    data = b"import a\nfrom b import c\n"
    assert scan.written_imports(data) is scan.written_imports(bytes(bytearray(data)))
    assert scan.written_imports.cache_info().misses == 1
