"""Files for a newer Python than the one that runs are migrated like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileStatus, Outcome
from nnx_migrate.engine import run as engine
from nnx_migrate.sources.configuration import Configuration
from tests.hazards.running import migrated, migrated_files, settled

PLAIN = '''\
"""É."""
import jax.numpy as jnp
from flax import nnx

ALIAS


class NetPARAMETERS(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__METHOD(self, x):
        return self.drop(self.linear(x))


def stepPARAMETERS(model: Net, x):
    def loss_fnPARAMETERS(m):
        TRY
        return jnp.mean(m(x))
    STRING; loss, grads = nnx.value_and_grad(loss_fn)(model); STRING
    return loss, grads


def printedPARAMETERS(model: Net, x):
    def loss_fn(m):
        return jnp.mean(m(x))
    return STRING, nnx.grad(loss_fn)(model), STRING


@nnx.compat.jit
def countPARAMETERS(model: Net): return 1  # kept
'''
#: By version of Python, what takes the place of the words above.
SYNTAX = {
    "3.11": ("N = Net", "", "", "pass", "s = 'ü'"),
    "3.12 type parameters": (
        "type N[T: (int, str)] = Net",
        "[T: (int, str), *Ts, **P]",
        "[\n        T,\n        U\n    ]",
        "pass",
        "s = 'ü'",
    ),
    "3.12 strings": (
        "N = Net",
        "",
        "",
        "pass",
        's = f"ü {"ü"} {x["ü"]!r:>{len("ü")}} {f"{f"{x}"}"} {\', \'.join(["\\n"])}"',
    ),
    "3.12 strings on lines": (
        "N = Net",
        "",
        "",
        "pass",
        's = f"{\n    x  # {\n}" "ü"',
    ),
    "3.13 defaults": ("type N[T = int] = Net", "[T = int]", "[*Ts = *tuple[int]]", "pass", "s = 1"),
    "3.14 except": (
        "N = Net",
        "",
        "",
        "try: x\n        except TypeError, ValueError: raise",
        "s = 'ü'",
    ),
    "3.14 templates": ("N = Net", "", "", "pass", "s = t'{x} {\"ü\":{1}}'"),
    "3.15 imports": ("lazy import a\nlazy from b import c", "", "", "pass", "s = 1"),
}
WORDS = ("ALIAS", "PARAMETERS", "METHOD", "TRY", "STRING")


def _written(text: str, syntax: tuple[str, ...]) -> str:
    for word, code in zip(WORDS, syntax, strict=True):
        expression = code.removeprefix("s = ")
        text = text.replace(f"return {word},", f"return {expression},")
        text = text.replace(f", {word}\n", f", {expression}\n").replace(word, code)
    return text


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("name", SYNTAX)
def test_it_becomes_what_it_would_without(name: str, newline: str) -> None:
    before = _written(PLAIN, SYNTAX[name]).replace("\n", newline)
    result = migrated(before.encode())
    assert result.status is FileStatus.CHANGED, result.reason
    assert [f.outcome for f in result.findings if f.rule == "module-gradient"] == [
        Outcome.REWRITTEN
    ] * 2
    assert settled(result)
    plain = migrated(
        PLAIN.replace("ALIAS", "N = 1")
        .replace("PARAMETERS", "")
        .replace("METHOD", "")
        .replace("TRY", "pass")
        .replace("STRING", "'text'")
        .encode()
    )
    expected = plain.after.decode()
    for old, new in (("N = 1", "ALIAS"), ("'text'", "STRING"), ("        pass", "        TRY")):
        assert old in expected
        expected = expected.replace(old, new)
    for definition in ("class Net", "def step", "def count", "def printed"):
        expected = expected.replace(f"{definition}(", f"{definition}PARAMETERS(")
    expected = expected.replace("def __call__(", "def __call__METHOD(")
    expected = expected.replace("def loss_fn(", "def loss_fnPARAMETERS(", 1)
    assert result.after.decode() == _written(expected, SYNTAX[name]).replace("\n", newline)


USER = """\
import jax.numpy as jnp
from flax import nnx
from models import Net


def step(model: Net, x):
    return nnx.grad(lambda m: jnp.mean(m(x)))(model)
"""


@pytest.mark.parametrize("name", SYNTAX)
def test_what_it_defines_is_known_elsewhere(name: str) -> None:
    models = _written(PLAIN, SYNTAX[name]).partition("\n\ndef step")[0] + "\n"
    (finding,) = migrated_files({"models.py": models, "train.py": USER})["train.py"].findings
    assert finding.outcome is Outcome.REWRITTEN
    assert any("Net" in evidence.claim for evidence in finding.evidence)


@pytest.mark.parametrize("name", SYNTAX)
def test_in_a_notebook_and_on_a_page(name: str, tmp_path: Path) -> None:
    code = _written(PLAIN, SYNTAX[name])
    cell = {
        "cell_type": "code",
        "source": code,
        "metadata": {},
        "outputs": [],
        "execution_count": 1,
    }
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook))
    (tmp_path / "b.md").write_text(f"# A\n\n```python\n{code}```\n")
    found = engine.run([tmp_path], Configuration({"docs": True}), write=None, jobs=1)
    after = migrated(code.encode()).after.decode()
    results = {result.path.suffix: result for result in found.results}
    for result in results.values():
        assert result.status is FileStatus.CHANGED, result
        rewritten = [f for f in result.findings if f.outcome is Outcome.REWRITTEN]
        assert [f.rule for f in rewritten] == ["module-gradient"] * 2
    assert results[".md"].after.decode() == f"# A\n\n```python\n{after}```\n"
    assert "".join(json.loads(results[".ipynb"].after)["cells"][0]["source"]) == after


def test_comments_in_it_are_kept_and_count() -> None:
    before = _written(PLAIN, SYNTAX["3.12 strings"]).replace(
        "(model); s =", "(model)  # nnx-migrate: ignore[module-gradient]\n    s ="
    )
    result = migrated(before.encode())
    assert [f.outcome for f in result.findings] == [Outcome.REWRITTEN]
    assert "(model)  # nnx-migrate: ignore[module-gradient]\n" in result.after.decode()
