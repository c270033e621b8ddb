"""What the gate lets pass, and what it says of the rest."""

import ast
import sys
from collections import Counter

import pytest

from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.rewrite.gate import checks
from nnx_migrate.rewrite.gate.checks import Gate, Refused
from nnx_migrate.rewrite.gate.untouched_nodes import Version
from nnx_migrate.rewrite.text.edits import Edit, Text

BEFORE = "import jax  # arrays\n\n\ndef f(x):\n    return jax.jit(x)  # fast\n"


def _gate(before: str) -> Gate:
    return Gate(_version(before))


def _version(text: str) -> Version:
    return Version(Text(text), parse(text))


def gate(before: str, after: str) -> str:
    """Why a text may not take the place of another; empty when it may."""
    try:
        _gate(before).passed(Text(after))
    except Refused as refused:
        return str(refused)
    return ""


def test_a_text_that_passes_gives_its_syntax_tree() -> None:
    after = BEFORE.replace("jax.jit(x)", "jax.vmap(x)")
    assert ast.dump(_gate(BEFORE).passed(Text(after))) == ast.dump(ast.parse(after))
    assert gate(BEFORE, after) == ""


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (BEFORE + "def g(:\n", "the result would not parse"),
        (BEFORE + "\0", "the result would not parse"),
        (BEFORE.replace("  # fast", ""), "a comment would be lost: # fast"),
        (BEFORE.replace("# fast", "# faster"), "a comment would be lost: # fast"),
        (BEFORE.replace("# fast", "and '# fast'"), "a comment would be lost: # fast"),
        (BEFORE.replace("jax.jit(x)", "nnx.jit(y)"), "names that nothing binds: nnx, y"),
        (BEFORE.replace("import jax", "pass"), "names that nothing binds: jax"),
    ],
)
def test_a_text_that_does_not_is_refused_with_the_reason(after: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        _gate(BEFORE).passed(Text(after))
    assert reason in gate(BEFORE, after)


@pytest.mark.parametrize(
    "after",
    [
        "# fast\n# arrays\n",
        "# arrays\r\n# fast   \r\n",
        "# arrays\n# fast\n# fast\n",
    ],
)
def test_comments_may_move_and_multiply(after: str) -> None:
    assert gate(BEFORE, after) == ""


def test_one_of_two_equal_comments_is_missed() -> None:
    assert "# same" in gate("a = 1  # same\nb = 2  # same\n", "a = 1\nb = 2  # same\n")


def test_what_nothing_bound_before_may_stay_so() -> None:
    assert gate("f(undefined)\n", "g = undefined\n") == ""
    assert "other" in gate("f(undefined)\n", "f(undefined, other)\n")


WRONG = {
    "duplicate argument": "def f(x, x): pass",
    "from __future__ imports must occur at the beginning": "x = 1\nfrom __future__ import division",
    "no binding for nonlocal 'x' found": "def f():\n    nonlocal x",
    "name 'x' is assigned to before global declaration": "def f():\n    x = 1\n    global x",
    "name 'x' is parameter and nonlocal": "def f(x):\n    nonlocal x",
    "'return' outside function": "class A:\n    return 1",
    "'break' outside loop": "if 1:\n    break",
    "'continue' not properly in loop": "def f():\n    continue",
    "'await' outside function": "await f()",
    "'yield' outside function": "yield",
    "multiple starred": "*a, *b = c",
    "keyword argument repeated": "f(x=1, x=2)",
}


@pytest.mark.parametrize("reason", WRONG)
def test_what_parses_and_does_not_compile_is_refused(reason: str) -> None:
    assert reason in gate("a = b = c = f = 1\n", f"a = b = c = f = 1\n{WRONG[reason]}\n")


@pytest.mark.parametrize("text", ["return 1", "def f(x, x): pass", "break"])
def test_what_did_not_compile_before_need_not_afterwards(text: str) -> None:
    assert gate(f"{text}\n", f"{text}\nx = 1\n") == ""


def test_a_cell_may_wait_and_must_compile_otherwise() -> None:
    assert gate("f = 1\nawait f()\n", "f = 1\nawait f(), 1\n") == ""
    assert "outside loop" in gate("f = 1\nawait f()\n", "f = 1\nawait f()\nbreak\n")


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="annotations are scopes of their own")
def test_the_features_of_the_gate_are_not_those_of_the_file() -> None:
    # It does not compile with the `from __future__ import annotations` that the gate has.
    assert gate("def f(): 1\n", "def f(): x: (yield) = 1\n") == ""


SCOPES = {
    "another function": ("def f(a):\n    a\ndef g():\n    1\n", "1", "a", "a"),
    "a class, from its method": ("class C:\n    a = 1\n    def f(self): 2\n", "2", "self.a", ""),
    "a class": ("class C:\n    a = 1\n    def f(self):\n        2\n", "2", "a", "a"),
    "a comprehension": ("[a for a in ()]\n3\n", "3", "a", "a"),
    "a lambda": ("f = lambda a: a\n3\n", "3", "a", "a"),
    "a function inside": ("def f():\n    def g():\n        a = 1\n    3\n", "3", "a", "a"),
    "a name that is deleted": ("def f(a):\n    def g(): 3\n", "3", "a", ""),
    "a global of a function": ("def f():\n    global a; a = 1\ndef g(): 3\n", "3", "a", ""),
    "a global of a function, from the module": ("def f():\n    global a; a = 1\n3\n", "3", "a", ""),
    "a function around": ("def f(a):\n    class C:\n        def g(self): 3\n", "3", "a", ""),
    "a name unbound elsewhere": ("def f(): u\ndef g(u): u, 3\n", "u, 3", "u", ""),
    "a name unbound elsewhere, where it was bound": (
        "def f(): u\ndef g(u): u, 3\n",
        "(u): u, 3",
        "(): u",
        "u",
    ),
    "a name unbound elsewhere, in a new place": ("def f(): u\nh = 3\n", "3", "lambda: u", ""),
    "an annotation that is not looked at": (
        "from __future__ import annotations\ndef f(x): 1\n",
        "(x)",
        "(x: T)",
        "T",
    ),
}


@pytest.mark.parametrize("name", SCOPES)
def test_names_are_judged_by_scope(name: str) -> None:
    before, old, new, unbound = SCOPES[name]
    assert before.count(old) == 1
    refusal = gate(before, before.replace(old, new))
    assert refusal == (
        f"the result would read names that nothing binds: {unbound}" if unbound else ""
    )


def test_what_edits_do_not_account_for_is_refused() -> None:
    before = _version("if a:\n    x = 1\ny = 2\n")
    start = before.text.text.index("y")
    with pytest.raises(Refused, match="line 3 would mean something else"):
        Gate(before).changed(before, [Edit(start, start, "    ")])


def test_a_version_passes_after_another() -> None:
    before = _version("a = f = 1\nf(a)\n")
    gate = Gate(before)
    first = gate.changed(before, [Edit(10, 10, "x = ")])
    assert first.text.text == "a = f = 1\nx = f(a)\n"
    second = gate.changed(first, [Edit(16, 17, "x")])
    assert ast.dump(second.tree) == ast.dump(ast.parse("a = f = 1\nx = f(x)\n"))
    with pytest.raises(Refused, match="z"):
        gate.changed(second, [Edit(16, 17, "z")])


LOSING = {
    "the comment": ("# c", ""),
    "a part of it": ("c\n", "d\n"),
    "the end of its line": ("\nb", "; b"),
    "a quote above it": ("a", "'a"),
    "a comment above it": ("  # c", "  # d  # c"),
}


@pytest.mark.parametrize("way", LOSING)
def test_no_edit_takes_a_comment(way: str) -> None:
    before = _version("a = 1  # c\nb = 2  # it's\n")
    old, new = LOSING[way]
    start = before.text.text.index(old)
    with pytest.raises(Refused, match=r"comment would be lost|would not parse"):
        Gate(before).changed(before, [Edit(start, start + len(old), new)])


def test_comments_are_read_only_where_an_edit_may_take_one(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Text] = []
    original = checks._comments

    def noting(text: Text) -> Counter[str]:
        read.append(text)
        return original(text)

    monkeypatch.setattr(checks, "_comments", noting)
    before = _version("a = f = 1\nf(a)  # c\n")
    gate = Gate(before)
    first = gate.changed(before, [Edit(10, 11, "(f)(a)\nf")])
    assert not read
    gate.changed(first, [Edit(10, 10, "# d\n")])
    assert len(read) == 2


BINDINGS = [
    "for x in (): x",
    "with open('f') as (x, [*y]): x, y",
    "try: pass\nexcept ValueError as x: x",
    "import a.b, c.d as e\na, e",
    "from m import *\nx",
    "def f(a, /, b, *c, d, **e): a, b, c, d, e, f",
    "async def f(): f",
    "class C: C, __class__",
    "lambda x: x",
    "[x for x in ()]",
    "(x := 1), x",
    "match 1:\n    case [x, *y] | {'k': x, **y}: x, y\n    case z: z",
    "print, __file__, __name__",
]


@pytest.mark.parametrize("text", BINDINGS)
def test_every_way_to_bind_a_name_counts(text: str) -> None:
    assert gate("", text) == ""


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters_bind_names() -> None:
    assert gate("", "def f[T](x: T): T\nclass C[U]: U\ntype A[V] = V") == ""
