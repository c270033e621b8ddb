"""Odd sources and large projects: the facts raise nothing, and end."""

from __future__ import annotations

import ast
import random
import time
from pathlib import Path

import pytest

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.build import index_module
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.core.deep_stack import run_deep
from nnx_migrate.sources.text import decode
from tests.perf.counting import calls_during
from tests.unit.analysis.asking import analysis_of

ODD = {
    "empty": "",
    "self reference": "x = x\ny = [y]\nz = z.a.b()\nclass A(A): pass\nclass B(B.C): C = B\n",
    "functions in a circle": "def f(g=lambda: f): return g()(f)\nf(f)(f)\nf = f(f)\n",
    "decorators in a circle": "@g\ndef f(): return f\n@f\ndef g(): return g\n",
    "bases in a circle": "class A(B): pass\nclass B(A): pass\nx = A().b.c\nx = B().x\n",
    "no parameters": (
        "class A:\n    def f(): self.x = 1\n    def g(*a, **k): a[0].x = k\nA().f().g()\n"
    ),
    "star only": "def f(*, a): return f(*a, **a)\nf(*f(**f))\n",
    "global at module level": "global x\nx = 1\ndef f():\n    global x, y\n    y = x\n    del x\n",
    "nonlocal": (
        "def f():\n    x = 1\n    def g():\n        nonlocal x\n        x += f\n    return g\n"
    ),
    "calls of anything": "1()\n'a'.b()\n(lambda: 0)()()\n[].append()\n{}.update(*x)\nsuper().y()\n",
    "a module or a function": (
        "try:\n    import fast\nexcept ImportError:\n    def slow(x): return x\n"
        "    fast = slow\ndef f(x): return fast(x)\nf(1)\n"
    ),
    "setattr": "setattr()\nsetattr(x)\nsetattr(x, 'a')\nsetattr(x, 'a', 1, 2)\ngetattr()\nvars()\n",
    "map": "map()\nmap(f)\nimport functools\nfunctools.partial()\nfunctools.partial(*x)()\n",
    "match": "match x:\n    case {'a': [y, *z], **rest} | (1 as y): y.a = rest\n    case _: pass\n",
    "type parameters": (
        "import typing\nT = typing.TypeVar('T', bound='A[T]')\nx: 'T[' = 1\ny: '' = 2\n"
    ),
    "yields": "def f():\n    x = yield\n    y = yield from f()\n    z = [(yield) for _ in y]\n",
    "async": (
        "async def f():\n    async with a as b, c as (d, e): await b.x()\n"
        "    return [i async for i in d]\n"
    ),
    "deletes": "del a, b[0], c.d, (e, f[1:2])\n",
    "class in a function": (
        "def f():\n    class A:\n        def g(self): return A\n    return A().g()\n"
    ),
    "nnx in odd places": (
        "from flax import nnx\nnnx.grad\nnnx.grad()\nnnx.grad(nnx.grad)(nnx)\nnnx.merge()\n"
        "nnx.split()\nnnx.List()\nnnx.cond()\nnnx.switch(1)\nnnx.while_loop(nnx.jit)\n"
        "class A(nnx.Module, nnx.grad, metaclass=A): x: nnx.grad(A) = nnx.jit\n"
        "@nnx.jit()\n@nnx.vmap(A)\ndef f(a: nnx.jit): a.b = nnx.jit(a)(*a, **a)\nA(**A()).f()\n"
    ),
}


def ask_everything(analysis: Analysis, classes: bool = True) -> None:
    """Evaluate every name and call of every function, every effect, extent and class."""
    for module, index in analysis.project.modules.items():
        for key, function in index.functions.items():
            scope = Scope(module, key)
            names = [*function.bindings, *(p.name for p in function.parameters)]
            asked: list[ir.Expr] = [ir.Name(name) for name in names]
            for expr in (*asked, *function.calls, *function.reads):
                analysis.evaluator.values(scope, expr)
            for parameter in function.parameters:
                analysis.effects.of(scope, parameter.name)
            list(analysis.extents.obstacles((scope,)))
        for key in index.classes if classes else ():
            values = analysis.evaluator.values(Scope(module, ir.MODULE_SCOPE), ir.ClassRef(key))
            analysis.contents.of(values)
            analysis.evaluator.hierarchy.kind(f"{module}:{key}")


@pytest.mark.parametrize("case", ODD)
def test_odd_source_raises_nothing(case: str) -> None:
    ask_everything(analysis_of({"main.py": ODD[case]}))


def test_odd_sources_together_raise_nothing() -> None:
    files = {f"m{i}.py": text for i, text in enumerate(ODD.values())}
    stars = "".join(f"from m{i} import *\n" for i in range(len(files)))
    ask_everything(analysis_of({**files, "main.py": stars}))


def _installed(number: int) -> Project:
    folder = Path(ast.__file__).parent
    paths = sorted(folder.rglob("*.py"))
    random.Random(0).shuffle(paths)
    indexes: list[ir.ModuleIndex] = []
    for path in paths:
        if len(indexes) == number:
            break
        try:
            source = decode(path, path.read_bytes())
            ast.parse(source.text)
        except (SyntaxError, ValueError):
            continue
        name = ".".join(path.relative_to(folder).with_suffix("").parts)
        indexes.append(index_module(source, name.removesuffix(".__init__")))
    return Project(indexes)


def test_code_of_others_ends_without_an_error() -> None:
    """Any Python code: the standard library and what is installed beside it."""
    start = time.process_time()
    run_deep(lambda: ask_everything(Analysis(_installed(120))))
    assert time.process_time() - start < 120


def test_long_chains_of_assignments_grow_linearly() -> None:
    def work(length: int) -> int:
        lines = ["from flax import nnx", "x0 = nnx.Linear(2, 2, rngs=nnx.Rngs(0))"]
        lines += [f"x{i} = x{i - 1}" for i in range(1, length)]
        analysis = analysis_of("\n".join(lines) + "\n")
        return calls_during(
            lambda: [
                analysis.evaluator.values(Scope("main", ir.MODULE_SCOPE), ir.Name(f"x{i}"))
                for i in range(length)
            ]
        )

    few = work(400)
    assert few > 400
    assert work(4000) < 12 * few


def test_functions_that_all_call_each_other_end_soon() -> None:
    names = [f"f{i}" for i in range(60)]
    lines = ["class A: pass"]
    for name in names:
        lines += [f"def {name}(a, b):", *(f"    a = {other}(b, a)" for other in names)]
        lines += ["    return a"]
    lines += ["x = f0(A(), 1)"]
    analysis = analysis_of("\n".join(lines) + "\n")
    start = time.process_time()
    run_deep(lambda: ask_everything(analysis))
    assert time.process_time() - start < 60
