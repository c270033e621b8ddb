"""What a file says without comments and docstrings, and what only looks like one."""

from __future__ import annotations

import pytest

from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.analysis.ir.remarks import without_remarks


def said(text: str) -> str:
    return without_remarks(text, parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "x = '# no comment'",
        "x = f\"{y['#']}\"  # may be one",
        "x = 1  # nnx-migrate: ignore",
        "# -*- coding: latin-1 -*-",
        "x = 'it\\'s # no comment'",
        "x = r'\\' # ' + ''",
        "f('a', '''# no comment''')",
    ],
)
def test_a_line_that_may_say_more_stays(text: str) -> None:
    assert said(f"{text}\n") == text


@pytest.mark.parametrize(
    "text",
    [
        'x = """\n# a string\n"""\n',
        "f(\n    # inside of a call\n    x,\n)\n",
        "x = 1 + \\\n    2  # behind a line that goes on\n",
        "@f(\n    # of a decorator\n)\ndef g(): ...\n",
        "if x and (\n    # of a condition\n    y\n):\n    z = 1\n",
        "x = [\n\n    1,\n]\n",
        'def f():\n    """Examples.\n\n    >>> f()  # one\n    """\n',
        'def f():\n    """word"""\n',
        'x = 1; """A text # here"""\n',
        'match x:\n    case """\n# a string\n""":\n        pass\n',
        "try:\n    pass\nexcept (\n    # of what is raised\n    TypeError,\n):\n    pass\n",
        "def f(\n    x,\n    # of a parameter\n    y='''\n# a string\n''',\n):\n    pass\n",
        "class A(\n    # of a base\n    B,\n):\n    pass\n",
        "with (\n    # of a context\n    f() as x,\n):\n    pass\n",
    ],
)
def test_lines_of_a_statement_stay(text: str) -> None:
    assert said(text) == text.rstrip()


def test_comments_go() -> None:
    text = "# one\n\nx = 1  # two\n\n    # three\nif x:  # 'four\n    y = ''  # five\n# six\n"
    assert said(text) == "\n\nx = 1\n\n\nif x:\n    y = ''"


def test_docstrings_are_alike() -> None:
    text = 'class Net:\n    """One text.\n\n    # Of lines.\n    """\n\n    x = 1\n'
    expected = "class Net:\n    docstring\n\n\n\n\n    x = 1"
    assert said(text) == expected
    assert said(text.replace("One", 'Another "').replace("# Of", "Of")) == expected
    assert said(text.replace("    # Of lines.\n", "")) != expected
