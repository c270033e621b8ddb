"""What edits change besides what they touch is found."""

import re

import pytest

from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.rewrite.gate.untouched_nodes import Version, disturbed
from nnx_migrate.rewrite.text.edits import Edit, Text, apply_edits

_EDIT = re.compile(r"⟦(.*?)→(.*?)⟧", re.DOTALL)


def _disturbed(written: str) -> str:
    """What the edits disturb that are written into a text: "a ⟦old→new⟧ b"."""
    before, edits, done = "", [], 0
    for match in _EDIT.finditer(written):
        before += written[done : match.start()]
        edits.append(Edit(len(before), len(before) + len(match[1]), match[2]))
        before += match[1]
        done = match.end()
    before += written[done:]
    after = apply_edits(before, edits)
    old, new = (Version(Text(text), parse(text)) for text in (before, after))
    return str(disturbed(old, new, edits) or "")


FINE = [
    "x = 1\n",
    "x = ⟦jax.jit→nnx.jit⟧(f)\n",
    "x = nnx.⟦→compat.⟧jit(f)\n",
    "x = ⟦→g(⟧f(1)⟦→)⟧ + 1  # comment\n",
    "⟦→x = ⟧f(1)\ny = 1\n",
    "⟦x = →⟧f(1)\ny = 1\n",
    "⟦→import a\n⟧import b\n\n\ndef f(x):\n⟦→    y = 1\n⟧    return x\n",
    "⟦→with a:\n⟧⟦→    ⟧x = f(\n⟦→    ⟧    1)\n⟦→    ⟧if x:\n⟦→    ⟧    f(2)\ny = 1\n",
    "⟦with a:\n→⟧⟦    →⟧x = 1\n⟦    →⟧if x:\n⟦    →⟧    f(2)\ny = 1\n",
    "def f(⟦→w, ⟧x, *, é='ü'⟦→, **k⟧): return x⟦→, 1⟧\n",
    "⟦def f(x, y):→def g(y, x):\n   ⟧ return x\n",
    "x = 1⟦; y = 2→⟧; z = 3\n",
    "x = f'{⟦x→(x)⟧} {y}'\n",
    "def f():\n    '''A ⟦long →⟧text.'''\n",
    "def f():\n    '''A text.'''\n⟦→    x = 1\n⟧    return x\n",
    "⟦→@a\n⟧@b\ndef f(): pass\n",
    "x = [1,⟦→  ⟧2]\n",
    "⟦x = 1→⟧",
    "⟦→x = 1⟧",
    "x = 'ü'; é = ⟦a→bb⟧(x, 'ü'); y = é\n",
    "match x:\n    case 1:\n⟦→        y = 1\n⟧        z = y\n    case 2:\n        z = 1\n",
    "try:\n    a\nexcept A ⟦as e→⟧:\n    b\nexcept B:\n    c\nelse:\n    d\nfinally:\n    e\n",
    "async def f():\n    async with a:\n        ⟦→g(⟧await b⟦→)⟧\n    return [x for x in y]\n",
    "x = 1⟦\n→\r\n⟧y = 2\n",
    "x = lambda a, b: (a⟦→, b⟧)\n",
    "f(a, ⟦m→graphdef, state⟧, k=1, *b, **c)\n",
]


@pytest.mark.parametrize("written", FINE)
def test_what_edits_touch_may_change(written: str) -> None:
    assert _disturbed(written) == ""


FOUND = {
    "code becomes a string": ("⟦→s = '''⟧\nx = 1\ny = ''⟦→'⟧\n", 2),
    "code becomes a comment": ("x = 1\ny = 2⟦→  #⟧; z = 3\n", 2),
    "code becomes a part of a call": ("f⟦→(⟧\n(x) # )\n⟦→)⟧\n", 2),
    "code goes into a new block of another": (
        "if a:\n    x = 1\n⟦→else:\n    z = 1\n⟧⟦→    ⟧y = 2\nw = 1\n",
        3,
    ),
    "code goes into the block above": ("if a:\n    x = 1\n⟦→    ⟧y = 2\nw = 1\n", 3),
    "code goes out of its block": ("if a:\n    x = 1\n⟦    →⟧y = 2\nw = 1\n", 3),
    "code goes into another function": ("def f():\n    x = 1\n⟦def g():\n→⟧    y = 2\n", 4),
    "another `except` takes it": (
        "try:\n    x\nexcept A:\n    a\n⟦→    a2\nexcept C:\n    pass\n⟧    b\nexcept B:\n    c\n",
        5,
    ),
    "another `case` takes it": (
        "match x:\n    case 1:\n        a\n⟦→    case 3:\n⟧        b\n    case 2:\n        c\n",
        4,
    ),
    "`else` becomes that of a loop": (
        "if a:\n    x\n    ⟦→while b:\n        ⟧y\n⟦→    ⟧else:\n    ⟦→    ⟧z\n",
        5,
    ),
    "a docstring is one no more": ("def f():\n⟦→    x = 1\n⟧    'A text.'\n    return 1\n", 2),
    "a text becomes a docstring": ("def f():\n⟦    x = 1\n→⟧    'A text.'\n    return 1\n", 3),
    "the text of a string is indented": ("⟦→if a:\n⟧⟦→    ⟧x = '''\n⟦→    ⟧b'''\ny = 1\n", 1),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_they_do_not_touch_may_not(name: str) -> None:
    written, line = FOUND[name]
    assert _disturbed(written).startswith(f"line {line} ")
