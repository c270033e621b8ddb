"""Refusals: each cause is told in words of its own, which its place and its names complete."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest

from nnx_codemods._modes.refusal import ModeCause
from nnx_codemods._rngs.refusal import RngsCause
from nnx_codemods._sown.refusal import SownCause
from nnx_migrate.analysis.residual_sow import ResidualCause
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Cause, Refusal
from nnx_migrate.rewrite.model import causes
from nnx_migrate.rewrite.model.decisions import NotRewritten
from nnx_migrate.rewrite.model.ownership import NotAllSeen

ROOT = Path(__file__).parents[2]
TABLES: tuple[type[Cause], ...] = (
    causes.EmitCause,
    causes.FunctionCause,
    causes.GateCause,
    causes.HoistCause,
    causes.LayoutCause,
    causes.LoopCause,
    causes.PinCause,
    causes.PoppedCause,
    causes.SplitCause,
    causes.ThreadCause,
    ModeCause,
    NotAllSeen,
    ResidualCause,
    RngsCause,
    SownCause,
)
#: Where each refusal has a cause of a table.
FAMILIES = (
    *(
        f"nnx_migrate/rewrite/{name}"
        for name in (
            "gate",
            "hoist",
            "libcst",
            "loops",
            "planner",
            "sown",
            "split",
            "style",
            "thread",
        )
    ),
    "codemods/nnx_codemods/_callers",
    "codemods/nnx_codemods/_modes",
    "codemods/nnx_codemods/_rngs",
    "codemods/nnx_codemods/_sown",
)


def _names(cause: Cause) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(cause.value) if name is not None}


@pytest.mark.parametrize("cause", [each for table in TABLES for each in table], ids=repr)
def test_words_are_completed_by_what_a_refusal_is_about(cause: Cause) -> None:
    names = _names(cause)
    place = Place("pkg.mod", 3) if "place" in names else None
    told = str(cause.about(place, **{name: f"<{name}>" for name in names - {"place"}}))
    assert all(f"<{name}>" in told for name in names - {"place"})
    assert place is None or str(place) in told
    assert "{" not in told


def test_a_cause_is_found_again_in_what_is_raised() -> None:
    cause = NotAllSeen.OUTSIDE.about(name="step")
    error = NotRewritten(cause)
    assert error.refusal == Refusal(NotAllSeen.OUTSIDE, None, (("name", "step"),))
    assert str(error) == "code outside of the project may use step"
    assert NotRewritten(SownCause.IS_LAMBDA).refusal == Refusal(SownCause.IS_LAMBDA)


@pytest.mark.parametrize("family", FAMILIES)
def test_families_make_no_words_where_they_refuse(family: str) -> None:
    prose = [
        f"{file.name}:{node.lineno}"
        for file in (ROOT / family).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
        for argument in node.exc.args
        for part in ast.walk(argument)
        if isinstance(part, ast.JoinedStr)
        or (isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value)
    ]
    assert prose == []


@pytest.mark.parametrize("family", FAMILIES)
def test_each_cause_is_about_all_that_its_words_name(family: str) -> None:
    """What `about` is given is what the words need, at each place that refuses."""
    by_name = {f"{table.__name__}.{each.name}": each for table in TABLES for each in table}
    wrong = []
    for file in (ROOT / family).rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute):
                continue
            cause = by_name.get(ast.unparse(node))
            if cause is None:
                continue
            given: set[str | None] = set()
            around = parents[node]
            if isinstance(around, ast.Attribute) and around.attr == "about":
                call = parents[around]
                assert isinstance(call, ast.Call)
                given = {keyword.arg for keyword in call.keywords} | (
                    {"place"} if call.args else set()
                )
            elif isinstance(around, ast.Assign | ast.IfExp):
                continue  # `about` is called where the name of it is read
            if given != _names(cause):
                wrong.append(f"{file.name}:{node.lineno} {cause}")
    assert wrong == []
