"""`nnx-migrate apply --html`, through the installed command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import TRAIN, Command
from tests.cli.test_verify import CASES
from tests.cli.test_verify import project as project_of_cases


def test_a_dry_run_writes_the_page_and_nothing_else(
    command: Command, project: Path, tmp_path: Path
) -> None:
    done = command("apply", "src", "--dry-run", "--html", "out/review")
    assert done.code == 1
    assert "review page: out/review/index.html" in done.err
    assert b"+++ b/src/train.py" in done.out
    assert (project / "train.py").read_bytes() == TRAIN
    page = (tmp_path / "out" / "review" / "index.html").read_text()
    assert "1 file would change" in page.replace("\n", " ").replace("      ", "")
    again = command("apply", "src", "--html", "out/review")
    assert again.code == 0, again.err
    assert (project / "train.py").read_bytes() != TRAIN
    assert "changed" in (tmp_path / "out" / "review" / "index.html").read_text()


def test_the_commit_is_the_one_of_the_files(
    command: Command, project: Path, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    for words in (("init", "-q"), ("commit", "-qm", "first", "--allow-empty")):
        person = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *person, *words], cwd=here, check=True, capture_output=True)
    (here / "train.py").write_bytes(TRAIN)
    for path, told in (("train.py", "<dt>Commit</dt><dd><code>"), (project, "none: the paths")):
        done = command("apply", path, "--dry-run", "--html", "review", cwd=here)
        assert done.code == 1
        assert told in (here / "review" / "index.html").read_text()


@pytest.mark.usefixtures("project")
def test_a_folder_that_cannot_be_made_is_said(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    done = command("apply", "src", "--dry-run", "--html", "file/review")
    assert done.code == 2
    assert "--html file/review" in done.err


@pytest.mark.parametrize("missing", ["jinja2", "pygments"])
def test_what_is_missing_is_said_before_anything_is_done(project: Path, missing: str) -> None:
    program = (
        f"import sys; sys.modules['{missing}'] = None\n"
        "from nnx_migrate.cli.app import main\n"
        f"sys.argv = ['nnx-migrate', 'apply', {str(project)!r}, '--html', 'review']\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert f"--html needs {missing}: pip install 'nnx-migrate[html]'" in done.stderr
    assert (project / "train.py").read_bytes() == TRAIN


@pytest.mark.runs_jax
def test_the_page_of_a_verified_run_has_its_verdicts(tmp_path: Path, command: Command) -> None:
    project_of_cases(tmp_path, CASES)
    done = command("apply", "train.py", "--verify", "--html", "review")
    assert done.code == 0, done.err
    page = (tmp_path / "review" / "index.html").read_text()
    assert 'name="verdict"' in page
    assert "not run" not in page.partition("<main")[0]
