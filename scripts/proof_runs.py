"""Runs a test suite or a script under given defaults of Flax, bounded in time."""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import itertools
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import venv
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

_ADDRESS = re.compile(r"0x[0-9a-f]+")
_NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+|nan|inf)(?!\w)")
_RUN_GUIDE = Path(__file__).parent / "run_guide.py"


class Defaults(enum.Enum):
    """Which defaults of Flax a run has."""

    GRAPH = "default"
    TREE = "flipped"

    @property
    def variables(self) -> Mapping[str, str]:
        """What a run sets in its environment for that."""
        flipped = {"NNX_GRAPH_MODE": "false", "NNX_GRAPH_UPDATES": "false"}
        return flipped if self is Defaults.TREE else {}


@dataclasses.dataclass(frozen=True, slots=True)
class SuiteRun:
    """Outcome of every test of a suite ("passed", "failed", "error", "skipped")."""

    outcomes: Mapping[str, str]
    broken: str = ""

    @property
    def passed(self) -> frozenset[str]:
        """Names of the tests that passed."""
        return frozenset(name for name, outcome in self.outcomes.items() if outcome == "passed")

    def __str__(self) -> str:
        counts = Counter(self.outcomes.values())
        order = ("passed", "failed", "error", "skipped")
        said = ", ".join(f"{counts[outcome]} {outcome}" for outcome in order if counts[outcome])
        return "; ".join(part for part in (said, self.broken) if part)


@dataclasses.dataclass(frozen=True, slots=True)
class ScriptRun:
    """How a script ended.

    Args:
        error: why it did not run to its end, or "".
        output: what it printed, without memory addresses.
        state: name -> values of the models and arrays that it left in global names.
    """

    error: str
    output: str
    state: Mapping[str, str]

    def differences(self, first: ScriptRun) -> dict[str, str]:
        """Return what it printed or left otherwise than the first run, with its first line.

        Names that only this run has are its own affair: a migration introduces some.
        """
        pairs = {"output": (self.output, first.output)}
        for name, values in first.state.items():
            pairs[name] = (self.state.get(name, ""), values)
        return {
            name: _first_difference(mine, others)
            for name, (mine, others) in pairs.items()
            if not _close(mine, others)
        }


def _first_difference(one: str, two: str) -> str:
    for mine, other in itertools.zip_longest(one.splitlines(), two.splitlines(), fillvalue=""):
        if not _close(mine, other):
            return f"{_short(mine)} instead of {_short(other)}"
    return "line ends"


def _short(line: str) -> str:
    kept = line if len(line) <= 60 else line[:57] + "..."
    return f"`{kept}`" if kept else "nothing"


def _close(one: str, two: str) -> bool:
    """Whether texts are equal up to the last digits of floating-point numbers.

    The compiler may order the sums of a rewritten program in another way.
    """
    return _NUMBER.sub("#", one) == _NUMBER.sub("#", two) and all(
        first == second or math.isclose(float(first), float(second), rel_tol=1e-4, abs_tol=1e-6)
        for first, second in zip(_NUMBER.findall(one), _NUMBER.findall(two), strict=True)
    )


class SetUpFailed(Exception):
    """An environment could not be made."""


def environment(home: Path, needs: Sequence[str]) -> Path:
    """Return the interpreter of a virtual environment with these requirements.

    Args:
        home: folder that keeps environments between runs, one for each set of requirements.

    Raises:
        SetUpFailed: pip could not install them.
    """
    key = hashlib.sha256("\n".join((sys.version, *needs)).encode()).hexdigest()[:12]
    folder, ready = home / key, home / f"{key}.ready"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not ready.exists():
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run([*install, *needs], capture_output=True, text=True)
        if done.returncode != 0:
            raise SetUpFailed(f"pip could not install {', '.join(needs)}: {done.stderr[-400:]}")
        ready.touch()
    return python


def run_suite(
    python: Path,
    project: Path,
    import_from: str,
    tests: Sequence[str],
    defaults: Defaults,
    seconds: float,
) -> SuiteRun:
    """Run a project's tests with pytest; its own command line options are left away."""
    with tempfile.TemporaryDirectory() as scratch:
        record = Path(scratch, "tests.xml")
        command = [str(python), "-m", "pytest", "-q", "-o", "addopts=", "-p", "no:cacheprovider"]
        command += [f"--junitxml={record}", *tests]
        variables = {"PYTHONPATH": str(project / import_from), **defaults.variables}
        ended = _run(command, project, variables, seconds)
        outcomes: dict[str, str] = {}
        if record.exists():
            outcomes = dict(map(_test_outcome, ElementTree.parse(record).iter("testcase")))
    # 0 and 1 are pytest's own words for "all ran"; anything else is about the run itself.
    return SuiteRun(outcomes, "" if ended.status in (0, 1) else _reason(ended))


def run_script(
    python: Path,
    script: Path,
    defaults: Defaults,
    seconds: float,
    import_from: Path,
    *,
    in_float64: bool = False,
) -> ScriptRun:
    """Run a script with plots drawn to nowhere, and otherwise as run_guide.py says."""
    with tempfile.TemporaryDirectory() as scratch:
        state = Path(scratch, "state.json")
        command = [str(python), str(_RUN_GUIDE), str(script), str(state)]
        precision = {"JAX_ENABLE_X64": "true"} if in_float64 else {}
        variables = {**defaults.variables, **precision, "PYTHONPATH": str(import_from)}
        ended = _run(command, script.parent, variables, seconds)
        left = json.loads(state.read_text(encoding="utf-8")) if state.exists() else {}
    return ScriptRun(_reason(ended), _ADDRESS.sub("0x", ended.stdout), left)


@dataclasses.dataclass(frozen=True, slots=True)
class _Ended:
    status: int | None
    stdout: str
    stderr: str
    seconds: float


def _run(
    command: Sequence[str], folder: Path, variables: Mapping[str, str], seconds: float
) -> _Ended:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NNX_")}
    # Sets of strings print in the order of their hashes, which differs from run to run.
    steady = {"JAX_PLATFORMS": "cpu", "MPLBACKEND": "Agg", "PYTHONHASHSEED": "0"}
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**kept, **steady, "PYTHONDONTWRITEBYTECODE": "1", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=seconds)
        return _Ended(process.returncode, stdout, stderr, seconds)
    except subprocess.TimeoutExpired:
        # Test suites start processes of their own: all of the session has to go.
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        return _Ended(None, stdout, stderr, seconds)


def _reason(ended: _Ended) -> str:
    if ended.status is None:
        return f"stopped after {ended.seconds:.0f} s"
    if ended.status == 0:
        return ""
    raised = re.findall(
        r"^([\w.]*(?:Error|Exception|Interrupt|Exit)): ", ended.stderr, re.MULTILINE
    )
    return f"raises {raised[-1]}" if raised else f"ends with status {ended.status}"


def _test_outcome(case: ElementTree.Element) -> tuple[str, str]:
    name = f"{case.get('classname')}::{case.get('name')}"
    for tag, outcome in (("failure", "failed"), ("error", "error"), ("skipped", "skipped")):
        if case.find(tag) is not None:
            return name, outcome
    return name, "passed"
