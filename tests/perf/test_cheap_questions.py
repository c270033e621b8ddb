"""What can be told from definitions is not asked of the evaluator, which goes through callers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.analysis import facts
from nnx_migrate.analysis.domain.fixpoint import Fixpoint
from nnx_migrate.analysis.domain.values import Instance, Scope, Values
from nnx_migrate.analysis.effects.captured.local_steps import LocalSteps
from nnx_migrate.analysis.effects.captured.steps import Steps
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import Held
from nnx_migrate.analysis.points_to.call_results import in_terms_of
from nnx_migrate.analysis.points_to.passed import calls as passed_calls
from nnx_migrate.analysis.points_to.passed import objects as passed_objects
from nnx_migrate.analysis.points_to.passed.nodes import PassedNodes
from nnx_migrate.analysis.points_to.passed.objects import PassedObjects
from nnx_migrate.analysis.points_to.queries import Objects
from nnx_migrate.analysis.points_to.shared_references import SharingFinder
from nnx_migrate.engine import run as engine
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.sources.configuration import Configuration

_TRAIN = """\
import jax
from flax import nnx
from lib import operators

model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
pair = operators.both(operators.run_all, 1.0)


@jax.jit
def step(x):
    return x * 2
"""
_BOTH = """\
def both(f, x):
    return f, [f(x)]
"""
_OPERATOR = """

class Operator{n}:
    def __add__(self, other):
        return Operator{n}(self.value + other.value)

    def __init__(self, value):
        self.value = value


def run{n}(x):
    return (Operator{n}(x) + Operator{n}(x)).value
"""


def _computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int, train: str = _TRAIN
) -> int:
    """How many answers are computed for a file that sees functions over many operators."""
    computed = []
    settle = Fixpoint._settle

    def noted(self: Fixpoint, question: Any) -> Any:
        computed.append(1)
        return settle(self, question)

    monkeypatch.setattr(Fixpoint, "_settle", noted)
    folder = tmp_path / str(many)
    (folder / "lib").mkdir(parents=True)
    (folder / "train.py").write_text(train)
    run_all = f"\n\ndef run_all(x):\n    return {' + '.join(f'run{n}(x)' for n in range(many))}\n"
    operators = "".join(_OPERATOR.replace("{n}", str(n)) for n in range(many))
    (folder / "lib" / "operators.py").write_text(_BOTH + operators + run_all)
    engine.run([folder], Configuration(), write=None, jobs=1)
    monkeypatch.undo()
    return len(computed)


def test_names_that_are_functions_lead_to_no_operators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, many = (_computed(tmp_path, monkeypatch, n) for n in (2, 40))
    assert many == few


_SCALED = """\
import jax
from flax import nnx
from lib import operators


class Net(nnx.Module):
    def __init__(self, rngs):
        self.rngs = rngs
        self.linear = nnx.Linear(2, 2, rngs=rngs)


def scaled(state):
    return jax.tree.map({given}, state)


scaled(operators.run_all(1.0))
"""


@pytest.mark.parametrize(("given", "same"), [("lambda a: a * 2", True), ("abs", False)])
def test_what_the_call_tells_is_not_asked_of_callers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, same: bool
) -> None:
    train = _SCALED.replace("{given}", given)
    few, many = (_computed(tmp_path, monkeypatch, n, train) for n in (2, 40))
    assert (many == few) is same


_TIED = """\
from flax import nnx


class Tied(nnx.Module):
    def __init__(self, rngs):
        self.embed = nnx.Linear(2, 2, rngs=rngs)
        self.head = self.embed

"""
_PLAIN = """
class Plain{n}(nnx.Module):
    def __init__(self, rngs):
        self.inner = nnx.Linear(2, 2, rngs=rngs)
        self.width = self.inner.kernel.shape[0]

"""


def test_only_classes_that_store_something_again_are_asked_what_they_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: set[str] = set()

    class Asked(SharingFinder):
        def of(self, values: Values) -> str:
            asked.update(
                v.class_name
                for v in values
                if isinstance(v, Instance) and v == Instance(v.class_name)
            )
            return super().of(values)

    monkeypatch.setattr(facts, "SharingFinder", Asked)
    plain = "".join(_PLAIN.replace("{n}", str(n)) for n in range(20))
    (tmp_path / "models.py").write_text(f"{_TIED}{plain}")
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    assert asked == {"models:Tied:4"}


_OBJECT = """\
import jax
from flax import nnx
import lib

model = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
print(model)


@jax.jit
def step(x):
    return lib.run0(x){use}
"""


@pytest.mark.parametrize(("use", "looks"), [("", (0, 0)), (" + model(x)", (3, 41))])
def test_what_is_called_is_looked_at_for_objects_that_occur_in_functions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, use: str, looks: tuple[int, int]
) -> None:
    looked: list[str] = []
    steps_of = LocalSteps.of

    def noted(self: LocalSteps, scope: Scope, name: str) -> Steps:
        if name == "train.model":
            looked.append(scope.function)
        return steps_of(self, scope, name)

    monkeypatch.setattr(LocalSteps, "of", noted)
    counts = []
    for many in (2, 40):
        folder = tmp_path / str(many)
        folder.mkdir()
        (folder / "train.py").write_text(_OBJECT.replace("{use}", use))
        runs = [f"def run{n}(x):\n    return run{n + 1}(x)\n\n\n" for n in range(many - 1)]
        runs.append(f"def run{many - 1}(x):\n    return x\n")
        (folder / "lib.py").write_text("".join(runs))
        looked.clear()
        engine.run([folder], Configuration(), write=None, jobs=1)
        counts.append(len(looked))
    assert tuple(counts) == looks


_LAYERS = """\
import adapters
import numpy as np
from flax import nnx


def layer0(xs):
    return adapters.given(xs)
"""
_LAYER = """

def layer{n}(xs):
    return layer{below}(xs) + layer{below}([xs, 1])
"""


@pytest.mark.parametrize(
    ("top", "follows"),
    [("[np.ones(2)]", False), ("nnx.Linear(2, 2, rngs=nnx.Rngs(0))", True)],
)
def test_ways_of_what_is_no_object_of_nnx_are_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, top: str, follows: bool
) -> None:
    followed = []

    def noted(*args: Any, **named: Any) -> Any:
        followed.append(1)
        return in_terms_of(*args, **named)

    monkeypatch.setattr(passed_calls, "in_terms_of", noted)
    layers = [_LAYER.format(n=n + 1, below=n) for n in range(4)]
    program = f"{_LAYERS}{''.join(layers)}\n\nlayer4({top})\n"
    (tmp_path / "main.py").write_text(program)
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    assert bool(followed) is follows


_WAYS = """\
from flax import nnx


class Base(nnx.Module):
    def forward(self, x):
        return run(self, x)


@nnx.jit
def run(layer, x):
    return x
"""
_WAY = """

class Way{n}(Base):
    def __init__(self, below: Base):
        self.below{n} = below

    def forward(self, x):
        return self.below{n}.forward(x)
"""


def test_ways_from_part_to_part_are_not_followed_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of eight classes that hold each other there are thousands of paths to an object in one."""
    followed = []

    def noted(*args: Any, **named: Any) -> Any:
        followed.append(1)
        return in_terms_of(*args, **named)

    monkeypatch.setattr(passed_calls, "in_terms_of", noted)
    ways = "".join(_WAY.format(n=n) for n in range(8))
    (tmp_path / "main.py").write_text(f"{_WAYS}{ways}")
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    assert 0 < len(followed) < 3_000


_METHOD = """\
import adapters
import numpy as np
from flax import nnx


class Net(nnx.Module):
    def step(self, xs):
        return adapters.given({given})


Net().step([np.ones(2)])
"""


@pytest.mark.parametrize(("given", "looks"), [("xs", False), ("self, xs", True)])
def test_whose_method_is_called_is_looked_for_where_the_object_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, looks: bool
) -> None:
    looked = []
    own_object = PassedNodes.own_object

    def noted(self: PassedNodes, where: Scope, call: ir.Call, at: float) -> Held:
        looked.append(call)
        return own_object(self, where, call, at)

    monkeypatch.setattr(PassedNodes, "own_object", noted)
    (tmp_path / "main.py").write_text(_METHOD.replace("{given}", given))
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    assert bool(looked) is looks


_CHAIN = """\
import adapters
from flax import nnx


@nnx.jit
def run(net, carry):
    return carry


def layer0(net, x):
    return run(net, [adapters.made(x), {given}])
"""
_HOLDERS = """

class Holder:
    def __init__(self):
        self.net = nnx.Linear(2, 2, rngs=nnx.Rngs(0))


def make():
    return Holder()


one, other = make(), make()
"""
_TWO_CALLS = """

def layer{n}(net, x):
    return layer{below}(net, x) + layer{below}(net, x)
"""


def _steps_through(
    folder: Path, monkeypatch: pytest.MonkeyPatch, layers: int, given: str, top: str
) -> tuple[int, str]:
    """How many calls are gone through for what is given in so many ways, and what is found."""
    followed = []

    def noted(*args: Any, **named: Any) -> Any:
        followed.append(1)
        return in_terms_of(*args, **named)

    monkeypatch.setattr(passed_calls, "in_terms_of", noted)
    folder.mkdir()
    chain = "".join(_TWO_CALLS.format(n=n + 1, below=n) for n in range(layers))
    text = f"{_CHAIN.replace('{given}', given)}{chain}{_HOLDERS}layer{layers}({top})\n"
    (folder / "main.py").write_text(text)
    done = engine.run([folder], Configuration(), write=None, jobs=1)
    (file,) = done.results
    return len(followed), " ".join(each.message for each in file.findings)


@pytest.mark.parametrize(
    ("given", "top", "twice"),
    [
        ("1", "one.net, one.net", False),
        ("x", "one.net, other.net", False),
        ("x", "one.net, one.net", True),
    ],
)
def test_what_is_made_in_many_ways_is_not_followed_in_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, top: str, twice: bool
) -> None:
    """Each of twelve functions calls the one below twice: there are 4,096 ways to the lowest."""
    few, said = _steps_through(tmp_path / "few", monkeypatch, 6, given, top)
    many, said_of_many = _steps_through(tmp_path / "many", monkeypatch, 12, given, top)
    assert 0 < many < 3 * few
    assert ("twice" in said) is ("twice" in said_of_many) is twice


_BESIDE = """\
import adapters
from flax import nnx


@nnx.jit
def run(net, carry):
    return carry


class Nets(nnx.Module):
    def __init__(self, net):
        self.net = net

    def layer0(self, net, carry):
        return run({given}, carry)
"""
_MORE_BESIDE = """
    def layer{n}(self, net, carry):
        one = self.layer{below}(net, [carry, adapters.one()])
        return one + self.layer{below}(net, [carry, adapters.other()])
"""


@pytest.mark.parametrize("given", ["net", "self.net"])
def test_arrays_beside_an_object_are_not_followed_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    """Each of ten methods adds one of two arrays to what it passes on: there are 1,024 values."""
    followed: list[int] = []

    def noted(*args: Any, **named: Any) -> Any:
        followed[-1] += 1
        return in_terms_of(*args, **named)

    monkeypatch.setattr(passed_calls, "in_terms_of", noted)
    for layers in (5, 10):
        folder = tmp_path / str(layers)
        folder.mkdir()
        chain = "".join(_MORE_BESIDE.format(n=n + 1, below=n) for n in range(layers))
        net = "nnx.Linear(2, 2, rngs=nnx.Rngs(0))"
        top = f"net = {net}\nnets = Nets(net)\nnets.layer{layers}(net, [1])\n"
        (folder / "main.py").write_text(f"{_BESIDE.replace('{given}', given)}{chain}\n\n{top}")
        followed.append(0)
        engine.run([folder], Configuration(), write=None, jobs=1)
    few, many = followed
    assert 0 < many < 3 * few


_CAPTURING = """\
import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.count = nnx.Variable(0)

    def __call__(self, x):
        return x


class Counting(Net):
    def __call__(self, x):
        self.count[...] += 1
        return x


def run(net: {kind}, x):
    @jax.checkpoint
    def part(x):
        return net(x)

    return part(x)
"""


@pytest.mark.parametrize(("kind", "asked"), [("Net", False), ("Counting", True)])
def test_what_is_done_to_a_captured_object_is_asked_where_it_is_updated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, asked: bool
) -> None:
    looks: list[tuple[Scope, str]] = []
    effects_of = FileContext.effects_of

    def noted(self: FileContext, scope: Scope, parameter: str) -> Any:
        looks.append((scope, parameter))
        return effects_of(self, scope, parameter)

    monkeypatch.setattr(FileContext, "effects_of", noted)
    (tmp_path / "main.py").write_text(_CAPTURING.replace("{kind}", kind))
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    assert any(name == "net" for _, name in looks) is asked


_OF_ANOTHER = """\
import adapters
from flax import nnx

net = nnx.Linear(2, 2, rngs=nnx.Rngs(0))


def given(path: str, rate: float, net: nnx.Linear):
    return adapters.run({operand})
"""


@pytest.mark.parametrize(
    ("operand", "followed"),
    [("path", False), ("[path, (rate, {'at': path})]", False), ("[path, net]", True)],
)
def test_texts_and_numbers_for_another_package_are_not_followed_to_callers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, operand: str, followed: bool
) -> None:
    code = _OF_ANOTHER.replace("{operand}", operand)
    assert bool(_followed_to_callers(tmp_path, monkeypatch, code)) is followed


def test_what_packages_of_arrays_are_given_is_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = _OF_ANOTHER.replace("{operand}", "net").replace("adapters", "array_api_compat")
    assert not _followed_to_callers(tmp_path, monkeypatch, code)


@pytest.mark.parametrize(("method", "followed"), [("warning", False), ("run", True)])
def test_what_loggers_write_down_is_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, followed: bool
) -> None:
    made = 'adapters.get_logger("train")'
    code = _OF_ANOTHER.replace("adapters.run({operand})", f'{made}.{method}("%s", net)')
    assert bool(_followed_to_callers(tmp_path, monkeypatch, code)) is followed


def _followed_to_callers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> list[tuple[ir.Expr, ...]]:
    """The values of which all that calls pass is looked at."""
    looks: list[tuple[ir.Expr, ...]] = []
    twice = passed_objects.PassedObjects.twice

    def noted(self: Any, scope: Scope, given: tuple[ir.Expr, ...], *args: Any, **named: Any) -> str:
        looks.append(given)
        return twice(self, scope, given, *args, **named)

    monkeypatch.setattr(passed_objects.PassedObjects, "twice", noted)
    (tmp_path / "main.py").write_text(code)
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    return looks


_WRAPPER = """

class Wrapper{n}(nnx.Module):
    def __init__(self, net, other):
        self.net = net
        self.other = other

    @nnx.remat
    def step(self, x):
        return self.other.step(self.net.step(x))
"""
_IMPORT = "from flax import nnx\n"
_BUILD = """

def build(kind):
    net = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
"""
_WRAPS = """\
    if kind == {n}:
        net = Wrapper{n}(net, build(kind - 1))
"""
_TOP = """

build(9).step(1)
"""


def test_wrappers_that_hold_each_other_are_not_followed_in_all_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the wrappers may hold any other, so there is no end of ways to the innermost."""
    followed: list[int] = []

    def noted(*args: Any, **named: Any) -> Any:
        followed[-1] += 1
        return in_terms_of(*args, **named)

    monkeypatch.setattr(passed_calls, "in_terms_of", noted)
    for count in (2, 4):
        folder = tmp_path / str(count)
        folder.mkdir()
        classes = "".join(_WRAPPER.format(n=n) for n in range(count))
        wraps = "".join(_WRAPS.format(n=n) for n in range(count))
        (folder / "main.py").write_text(f"{_IMPORT}{classes}{_BUILD}{wraps}    return net\n{_TOP}")
        followed.append(0)
        engine.run([folder], Configuration(), write=None, jobs=1)
    few, many = followed
    assert 0 < many < 6 * few


_RETURNED = """\
from flax import nnx


@nnx.jit
def step(model, x):
    return {returned}


def run(net, x):
    return net(x)


step(nnx.Linear(2, 2, rngs=nnx.Rngs(0)), 1)
"""


@pytest.mark.parametrize(
    ("returned", "asks"), [("model, run(model, x)", False), ("run(model, x)", True)]
)
def test_what_is_returned_by_its_name_is_not_looked_for_in_what_calls_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, returned: str, asks: bool
) -> None:
    asked, said = list[str](), list[str]()
    gives_back, whole = PassedObjects.gives_back, Objects.returned

    def noted(self: PassedObjects, scope: Scope, name: str, known: bool) -> bool:
        before = len(asked)
        found = gives_back(self, scope, name, known)
        if name == "model":
            said.append(f"{found} {len(asked) > before}")
        return found

    def counted(self: Objects, scope: Scope) -> Held:
        asked.append(scope.function)
        return whole(self, scope)

    monkeypatch.setattr(PassedObjects, "gives_back", noted)
    monkeypatch.setattr(Objects, "returned", counted)
    (tmp_path / "main.py").write_text(_RETURNED.format(returned=returned))
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    assert said[0] == f"{not asks} {asks}"
