"""What a person is told of findings: causes with their code, and what to do next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import TRAIN, Command
from tests.cli.test_terminal import in_terminal, plain

#: Who calls `step` is not known, so what `model` is isn't either; twice in one file.
GENERIC = b"""\
from flax import nnx


def loss(model, x):
    return model(x).sum()


def step(model, x):
    return nnx.grad(loss)(model, x)


def other(model, x):
    return nnx.grad(loss)(model, x)
"""
FULL = ("--output-format", "full")


@pytest.fixture
def generic(tmp_path: Path) -> Path:
    """A folder with two places that stay in graph mode for one reason."""
    source = tmp_path / "src"
    source.mkdir()
    (source / "steps.py").write_bytes(GENERIC)
    return source


def test_a_pinned_place_is_shown_with_its_code_reason_and_way_out(
    command: Command, generic: Path
) -> None:
    done = command("apply", "src", "--check", *FULL)
    assert (done.code, done.err) == (1, "")
    told = done.out.decode()
    assert "pinned[module-gradient]  src/steps.py:9:12" in told
    assert (
        "  |\n"
        "9 |     return nnx.grad(loss)(model, x)\n"
        "  |            ^^^^^^^^ kept in graph mode\n"
        "  = why: "
    ) in told
    assert "  = help: annotate the name that is passed with its class, as in: model: Net\n" in told
    assert "  = help: or let the rewrite assume it: --allow unknown-class\n" in told
    assert "  = help: or let a run show it: nnx-migrate observe -- COMMAND" in told
    assert "  = docs: nnx-migrate rule module-gradient\n" in told


SOWN_ELSEWHERE = b"""\
from flax import nnx


class Net(nnx.Module):
    def __call__(self, x):
        self.sow(nnx.Intermediate, "h", x)
        self.cache = nnx.Cache(x)
        return x


@nnx.jit
def step(model: Net, x):
    return model(x)
"""


def test_a_note_names_its_place_once(command: Command, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_bytes(SOWN_ELSEWHERE)
    told = command("apply", "net.py", "--check", *FULL).out.decode()
    assert "  = note: the sown values are not put back: attribute cache is set (net.py:7)\n" in told


HANDED_OUT = """\
from flax import nnx


class Counted(nnx.Module):
    def __init__(self):
        self.n = 0

    def __call__(self, x):
        self.n += 1
        return x


@nnx.jit
def step(model, x):
    return model(x)
"""


def test_what_may_happen_out_of_sight_stands_in_notes(command: Command, tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text(HANDED_OUT)
    done = command("apply", ".", "--check", *FULL)
    assert (
        "   |  ^^^^^^^ kept in graph mode\n"
        "   = why: cannot tell what happens to model: the called code is unknown (steps.py:15)\n"
        "   = note: what runs there is unknown: "
        "no call of step in this project shows what model is\n"
        "   = note: it may be Counted.__call__: attribute n is updated (steps.py:9)\n"
        "   = help: annotate that parameter with its class (model: Net, or blocks: list[Block]), "
        "or add a call to the project that shows it\n"
        "   = help: or let a run show it: nnx-migrate observe"
    ) in done.out.decode()


def test_programs_get_the_help_too(command: Command, tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text(HANDED_OUT)
    done = command("apply", ".", "--dry-run", "--output-format", "json")
    (finding,) = json.loads(done.out)["files"][0]["findings"]
    assert finding["help"][0].startswith("annotate that parameter with its class")
    assert finding["help"][1].startswith("let a run show it")
    first, second = (f"{word}{way}" for word, way in zip(("", "or "), finding["help"], strict=True))
    whole = f"{finding['message']}\nhelp: {first}\nhelp: {second}"
    done = command("apply", ".", "--dry-run", "--output-format", "sarif")
    assert json.loads(done.out)["runs"][0]["results"][0]["message"]["text"] == whole
    done = command("apply", ".", "--dry-run", "--output-format", "github")
    assert whole.replace("\n", "%0A").encode() in done.out
    done = command("apply", ".", "--dry-run", "--output-format", "gitlab")
    assert json.loads(done.out)[0]["description"] == whole.replace("\n", "; ")


def test_a_run_ends_with_what_to_do_next(command: Command, generic: Path) -> None:
    told = command("apply", "src", "--dry-run", "--ignore", "state-axes", *FULL).err
    apply = "Next: nnx-migrate apply src --ignore state-axes  (to undo: nnx-migrate undo"
    assert apply in told
    explain = "nnx-migrate apply --explain src/steps.py:9"
    assert f"      {explain}  (explains one place)\n" in told
    assert command(*explain.split()[1:]).code == 0
    (generic / "broken.py").write_text("import nnx\ndef (\n")
    told = command("apply", "src", "--check", *FULL).out.decode()
    assert "      1 place needs you: src/broken.py:2:5\n" in told


def test_a_run_that_wrote_ends_with_how_to_check_it(command: Command, generic: Path) -> None:
    check = "Next: nnx-migrate check git:HEAD . -- pytest  (runs old and new code"
    assert check not in command("apply", "src", *FULL).err
    assert command("undo", "last").code == 0
    (generic.parent / ".git").mkdir()
    assert check in command("apply", "src", *FULL).err


def test_a_run_that_wrote_names_what_lists_its_pins(command: Command, generic: Path) -> None:
    told = command("apply", "src", *FULL).err
    assert "--explain" not in told  # lines of findings are those of the files as they were
    pins = "nnx-migrate pins src/steps.py"
    assert f"{pins}  (lists what stays in graph mode, and the way out)\n" in told
    assert "steps.py:" in command(*pins.split()[1:]).out.decode()
    assert command("undo", "last").code == 0
    (generic / "more.py").write_bytes((generic / "steps.py").read_bytes())
    assert "nnx-migrate pins src  (" in command("apply", "src", *FULL).err


def test_one_cause_is_said_once_with_its_places(command: Command, tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"a{number}.py").write_bytes(TRAIN)
    told = command("apply", ".", "--check", *FULL).out.decode()
    assert told.count("rewritten[module-gradient]") == 1
    assert "rewritten[module-gradient]  9 places: the Module is split" in told
    assert "a4.py:18:19 and 4 more (--verbose lists them)" in told
    told = command("apply", ".", "--check", "--verbose", *FULL).out.decode()
    assert all(f"  a{number}.py:18:19\n    proved: " in told for number in range(9))
    told = command("apply", ".", "--check", "--output-format", "grouped").out.decode()
    assert all(f"\n  a{number}.py:18:19\n" in told for number in range(9))


def test_what_is_left_for_a_person_stands_last(command: Command, generic: Path) -> None:
    (generic / "a_broken.py").write_text("import nnx\ndef (\n")
    (generic / "train.py").write_bytes(TRAIN)
    told = command("apply", "src", "--check", *FULL).out.decode()
    words = ("rewritten[module-gradient]", "pinned[module-gradient]", "failed[syntax-error]")
    places = [told.index(word) for word in words]
    assert places == sorted(places)


def test_a_cell_is_shown_as_code(command: Command, tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# steps\n", "text"]},
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": GENERIC.decode().splitlines(keepends=True),
        },
    ]
    document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "a.ipynb").write_text(json.dumps(document, indent=1))
    told = command("apply", "a.ipynb", "--check", *FULL).out.decode()
    assert "a.ipynb:cell 2:9:12" in told
    assert "\n9 |     return nnx.grad(loss)(model, x)\n" in told
    assert "nnx-migrate apply --explain a.ipynb:2:9" in told
    assert command("apply", "--explain", "a.ipynb:2:9").code == 0


def test_statistics_count_causes(command: Command, tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"a{number}.py").write_bytes(TRAIN)
    (tmp_path / "b.py").write_text("import nnx\ndef (\n")
    done = command("apply", ".", "--check", "--statistics", "-q")
    first, second = done.out.decode().splitlines()
    assert first.startswith("12  rewritten[module-gradient]  the Module is split")
    assert second.startswith(" 1  failed[syntax-error]  ")


def test_quiet_says_findings_and_nothing_else(command: Command, project: Path) -> None:
    done = command("apply", "src", "--check", "-q")
    assert done.err == ""
    [line] = done.out.decode().splitlines()
    assert line.startswith("src/train.py:18:19: module-gradient: rewritten: ")
    (project / "train.py").write_text("x = 1\n")
    assert command("apply", "src", "--check", "-q").said == ""


def test_a_machine_format_has_stdout_to_itself(command: Command, project: Path) -> None:
    for arguments in (("--dry-run",), ("--check",), ()):
        done = command("apply", "src", *arguments, "--output-format", "json")
        assert json.loads(done.out)["files"][0]["findings"]
        assert done.err == ""
    (project / "train.py").write_bytes(TRAIN)
    done = command("apply", "-", "--output-format", "json", stdin=TRAIN)
    assert json.loads(done.out)["files"][0]["edits"]
    refused = command("apply", "src", "--diff", "--format", "json")
    assert (refused.code, refused.out) == (2, b"")
    assert "use --report json=FILE" in refused.err


@pytest.mark.parametrize("form", ["full", "grouped", "concise", "json", "markdown"])
def test_the_report_goes_to_a_file(
    command: Command, project: Path, tmp_path: Path, form: str
) -> None:
    printed = command("apply", "src", "--check", "--output-format", form)
    filed = command("apply", "src", "--check", "--output-format", form, "-o", "report")
    assert (filed.code, filed.said) == (1, "")
    report = (tmp_path / "report").read_text()
    # It proposes the same command in both.
    assert report == printed.out.decode()


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (("--output", "no/report"), "--output no/report: the folder no does not exist; create it"),
        (("-o", "src"), "--output src: it is a folder; name a file"),
        (("--html", "src/train.py/review"), "--html src/train.py/review: src/train.py is not a f"),
    ],
)
def test_what_cannot_be_written_is_said_before_a_file_is_changed(
    command: Command, project: Path, place: tuple[str, str], told: str
) -> None:
    before = {each: each.read_bytes() for each in project.rglob("*.py")}
    done = command("apply", "src", *place)
    assert (done.code, told in done.err) == (2, True)
    assert {each: each.read_bytes() for each in project.rglob("*.py")} == before


def test_colours_are_as_they_were_ordered(command: Command, project: Path, tmp_path: Path) -> None:
    assert "\x1b[32mrewritten" in command("apply", "src", "--check", "--color", "always").said
    assert "\x1b[32m+" in command("apply", "src", "--diff", "--color", "always").said
    _, told = in_terminal(tmp_path, "apply", "src", "--check", "--color", "never")
    assert "\x1b[32m" not in told


def test_sentences_are_wrapped_between_words_on_a_terminal(generic: Path) -> None:
    _, told = in_terminal(
        generic.parent, "apply", "src", "--check", environment={"COLUMNS": "60", "TERM": "xterm"}
    )
    lines = plain(told).splitlines()
    notes = [line for line in lines if line.startswith(("  = why", "         "))]
    assert len(notes) > 1
    assert max(map(len, notes)) <= 60


def test_odd_lines_are_shown_harmlessly(command: Command, tmp_path: Path) -> None:
    line = b"    '\xe6\x97\xa5\x1b[31m';\treturn nnx.grad(loss)(model, x)"
    (tmp_path / "a.py").write_bytes(
        GENERIC.replace(b"    return nnx.grad(loss)(model, x)", line.replace(b"\x1b", b"\\x1b"), 1)
    )
    told = command("apply", "a.py", "--check", *FULL).out.decode()
    code, under = told.splitlines()[2:4]
    assert code == "9 |     '日\\x1b[31m';    return nnx.grad(loss)(model, x)"
    # The character takes two columns.
    assert under.index("^") == code.index("nnx.grad") + 1


def test_the_version_has_a_short_option(command: Command) -> None:
    assert command("-V").out == command("--version").out
