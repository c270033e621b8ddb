"""A project that has findings goes on: a baseline, a base commit, or comments keep out the old."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import TRAIN, Command
from tests.cli.test_diagnostics import GENERIC
from tests.schemas import require_valid

#: One more function that ends in the same way.
MORE = GENERIC + GENERIC[GENERIC.index(b"\n\ndef other") :].replace(b"other", b"another")
KNOWN = ("--baseline", "known.json")


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    """A file with two places that stay in graph mode, beside one that changes."""
    source = tmp_path / "src"
    source.mkdir()
    (source / "train.py").write_bytes(TRAIN)
    (source / "steps.py").write_bytes(GENERIC)
    return source / "steps.py"


def git(folder: Path, *arguments: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


def test_only_what_a_baseline_does_not_know_is_told(
    command: Command, steps: Path, tmp_path: Path
) -> None:
    written = command("apply", "src", "--write-baseline", "known.json")
    assert (written.code, written.out) == (0, b"")
    assert written.err == "baseline: 3 findings written to known.json\n"
    baseline = json.loads((tmp_path / "known.json").read_text())
    assert len(baseline["findings"]) == 3
    require_valid("baseline", baseline)
    quiet = command("apply", "src", "--check", *KNOWN)
    assert quiet.code == 0
    # The code that is left out depends on the mode all the same.
    assert quiet.err == (
        "baseline: 3 known findings left out\n"
        "0 files would change; 2 files looked at. The rules found nothing to do in them.\n"
    )
    # Lines that move are no news, and one more place is.
    steps.write_bytes(b"\n\n" + MORE)
    done = command("apply", "src", "--check", *KNOWN)
    told = [line for line in done.out.decode().splitlines() if line.startswith("src/")]
    assert done.code == 1
    [line] = told
    assert line.startswith("src/steps.py:19:12: module-gradient: pinned")


def test_a_baseline_is_the_same_for_any_way_of_naming_files(
    command: Command, steps: Path, tmp_path: Path
) -> None:
    command("apply", "src", "--write-baseline", "known.json")
    assert command("apply", "src/steps.py", "--check", *KNOWN).code == 0
    assert command("apply", steps, "--check", *KNOWN).code == 0
    assert (
        command("apply", ".", "--check", "--baseline", "../known.json", cwd=steps.parent).code == 0
    )


def test_the_diff_has_what_the_baseline_does_not_know(
    command: Command, steps: Path, tmp_path: Path
) -> None:
    command("apply", "src", "--write-baseline", "known.json")
    steps.write_bytes(MORE)
    diff = command("apply", "src", "--diff", *KNOWN).out
    assert diff.count(b"+    return nnx.compat.grad(") == 1
    assert b"train.py" not in diff
    done = command("apply", "src", "--check", "--format", "json", *KNOWN)
    [changed] = [file for file in json.loads(done.out)["files"] if file["edits"]]
    assert {place for edit in changed["edits"] for place in edit["findings"]} == {0}
    assert len(changed["findings"]) == 1


@pytest.mark.parametrize("content", [None, "x", "{}", '{"schema_version": 1, "findings": [1]}'])
def test_what_is_no_baseline_is_an_error(
    command: Command, steps: Path, tmp_path: Path, content: str | None
) -> None:
    if content is not None:
        (tmp_path / "known.json").write_text(content)
    done = command("apply", "src", "--check", *KNOWN)
    assert (done.code, "--baseline known.json: " in done.err) == (2, True)
    assert ("--write-baseline makes one" in done.err) is (content is None)


def test_only_lines_that_changed_count(command: Command, steps: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "begin")
    base = ("--check", "--diff-base", "main")
    git(tmp_path, "checkout", "-qb", "work")
    assert command("apply", "src", *base).code == 0
    (steps.parent / "plain.py").write_text("from flax import nnx\n")
    assert command("apply", "src", *base).code == 0
    steps.write_bytes(MORE)
    done = command("apply", "src", *base)
    assert done.code == 1
    told = [line for line in done.out.decode().splitlines() if line.startswith("src/")]
    assert [line.split(": ")[0] for line in told] == ["src/steps.py:17:12"]
    git(tmp_path, "commit", "-qam", "more")
    assert command("apply", "src", *base).out == done.out
    (steps.parent / "new.py").write_bytes(TRAIN)
    assert b"src/new.py:18:19" in command("apply", "src", *base).out
    # What main does meanwhile is not this branch's.
    git(tmp_path, "checkout", "-q", "main")
    (steps.parent / "train.py").write_bytes(b"x = 1\n")
    git(tmp_path, "commit", "-qam", "other")
    git(tmp_path, "checkout", "-q", "work")
    assert b"src/train.py" not in command("apply", "src", *base).out


def test_a_base_that_is_not_there_is_an_error(
    command: Command, steps: Path, tmp_path: Path
) -> None:
    done = command("apply", "src", "--check", "--diff-base", "main")
    assert (done.code, "--diff-base main: " in done.err) == (2, True)
    git(tmp_path, "init", "-q")
    for revision in ("nothing", "--output=evil"):
        done = command("apply", "src", "--check", f"--diff-base={revision}")
        assert (done.code, "error: --diff-base" in done.err) == (2, True)
    assert not (tmp_path / "evil").exists()


def test_comments_keep_out_what_is_there(command: Command, steps: Path, tmp_path: Path) -> None:
    call = b"    return nnx.grad(loss)(model, x)\n"
    broken = b"    # a comment\n    return nnx.grad(  # why\n        loss\n    )(model, x)\n"
    text = steps.read_bytes().replace(call, broken, 1)
    steps.write_bytes(text)
    done = command("apply", "src", "--add-ignores")
    assert done.code == 0
    assert done.err.startswith("3 ignores added in 2 files.\nundo with: nnx-migrate undo ")
    ignore = b"  # nnx-migrate: ignore[module-gradient]\n"
    assert b"    return nnx.grad(  # why" + ignore in steps.read_bytes()
    assert steps.read_bytes().replace(ignore, b"\n") == text
    clean = command("apply", "src", "--check")
    assert (clean.code, b"ignore" in clean.out) == (0, False)
    assert command("undo", "last").code == 0
    assert steps.read_bytes() == text


def test_what_comes_up_only_then_is_ignored_too(tmp_path: Path, command: Command) -> None:
    (tmp_path / "net.py").write_text(
        "from flax import nnx\n\n\nclass Net(nnx.Module):\n    def __init__(self, rngs):\n"
        "        self.a = nnx.Linear(2, 2, rngs=rngs)\n        self.b = self.a\n\n"
        "    def __call__(self, x):\n        return self.b(self.a(x))\n"
    )
    (tmp_path / "steps.py").write_text(
        "from flax import nnx\n\nfrom net import Net\n\n\n"
        "@nnx.jit\ndef run(net: Net, x):\n    return net(x)\n"
    )
    # The class is rewritten; where it stays as it is, the transform is pinned.
    assert command("apply", ".", "--add-ignores").code == 0
    assert "ignore[shared-reference]" in (tmp_path / "net.py").read_text()
    assert "ignore[shared-reference]" in (tmp_path / "steps.py").read_text()
    assert command("apply", ".", "--check").code == 0


def test_where_no_comment_has_room_that_is_said(
    command: Command, steps: Path, tmp_path: Path
) -> None:
    text = GENERIC.replace(
        b"nnx.grad(loss)(model, x)", b"nnx.grad \\\n    (loss) \\\n    (model, x)", 1
    )
    steps.write_bytes(text)
    done = command("apply", "src/steps.py", "--add-ignores")
    first, second = done.err.splitlines()[:2]
    if done.code:
        assert first == "1 ignore added in 1 file."
        assert second == "no comment fits at: src/steps.py:9"
    left = command("apply", "src/steps.py", "--check")
    assert left.code == done.code


@pytest.mark.parametrize(
    "arguments",
    [
        ("--baseline", "x"),
        ("--diff-base", "main"),
        ("--write-baseline", "x", "--check"),
        ("--add-ignores", "--dry-run"),
        ("--add-ignores", "--diff-base", "main"),
    ],
)
def test_what_does_not_go_together_is_refused(
    command: Command, steps: Path, arguments: tuple[str, ...]
) -> None:
    before = steps.read_bytes()
    assert command("apply", "src", *arguments).code == 2
    assert steps.read_bytes() == before


def test_an_empty_run_warns(command: Command, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = command("apply", "empty", "--check")
    assert done.code == 0
    assert done.err.startswith("nnx-migrate: warning: no Python files found in empty\n")
    (tmp_path / "empty" / "a.py").write_text("x = 1\n")
    done = command("apply", "empty", "--check")
    assert "looked at. None of them uses flax.nnx.\n" in done.said
