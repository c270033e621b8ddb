"""The recorder and the analysis call a function by one name."""

from __future__ import annotations

import ast
import json
from collections import Counter
from pathlib import Path

import pytest

from nnx_migrate.analysis.ir.build import index_module
from nnx_migrate.analysis.symbols.observed import Observations
from nnx_migrate.check.recording import compiling
from nnx_migrate.observe import instrument
from nnx_migrate.observe.functions import watched
from nnx_migrate.sources.facts.observed_facts import ObservedFacts, SeenFile, SeenFunction
from nnx_migrate.sources.text import decode

ROOT = Path(__file__).parents[2]
NASTY = """\
def outer(a):
    class Inside:
        if a:
            def method(self, b):
                def innermost(c):
                    return lambda d: d
                return innermost
    for _ in a:
        with a:
            async def waited(e): ...
    try:
        def tried(f): ...
    except ValueError:
        def failed(g): ...
    match a:
        case 1:
            def matched(h): ...
    return Inside


class Outermost:
    class Nested:
        def method(self, i): ...

    @property
    def twice(self): ...

    @twice.setter
    def twice(self, j): ...

    @staticmethod
    def loose(k, given=lambda x: x): ...


def twice_in_one(a, b=[lambda: [lambda: 0]]):
    return [(lambda: x)() for x in a] + [lambda: 1]


alone = {"a": [lambda: 2]}
"""


@pytest.mark.parametrize(
    "name", ["", "nnx_migrate/analysis/ir/build.py", "tests/unit/test_gate.py"]
)
def test_names_are_those_of_the_analysis(tmp_path: Path, name: str) -> None:
    text = (ROOT / name).read_text() if name else NASTY
    file = tmp_path / "code.py"
    file.write_text(text)
    paths = [each.path for each in watched(ast.parse(text))]
    own = [path for path, count in Counter(paths).items() if count == 1]
    index = index_module(decode(file, text.encode()), "code")
    functions = {path: SeenFunction(1, (path,), {}) for path in paths}
    facts = ObservedFacts(tmp_path, (), {"code.py": SeenFile("", functions)})
    observed = Observations(facts, {"code": index})
    found = [seen.tests[0] for f in index.functions.values() if (seen := observed.of(index, f))]
    assert sorted(found) == sorted(own)
    assert own


DOCUMENTED = """\
"Doc of the file."
from __future__ import annotations


def f(a):
    "Doc."
    raise a
"""


def test_a_function_stays_what_it_is(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    file = tmp_path / "code.py"
    file.write_text(DOCUMENTED)
    settings = tmp_path / "observe.json"
    touched = {str(file.resolve()): "code.py"}
    settings.write_text(json.dumps({"instrument": instrument.__name__, "touched": touched}))
    monkeypatch.setenv(compiling.VARIABLE, str(settings))
    compiling.plain_settings.cache_clear()
    request.addfinalizer(compiling.plain_settings.cache_clear)
    names: dict[str, object] = {}
    exec(compiling.instrumented_code(str(file)), names)
    assert (names["__doc__"], names["f"].__doc__) == ("Doc of the file.", "Doc.")
