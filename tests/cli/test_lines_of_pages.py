"""Lines of the documentation that call another program than the tool, run as they stand there.

The tool comes from a wheel of this checkout, and all else from the package index. What is large is
resolved and not installed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, TRAIN

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
_BLOCK = re.compile(r"^ *```console\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`")
#: Those that whole pages are followed by, or that take a cluster or hours.
_ELSEWHERE = {
    re.compile(r"git clone .*scripts/demo$"): "test_readme.py",
    re.compile(r"python -m libcst\.tool "): "test_codemod.py",
    re.compile(r"docker |mkdir -p \.\./campaign"): "../unit/test_dockerfile.py",
}
#: Of a line in a sentence, what each reader has another word for.
_PLACEHOLDER = re.compile(r"^pip install .*\b[A-Z]{4,}\b")
_TUTORIAL = ROOT / "docs" / "tutorial.md"
#: The lines of the page about the scripts of this project, which take hours: see their options.
_SCRIPT = re.compile(r"(?:nice )?python (scripts/\w+\.py) ?(.*)")
#: Of an extra, a line that needs it. The others are large, so that they are resolved alone.
_SHOWS = {
    "batch": "nnx-migrate batch src --out ../campaign",
    "editor": "nnx-migrate server --help",
    "html": "nnx-migrate apply src/ --dry-run --html review",
    "owners": "nnx-migrate apply src/ --patch patches --patch-by owner",
}
_LARGE = ("all", "check", "docs", "ray")


def lines_to_type(page: Path) -> Iterator[str]:
    """The lines of the blocks of commands, and installations in a sentence."""
    text = page.read_text(encoding="utf-8")
    for block in _BLOCK.findall(text):
        if not block.startswith("$ "):  # that is what a person sees, command and answer
            for line in block.replace("\\\n", " ").splitlines():
                yield re.split(r"\s+# ", line)[0].strip()
    spans = _SPAN.findall(_BLOCK.sub("", text))
    yield from (span.partition(" && ")[0] for span in spans if span.startswith("pip install "))


LINES = sorted({(p, line) for p in PAGES for line in lines_to_type(p) if line})
OTHERS = sorted({line for _, line in LINES if not line.startswith("nnx-migrate ")})
INSTALLS = sorted(
    {line for line in OTHERS if "pip install " in line and not _PLACEHOLDER.search(line)}
)
COMPLETION = [line for line in OTHERS if "_NNX_MIGRATE_COMPLETE" in line]
_FOLDER = next(line for line in OTHERS if "fish/completions" in line and line[:5] == "mkdir")
EDITORS = sorted(line for line in OTHERS if "editors/vscode" in line or line.startswith("code "))
SCRIPTS = [line for line in OTHERS if _SCRIPT.match(line)]
EACH_PATCH = [line for line in OTHERS if line.startswith("for patch in ")]


def test_no_line_is_left_out() -> None:
    here = {
        *INSTALLS,
        *COMPLETION,
        _FOLDER,
        *EDITORS,
        *SCRIPTS,
        *EACH_PATCH,
        *lines_to_type(_TUTORIAL),
    }
    assert [len(each) for each in (COMPLETION, EDITORS, EACH_PATCH)] == [3, 2, 1]
    assert len(INSTALLS) > 8
    assert len(SCRIPTS) > 4
    left = [line for line in OTHERS if line not in here and not _PLACEHOLDER.search(line)]
    assert [line for line in left if not any(each.match(line) for each in _ELSEWHERE)] == []
    for pattern, test in _ELSEWHERE.items():
        assert any(map(pattern.match, left)), pattern.pattern
        assert (Path(__file__).parent / test).is_file()


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel of this checkout, as a package index would have it."""
    folder = tmp_path_factory.mktemp("wheels")
    line = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]
    done = subprocess.run(
        [*line, str(folder), str(ROOT)], capture_output=True, text=True, check=False
    )
    if "No matching distribution found for hatchling" in done.stderr:
        pytest.skip("no package index here")
    assert done.returncode == 0, done.stderr
    return folder


def typed(line: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """What comes of a line that is typed into bash in a folder, at home beside it."""
    environment = {"PATH": f"{COMMAND.parent}:{os.environ['PATH']}", "HOME": str(folder.parent)}
    return subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env={**os.environ, **environment, **more},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What a clone has of the project that an installation takes, and a file to migrate."""
    folder = tmp_path / "clone"
    folder.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    for name in ("nnx_migrate", "codemods", "examples", "editors"):
        ignored = shutil.ignore_patterns("__pycache__", "node_modules", "out")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    (folder / "src").mkdir()
    (folder / "src" / "train.py").write_bytes(TRAIN)
    (folder / "CODEOWNERS").write_text("* @team\n")
    return folder


@pytest.mark.network
@pytest.mark.parametrize("line", INSTALLS)
def test_what_a_page_installs_can_be_installed(line: str, wheels: Path, clone: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", clone.parent / "venv"], check=True)
    extra = next(iter(re.findall(r"\[(\w+)\]", line)), "")
    assert not extra or extra in {*_SHOWS, *_LARGE}
    own = f"{clone.parent / 'venv' / 'bin'}:/usr/bin:/bin"
    more = {"PIP_FIND_LINKS": str(wheels), "PATH": own, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    # Not by PIP_DRY_RUN: the pip that fetches what the build needs would obey it too.
    done = typed(f"{line} --dry-run" if extra in _LARGE else line, clone, **more)
    assert done.returncode == 0, done.stderr[-2000:]
    if extra in _LARGE:
        assert "Would install" in done.stdout
    elif extra:
        shown = typed(_SHOWS[extra], clone, **more)
        assert shown.returncode in {0, 1}, shown.stderr
        assert "nnx-migrate: error" not in shown.stderr


@pytest.mark.parametrize("line", COMPLETION)
def test_a_shell_has_the_completion_where_the_page_puts_it(line: str, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    before = f"{_FOLDER}; " if "fish" in line else ""
    done = typed(before + line, tmp_path / "here")
    assert done.returncode == 0, done.stderr
    if "bashrc" in line:
        asked = 'source ~/.bashrc; complete -p nnx-migrate; [ "$PWD" ]'
        assert "_nnx_migrate_completion" in typed(asked, tmp_path / "here").stdout
    else:
        (written,) = (file for file in tmp_path.rglob("*") if file.is_file())
        assert "_NNX_MIGRATE_COMPLETE" in written.read_text()


def test_all_patches_of_a_folder_apply(clone: Path) -> None:
    (line,) = EACH_PATCH
    assert typed("git init -q", clone).returncode == 0
    assert typed("nnx-migrate apply src --patch patches --patch-by rule", clone).returncode == 1
    done = typed(line, clone)
    assert done.returncode == 0, done.stderr
    patched = (clone / "src" / "train.py").read_bytes()
    (clone / "src" / "train.py").write_bytes(TRAIN)
    assert typed("nnx-migrate apply src", clone).returncode == 0
    assert (clone / "src" / "train.py").read_bytes() == patched != TRAIN


@pytest.mark.runs_jax
@pytest.mark.parametrize("line", SCRIPTS)
def test_a_script_has_the_options_that_pages_give_it(line: str) -> None:
    found = _SCRIPT.match(line)
    assert found is not None
    told = typed(f"{sys.executable} {found[1]} --help", ROOT)
    assert told.returncode == 0, told.stderr
    assert set(re.findall(r"--[\w-]+", found[2])) <= set(re.findall(r"--[\w-]+", told.stdout))


@pytest.mark.network
def test_the_extension_is_packed_and_handed_to_the_editor(clone: Path) -> None:
    npm = shutil.which("npm")
    if npm is None or typed("npm view @vscode/vsce version", clone).returncode:
        pytest.skip("no npm, or no registry, here")
    pack, install = sorted(EDITORS, key=lambda line: line.startswith("code "))
    done = typed(pack, clone)
    assert done.returncode == 0, done.stderr
    folder = clone / "editors" / "vscode"
    (packed,) = folder.glob("*.vsix")
    names = set(zipfile.ZipFile(packed).namelist())
    wanted = ("package.json", "LICENSE.txt", "out/extension.js")
    assert {f"extension/{name}" for name in wanted} <= names
    assert any(name.startswith("extension/node_modules/vscode-languageclient/") for name in names)
    editor = clone.parent / "code"
    editor.write_text('#!/bin/sh\n[ "$#" = 2 ] && [ "$1" = --install-extension ] && [ -f "$2" ]\n')
    editor.chmod(0o755)
    path = f"{clone.parent}:{os.environ['PATH']}"
    assert typed(install, folder, PATH=path).returncode == 0


@pytest.mark.network
def test_links_of_the_description_do_not_rest_on_the_repository(wheels: Path) -> None:
    (wheel,) = wheels.glob("nnx_migrate-*.whl")
    with zipfile.ZipFile(wheel) as held:
        (name,) = (name for name in held.namelist() if name.endswith("/METADATA"))
        text = held.read(name).decode()
    assert "Tutorial (`docs/tutorial.md`)" in text
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert [link for link in links if not link.startswith("https://")] == []
