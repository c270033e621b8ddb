"""Objects that tests make: what comes to other code, and what does not."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import Outcome
from tests.hazards.running import migrated_files

_LIBRARY = """
from flax import nnx

class Wrapped(nnx.Module):
    def __init__(self, inner):
        self.inner = inner

    def __call__(self, x):
        return self.inner(x)
"""
_DOUBLE = """
from flax import nnx
from library import Wrapped

class Counting(nnx.Module):
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x

def test_calls():
    counting = Counting()
    Wrapped(counting)(1.0)
    assert counting.calls == 1
"""
_EXAMPLE = """
from flax import nnx
from library import Wrapped

@nnx.jit
def run(m: Wrapped, x):
    return m(x)

run(Wrapped(nnx.Linear(1, 1, rngs=nnx.Rngs(0))), 1.0)
"""


def _pins(example: str = _EXAMPLE, /, **others: str) -> list[str]:
    files = {"library.py": _LIBRARY, "example.py": example}
    files |= {f"{name}.py": text for name, text in others.items()}
    found = migrated_files(files)["example.py"].findings
    return [each.message for each in found if each.outcome is Outcome.PINNED]


def test_what_a_test_makes_does_not_come_to_an_example() -> None:
    assert _pins(test_library=_DOUBLE) == []


@pytest.mark.parametrize("name", ["conftest", "doubles"])
def test_what_other_files_make_may(name: str) -> None:
    (pin,) = _pins(**{name: _DOUBLE})
    assert "attribute calls is updated" in pin


def test_what_a_test_makes_comes_to_what_imports_it() -> None:
    (pin,) = _pins(_EXAMPLE + "\nimport test_library\n", test_library=_DOUBLE)
    assert "attribute calls is updated" in pin


def test_what_a_test_makes_comes_to_what_it_imports() -> None:
    (pin,) = _pins(test_library=_DOUBLE + "\nimport example\n")
    assert "attribute calls is updated" in pin


def test_what_a_test_makes_comes_to_what_is_imported_with_it() -> None:
    both = "import example\nimport test_library\n"
    (pin,) = _pins(test_library=_DOUBLE, both=both)
    assert "attribute calls is updated" in pin


_TABLE = """
import jax
import pytest
from flax import nnx
from library import Wrapped

class Counting(nnx.Module):
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x

@pytest.mark.parametrize(NAMES, ROWS)
def test_run(act, size):
    run(Wrapped(act), 1.0)

@nnx.jit
def run(m: Wrapped, x):
    return m(x)
"""


def _table_pins(names: str, rows: str) -> list[str]:
    text = _TABLE.replace("NAMES", names).replace("ROWS", rows)
    found = migrated_files({"library.py": _LIBRARY, "test_run.py": text})["test_run.py"].findings
    pins = [each for each in found if each.outcome is Outcome.PINNED]
    return ["; ".join([pin.message, *(each.claim for each in pin.evidence)]) for pin in pins]


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        ("'act'", "[None, jax.nn.relu]"),
        ("'act, size'", "[(None, 1), (jax.nn.relu, 2)]"),
        ("['size', 'act']", "[(1, None), (2, jax.nn.relu)]"),
        ("('act', 'size')", "[pytest.param(jax.nn.relu, 2, id='relu')]"),
        ("'act'", "[pytest.param(jax.nn.relu, marks=pytest.mark.slow)]"),
    ],
)
def test_a_table_shows_what_a_test_is_given(names: str, rows: str) -> None:
    assert _table_pins(names, rows) == []


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        ("'act'", "[jax.nn.relu, Counting()]"),
        ("'size, act'", "[(1, Counting())]"),
        ("['act', 'size']", "[pytest.param(Counting(), 1)]"),
        ("'act'", "[pytest.param(Counting(), id='counting')]"),
        ("'act'", "[jax.nn.relu], indirect=True"),
        ("'act'", "made_elsewhere()"),
    ],
)
def test_what_a_table_holds_may_change(names: str, rows: str) -> None:
    (pin,) = _table_pins(names, rows)
    assert "attribute calls is updated" in pin
