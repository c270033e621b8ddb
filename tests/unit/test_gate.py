"""What the gate lets pass, and what it says of the rest."""

import ast
import sys

import pytest

from nnx_migrate.rewrite.gate import Gate, Refused, gate

BEFORE = "import jax  # arrays\n\n\ndef f(x):\n    return jax.jit(x)  # fast\n"


def test_a_text_that_passes_gives_its_syntax_tree() -> None:
    after = BEFORE.replace("jax.jit(x)", "jax.vmap(x)")
    assert ast.dump(Gate(BEFORE).passed(after)) == ast.dump(ast.parse(after))
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
        Gate(BEFORE).passed(after)
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
    "match 1:\n    case [x, *y] | {'k': x, **y} | x: x, y",
    "print, __file__, __name__",
]


@pytest.mark.parametrize("text", BINDINGS)
def test_every_way_to_bind_a_name_counts(text: str) -> None:
    assert gate("", text) == ""


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters_bind_names() -> None:
    assert gate("", "def f[T](x: T): T\nclass C[U]: U\ntype A[V] = V") == ""
