"""Many classes below one, and many functions of one name, are gone through once each."""

from __future__ import annotations

import collections
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.analysis.callgraph import called_functions, passed_within
from nnx_migrate.analysis.callgraph.call_targets import Handles
from nnx_migrate.analysis.callgraph.called_functions import Handle
from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.effects.captured.search import Search
from nnx_migrate.analysis.effects.flags import constructors
from nnx_migrate.analysis.effects.flags.own_stores import OwnStores, own_stores
from nnx_migrate.analysis.effects.transfer import Tracker
from nnx_migrate.analysis.interp.stores import outside
from nnx_migrate.analysis.interp.stores.fields import ClassAttributes
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy
from nnx_migrate.analysis.symbols.occurrences import Mentions
from nnx_migrate.analysis.symbols.passed_on import passed_on_in
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.engine import run as engine
from nnx_migrate.rewrite.classes.variables import in_place
from nnx_migrate.rewrite.model.functions import function_scopes
from nnx_migrate.sources.configuration import Configuration
from tests.unit.analysis.asking import analysis_of, scope_named, values_of

_BASE = """\
from flax import nnx


class Base(nnx.Module):
    width: int

"""
_BELOW = """
class Below{number}(Base):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.width = 2

    def forward(self, x, scale):
        return self.linear(x) * scale
"""
_USE = """
@nnx.jit
def step{number}(model: Base, x):
    layer = model.linear
    return model.forward(x, scale(layer, x)) * model.width
"""


@pytest.mark.parametrize("uses", [2, 12])
def test_each_is_gone_through_once(
    uses: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times: collections.Counter[tuple[Any, ...]] = collections.Counter()

    def counted(function: Any, *, of: slice) -> Any:
        def call(*given: Any) -> Any:
            times[function.__name__, *given[of]] += 1
            return function(*given)

        return call

    for name, of in (("_stores_of", slice(1, 3)), ("_find_declared", slice(1, 3))):
        monkeypatch.setattr(ClassAttributes, name, counted(getattr(ClassAttributes, name), of=of))
    at = called_functions._parameters_at
    monkeypatch.setattr(called_functions, "_parameters_at", counted(at, of=slice(0, 2)))
    below = "".join(_BELOW.replace("{number}", str(number)) for number in range(30))
    using = "".join(_USE.replace("{number}", str(number)) for number in range(uses))
    text = f"{_BASE}{below}\ndef scale(layer, x):\n    return x\n\n{using}"
    (tmp_path / "models.py").write_text(text)
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    assert {key[0] for key in times} >= {"_stores_of", "_find_declared"}
    assert max(times.values()) == 1, times.most_common(3)


_INHERITING = """\
from flax import nnx


class Base(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def update(self, name, value):
{writes}
        return getattr(self, name)

    def named(self, name):
        return getattr(self, name)

    def call(self, x):
        self.update("linear", x)
        return self.named(x)
"""
_HEIR = """

class Heir{number}(Base):
    pass
"""
_STEP = """

@nnx.jit
def step(model: Base, x):
    return model.call(x)
"""


def _effects_gone_through(folder: Path, heirs: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many effects are gone through for a class of which so many are below."""
    effects = Tracker.effects
    gone_through = 0

    def counted(self: Tracker) -> Any:
        nonlocal gone_through
        for each in effects(self):
            gone_through += 1
            yield each

    monkeypatch.setattr(Tracker, "effects", counted)
    writes = "".join(f"        self.a{number} = value\n" for number in range(20))
    below = "".join(_HEIR.format(number=number) for number in range(heirs))
    folder.mkdir()
    text = _INHERITING.format(writes=writes) + below + _STEP
    (folder / "models.py").write_text(text)
    engine.run([folder], Configuration(), write=None, jobs=1)
    monkeypatch.setattr(Tracker, "effects", effects)
    return gone_through


def test_what_a_method_does_is_told_once_for_all_that_inherit_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = _effects_gone_through(tmp_path / "few", 2, monkeypatch)
    many = _effects_gone_through(tmp_path / "many", 40, monkeypatch)
    assert 20 < many == few


@pytest.mark.parametrize("names", [4, 40])
def test_a_function_is_gone_through_once_for_all_of_its_names(
    names: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times: collections.Counter[Scope] = collections.Counter()

    def counted(scope: Scope, function: ir.Function, *given: Any) -> Any:
        times[scope] += 1
        return passed_on_in(scope, function, *given)

    monkeypatch.setattr(passed_within, "passed_on_in", counted)
    renamed = "".join(f"    f{n + 1} = f{n}\n" for n in range(names))
    text = (
        "from flax import nnx\n\n"
        "def scale(layer, x):\n    return x\n\n"
        f"def choose():\n    f0 = scale\n{renamed}    return f0, f{min(names, 4)}\n\n"
        "@nnx.jit\ndef step(model: nnx.Linear, x):\n    first, other = choose()\n"
        "    return other(model, first(model, x))\n"
    )
    (tmp_path / "models.py").write_text(text)
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    assert times[Scope("models", "choose:6:0")] == 1, times


_SUMS = """
class Sum{number}:
    def __add__(self, other):
        return other
"""
_SUMMED = """
@nnx.jit
def step{number}(model: nnx.Linear, x):
    return model((Sum{number}() + x) + x)
"""


def _operators_looked_at(folder: Path, classes: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often all operators of a project are gone through for methods of so many classes."""
    implied = Mentions.implied
    times = 0

    def counted(self: Mentions, first: str) -> Any:
        nonlocal times
        times += first == "__add__"
        return implied(self, first)

    monkeypatch.setattr(Mentions, "implied", counted)
    folder.mkdir()
    sums = "".join(_SUMS.replace("{number}", str(number)) for number in range(classes))
    summed = "".join(_SUMMED.replace("{number}", str(number)) for number in range(classes))
    (folder / "models.py").write_text(f"from flax import nnx\n\n{sums}\n{summed}")
    engine.run([folder], Configuration(), write=None, jobs=1)
    monkeypatch.setattr(Mentions, "implied", implied)
    return times


def test_operators_are_gone_through_once_for_all_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = _operators_looked_at(tmp_path / "few", 3, monkeypatch)
    many = _operators_looked_at(tmp_path / "many", 30, monkeypatch)
    assert 0 < many == few


def test_where_functions_lead_together_is_followed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times: collections.Counter[tuple[int, Handle]] = collections.Counter()
    aliases = Handles.aliases

    def counted(self: Handles, handle: Handle) -> Any:
        times[id(self), handle] += 1
        return aliases(self, handle)

    monkeypatch.setattr(Handles, "aliases", counted)
    functions = "".join(f"def f{n}(layer, x):\n    return layer(x)\n\n" for n in range(40))
    names = ", ".join(f"f{n}" for n in range(40))
    text = (
        f"from flax import nnx\n\n{functions}STEPS = [{names}]\nCHOSEN = STEPS\n\n"
        "@nnx.jit\ndef step(model: nnx.Linear, x):\n"
        "    for each in CHOSEN:\n        x = each(model, x)\n    return x\n"
    )
    (tmp_path / "models.py").write_text(text)
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    # Once for each number of steps that are left to go.
    assert len(times) > 40
    assert max(times.values()) <= 7, times.most_common(3)


_FLAGGED = """\
from flax import nnx


class Layer(nnx.Module):
    def __init__(self, rngs, sow=False):
        self.sow_it = sow

    def __call__(self, x):
        if self.sow_it:
            self.sow(nnx.Intermediate, "x", x)
        return x


class Encoder(nnx.Module):
    def __init__(self, rngs):
        self.layer = Layer(rngs)

"""
_METHOD = """
    def run{number}(self, x):
        return self.layer(x) + {number}
"""


@pytest.mark.parametrize("methods", [2, 12])
def test_what_a_class_stores_is_found_once(methods: int, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []

    def noting(project: Project, module: str, class_key: str) -> OwnStores:
        looked_at.append(class_key)
        return own_stores(project, module, class_key)

    monkeypatch.setattr(constructors, "own_stores", noting)
    text = _FLAGGED + "".join(_METHOD.format(number=i) for i in range(methods))
    analysis = analysis_of(text)
    for i in range(methods):
        assert not analysis.effects.of(scope_named(analysis, f"run{i}"), "self")
    assert sorted(key.partition(":")[0] for key in looked_at) == ["Encoder", "Layer"]


_DROPPING = """
class Layer{n}(nnx.Module):
    def __init__(self, rngs):
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.dropout(x)

"""


def _entered(calls: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often a function is met that so many calls of any of eight classes may run."""
    types = " | ".join(f"Layer{n}" for n in range(8))
    text = "from flax import nnx\n\n" + "".join(_DROPPING.replace("{n}", str(n)) for n in range(8))
    text += f"\ndef run(layer: {types}, x):\n" + "    x = layer(x)\n" * calls + "    return x\n"
    met = 0
    entered = Search._entered

    def counted(self: Search, followed: Any) -> Any:
        nonlocal met
        met += 1
        return entered(self, followed)

    monkeypatch.setattr(Search, "_entered", counted)
    analysis = analysis_of(text)
    found = analysis.uses.of(scope_named(analysis, "run"), "layer")
    monkeypatch.setattr(Search, "_entered", entered)
    assert len(found) == 8 * (calls > 0)
    return met


def test_all_classes_that_a_call_may_mean_are_gone_through_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert _entered(1, monkeypatch) == _entered(12, monkeypatch)


_KEEPING = """
class Below{n}(Base):
    def __init__(self):
        self.parts = []

"""


def _looked_at(classes: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often is found what a store goes to, where it may be any of so many classes."""
    text = "from flax import nnx\n\n\nclass Base(nnx.Module):\n    pass\n\n"
    text += "".join(_KEEPING.replace("{n}", str(n)) for n in range(classes))
    text += "\ndef fill(net: Base, part: nnx.Linear):\n    net.parts.append(part)\n"
    text += (
        "    net.parts = [part]\n\ndef use(net: Base):\n    parts = net.parts\n    return parts\n"
    )
    met_in = outside._met_in
    looked = 0

    def counted(*given: Any) -> Any:
        nonlocal looked
        looked += 1
        return met_in(*given)

    monkeypatch.setattr(outside, "_met_in", counted)
    analysis = analysis_of(text)
    assert values_of(analysis, "parts", "use")
    monkeypatch.setattr(outside, "_met_in", met_in)
    return looked


def test_what_stores_go_to_is_found_once_for_all_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0 < _looked_at(20, monkeypatch) == _looked_at(2, monkeypatch)


def _stores_kept(classes: int) -> int:
    """How many answers are kept of what so many classes store under a name that one of them has."""
    text = "from flax import nnx\n\n\nclass Base(nnx.Module):\n    def __init__(self, rngs):\n"
    text += "        self.part = nnx.Linear(2, 2, rngs=rngs)\n\n"
    text += "".join(_KEEPING.replace("{n}", str(n)) for n in range(classes))
    text += "\ndef use(net: Base):\n    part = net.part\n    return part\n"
    analysis = analysis_of(text)
    assert values_of(analysis, "part", "use")
    attributes = ClassAttributes(analysis.evaluator.hierarchy, analysis.evaluator.callers.mentions)
    for class_name in analysis.evaluator.hierarchy.all_classes:
        attributes.stored(class_name, "part")
    return sum(map(len, attributes._stored.values()))


def test_what_most_classes_do_not_store_is_not_kept() -> None:
    assert _stores_kept(2) == _stores_kept(20) == 1


_REPLACING = """
class Loss{number}(nnx.Variable):
    pass


class Term{number}(nnx.Module):
    def __init__(self):
        self.term = Loss{number}(jnp.zeros(()))

    def __call__(self, x):
        self.term = Loss{number}(jnp.mean(x))
        return x
"""


@pytest.mark.parametrize("classes", [2, 12])
def test_sites_are_gone_through_once_for_all_variables_that_methods_replace(
    classes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Any] = []

    def noting(*given: Any) -> Any:
        looks.append(given)
        return function_scopes(*given)

    monkeypatch.setattr(in_place, "function_scopes", noting)
    terms = "".join(_REPLACING.replace("{number}", str(number)) for number in range(classes))
    sites = "".join(
        f"\n@nnx.jit\ndef step{i}(model: Term0, x):\n    return model(x)\n" for i in range(5)
    )
    (tmp_path / "terms.py").write_text(
        f"import jax.numpy as jnp\nfrom flax import nnx\n{terms}{sites}"
    )
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    assert len(looks) == 5


_TWO_BASES = """
class Base0(nnx.Module):
    pass


class Other0(nnx.Module):
    pass


"""


def _asked_about(bases: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many expressions are asked which class they are, for one of so many bases."""
    asked: list[ir.Expr] = []
    original = Hierarchy.class_name

    def noted(self: Hierarchy, scope: Scope, expr: ir.Expr, *seen: Any) -> str | None:
        asked.append(expr)
        return original(self, scope, expr, *seen)

    monkeypatch.setattr(Hierarchy, "class_name", noted)
    lines = (
        f"Base{n} = Base{n - 1} if FLAG else Other{n - 1}\n"
        f"Other{n} = Other{n - 1} if FLAG else Base{n - 1}\n"
        for n in range(1, bases)
    )
    top = f"class Net(Base{bases - 1}):\n    pass\n"
    text = f"from flax import nnx\n\nFLAG = True\n{_TWO_BASES}{''.join(lines)}\n\n{top}"
    hierarchy = analysis_of(text).evaluator.hierarchy
    (net,) = (each for each in hierarchy.all_classes if each.startswith("main:Net:"))
    above = {each.rpartition(":")[0] for each in hierarchy.ancestry(net).possible}
    assert {"main:Base0", "main:Other0"} <= above
    monkeypatch.undo()
    return len(asked)


def test_what_a_base_may_be_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the bases is one of two, of which each is one of two: 2,048 ways to the first."""
    few, many = (_asked_about(bases, monkeypatch) for bases in (6, 12))
    assert 0 < many < 4 * few
