"""A new user's walk through README.md: every line that it says to type, run as it stands there.

Installers and Python's `venv` are stand-ins that note how they were called, so nothing is
downloaded; the command itself is the installed one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, Done

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`")
_PROGRAMS = ("nnx-migrate ", "pip ", "pipx ", "uv ", "python ", "git ", "docker ", "scripts/")
_STAND_IN = """\
#!/bin/sh
echo "$(basename "$0") $*" >> "$NOTED"
[ "$1 $2" != "-m venv" ] || {{
    mkdir -p "$3/bin"
    for name in python ruff mypy bandit; do cp "$0" "$3/bin/$name"; done
    ln -s {command} "$3/bin/nnx-migrate"
}}
"""
_NO_EXTRAS = """\
import sys


class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in {absent}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Absent())
"""
_WALKED: set[str] = set()


def lines_to_type(text: str) -> set[str]:
    """Every line of the blocks of commands, and every command in a sentence or a comment."""
    blocks = _BLOCK.findall(text)
    shell = [
        line
        for kind, code in blocks
        if kind not in ("diff", "python")
        for line in code.splitlines()
    ]
    said = [*_SPAN.findall(_BLOCK.sub("", text)), *_SPAN.findall("\n".join(shell))]
    typed = (line.partition(" #")[0].strip() for line in shell)
    return {line for line in typed if line} | {line for line in said if line.startswith(_PROGRAMS)}


def walks(*lines: str) -> pytest.MarkDecorator:
    """Marks a test that types some lines of the README."""
    _WALKED.update(lines)
    return pytest.mark.parametrize("lines", [lines], ids=[lines[0]])


class User:
    """Somebody with a shell, the tool, and stand-ins for what would download."""

    def __init__(self, home: Path) -> None:
        self.at = home
        self.noted = home / "noted"
        self.environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        stand_ins = home / "bin"
        stand_ins.mkdir()
        for name in ("pip", "python-to-install", "chromium"):
            (stand_ins / name).write_text(_STAND_IN.format(command=COMMAND))
            (stand_ins / name).chmod(0o755)
        paths = [str(stand_ins), str(COMMAND.parent), self.environment["PATH"]]
        self.environment |= {"PATH": os.pathsep.join(paths), "NOTED": str(self.noted)}
        self.environment["PYTHON"] = str(stand_ins / "python-to-install")

    def types(self, line: str) -> Done:
        """Run a line in bash, as it is."""
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.at,
            env=self.environment,
            capture_output=True,
            timeout=300,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr.decode())


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.fixture
def owner(user: User) -> User:
    """A user whose own code is the sample, in `src`."""
    shutil.copytree(ROOT / "examples" / "sample" / "ranker", user.at / "src" / "ranker")
    return user


@pytest.fixture
def repository(user: User) -> Path:
    """What `<this repository>` stands for: the files of the project as they are, committed."""
    listed = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        names = _git(ROOT, *listed).decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no clone")
    origin = user.at / "origin" / "nnx-migrate"
    for name in names:
        if (ROOT / name).is_file():
            (origin / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, origin / name)
    _commit(origin)
    return origin


def test_the_walk_leaves_no_line_of_the_readme_out() -> None:
    assert lines_to_type(README) == _WALKED


@pytest.mark.parametrize(
    "more",
    [
        "```console\nmake install # all\n```\n",
        "```\nnnx-migrate apply src/ --docs\n```\n",
        "Then type `nnx-migrate apply src/ --docs`.\n",
        "Or `uv pip install nnx-migrate`.\n",
    ],
)
def test_a_line_that_nobody_walks_is_seen(more: str) -> None:
    assert len(lines_to_type(f"{README}\n{more}") - _WALKED) == 1


@walks("git clone <this repository> && cd nnx-migrate && scripts/demo", "scripts/demo")
def test_the_demo_migrates_the_sample(user: User, repository: Path, lines: tuple[str, str]) -> None:
    done = user.types(lines[0].replace("<this repository>", str(repository)))
    assert done.code == 0, done
    assert b"+++ b/examples/sample/ranker/training.py" in done.out
    assert "rewritten[module-gradient]" in done.err
    assert "-m pip install --quiet --disable-pip-version-check ." in user.noted.read_text()
    clone = user.at / "nnx-migrate"
    assert _git(clone, "status", "--porcelain", "examples") == b""
    user.at = clone
    assert user.types(lines[1]).out == done.out


@walks("scripts/test")
def test_all_tests_are_what_scripts_test_ends_with(
    user: User, repository: Path, lines: tuple[str]
) -> None:
    user.at = repository
    done = user.types(lines[0])
    assert done.code == 0, done
    *_, last = user.noted.read_text().splitlines()
    assert re.fullmatch(r"python -m pytest -n \d+ --dist loadfile --no-loadscope-reorder *", last)


@walks("pip install '.[docs]' && python scripts/site.py")
def test_the_site_is_built(user: User, repository: Path, lines: tuple[str]) -> None:
    pytest.importorskip("zensical")
    user.at = repository
    done = user.types(lines[0])
    assert done.code == 0, done
    assert user.noted.read_text() == "pip install .[docs]\n"
    assert "docs" in EXTRAS
    assert (repository / "build" / "site" / "site" / "tutorial" / "index.html").is_file()


@walks("pip install '.[all]'")
def test_the_extra_of_the_install_line_exists(user: User, lines: tuple[str]) -> None:
    assert user.types(lines[0]).code == 0
    (extra,) = re.findall(r"\[(\w+)\]", user.noted.read_text())
    assert extra in EXTRAS


@walks("pip install .")
def test_apply_needs_no_extra(owner: User, lines: tuple[str]) -> None:
    assert owner.types(lines[0]).code == 0
    absent = _modules("all") - {"pygments"}  # Rich brings that one.
    assert {"jax", "flax", "jinja2", "codeowners"} <= absent
    blocked = owner.at / "blocked"
    blocked.mkdir()
    (blocked / "sitecustomize.py").write_text(_NO_EXTRAS.format(absent=sorted(absent)))
    owner.environment["PYTHONPATH"] = str(blocked)
    assert owner.types("nnx-migrate apply src/ --diff").code == 1
    for option in ("--html page", "--patch patches --patch-by owner"):
        done = owner.types(f"nnx-migrate apply src/ --dry-run {option}")
        assert done.code == 2, done
        assert "pip install" in done.err


@walks("nnx-migrate apply src/ --dry-run")
def test_a_dry_run_shows_the_diff_and_the_findings_and_writes_nothing(
    owner: User, lines: tuple[str]
) -> None:
    before = _files(owner.at / "src")
    done = owner.types(lines[0])
    assert done.code == 1, done
    assert b"+++ b/src/ranker/training.py" in done.out
    for outcome in ("rewritten[module-gradient]", "pinned[module-gradient]"):
        assert outcome in done.err
    assert "Next: nnx-migrate apply src/" in done.err
    assert _files(owner.at / "src") == before


@walks("nnx-migrate apply src/ --dry-run --html review")
def test_the_page_for_a_review_is_written(owner: User, lines: tuple[str]) -> None:
    pytest.importorskip("jinja2")
    before = _files(owner.at / "src")
    done = owner.types(lines[0])
    assert done.code == 1, done
    assert "review page: review/index.html" in done.err
    assert "</html>" in (owner.at / "review" / "index.html").read_text()
    assert _files(owner.at / "src") == before


@walks("nnx-migrate apply src/", "nnx-migrate undo last")
def test_what_is_written_is_put_back(owner: User, lines: tuple[str, str]) -> None:
    before = _files(owner.at / "src")
    assert owner.types(lines[0]).code == 0
    assert _files(owner.at / "src") != before
    assert owner.types(lines[1]).code == 0
    assert _files(owner.at / "src") == before


_STEP = """\
import jax.numpy as jnp
from flax import nnx


@nnx.jit
def loss_and_grads(model: nnx.Linear, x):
    def loss_fn(model):
        return jnp.mean(model(x) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    return loss, nnx.state(grads)
"""
_TEST = """\
import jax.numpy as jnp
from flax import nnx

from step import loss_and_grads


def test_step():
    model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    loss, _ = loss_and_grads(model, jnp.ones((3, 2)))
    assert loss.shape == ()
"""


@pytest.mark.runs_jax
@pytest.mark.parametrize(("factor", "code"), [("x) ** 2", 0), ("x) ** 3", 1)])
@walks("nnx-migrate check git:HEAD . -- pytest tests/")
def test_check_compares_the_last_commit_with_what_is_there(
    user: User, factor: str, code: int, lines: tuple[str]
) -> None:
    pytest.importorskip("cloudpickle")
    pytest.importorskip("pebble")
    project = user.at = user.at / "project"
    for name, text in (("step.py", _STEP), ("tests/test_step.py", _TEST)):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    (project / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\n')
    _commit(project)
    assert user.types("nnx-migrate apply step.py").code == 0
    migrated = (project / "step.py").read_text()
    assert migrated != _STEP
    (project / "step.py").write_text(migrated.replace("x) ** 2", factor))
    done = user.types(lines[0])
    assert done.code == code, done
    assert "step.py:loss_and_grads#1" in done.out.decode()


_TOWER = """\
import jax.numpy as jnp
from flax import nnx


class Tower(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(4, 1, rngs=rngs)
    self.dropout = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x):
    return self.dropout(self.linear(x))


def train_step(model: Tower, optimizer: nnx.Optimizer, x, y):
  def loss_fn(model: Tower):
    y_pred = model(x)  # dropout draws a key here
    return jnp.mean((y_pred - y) ** 2), y_pred

  (loss, y_pred), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model)
  optimizer.update(model, grads)
  return loss, y_pred
"""


def test_the_diff_of_the_readme_is_the_one_that_the_tool_makes(user: User) -> None:
    (shown,) = [code for kind, code in _BLOCK.findall(README) if kind == "diff"]
    (user.at / "tower.py").write_text(_TOWER)
    made = user.types("nnx-migrate apply tower.py --diff").out.decode()
    assert shown in "\n".join(line.rstrip() for line in made.split("\n"))


def test_the_options_that_sentences_name_are_options_of_apply(user: User) -> None:
    named = set(re.findall(r"`(--[\w-]+)", _BLOCK.sub("", README)))
    assert {"--allow", "--facts"} <= named
    known = set(re.findall(r"--[\w-]+", user.types("nnx-migrate apply --help").out.decode()))
    assert named <= known


def _modules(extra: str) -> set[str]:
    """The packages that an extra brings."""
    found = set()
    for requirement in EXTRAS[extra]:
        name, inner = re.findall(r"^([\w-]+)(?:\[([\w,]+)\])?", requirement)[0]
        below = [_modules(each) for each in inner.split(",") if each]
        found |= set().union(*below) if below else {name}
    return found


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*.py")}


def _git(folder: Path, *words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True).stdout


def _commit(folder: Path) -> None:
    _git(folder, "init", "-q")
    _git(folder, "add", ".")
    _git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
