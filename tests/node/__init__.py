"""Tools that run on Node, installed once in pinned versions for all tests."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from filelock import FileLock

_WANTED = Path(__file__).with_name("package.json")


def node_modules() -> Path:
    """The folder with the tools; the test skips where there is no Node or no registry."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("Node is not installed")
    digest = hashlib.sha256(_WANTED.read_bytes()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"nnx-migrate-node-{os.getuid()}-{digest}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with FileLock(folder / "lock"):
        if not (folder / "ready").exists():
            shutil.copy(_WANTED, folder)
            command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.skip(f"npm cannot install the tools: {done.stderr.strip()[-300:]}")
            (folder / "ready").touch()
    return folder / "node_modules"


def run(tool: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a tool.

    Args:
        tool: its name under `node_modules/.bin`.
        arguments: of the tool.
        cwd: where it runs.
    """
    command = [str(node_modules() / ".bin" / tool), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
