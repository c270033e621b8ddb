"""Names that a function binds again: what they mean at which place."""

from __future__ import annotations

import ast

import pytest

from nnx_migrate.analysis.sites.reaching_statements import ReachingStatements
from nnx_migrate.analysis.sites.tree import Tree
from tests.unit.analysis.asking import MAIN, analysis_of

#: A body of `main(c)`, and the string that `x` is bound to where `use(x)` stands, None for any.
BODIES = {
    "once": ("x = 'a'; use(x)", None),  # nothing to choose from
    "one after the other": ("x = 'a'; use; x = 'b'; use(x)", "b"),
    "before it is bound again": ("x = 'a'; use(x); x = 'b'", "a"),
    "in one statement with what binds it": ("x = 'a'; x = 'b'; x = use(x)", "b"),
    "a parameter": ("c = 'b'; x = c; use(c)", "b"),
    "other branch": ("if c:\n  x = 'a'\nelse:\n  x = 'b'\n  use(x)", "b"),
    "same branch": ("x = 'a'\nif c:\n  x = 'b'\n  use(x)", "b"),
    "before branches": ("x = 'a'; x = 'b'\nif c:\n  use(x)", "b"),
    "same turn of a loop": ("for i in c:\n  x = 'b'; use(x); x = 'a'", "b"),
    "with": ("x = 'a'\nwith c:\n  x = 'b'\n  use(x)", "b"),
    "a list around it": ("x = 'a'; x = 'b'; [use(x) for i in c]", "b"),
    "behind branches": ("if c:\n  x = 'a'\nelse:\n  x = 'b'\nuse(x)", None),
    "behind a branch": ("x = 'a'\nif c:\n  x = 'b'\nuse(x)", None),
    "next turn of a loop": ("x = 'a'\nfor i in c:\n  use(x); x = 'b'", None),
    "test of a loop": ("x = 'a'\nwhile use(x):\n  x = 'b'", None),
    "behind a loop": ("x = 'a'\nfor i in c:\n  x = 'b'\nuse(x)", None),
    "handler": ("x = 'a'\ntry:\n  x = 'b'; c()\nexcept E:\n  use(x)", None),
    "behind try": ("x = 'a'\ntry:\n  c(); x = 'b'\nexcept E:\n  pass\nuse(x)", None),
    "behind with": ("x = 'a'\nwith c:\n  x = 'b'\nuse(x)", None),
    "nonlocal": ("x = 'a'\ndef f():\n  nonlocal x; x = 'b'\nx = 'a'; f(); use(x)", None),
    "loop variable": ("x = 'a'\nfor x in c:\n  use(x)", None),
    "of a list": ("x = 'a'; x = 'b'; [use(x) for x in c]", None),
    "of two lists": ("x = 'a'; x = 'b'; [use(x) for i in c for x in i]", None),
    "unpacked": ("x = 'a'; x, y = c; use(x)", None),
    "caught": ("x = 'a'\ntry:\n  pass\nexcept E as x:\n  use(x)", None),
    "class": ("x = 'a'; x = 'b'\nclass C:\n  x = c\n  y = use(x)", None),
    "added to": ("x = 'a'; x += c; use(x)", None),
    "behind a loop variable": ("for x in c:\n  pass\nx = 'b'\nuse(x)", "b"),
    "behind a pair": ("x, y = c\nx = 'b'\nuse(x)", "b"),
    "a parameter bound again": ("c = 'b'\nx = use(c)", "b"),
    "in a handler": ("x = 'a'\ntry:\n  x = c\nexcept use(x):\n  pass", None),
    "in a guard": ("x = 'a'\nx = 'b'\nmatch c:\n  case x if use(x):\n    pass", None),
    "in a test": ("x = 'a'\nif (x := c) and use(x):\n  pass", None),
    "else of a loop": ("x = 'a'\nfor x in c:\n  pass\nelse:\n  use(x)", None),
    "a turn that goes on": (
        "x = 'a'\nwhile c:\n  if c:\n    continue\n  x = 'b'\n  use(x)",
        "b",
    ),
    "a loop in it": ("x = 'a'\nfor i in c:\n  x = 'b'\n  for j in c:\n    use(x)", "b"),
    "a loop around both": (
        "x = 'a'\nfor i in c:\n  x = 'b'\n  for j in c:\n    use(x)\n    x = c",
        None,
    ),
    "class without it": ("x = 'a'; x = 'b'\nclass C:\n  y = use(x)", "b"),
    "case": ("x = 'a'\nmatch c:\n  case 1:\n    x = c\n  case 2:\n    use(x)", "a"),
}


@pytest.mark.parametrize("case", BODIES)
def test_local_name(case: str) -> None:
    body, expected = BODIES[case]
    lowered = _lowered(body)
    assert getattr(lowered, "text", None) == expected


#: The same of a function inside, where `x` is a function that `use(x)` gets.
FUNCTIONS = {
    "defined last": ("def x(a): pass\ndef x(b): pass\ndef f(): use(x)", "b"),
    "lambdas": ("x = lambda a: 0; x = lambda b: 0; f = lambda: use(x)", "b"),
    "a function in it": ("def x(a): 0\ndef x(b): 0\ndef f():\n  def g(): use(x)", "b"),
    "other branch": (
        "if c:\n  x = lambda a: 0\nelse:\n  x = lambda b: 0\n  def f(): use(x)",
        "b",
    ),
    "bound again behind it": ("x = lambda a: 0\ndef f(): use(x)\nx = lambda b: 0", None),
    "bound three times": ("x = c\nx = lambda a: 0\ndef f(): use(x)\nx = lambda b: 0", None),
    "bound again in a branch": (
        "def x(a): 0\ndef f(): use(x)\nif c:\n  def x(b): 0",
        None,
    ),
    "behind branches": (
        "if c:\n  x = lambda a: 0\nelse:\n  x = lambda b: 0\ndef f(): use(x)",
        None,
    ),
    "next turn": (
        "for i in c:\n  if i:\n    x = lambda a: 0\n  else:\n    x = lambda b: 0\n"
        "    def f(): use(x)",
        None,
    ),
    "each turn": (
        "x = lambda a: 0\nfor i in c:\n  x = lambda b: 0\n  def f(): use(x)",
        "b",
    ),
    "bound by a function": (
        "x = lambda a: 0\ndef g():\n  nonlocal x\n  x = lambda b: 0\ndef f(): use(x)",
        None,
    ),
    "own": ("x = lambda a: 0; x = lambda b: 0\ndef f(x): use(x)", None),
    "no function": ("x = lambda a: 0; x = c.b\ndef f(): use(x)", None),
}


@pytest.mark.parametrize("case", FUNCTIONS)
def test_name_of_the_function_around(case: str) -> None:
    body, expected = FUNCTIONS[case]
    lowered = _lowered(body)
    key = getattr(lowered, "key", None)
    analysis = analysis_of(_source(body))
    function = analysis.project.modules[MAIN].functions.get(key) if key else None
    assert (function.parameters[0].name if function else None) == expected


def _source(body: str) -> str:
    indented = "\n".join(f"  {line}" for line in body.splitlines())
    return f"from flax import nnx\ndef main(c):\n{indented}\n"


def _lowered(body: str) -> object:
    """What `x` is where `use` gets it."""
    source = _source(body)
    root = ast.parse(source)
    reaching = ReachingStatements(Tree(root, MAIN, analysis_of(source).project))
    (read,) = (
        node.args[0]
        for node in ast.walk(root)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "use"
    )
    return reaching.lowered(read)
