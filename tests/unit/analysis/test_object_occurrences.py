"""Where an object of a module can occur is told too often, and never too seldom."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.effects.captured.occurrences import ObjectOccurrences
from nnx_migrate.analysis.effects.captured.search import Search
from nnx_migrate.analysis.effects.captured.steps import Enter
from nnx_migrate.analysis.effects.captured.uses import UseFinder
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.ir import nodes as ir
from tests.unit.analysis.asking import analysis_of

GOLDEN = Path(__file__).parents[3] / "golden"
HEAD = """\
import numpy as np
from flax import nnx

class Runner:
    def add(self, model):
        self.models = [model]

runner = Runner()
model = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
"""


def _names(files: dict[str, str], dotted: str = "main.model") -> set[str]:
    analysis = analysis_of(files)
    found = ObjectOccurrences(analysis.project).of(dotted)
    return {analysis.project.function(scope).name for scope in found}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f(x): return model(x)", {"f"}),
        ("def f(x):\n    one = model\n    return one(x)", {"f"}),
        ("def f(model): return model(x)", set()),
        ("def f(x): return x.model", set()),
        ("def f(x, kept=model): return kept(x)", {"f"}),
        ("parts = [model]\ndef f(x): return parts[0](x)", {"f"}),
        ("pair = (model, 1)\none, other = pair\ndef f(x): return one(x)", {"f"}),
        ("runner.add(model)\ndef f(x): return runner.models[0](x)", {"f"}),
        ("runner.best = model\ndef f(x): return runner.best(x)", {"f"}),
        ("def f(x): return globals()['model'](x)", {"f"}),
        ("def f(x):\n    global model\n    model = x", {"f"}),
        ("def f(x):\n    def g(y): return model(y)\n    return g(x)", {"g"}),
        ("def f(x): return [model(model) for model in x]", {"f"}),
        ("print(model)\nnp.save('model', model)\ndef f(x): return np.sin(x)", set()),
        ("other = nnx.clone(model)\ndef f(x): return other(x)", {"f"}),
        ("first = second = nnx.Rngs(0)\ndef f(x): return second()", set()),
        ("def f(x): return x + 1", set()),
    ],
)
def test_in_the_file_itself(code: str, expected: set[str]) -> None:
    assert _names({"main.py": f"{HEAD}{code}\n"}) == expected


def test_both_names_of_one_assignment() -> None:
    code = "first = second = nnx.Rngs(0)\ndef f(x): return second()\n"
    assert _names({"main.py": f"{HEAD}{code}"}, "main.first") == {"f"}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from main import model\ndef f(x): return model(x)", {"f"}),
        ("from main import model as net\ndef f(x): return net(x)", {"f"}),
        ("from main import *\ndef f(x): return model(x)", {"f"}),
        ("import main\ndef f(x): return main.model(x)", {"f"}),
        ("import main as m\ndef f(x): return getattr(m, 'model')(x)", {"f"}),
        ("def f(x):\n    import main\n    return main.model(x)", {"f"}),
        ("from between import kept\ndef f(x): return kept(x)", {"f"}),
        ("import main\nmain.runner.add(main.model)\ndef f(x): return main.runner", {"f"}),
        ("import main\ndef f(main): return main.model(x)", set()),
        ("def f(model): return model.model", set()),
    ],
)
def test_in_files_that_import_it(code: str, expected: set[str]) -> None:
    files = {"main.py": HEAD, "between.py": "from main import model as kept\n", "user.py": code}
    assert _names(files) == expected


def _used_all_the_same(analysis: Analysis) -> list[tuple[str, Scope]]:
    """The functions that use an object of a module which is said to occur in none."""
    uses: UseFinder = analysis.uses
    found = []
    for module, record in analysis.project.modules.items():
        for name in analysis.objects.of(module):
            dotted = f"{module}.{name}"
            if ObjectOccurrences(analysis.project).of(dotted):
                continue
            for key in record.functions.keys() - {ir.MODULE_SCOPE}:
                scope = Scope(module, key)
                if [*Search(uses._done_by).uses((Enter((scope, dotted)),))]:
                    found.append((dotted, scope))
    return found


@pytest.mark.parametrize("rule", sorted(path.name for path in GOLDEN.iterdir() if path.is_dir()))
def test_where_it_occurs_nowhere_nothing_uses_it(rule: str) -> None:
    for path in sorted(GOLDEN.joinpath(rule).rglob("before.py")):
        analysis = analysis_of({"main.py": path.read_text(encoding="utf-8")})
        assert not _used_all_the_same(analysis), path
