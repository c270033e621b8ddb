"""Names that rewrites leave unread: taken out, or told."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from nnx_migrate.core.findings import FileStatus, Outcome
from nnx_migrate.rewrite.gate.checks import Gate, Refused
from nnx_migrate.rewrite.gate.untouched_nodes import Version
from nnx_migrate.rewrite.model.causes import GateCause
from nnx_migrate.rewrite.text.edits import Edit
from tests.hazards.running import migrated

TWO_NAMES = """
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x):
        return self.linear(x)


_first = nnx.StateAxes({nnx.Param: 0, ...: 0})
_second = nnx.StateAxes({nnx.Param: 0, ...: None})


@nnx.vmap(in_axes=(_first, None))
def one(model: Net, x):
    return model(x)


@nnx.vmap(in_axes=(_second, None))
def other(model: Net, x):
    return model(x)
"""


def test_names_that_nothing_reads_any_more_go() -> None:
    after = migrated(TWO_NAMES).after.decode()
    assert "_first" not in after
    assert "_second" not in after


def test_what_the_gate_does_not_let_go_is_told_and_the_rest_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changed = Gate.changed

    def refusing(gate: Gate, version: Version, edits: Sequence[Edit]) -> Version:
        after = changed(gate, version, edits)
        if "_second" not in after.text.text:
            raise Refused(GateCause.NOT_COMPILED.about(error="it cannot"))
        return after

    monkeypatch.setattr(Gate, "changed", refusing)
    result = migrated(TWO_NAMES)
    after = result.after.decode()
    assert result.status is FileStatus.CHANGED
    assert "_first" not in after
    assert "_second = nnx.StateAxes" in after
    (told,) = (f for f in result.findings if f.outcome is Outcome.MANUAL)
    assert (told.rule, told.line) == ("unread-name", 13)
    assert told.message == (
        "_second stays, although the code that used it changed: without it, the result would not "
        "compile: it cannot; remove it by hand if nothing uses it"
    )


@pytest.mark.parametrize("inside", [False, True])
def test_a_name_that_is_deleted_stays_for_its_del(inside: bool) -> None:
    text = f"{TWO_NAMES}\n\ndel _first\n"
    if inside:
        head, name, rest = text.partition("_first = ")
        lines = f"{name}{rest}".replace("\n", "\n    ").rstrip()
        text = f"{head}def outer():\n    {lines}\n    return one, other\n"
    after = migrated(text).after.decode()
    assert "_first = nnx.StateAxes" in after
    assert "_second" not in after
