"""What a new user types wrong is answered by what to type, and the tab key completes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nnx_migrate.rewrite.model.registry import rule_entries
from tests.cli.conftest import COMMAND, Command
from tests.unit.sources.documents.notebooks import MODEL, code, notebook, written

WRONG = [
    ("src", "'src' is not a command; did you mean: nnx-migrate apply src --dry-run"),
    ("help", "nnx-migrate --help"),
    ("aply src", "no such command 'aply'. Did you mean 'apply'?"),
    ("apply", "name files or folders, as in: nnx-migrate apply src/ --dry-run"),
    ("apply scr", "scr: there is no such file or folder; did you mean src?; nothing was changed"),
    ("apply src/trian.py", "did you mean src/train.py?"),
    ("apply src --dryrun", "no such option: --dryrun; did you mean --dry-run?"),
    ("apply src --nothing-like-it", "no such option: --nothing-like-it; see nnx-migrate apply --"),
    ("apply src --write", "apply writes files unless you say --dry-run or --check"),
    ("batch src --html a.html", "batch always writes the page for reviewers, into the folder of"),
    ("apply src --select nope", "no rule named 'nope'; 'nnx-migrate rule' lists them"),
    ("apply src --ignore state_axes", "did you mean 'state-axes'?"),
    (
        "apply src -",
        "'-' (stdin) cannot be combined with other paths; run nnx-migrate once for each",
    ),
    ("apply src --stdin-filename a.py", "nnx-migrate apply - --stdin-filename src/train.py <"),
    ("apply src --verify --check", "leave out '-', --dry-run, --diff, --patch, and --check"),
    ("apply --explain src/train.py", "as in: --explain src/train.py:42; for a notebook, FILE:CELL"),
    ("apply --explain no.py:1", "no.py: No such file or directory"),
    (
        "apply src --patch no/a.patch",
        "--patch no/a.patch: the folder no does not exist; create it first",
    ),
    ("apply src --check --report json=no/a", "'no/a' cannot be written: no such folder"),
    ("apply src --report json", "'json' is not FORMAT=FILE; FORMAT is one of json, "),
    ("apply src --jobs 0", "--jobs takes a whole number of 1 or more; see nnx-migrate apply --h"),
    ("apply src --jobs many", "--jobs takes a whole number of 1 or more; see nnx-migrate apply"),
    ("batch src --out out --memory x", "--memory takes a number of 0 or more; see nnx-migrate"),
    ("rule nope", "no rule named 'nope'; 'nnx-migrate rule' lists them"),
    ("check HEAD src", "there is no file or folder HEAD; a revision of git is written git:HEAD"),
]


@pytest.mark.parametrize(("line", "hint"), WRONG)
def test_a_wrong_line_says_what_to_type(
    command: Command, project: Path, line: str, hint: str
) -> None:
    done = command(*line.split())
    assert done.code == 2
    assert hint in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("other", ["--dry-run", "--diff"])
def test_check_beside_an_option_that_does_the_same_is_a_warning(
    command: Command, project: Path, other: str
) -> None:
    alone, both = command("apply", "src", other), command("apply", "src", other, "--check")
    said = f"nnx-migrate: warning: --check changes nothing here: {other} also exits with 1"
    assert said in both.err
    assert (both.code, both.out) == (alone.code, alone.out)
    assert "warning" not in alone.err
    assert "warning" not in command("apply", "src", other, "--check", "-q").err


def test_a_control_character_in_a_message_is_escaped(command: Command, project: Path) -> None:
    done = command("apply", "src", "--patch", "no/\x1b[31m")
    assert "\\x1b[31m" in done.err
    assert "\x1b" not in done.err


def test_a_line_of_a_cell_is_explained(command: Command, project: Path) -> None:
    imports = "import jax.numpy as jnp\nfrom flax import nnx"
    cells = (code(imports), code(MODEL), code("x = 1\ngrads = nnx.grad(loss)(model)"))
    (project / "a.ipynb").write_bytes(written(notebook(*cells)))
    done = command("apply", "--explain", "src/a.ipynb:3:2")
    assert done.out.startswith(b"a.ipynb:cell 3:2:9: nnx.grad (called with its function)\n")
    assert b"argument 0 is Net (a.ipynb:cell 2:7)" in done.out
    assert b"try cell 3, line 2" in command("apply", "--explain", "src/a.ipynb:3:1").out
    assert b"there is no Python code" in command("apply", "--explain", "src/a.ipynb:9:1").out


def completed(shell: str, words: str, last: str) -> list[str]:
    """What Typer's own completion answers to the script of a shell."""
    done = subprocess.run(
        [COMMAND],
        env={
            "_NNX_MIGRATE_COMPLETE": f"complete_{shell}",
            "COMP_WORDS": f"{words}{last}",
            "COMP_CWORD": str(len(words.split())),
            "_TYPER_COMPLETE_ARGS": f"{words}{last}",
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        },
        capture_output=True,
        check=True,
        text=True,
    )
    if shell == "zsh":
        return re.findall(r'^(?:_arguments .*\(\()?"([^"]+)"', done.stdout, re.MULTILINE)
    # Fish is given the help as well, behind a tab.
    return [line.partition("\t")[0] for line in done.stdout.splitlines()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_names_complete(shell: str) -> None:
    rules = sorted(rule_entries())
    assert completed(shell, "nnx-migrate apply --select ", "state") == [
        "state-axes",
        "state-sharding",
    ]
    assert completed(shell, "nnx-migrate apply --ignore ", "state-axes,state") == [
        "state-axes,state-sharding"
    ]
    assert completed(shell, "nnx-migrate rule ", "") == rules
    assert "--dry-run" in completed(shell, "nnx-migrate apply ", "--d")
    assert completed(shell, "nnx-migrate ", "ap") == ["apply"]


@pytest.mark.parametrize("asked", ["{}_source", "source_{}"])
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_real_shell_takes_the_script(shell: str, asked: str, tmp_path: Path) -> None:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    script = subprocess.run(
        [COMMAND],
        env={"_NNX_MIGRATE_COMPLETE": asked.format(shell), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert "_NNX_MIGRATE_COMPLETE" in script
    ask, answer = {
        "bash": (
            "COMP_WORDS=(nnx-migrate rule state) COMP_CWORD=2; "
            "_nnx_migrate_completion nnx-migrate; echo ${COMPREPLY[@]}",
            ["state-axes", "state-sharding"],
        ),
        "zsh": ("echo $_comps[nnx-migrate]", ["_nnx_migrate_completion"]),
        "fish": ("complete -C 'nnx-migrate rule state'", ["state-axes", "state-sharding"]),
    }[shell]
    before = "autoload -U compinit; compinit -u\n" if shell == "zsh" else ""
    done = subprocess.run(
        [found, "-c", f"{before}{script}\n{ask}"],
        env={"PATH": f"{COMMAND.parent}:/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.stdout.split() == answer, done.stderr


def test_help_teaches_by_example(command: Command) -> None:
    told = command("--help").out.decode()
    assert "nnx-migrate apply src/ --dry-run" in told
    assert "_NNX_MIGRATE_COMPLETE=bash_source" in told
    assert "nnx-migrate apply notebooks/" in command("apply", "--help").out.decode()


SLOW_TO_IMPORT = ["rich", "pydantic", "libcst", "nnx_migrate.engine", "nnx_migrate.analysis"]


@pytest.mark.parametrize("line", ["--help", "apply --help", "--version"])
def test_the_command_line_starts_without_what_is_slow(line: str, tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from nnx_migrate.cli.app import main\n"
        "try:\n    main()\n"
        f"finally:\n    print(set({SLOW_TO_IMPORT!r}) & set(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *line.split()],
        capture_output=True,
        check=True,
        cwd=tmp_path,
        text=True,
    )
    assert done.stderr == "set()\n"


@pytest.mark.parametrize("where", ["errors_reported", "require_paths"])
def test_ctrl_c_at_any_moment_is_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], where: str
) -> None:
    from nnx_migrate.cli import console
    from nnx_migrate.cli.app import app

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(console, where, interrupted)
    with pytest.raises(SystemExit) as ended:
        app(["apply", "tests"], prog_name="nnx-migrate")
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert (said.count("\n"), "interrupted" in said) == (1, True), said
