"""Programs of several files as packages: with and without `__init__.py` they end the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from nnx_migrate.engine.discover import to_index
from nnx_migrate.engine.run import run
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.walk.discovery import Walk
from tests.golden.cases import all_cases
from tests.hazards.test_projects import PROJECTS

Files = Mapping[str, str]
#: A finding or the text of a file, without where the program lies.
Ended = tuple[object, ...]


def _programs() -> dict[str, Files]:
    found: dict[str, Files] = dict(PROJECTS)
    for case in all_cases():
        found[case.name] = {name: data.decode() for name, data in case.files("before").items()}
    return {
        name: files
        for name, files in found.items()
        if len(files) > 1 and not any("/" in file for file in files)
    }


PROGRAMS = _programs()
#: Programs in which nothing must be found.
QUIET = {case.name for case in all_cases() if not case.expectation().outcomes}


def _in_package(text: str, helpers: set[str], spelling: str) -> str:
    """Spell the imports of files that went into the package `pk`."""
    package = {"absolute": "pk", "from-package": "pk", "relative": ""}[spelling]

    def whole(match: re.Match[str]) -> str:
        lines = []
        for item in match[2].split(","):
            name, *bound = item.split()
            if name not in helpers:
                lines.append(f"{match[1]}import {item.strip()}")
            elif spelling == "absolute":
                lines.append(f"{match[1]}import pk.{name} as {bound[-1] if bound else name}")
            else:
                lines.append(f"{match[1]}from {package or '.'} import {item.strip()}")
        return "; ".join([lines[0], *(line.strip() for line in lines[1:])])

    def parts(match: re.Match[str]) -> str:
        return f"{match[1]}from {package}.{match[2]} import" if match[2] in helpers else match[0]

    text = re.sub(r"(?m)^([ \t]*)import ([\w, .]+)$", whole, text)
    return re.sub(r"(?m)^([ \t]*)from (\w+) import", parts, text)


def _packaged(files: Files, script: str, own: str, others: str) -> dict[str, str]:
    """All but the script in a package `pk`.

    Args:
        files: a program, whose files lie side by side.
        script: where `main.py` goes.
        own: how the script spells its imports.
        others: how the files of the package do.
    """
    helpers = {name.removesuffix(".py") for name in files} - {"main"}
    found = {
        f"pk/{name}": _in_package(text, helpers, others)
        for name, text in files.items()
        if name != "main.py"
    }
    return {script: _in_package(files["main.py"], helpers, own), **found}


def _ended(root: Path, files: Files, *empty: str) -> set[Ended]:
    for name, text in {**files, **dict.fromkeys(empty, "")}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    ended: set[Ended] = set()
    for result in run([root], Configuration(), write=None).results:
        name = result.path.relative_to(root).as_posix()
        ended.add((name, result.status, result.after.decode()))
        for finding in result.findings:
            # Where nothing marks the project, places are told from the folder of the package.
            message = finding.message.replace("../", "").replace("pk/", "")
            ended.add((name, finding.line, finding.rule, finding.outcome, message))
    return ended


def _is_finding(ended: Ended) -> bool:
    return len(ended) == 5


def _agree(tmp_path: Path, files: Files, package: str, *marks: str, are_found: bool = True) -> None:
    with_init = _ended(tmp_path / "with", files, f"{package}/__init__.py", *marks)
    without = _ended(tmp_path / "without", files, *marks)
    assert any(_is_finding(each) for each in with_init) == are_found
    assert without == {each for each in with_init if not str(each[0]).endswith("__init__.py")}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_a_package(name: str, tmp_path: Path) -> None:
    files = _packaged(PROGRAMS[name], "main.py", "absolute", "relative")
    _agree(tmp_path, files, "pk", are_found=name not in QUIET)


SOME = (
    "structural-update/through-helper",
    "captured-module/imported",
    "module-gradient/imported-loss",
)


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize(
    ("own", "others"), [("from-package", "absolute"), ("absolute", "from-package")]
)
@pytest.mark.parametrize("mark", ["pyproject.toml", ".git/HEAD", "notes.txt"])
def test_spelled_in_other_ways(name: str, own: str, others: str, mark: str, tmp_path: Path) -> None:
    _agree(tmp_path, _packaged(PROGRAMS[name], "main.py", own, others), "pk", mark)


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize(("script", "top"), [("scripts/main.py", "src/"), ("runs/main.py", "")])
@pytest.mark.parametrize("mark", ["pyproject.toml", "notes.txt"])
def test_with_the_script_elsewhere(
    name: str, script: str, top: str, mark: str, tmp_path: Path
) -> None:
    files = _packaged(PROGRAMS[name], script, "absolute", "relative")
    files = {f"{top}{name}" if name.startswith("pk/") else name: t for name, t in files.items()}
    _agree(tmp_path, files, f"{top}pk", mark)


@pytest.mark.parametrize("name", SOME)
def test_a_package_in_a_package(name: str, tmp_path: Path) -> None:
    files = _packaged(PROGRAMS[name], "main.py", "absolute", "relative")
    deep = {each.replace("pk/", "top/pk/"): text for each, text in files.items()}
    deep["main.py"] = deep["main.py"].replace("import pk.", "import top.pk.")
    deep["main.py"] = deep["main.py"].replace("from pk.", "from top.pk.")
    with_init = _ended(tmp_path / "with", deep, "top/__init__.py", "top/pk/__init__.py")
    inner = _ended(tmp_path / "inner", deep, "top/pk/__init__.py")
    without = _ended(tmp_path / "without", deep)
    assert inner == with_init
    assert without == with_init


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("inits", [(), ("pk/__init__.py",)])
def test_a_script_that_is_started_in_its_folder(
    name: str, inits: tuple[str, ...], tmp_path: Path
) -> None:
    """`import nets` of `pk/main.py` is the file beside it, like `import pk.nets` of another."""
    bare = {f"pk/{each}": text for each, text in PROGRAMS[name].items()}
    named = _packaged(PROGRAMS[name], "pk/main.py", "absolute", "absolute")
    # Both are known by these names to a test.
    test = {"test_it.py": "from flax import nnx\nfrom pk import main\n"}
    found = _ended(tmp_path / "bare", bare | test, *inits)
    expected = _ended(tmp_path / "named", named | test, *inits)
    assert any(_is_finding(each) for each in expected)
    assert set(filter(_is_finding, found)) == set(filter(_is_finding, expected))


@pytest.mark.parametrize("name", SOME)
def test_a_file_of_the_name_of_its_folder(name: str, tmp_path: Path) -> None:
    """`from pk import nets` is the folder's, however near `pk/pk.py` is."""
    files = _packaged(PROGRAMS[name], "main.py", "absolute", "from-package")
    files["pk/pk.py"] = files.pop("main.py").replace("import pk.", "from pk import ")
    files["main.py"] = "from flax import nnx\nfrom pk import pk\n"
    _agree(tmp_path, files, "pk")


def test_a_script_does_not_mean_the_library_beside_it(tmp_path: Path) -> None:
    """`pk/mlflow.py` defines nothing that is taken from the library of that name."""
    effect = "def init(model):\n    model.count = 1\n"
    # A name of LIBRARIES means the library alone, and what it does is not known.
    expected = {
        "mlflow.log": "passed to mlflow.log",
        "mlflow.init": "count is set",
        "wandb.init": "passed to wandb.init",
    }
    for call, why in expected.items():
        library = call.partition(".")[0]
        script = (
            f"import jax, {library}\nfrom flax import nnx\n\n@nnx.jit\ndef f(*, m: nnx.Linear):\n"
        )
        files = {f"pk/{library}.py": effect, "pk/main.py": f"{script}    {call}(m)\n"}
        ended = _ended(tmp_path / call, files, "pk/__init__.py")
        (finding,) = filter(_is_finding, ended)
        assert why in str(finding[-1])


def test_a_file_called_after_the_standard_library_means_that(tmp_path: Path) -> None:
    """`pk/typing.py` says `from typing import TypeAlias`, and so do those beside it."""
    effect = "from flax import nnx\n\n\ndef change(model):\n    model.count = 1\n"
    alias = f"from typing import TypeAlias\n{effect}Net: TypeAlias = nnx.Linear\n"
    script = "from flax import nnx\nfrom {} import change, Net\n\n@nnx.jit\ndef f(m: Net):\n"
    beside = "from typing import TypeAlias\nfrom flax import nnx\nOther: TypeAlias = nnx.Linear\n"
    for number, name in enumerate(("typing", "pk.typing")):
        body = script.format(name) + "    change(m)\n"
        files = {"pk/typing.py": alias, "pk/main.py": body, "pk/other.py": beside}
        ended = _ended(tmp_path / str(number), files, "pk/__init__.py")
        assert [each[:3] for each in ended if _is_finding(each)] == [
            ("pk/main.py", 4, "structural-update")
        ]
        meant = {
            task.path.name: task.place.meant
            for task in to_index(Walk([tmp_path / str(number)]), [], Configuration())
        }
        assert meant["typing.py"] == meant["other.py"] == ()


@pytest.mark.parametrize("imported", ["pk.core.nets", "pk.core"])
@pytest.mark.parametrize("inits", [("tests/pk/__init__.py", "tests/pk/core/__init__.py"), ()])
def test_tests_that_mirror_the_package(
    imported: str, inits: tuple[str, ...], tmp_path: Path
) -> None:
    """`from pk.core.nets import Net` in `tests/pk/core` is `src/pk/core/nets.py`."""
    net = "from flax import nnx\n\n\nclass Net(nnx.Module):\n    def __call__(self, x):\n"
    test = f"from flax import nnx\nfrom {imported} import Net\n\n\n@nnx.jit\ndef f(m: Net):\n"
    files = {
        "src/pk/core/nets.py": f"{net}        self.last = x\n",
        "src/pk/core/__init__.py": "from pk.core.nets import Net\n",
        "tests/pk/core/test_nets.py": f"{test}    m(1)\n",
    }
    empty = ("src/pk/__init__.py", "tests/__init__.py", "pyproject.toml", *inits)
    (finding,) = filter(_is_finding, _ended(tmp_path / "one", files, *empty))
    assert "attribute last is set (src/core/nets.py:6)" in str(finding[-1])
    # What lies there is meant before it.
    files["tests/pk/core/nets.py"] = files["tests/pk/core/__init__.py"] = f"{net}        return x\n"
    empty = (*empty[:3], "tests/pk/__init__.py")
    assert not any(map(_is_finding, _ended(tmp_path / "other", files, *empty)))
