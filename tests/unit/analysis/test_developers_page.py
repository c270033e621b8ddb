"""docs/developers/analysis.md: each answer that it gives about an example is the analysis's own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.analysis.asking import effects, kinds, obstacles

PAGE = (Path(__file__).parents[3] / "docs" / "developers" / "analysis.md").read_text()
_EXAMPLE = re.compile(r"```python\n((?:(?!```)[^`])*)```\n\n((?:\|[^\n]*\|\n)+)")
QUESTIONS = [
    (code, *row)
    for code, table in _EXAMPLE.findall(PAGE)
    for row in re.findall(r"^\| (What .*\?) \| (.*) \|$", table, re.MULTILINE)
]


def answers(code: str, question: str) -> set[str]:
    """What the analysis says."""
    first, *second = re.findall(r"`(\w+)`", question)
    if question.startswith("What is "):
        return kinds(code, first, *second)
    if question.startswith("What does "):
        return effects(code, first, *second)
    assert question.startswith("What of the mode does ")
    return {reason.partition(" (")[0] for reason in obstacles(code, first)}


@pytest.mark.parametrize(
    ("code", "question", "answer"),
    QUESTIONS,
    ids=lambda text: text if text.startswith("What") else "",
)
def test_an_answer_is_what_is_found(code: str, question: str, answer: str) -> None:
    told = set() if answer == "nothing" else set(re.findall(r"`([^`]+)`", answer))
    assert answers(code, question) == told


def test_every_example_has_answers() -> None:
    assert len(_EXAMPLE.findall(PAGE)) == PAGE.count("```python") == 5
    assert len(QUESTIONS) == len(re.findall(r"^\| What", PAGE, re.MULTILINE)) > 15
