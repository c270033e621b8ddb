"""Which assignment a local name stands for where it is read."""

from __future__ import annotations

import ast

import pytest

from nnx_migrate.analysis.sites.reaching_statements import ReachingStatements
from nnx_migrate.analysis.sites.tree import Tree
from tests.unit.analysis.asking import MAIN, analysis_of

_BODIES = {
    "one after the other": ("f = 1\n    f()\n    f()\n    f = 2\n    f()", [2, 1]),
    "in its own value": ("f = 1\n    f = wrap(f)\n    f()", [1, 1]),
    "in two branches": (
        "if x:\n        f = 1\n        f()\n    else:\n        f = 2\n        f()",
        [1, 1],
    ),
    "in a block below": ("f = 1\n    for i in x:\n        f(i)\n    f = 2\n    f()", [1, 1]),
    "bound in each turn": (
        "f = 1\n    f()\n    for i in x:\n        f = 2\n        f(i)",
        [1, 1],
    ),
    "behind branches that join": ("if x:\n        f = 1\n    else:\n        f = 2\n    f()", None),
    "bound in one branch": ("f = 1\n    if x:\n        f = 2\n    f()", None),
    "bound later in a turn": ("f = 1\n    for i in x:\n        f(i)\n        f = 2", None),
    "bound by a test": ("f = 1\n    while f():\n        f = 2", None),
    "bound before an exception": (
        "f = 1\n    try:\n        f = 2\n    except ValueError:\n        f()",
        None,
    ),
    "read by a function": ("f = 1\n    g = lambda: f()\n    f = 2\n    f()", None),
    "bound by a loop": ("f = 1\n    f()\n    for f in x:\n        f()", [1]),
    "bound by a function": ("f = 1\n    f()\n    def f():\n        pass\n    f()", [1]),
    "bound in a pair": ("f = 1\n    f()\n    f, g = x\n    f()", [1]),
    "grown": ("f = []\n    f()\n    f.append(1)\n    f = 2\n    f()", [2, 1]),
    "grown and read again": ("f = []\n    f()\n    f.append(1)\n    f()", None),
}


@pytest.mark.parametrize("case", _BODIES)
def test_reads_of_a_local_name(case: str) -> None:
    body, expected = _BODIES[case]
    source = f"def run(x, wrap):\n    {body}\n"
    tree = Tree(ast.parse(source), MAIN, analysis_of(source).project)
    loads = [n for n in tree.of_kind(ast.Name) if n.id == "f" and isinstance(n.ctx, ast.Load)]
    assignments = [
        each
        for each in tree.of_kind(ast.Assign)
        if isinstance(each.targets[0], ast.Name) and each.targets[0].id == "f"
    ]
    assignments.sort(key=lambda each: each.lineno)
    found = [ReachingStatements(tree).reads_of(each, loads) for each in assignments]
    if expected is None:
        assert set(map(bool, found)) == {False}
        assert None in found
    else:
        assert [len(each or ()) for each in found] == expected
