"""Rules from outside of the repository that are wrong: what is said of them, and to whom."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nnx_migrate.rewrite.model.rule import Rule

_RULE = """\
'''A rule that is wrong.'''

from nnx_migrate.rewrite.model.rule import Rule


def decide(context, site):
    return {{}}["oops"]


RULE = Rule("wrong", frozenset({{{transform!r}}}), decide)
"""
_COMMAND = (sys.executable, "-m", "nnx_migrate")
_CODE = "from flax import nnx\n\n\ndef step(loss, model):\n    return nnx.grad(loss)(model)\n"


def _applied(folder: Path, transform: str) -> subprocess.CompletedProcess[str]:
    """Runs the tool with a rule for a transform installed."""
    (folder / "our_rules.py").write_text(_RULE.format(transform=transform))
    installed = folder / "our_rules-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: our-rules\nVersion: 1\n")
    (installed / "entry_points.txt").write_text("[nnx_migrate.codemods]\nwrong = our_rules:RULE\n")
    (folder / "train.py").write_text(_CODE)
    return subprocess.run(
        [*_COMMAND, "apply", "train.py", "--select", "wrong", "--check", "--format", "json"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_rule_that_raises_is_named_and_reported_to_its_authors(tmp_path: Path) -> None:
    done = _applied(tmp_path, "grad")
    assert done.returncode == 1, done.stderr
    (file,) = json.loads(done.stdout)["files"]
    assert file["reason"] == (
        "KeyError: 'oops' (at our_rules.py:7); "
        "rule wrong (our_rules) failed; report this to its authors"
    )


def test_a_rule_for_a_wrapper_is_told_where_wrappers_are_named(tmp_path: Path) -> None:
    done = _applied(tmp_path, "acme.utils.fancy_jit")
    assert done.returncode == 2
    assert "rule wrong (our_rules:RULE) would find nothing" in done.stderr
    assert '[tool.nnx-migrate.transforms."acme.utils.fancy_jit"]' in done.stderr


def test_a_rule_for_a_misspelt_transform_is_refused(tmp_path: Path) -> None:
    done = _applied(tmp_path, "jitt")
    assert done.returncode == 2
    assert "would find nothing: 'jitt' is a name of neither nnx nor jax" in done.stderr


def test_a_rule_of_ours_that_raises_is_reported_here() -> None:
    def decide(context: object, site: object) -> None:
        raise KeyError("oops")

    decide.__module__ = "nnx_codemods.wrong"
    rule = Rule("wrong", frozenset({"grad"}), decide)
    with pytest.raises(KeyError) as raised:
        rule.decision(None, None)  # type: ignore[arg-type]
    assert raised.value.__notes__ == ["rule wrong failed; report this"]
