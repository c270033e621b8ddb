"""What a rule does to a small program: nothing, a rewrite, or a pin with its reason."""

from __future__ import annotations

from nnx_migrate.core.findings import FileResult, FileStatus, Outcome
from nnx_migrate.core.permissions import Permission
from nnx_migrate.sources.configuration import Options
from tests.golden.migration import migrate_tree

_IMPORTS = """\
import jax
import jax.numpy as jnp
from flax import nnx
"""
#: In front of each program; Net has Params and statistics that its calls update.
_NET = """

class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.linear(x))


"""
_PINS = frozenset({Outcome.PINNED, Outcome.PINNED_MID})


def check_noop(rule: str, program: str) -> None:
    """The program stays as it is, and nothing is said of it but that it is the same.

    Args:
        rule: the one that is selected.
        program: behind the imports and Net.
    """
    result = _migrated(rule, _IMPORTS + _NET + program)
    assert {finding.outcome for finding in result.findings} <= {Outcome.SAME}
    assert result.after.decode() == _IMPORTS + _NET + program


def check_transformed(
    rule: str,
    before: str,
    after: str,
    imports: str = "",
    allow: frozenset[Permission] = frozenset(),
) -> FileResult:
    """The program becomes another one, which stays as it is.

    Args:
        rule: the one that is selected.
        before: behind the imports and Net.
        after: what is written.
        imports: what is written in front of all others.
        allow: what may be assumed.

    Returns:
        What became of it, with its findings.
    """
    result = _migrated(rule, _IMPORTS + _NET + before, allow)
    outcomes = {finding.outcome for finding in result.findings}
    assert outcomes in ({Outcome.REWRITTEN}, {Outcome.REWRITTEN_CHECKED})
    assert result.after.decode() == imports + _IMPORTS + _NET + after
    again = _migrated(rule, result.after.decode(), allow)
    assert again.after == result.after
    return result


def check_pinned(
    rule: str, program: str, reason: str, allow: frozenset[Permission] = frozenset()
) -> FileResult:
    """Places of the program are kept in graph mode, or left to a person.

    Args:
        rule: the one that is selected.
        program: behind the imports and Net.
        reason: a part of what is said of the first one.
        allow: what may be assumed.

    Returns:
        What became of it, with its findings.
    """
    result = _migrated(rule, _IMPORTS + _NET + program, allow)
    assert {finding.outcome for finding in result.findings} <= {*_PINS, Outcome.MANUAL}
    first = result.findings[0]
    told = [first.message, *(each.claim for each in first.evidence)]
    assert any(reason in each for each in told), told
    pinned = any(finding.outcome in _PINS for finding in result.findings)
    assert (result.after != result.before) == pinned
    assert _migrated(rule, result.after.decode(), allow).after == result.after
    return result


def _migrated(rule: str, program: str, allow: frozenset[Permission] = frozenset()) -> FileResult:
    options = Options(select=frozenset({rule}), allow=allow)
    result = migrate_tree({"main.py": program.encode()}, options)["main.py"]
    assert result.status in {FileStatus.CHANGED, FileStatus.UNCHANGED}, result.reason
    return result
