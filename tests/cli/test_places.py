"""Messages name places from the root of the project, whatever way the files were named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.unit.sources.documents.notebooks import code, notebook, text, written

NET = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        self.calls = 1
        return self.linear(x)
"""
#: One finding whose witness is in the other file, one whose witness is in its own.
TRAIN = """\
from flax import nnx
from pkg.net import Net


@nnx.jit
def step(model: Net, x):
    return model(x)


@nnx.jit
def mark(model: Net):
    model.marked = True
"""
#: Folder to stand in, and what is named there.
WAYS = {
    "the file": (".", "src/pkg/train.py"),
    "an absolute name": (".", "/src/pkg/train.py"),
    "both files": (".", "src/pkg/train.py", "src/pkg/net.py"),
    "the folder": (".", "src"),
    "all": (".", "."),
    "from inside": ("src/pkg", "."),
    "from inside, the file": ("src/pkg", "train.py"),
    "from beside": ("docs", "../src"),
}


@pytest.fixture(params=[".git", "pyproject.toml", ""])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A project, by a repository, by its configuration, or by nothing but its package."""
    root = tmp_path / "checkout"
    (root / "src" / "pkg").mkdir(parents=True)
    (root / "docs").mkdir()
    if request.param == ".git":
        (root / ".git").mkdir()
    elif request.param:
        (root / request.param).write_text("")
    (root / "src" / "pkg" / "__init__.py").write_text("")
    (root / "src" / "pkg" / "net.py").write_text(NET)
    (root / "src" / "pkg" / "train.py").write_text(TRAIN)
    return root


def named(tree: Path, way: str) -> tuple[Path, list[str]]:
    folder, *names = WAYS[way]
    return tree / folder, [f"{tree}{n}" if n.startswith("/") else n for n in names]


def of_train(log: dict[str, Any]) -> list[dict[str, Any]]:
    (run,) = log["runs"]
    uri = ["locations", 0, "physicalLocation", "artifactLocation", "uri"]
    found = []
    for result in run["results"]:
        value: Any = result
        for key in uri:
            value = value[key]
        if value.endswith("train.py"):
            found.append(result)
    return found


def told(log: dict[str, Any]) -> list[tuple[object, ...]]:
    return [
        (
            result["partialFingerprints"]["nnxMigrate/v1"],
            result["message"]["text"],
            tuple(result["properties"]["evidence"]),
        )
        for result in of_train(log)
    ]


def test_every_way_of_naming_a_file_tells_the_same(command: Command, tree: Path) -> None:
    found = set()
    for way in WAYS:
        folder, names = named(tree, way)
        jobs = "2" if way in {"both files", "all"} else "1"
        done = command(
            *("apply", *names, "--check", "--format", "sarif", "--jobs", jobs), cwd=folder
        )
        assert done.code == 1, done.err
        assert str(tree) not in str(told(json.loads(done.out))), way
        found.add(tuple(told(json.loads(done.out))))
    assert len(found) == 1
    said = " ".join(str(message) for _, message, _ in found.pop())
    assert "pkg/net.py:9)" in said
    assert "pkg/train.py:12)" in said


def test_every_report_of_a_batch_tells_the_same(command: Command, tree: Path) -> None:
    done = command("apply", "src", "--check", "--format", "jsonl", cwd=tree)
    expected = messages(done.out)
    out = tree.parent / "campaign"
    done = command("batch", ".", "--out", out, "--jobs", "2", "--patch-by", "rule", cwd=tree)
    assert done.code == 1, done.err
    assert messages((out / "findings.jsonl").read_bytes()) == expected
    texts = [file.read_text() for file in out.rglob("*.md")]
    assert any("net.py:9)" in each for each in texts)
    assert not any(str(tree) in each for each in texts)


def messages(lines: bytes) -> list[str]:
    files = [line for line in map(json.loads, lines.splitlines()) if line["type"] == "file"]
    return [finding["message"] for file in files for finding in file["findings"]]


def test_text_and_json_name_places_from_the_root(command: Command, tree: Path) -> None:
    file = tree / "src" / "pkg" / "train.py"
    done = command("apply", file, "--check", "--verbose", cwd=tree)
    assert f"{file}:5:2: structural-update" in done.said  # as it was named
    assert f"({tree}" not in done.said
    report = json.loads(command("apply", file, "--check", "--format", "json", cwd=tree).out)
    wheres = [e["where"] for f in report["files"][0]["findings"] for e in f["evidence"]]
    assert any(where.endswith("pkg/net.py:9") for where in wheres)
    assert not any(where.startswith("/") for where in wheres)
    explained = command("apply", "--explain", f"{file}:5", cwd=tree).out.decode()
    assert "pkg/net.py:9)" in explained
    assert str(tree) not in explained


TIED = """\
from flax import nnx
from pkg.net import Net

net = Net()
net.other = net.linear
"""
PAGE = "Some text.\n\n```python\n" + TIED + "```\n"
DOCTEST = "Some text.\n\n" + "".join(f">>> {line}\n" for line in TIED.splitlines())
NOTEBOOK = written(notebook(text("# Tied"), code(TIED)))
STEP = """\
from flax import nnx
from pkg.net import Net


@nnx.jit
def step(model: Net, x):
    return model.linear(x)
"""


@pytest.mark.parametrize(
    ("name", "document", "place"),
    [
        ("tied.ipynb", NOTEBOOK, "docs/tied.ipynb:cell 2:5"),
        ("tied.md", PAGE.encode(), "docs/tied.md:8"),
        ("tied.rst", DOCTEST.encode(), "docs/tied.rst:7"),
    ],
)
def test_places_in_documents_are_told_elsewhere_as_in_them(
    command: Command, tmp_path: Path, name: str, document: bytes, place: str
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "net.py").write_text(NET)
    (tmp_path / "pkg" / "step.py").write_text(STEP)
    (tmp_path / "docs" / name).write_bytes(document)
    done = command("apply", ".", "--docs", "--check", "--verbose")
    assert f"({place})" in done.said
    assert "pkg/step.py:5:2: shared-reference" in done.said


def test_an_example_in_a_docstring_tells_places_of_its_own_file(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    example = (
        ">>> from flax import nnx\n"
        ">>> from net import Net\n"
        ">>> @nnx.jit\n"
        "... def step(model: Net, x):\n"
        "...     return model(x)\n"
        ">>> @nnx.jit\n"
        "... def mark(model: Net):\n"
        "...     model.marked = True\n"
    )
    (tmp_path / "net.py").write_text(f'"""A net.\n\n{example}"""\n{NET}')
    done = command("apply", ".", "--docs", "--check")
    assert "net.py:5:6: structural-update: pinned" in done.said
    assert "attribute calls is set (net.py:20)" in done.said
    assert "attribute marked is set (net.py:10)" in done.said


SHARED = {
    "pkg/net.py": """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.again = getattr(self, "linear")

    def __call__(self, x):
        return self.linear(x)


class Plain(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.linear(x)
""",
    "pkg/train.py": """\
import jax.numpy as jnp
from flax import nnx
from pkg.net import Net, Plain


def loss_fn(model, x):
    return jnp.mean(model(x) ** 2)


def shared_step(x):
    model = Net(nnx.Rngs(0))
    return nnx.grad(loss_fn)(model, x)


def train_step(model: Plain, x):
    return nnx.value_and_grad(loss_fn)(model, x)
""",
}


def test_evidence_is_at_the_place_that_proves_it(command: Command, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    for name, source in SHARED.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(source)
    report = json.loads(command("apply", "pkg", "--check", "--format", "json").out)
    (findings,) = (file["findings"] for file in report["files"] if file["findings"])
    places = {each["claim"]: each["where"] for finding in findings for each in finding["evidence"]}
    assert places["self.linear is held in several places (pkg/net.py:7)"] == "pkg/net.py:7"
    assert places["the function keeps the structure of argument 0"] == "pkg/train.py:6"
    assert not set(places.values()) & {f"pkg/train.py:{each['line']}" for each in findings}
    sarif = json.loads(command("apply", "pkg", "--check", "--format", "sarif").out)
    related = [
        (place["artifactLocation"]["uri"], place["region"]["startLine"])
        for result in sarif["runs"][0]["results"]
        for place in (each["physicalLocation"] for each in result["relatedLocations"])
    ]
    assert {("pkg/net.py", 7), ("pkg/train.py", 6)} <= set(related)
    verbose = command("apply", "pkg", "--check", "--verbose").said
    assert verbose.count("proved: self.linear is held in several places (pkg/net.py:7)\n") == 1
