"""Syntax that is newer than the running Python is read place for place."""

from __future__ import annotations

import ast
import subprocess
import sys
import tokenize
from io import StringIO

import pytest

from nnx_migrate.core.deep_stack import run_deep
from nnx_migrate.sources.newer_syntax.blanking import blanked
from nnx_migrate.sources.newer_syntax.newer_tree import as_newer
from nnx_migrate.sources.python_text import parse, readable

#: What is written, and what it means to any Python.
READ = {
    "def f[T: (int, str), *Ts, **P](x: T) -> T: pass\n": "def f(x: T) -> T: pass\n",
    "def f [T = int] (x): pass\n": "def f(x): pass\n",
    "if 1:\n    async def f[\n        T,  # (\n        *U,\n    ](x): pass\n": (
        "if 1:\n    async def f(x): pass\n"
    ),
    "class A[T](B): x = 1\nclass C[T]: y = 1\n": "class A(B): x = 1\nclass C: y = 1\n",
    "type X = int; type Y[T] = list[T]; z = 1\n": "X = int; Y = list[T]; z = 1\n",
    "class A:\n    type  X [T] = int\n    y = 1\n": "class A:\n    X = int\n    y = 1\n",
    "type = 1\ntype (x)\ntype X = int\n": "type = 1\ntype (x)\nX = int\n",
    "lazy import a.b as c\nlazy from x import (y,\n z)\n": (
        "import a.b as c\nfrom x import (y,\n z)\n"
    ),
    "try: pass\nexcept A, B.c: pass\nexcept C , D(1) ,: pass\n": (
        "try: pass\nexcept (A, B.c): pass\nexcept (C, D(1)): pass\n"
    ),
    "try: pass\nexcept* A, B, C: pass\n": "try: pass\nexcept* (A, B, C): pass\n",
    "try: pass\nexcept A | B, C: pass\n": "try: pass\nexcept (A | B, C): pass\n",
    "try: pass\nexcept A, B : pass\nexcept C  : pass\n": (
        "try: pass\nexcept (A, B): pass\nexcept C: pass\n"
    ),
    'x = f"{a["k"]}"\n': "x = f'{a[\"k\"]}'\n",
    'f"{a["k"]}"\n': "f'{a[\"k\"]}'\n",
    'x = (f"{f"{f"{a(1)}"}"}", b)\n': "x = (f'''{f\"{f'{a(1)}'}\"}''', b)\n",
    'x = t"{a!r:>{b}}"\n': "x = (a, b)\n",
    "x = t''\n": "x = ()\n",
}


@pytest.mark.parametrize("text", READ)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_it_means_what_a_newer_python_says(text: str, newline: str) -> None:
    written = text.replace("\n", newline)
    found = blanked(written)
    assert found is not None
    assert [len(line) for line in found.split(newline)] == [
        len(line) for line in written.split(newline)
    ]
    tree = as_newer(ast.parse(found), written, found)
    assert ast.dump(tree) == ast.dump(ast.parse(READ[text]))
    compile(tree, "<text>", "exec")


FORMATTED = {
    'x = f"é {a["ü"]} é {b!r:>{w}.{c["p"]}} {d = }" "q"; e(1)\n': ["a", "b", "c", "d", "w"],
    "x = f'{\"\\n\".join(a)}'; e(1)\n": ["a"],
    'x = f"{a["k"] !s  }{b["k"],}{c["k"],:>{d["k"],}}"; e(1)\n': ["a", "b", "c", "d"],
    'x = f"{\n    a  # {\n}"; é = e(1)\n': ["a"],
    'x = "é" f"é{f"{f"{m(1)}"}"}" r"é"; e(1)\n': ["m"],
    "x = f'''{\na[f'''{b}''']\n!r:\n}'''; e(1)\n": ["a", "b"],
    'if a:\n    x = (f"{a["k"]}"\n         # é {\n         f"b"  # c\n         "d"); e(1)\n': ["a"],
    'x = f"{a["k"]}{{}}\\N{DASH}", f"{b}", f"{c["k"]}"; e(1)\n': ["a", "b", "c"],
}


@pytest.mark.parametrize("text", FORMATTED)
def test_what_strings_format_stands_where_it_is_written(text: str) -> None:
    found = blanked(text)
    assert found is not None
    tree = as_newer(ast.parse(found), text, found)
    values = [node for node in ast.walk(tree) if isinstance(node, ast.FormattedValue)]
    specs = [node.format_spec for node in values]
    strings = [n for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) and n not in specs]
    inside = {n.id: n for s in strings for n in ast.walk(s) if isinstance(n, ast.Name)}
    assert sorted(inside) == FORMATTED[text]
    for name, node in inside.items():
        if name != "b" or 'f"{b}"' not in text:  # which any Python reads, each in its own way
            assert ast.get_source_segment(text, node) == name
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert ("e(1)" in text) == ("e(1)" in {ast.get_source_segment(text, call) for call in calls})
    for string in strings:
        written = ast.get_source_segment(text, string)
        assert written is not None
        assert written[0] in "fr\"'"
        assert written[-1] in "\"'"
    assert list(tokenize.generate_tokens(StringIO(found).readline))


@pytest.mark.parametrize(
    "text",
    [
        "print 1\n",
        "def f[T(x): pass\n",
        "f'{x'\n",
        "type X\n",
        "x = [*y for y in z]\n",
        "f'{!r}'\n",
    ],
)
def test_what_neither_reads_is_an_error_of_python(text: str) -> None:
    with pytest.raises(SyntaxError) as raised:
        parse(text)
    with pytest.raises(SyntaxError) as expected:
        ast.parse(text)
    assert raised.value.msg == expected.value.msg
    assert readable(text) == text


STALLING = {
    "nested": "(" * 5_000 + ")" * 5_000,
    "never closed": "[" * 100_000,
    "displays": "{1:" * 150 + "1" + "}" * 150,
    "a chain": "a" + ".b" * 20_000,
    "a sum": "a" + " + a" * 20_000,
    "over lines": "(a" + "\n + a" * 20_000 + ")",
    "calls": "a" + "()" * 20_000,
    "negations": "not " * 20_000 + "a",
    "signs": "-" * 20_000 + "a",
    "functions": "lambda:" * 20_000 + "1",
    "conditions": "a if b else " * 20_000 + "c",
    "in a string": "f'{" + "-" * 20_000 + "1}'",
}


@pytest.mark.parametrize("name", STALLING)
def test_what_would_stall_libcst_is_not_given_to_it(name: str) -> None:
    text = f"def f[T](x): pass\nx = {STALLING[name]}\n"
    if name == "in a string":
        text = text.replace("'", '"', 1)
    assert run_deep(blanked, text) is None


def test_long_files_are_no_chains() -> None:
    lines = "x = [a.b.c(-1), 'a.b.c', {1: 2}]  # a.b.c\n" * 300 + '"""a. b. c."""\n' * 300
    text = f"def f[T](x): pass\n{lines}"
    assert blanked(text) == text.replace("[T]", "   ")


def test_other_files_do_without_libcst() -> None:
    program = (
        "import sys\nfrom nnx_migrate.sources.python_text import parse, readable\n"
        "parse('x = f\"{y}\"')\n"
        "try: parse('print 1')\nexcept SyntaxError: pass\n"
        "assert readable('x = f\"{y}\"') == 'x = f\"{y}\"'\n"
        "print('libcst' in sys.modules)\n"
        "parse('try: pass\\nexcept A, B: pass')\nprint('libcst' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="known there")
def test_what_tokenize_is_given_has_the_places_of_the_text() -> None:
    text = 'x = f"{a["#"]} #"  # é\ndef f[T](x): pass\n'
    parse(text)
    tokens = tokenize.generate_tokens(StringIO(readable(text)).readline)
    comments = [token.start for token in tokens if token.type == tokenize.COMMENT]
    assert comments == [(1, text.index("# é"))]


def test_a_text_is_readable_whether_it_was_parsed_before_or_not() -> None:
    text = "def never_parsed[T](x: T): pass\n"
    ast.parse(readable(text))
    assert len(readable(text)) == len(text)
