"""Files of facts as `nnx-migrate observe` writes them, and what `apply` makes of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.cli.conftest import Command


def write_facts(
    folder: Path,
    text: str,
    functions: dict[str, dict[str, list[str]]],
    classes: dict[str, dict[str, int | None]] | None = None,
    sows: dict[str, list[bool]] | None = None,
    changes: dict[str, list[list[str]]] | None = None,
    more: dict[str, dict[str, Any]] | None = None,
) -> None:
    """Writes facts of one run of net.py.

    Args:
        folder: takes facts.json, beside net.py.
        text: that of net.py.
        functions: by path, the types of parameters.
        classes: by name, what was seen of objects.
        sows: by path of a function, which calls of `sow` in it ran.
        changes: by path of a function, what its lines did to attributes.
        more: by path of a function, what else was seen of it.
    """
    ran, done = sows or {}, changes or {}
    seen = {
        path: {
            "calls": 1,
            "tests": [],
            "parameters": parameters,
            "sows": ran.get(path, []),
            "changes": done.get(path, []),
            **(more or {}).get(path, {}),
        }
        for path, parameters in functions.items()
    }
    file = {"sha256": sha256(text.encode()).hexdigest(), "functions": seen}
    file |= {"classes": classes} if classes is not None else {}
    facts = {"version": 1, "root": ".", "command": ["x"], "files": {"net.py": file}}
    (folder / "facts.json").write_text(json.dumps(facts))


def findings(command: Command, *options: str) -> dict[int, dict[str, Any]]:
    """The findings of net.py by their lines."""
    done = command("apply", "net.py", "--check", "--format", "json", *options)
    return {each["line"]: each for each in json.loads(done.out)["files"][0]["findings"]}


def suite_passes(folder: Path, graph: str) -> None:
    """Runs test_net.py under a default, and asks that it passes."""
    variables = {"NNX_GRAPH_MODE": graph, "NNX_GRAPH_UPDATES": graph, "JAX_PLATFORMS": "cpu"}
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_net.py"]
    variables |= {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(run, cwd=folder, env={**os.environ, **variables}, capture_output=True)
    assert done.returncode == 0, done.stdout.decode()
