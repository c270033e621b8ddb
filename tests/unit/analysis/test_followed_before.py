"""What functions could be called by before an edit counts after it where it is the same."""

from __future__ import annotations

import ast
import contextlib
import keyword
import random
import re
from pathlib import Path

import pytest

from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.build import index_tree
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.analysis.watched.lines import with_earlier_lines
from nnx_migrate.sources.text import decode
from tests.golden.cases import Case
from tests.unit.analysis.asking import index_of
from tests.unit.analysis.test_replacing import (
    CASES,
    NAMING,
    OFFERING,
    REDEFINED,
    REDEFINED_IN_NOTHING,
    TAKEN,
    indexed,
    known,
    looked_at_anew,
    named,
)

_KEYWORDS = "|".join(keyword.kwlist)


def followed(analysis: Analysis) -> dict[tuple[object, object], object]:
    """What functions may be called by, and the calls of that, in whatever order files stand."""
    found = named(analysis)
    calls = {
        key: set(rows) for key, rows in found.items() if isinstance(rows, list) if key[0] == "calls"
    }
    return {**found, **calls}


def in_place(text: str, chosen: random.Random) -> str:
    """A text in which one name is another one of the file, so that nothing else moves."""
    names = list(re.finditer(rf"\b(?!(?:{_KEYWORDS})\b)[a-z_]\w*\b", text))
    for _ in range(20):
        one, other = chosen.choice(names), chosen.choice(names)
        edited = text[: one.start()] + other.group() + text[one.end() :]
        with contextlib.suppress(SyntaxError):
            ast.parse(edited)
            return edited
    return text


@pytest.mark.parametrize("seed", range(12))
def test_what_was_followed_before_edits_in_place_holds_as_far_as_they_leave_it(seed: int) -> None:
    chosen = random.Random(seed)
    files = {"a.py": OFFERING.encode(), "b.py": NAMING.encode(), "c.py": TAKEN.encode()}
    whole = Analysis(Project(indexed(files).values()))
    name = chosen.choice(sorted(files))
    text = files[name].decode()
    analysis = whole.replacing(index_of(name, text))
    for _ in range(6):
        known(analysis)
        later = in_place(text, chosen)
        text = chosen.choice([text, later])
        replaced = analysis.replacing(index_of(name, later))
        assert followed(replaced) == followed(looked_at_anew(replaced))
        analysis = replaced if text == later else analysis


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_was_followed_before_a_migration_holds_as_far_as_it_leaves_it(case: Case) -> None:
    before, after = indexed(case.files("before")), indexed(case.files("after"))
    whole = Analysis(Project(before.values()))
    chosen = random.Random(case.name)
    for name in before:
        alone = whole.replacing(before[name])
        known(alone)
        text = in_place(case.files("before")[name].decode(), chosen)
        for edited in (after[name], index_of(name, text)):
            replaced = alone.replacing(edited)
            assert followed(replaced) == followed(looked_at_anew(replaced))


def moved(text: str, chosen: random.Random) -> str:
    """A text with a line more: a remark, a local variable, a call, a constant of a class."""
    lines = text.splitlines(keepends=True)
    names = re.findall(rf"\b(?!(?:{_KEYWORDS})\b)[a-zA-Z_]\w*\b", text)
    for _ in range(20):
        at = chosen.randrange(len(lines))
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        name, other = chosen.choice(names), chosen.choice(names)
        more = chosen.choice(["# a remark", "fresh = 1", f"{name} = None", f"{name}({other})"])
        edited = "".join([*lines[:at], f"{indent}{more}\n", *lines[at:]])
        with contextlib.suppress(SyntaxError):
            ast.parse(edited)
            return edited
    return text


def with_lines_of(name: str, text: str, earlier: str) -> ir.ModuleIndex:
    """The record of a text with the lines that its parts had in another one."""
    record = index_of(name, text)
    tree = with_earlier_lines(text, earlier)
    return index_tree(tree, record.module, decode(Path(name), text.encode()), record.meant)


@pytest.mark.parametrize("seed", range(12))
def test_what_was_followed_while_a_file_was_another_holds_as_far_as_edits_leave_it(
    seed: int,
) -> None:
    chosen = random.Random(seed)
    files = {"a.py": OFFERING.encode(), "b.py": NAMING.encode(), "c.py": TAKEN.encode()}
    whole = Analysis(Project(indexed(files).values()))
    name = chosen.choice(sorted(files))
    first = files[name].decode()
    alone = whole.replacing(index_of(name, first))
    known(alone)
    for _ in range(6):
        text = first
        for _ in range(chosen.randint(1, 3)):
            text = chosen.choice([moved, in_place])(text, chosen)
        replaced = whole.replacing(index_of(name, text))
        handles = replaced.evaluator.callers.handles
        handles.rest_on(alone.evaluator.callers.handles, with_lines_of(name, text, first))
        assert followed(replaced) == followed(looked_at_anew(replaced))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *REDEFINED,
        *REDEFINED_IN_NOTHING,
        ("var = Base\nclass Late(var): pass\n", "class Late(var): pass\nvar = Base\n"),
        ("class Lower(Base):\n", "class Lower(Base):\n    fresh = 1\n"),
        ("class Lower(Base):\n", "class Lower(Base):\n    run = None\n"),
        ("class Lower(Base):\n", "class Lower(Base):\n    __init__ = None\n"),
    ],
)
def test_what_was_followed_holds_where_lines_move(old: str, new: str) -> None:
    files = {"a.py": OFFERING.encode(), "b.py": NAMING.encode(), "c.py": TAKEN.encode()}
    whole = Analysis(Project(indexed(files).values()))
    alone = whole.replacing(index_of("a.py", OFFERING))
    known(alone)
    text = "\n" + OFFERING.replace(old, new)
    replaced = whole.replacing(index_of("a.py", text))
    handles = replaced.evaluator.callers.handles
    handles.rest_on(alone.evaluator.callers.handles, with_lines_of("a.py", text, OFFERING))
    assert followed(replaced) == followed(looked_at_anew(replaced))
