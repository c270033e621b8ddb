"""What was found out of a function is not found out again for the next one that calls it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.analysis.callgraph import base, lattice
from nnx_migrate.analysis.callgraph.call_targets import Handles
from nnx_migrate.analysis.callgraph.called_functions import Handle
from nnx_migrate.analysis.callgraph.passed_within import PassedWithin
from nnx_migrate.analysis.domain.values import Values
from nnx_migrate.analysis.effects import reachability
from nnx_migrate.analysis.effects.aliases.may_alias import Aliases
from nnx_migrate.analysis.effects.captured.local_steps import LocalSteps
from nnx_migrate.analysis.effects.flags.constructors import ConstructorFlags
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.heap.reachable_variables import ContentsFinder
from nnx_migrate.analysis.incremental import Lasting
from nnx_migrate.analysis.points_to.shared_references import SharingFinder
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy
from nnx_migrate.analysis.symbols.imports import reverse_imports
from nnx_migrate.analysis.symbols.imports.reverse_imports import Dependents
from nnx_migrate.analysis.symbols.occurrences import Mentions
from nnx_migrate.core.findings import Outcome
from nnx_migrate.engine.run import run
from nnx_migrate.rewrite.classes import held
from nnx_migrate.sources.configuration import Configuration
from tests.hazards.test_connected import grow
from tests.perf.counting import calls_during
from tests.unit.analysis.asking import analysis_of, index_of, scope_named, values_of

_CHAIN = 20


def _project(steps: int) -> dict[str, str]:
    """A chain of functions in one file, and another with an object and functions that call it."""
    links = [f"def link{i}(x):\n    return link{i + 1}(x)\n" for i in range(_CHAIN)]
    net = "net = nnx.Linear(2, 2, rngs=nnx.Rngs(0))\n\ndef shown():\n    return net\n"
    callers = [f"def step{i}(x):\n    return lib.link0(x)\n" for i in range(steps)]
    head = f"import lib\nfrom flax import nnx\n\n{net}"
    last = f"def link{_CHAIN}(x):\n    return x\n"
    return {"lib.py": "\n".join([*links, last]), "main.py": "\n".join([head, *callers])}


def _counted(patch: pytest.MonkeyPatch, kind: type, name: str) -> list[tuple[Any, ...]]:
    """The arguments of all calls of a method from here on."""
    seen: list[tuple[Any, ...]] = []
    original = getattr(kind, name)

    def noting(self: Any, *args: Any) -> Any:
        seen.append(args)
        return original(self, *args)

    patch.setattr(kind, name, noting)
    return seen


def _uses(analysis: Analysis, steps: int) -> None:
    for i in range(steps):
        assert not analysis.uses.of(scope_named(analysis, f"step{i}"), "main.net")


def _reached(analysis: Analysis, steps: int) -> None:
    for i in range(steps):
        found = analysis.extents.reached((scope_named(analysis, f"step{i}"),))
        assert len(found) == _CHAIN + 2


@pytest.mark.parametrize(
    ("ask", "kind", "name"),
    [
        pytest.param(_uses, LocalSteps, "_call", id="uses"),
        pytest.param(_reached, reachability._Walk, "call", id="reached"),
    ],
)
def test_the_calls_of_a_function_are_looked_at_once(
    ask: Callable[[Analysis, int], None], kind: type, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = 5
    looks = _counted(monkeypatch, kind, name)
    files = _project(steps)
    analysis = analysis_of(files)
    ask(analysis, steps)
    assert len(looks) == steps + _CHAIN
    looks.clear()
    ask(analysis.replacing(index_of("main.py", "\n" + files["main.py"])), steps)
    assert len(looks) == steps  # and those of other files not after an edit either


def test_values_that_were_found_before_are_not_gone_through_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone_through: list[Values] = []

    def noting(found: Values) -> Values:
        gone_through.append(found)
        return lattice.limited(found)

    monkeypatch.setattr(base, "limited", noting)
    analysis = analysis_of(_project(5))
    for i in range(5):
        values_of(analysis, "x", f"step{i}")
        assert analysis.evaluator.returned(scope_named(analysis, f"step{i}"))
    assert len(gone_through) == len(set(gone_through)) < analysis.evaluator.fixpoint.computed / 5


def test_methods_in_sight_are_gone_through_once_for_all_that_may_run_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = "".join(f"        fs[{i}](self)\n" for i in range(20))
    net = "class Net(nnx.Module):\n    def __call__(self, *fs):\n"
    analysis = analysis_of(f"from flax import nnx\n\n{net}{calls}")
    (method,) = analysis.evaluator.callers.mentions.functions_named("__call__")
    effects = analysis.effects.of(method, "self")
    looks = _counted(monkeypatch, Mentions, "functions_named")
    found = [analysis.in_sight.possible(each, is_object=False) for each in effects]
    assert len(found) == 20
    assert len(looks) == len(set(looks))


def _looks_at_constructors(patch: pytest.MonkeyPatch, sows: int) -> int:
    """How often it is looked for what makes an object whose method sows under its flag."""
    sown = "".join(f"            self.sow(nnx.Intermediate, 'w{i}', x)\n" for i in range(sows))
    layer = (
        "class Layer(nnx.Module):\n"
        "    def __init__(self, sow=False):\n        self.asked = sow\n"
        f"    def __call__(self, x):\n        if self.asked:\n{sown}        return x\n"
    )
    net = (
        "class Net(nnx.Module):\n"
        "    def __init__(self, sow):\n        self.layer = Layer(sow=sow)\n"
        "    def run(self, x):\n        return self.layer(x)\n"
    )
    analysis = analysis_of(f"from flax import nnx\n\n{layer}\n{net}")
    looks = _counted(patch, ConstructorFlags, "_made")
    assert len(analysis.effects.of(scope_named(analysis, "run"), "self")) >= sows
    return len(looks)


def test_what_makes_an_object_is_looked_for_once_for_all_effects_of_a_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few, many = (_looks_at_constructors(monkeypatch, sows) for sows in (2, 20))
    assert 0 < many == few


_GIVEN = """
def call(f):
    return f(1)


def given(x):
    return x


call(given)
"""


def _followed(analysis: Analysis) -> None:
    given = scope_named(analysis, "given", "lib")
    assert len(analysis.evaluator.callers.handles.of(given)) > 1


def test_what_becomes_of_things_is_not_followed_again_after_an_edit_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = _counted(monkeypatch, Handles, "_told_by")
    analysis = analysis_of({"lib.py": _GIVEN, "main.py": "import lib\nlib.given(2)\n"})
    _followed(analysis)
    assert len(looks) > 2
    looks.clear()
    _followed(analysis.replacing(index_of("main.py", "import lib\n\nlib.given(2)\n")))
    assert not looks
    _followed(analysis.replacing(index_of("lib.py", f"\n{_GIVEN}")))
    assert looks


def test_where_names_lead_is_followed_once_for_all_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = _counted(monkeypatch, Dependents, "of")
    analysis = analysis_of({"lib.py": _GIVEN, "main.py": "import lib\nlib.given(2)\n"})
    for text in ("import lib\n\ndef f(): lib.given(2)\n", "import lib\ndef f(): lib.given(3)\n"):
        later = analysis.replacing(index_of("main.py", text))
        assert later.project.renewed == {"main"}
    assert looks == [("main",)]


def test_the_names_that_lead_to_a_file_are_looked_for_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of files that import each other in a circle, for whichever of them is edited."""
    looks: list[tuple[str, str]] = []
    leading_to = reverse_imports._leading_to

    def noting(record: Any, via: str) -> Any:
        looks.append((" ".join(sorted(record.imports)), via))
        return leading_to(record, via)

    monkeypatch.setattr(reverse_imports, "_leading_to", noting)
    linked = "from lib{next} import given as given{n}\n\ngiven = given{n}\n"
    files = {f"lib{n}.py": linked.format(next=(n + 1) % 9, n=n) for n in range(9)}
    project = analysis_of(files).project
    for module in project.modules:
        assert project.dependents.of(module) == project.modules.keys()
    assert len(looks) == len(set(looks)) == 9


def test_an_answer_is_looked_through_once_for_the_files_that_it_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = _counted(monkeypatch, Lasting, "_is_mentioned_by")
    classes = "".join(f"class Net{n}(Base):\n    pass\n\n\n" for n in range(9))
    head = "from flax import nnx\n\n\nclass Base(nnx.Module):\n    pass\n\n\n"
    given = "".join(f"def take{n}(net):\n    return net\n\n\n" for n in range(9))
    made = ", ".join(f"Net{n}()" for n in range(9))
    passed = f"for net in [{made}]:\n" + "".join(f"    take{n}(net)\n" for n in range(9))
    analysis = analysis_of({"lib.py": f"{head}{classes}{given}{passed}", "main.py": "x = 1\n"})
    takes = [scope_named(analysis, f"take{n}", "lib") for n in range(9)]
    found = [analysis.evaluator.returned(scope) for scope in takes]
    assert {len(values) for values in found} == {9}
    later = analysis.replacing(index_of("main.py", "x = 2\n"))
    assert [later.evaluator.returned(scope) for scope in takes] == found
    assert 0 < len(looks) <= 9


def test_an_edit_that_moves_no_name_concerns_no_file_that_imports_it() -> None:
    analysis = analysis_of({"lib.py": _GIVEN, "main.py": "import lib\nlib.given(2)\n"})
    inside = _GIVEN.replace("return x", "return [x]")
    assert inside != _GIVEN
    assert analysis.replacing(index_of("lib.py", inside)).project.renewed == {"lib"}
    for moved in (f"\n{_GIVEN}", _GIVEN.replace("given(x)", "given(x, y=1)")):
        assert analysis.replacing(index_of("lib.py", moved)).project.renewed == {"lib", "main"}


def _asked_after_an_edit(patch: pytest.MonkeyPatch, others: int) -> int:
    """How much of what files pass on is followed after an edit of one that passes the same on."""
    files = {f"lib{i}.py": _GIVEN for i in range(others)}
    analysis = analysis_of({**files, "main.py": _GIVEN})
    looks = _counted(patch, Handles, "_becomes")

    def follow(analysis: Analysis) -> int:
        looks.clear()
        handles = analysis.evaluator.callers.handles
        for module in analysis.project.modules:
            assert handles.of(scope_named(analysis, "given", module))
        return len(looks)

    assert follow(analysis) > others
    return follow(analysis.replacing(index_of("main.py", f"\n{_GIVEN}")))


def test_what_other_files_pass_on_is_not_followed_again_beside_what_the_edited_one_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few, many = (_asked_after_an_edit(monkeypatch, others) for others in (3, 12))
    assert 0 < many == few


def _asked_after_an_edit_of_what_takes_it(patch: pytest.MonkeyPatch, others: int) -> int:
    """How much is followed after an edit of a file that one file passes a function to."""
    passing = "from main import taking\nfrom lib import given\ntaking(given)\n"
    also = "from lib import given, call\ncall(given)\n"
    files = {f"user{i}.py": also for i in range(others)}
    main = "def taking(f):\n    return f(1)\n"
    analysis = analysis_of({**files, "lib.py": _GIVEN, "user.py": passing, "main.py": main})
    looks = _counted(patch, Handles, "_becomes")

    def follow(analysis: Analysis) -> int:
        looks.clear()
        given = scope_named(analysis, "given", "lib")
        found = analysis.evaluator.callers.handles.of(given)
        taking = scope_named(analysis, "taking", "main")
        assert Handle("f", taking) in found
        return len(looks)

    assert follow(analysis) > others
    return follow(analysis.replacing(index_of("main.py", f"\n{main}")))


def test_what_passes_something_to_the_edited_file_is_followed_again_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few, many = (_asked_after_an_edit_of_what_takes_it(monkeypatch, others) for others in (3, 12))
    assert 0 < many == few


_MAIN = """
import lib
lib.given(2)
def used(x):
    return x
def other(y):
    pass
again = used
"""


def test_what_becomes_of_things_is_followed_again_where_names_mean_something_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    analysis = analysis_of({"lib.py": f"import main\n{_GIVEN}\nmain.again(1)\n", "main.py": _MAIN})
    looks = _counted(monkeypatch, Handles, "_told_by")
    gone_through = _counted(monkeypatch, PassedWithin, "_all_within")
    _followed(analysis)
    assert looks
    assert gone_through
    looks.clear()
    gone_through.clear()
    # The file leads to the edited one, which offers it the same as before.
    _followed(analysis.replacing(index_of("main.py", _MAIN.replace("return x", "return [x]"))))
    _followed(analysis.replacing(index_of("main.py", f"\n\n{_MAIN}")))
    assert not looks
    _followed(analysis.replacing(index_of("main.py", _MAIN.replace("= used", "= other"))))
    assert looks
    # What the file says itself is what it was.
    assert not gone_through


def test_nothing_is_an_object_where_no_name_leads_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = _counted(monkeypatch, Aliases, "_is_rooted")
    analysis = analysis_of(_project(1))
    _uses(analysis, 1)
    assert {scope.module for scope, _ in looks} == {"main"}


_NETS = 8


def _holding() -> dict[str, str]:
    """A class that is given objects of many others, each in a file of its own."""
    head = "from flax import nnx\n\n"
    net = "class Net(nnx.Module):\n    def __init__(self, rngs):\n        self.w = nnx.Param(1)\n"
    block = "class Block(nnx.Module):\n    def __init__(self, inner):\n        self.inner = inner\n"
    files = {f"net{i}.py": head + net for i in range(_NETS)}
    imports = "".join(f"import net{i}\n" for i in range(_NETS))
    made = "".join(f"block{i} = Block(net{i}.Net(nnx.Rngs(0)))\n" for i in range(_NETS))
    return {**files, "main.py": f"{head}{imports}\n\n{block}\n\n{made}"}


def _hold(analysis: Analysis) -> None:
    values = values_of(analysis, "block0")
    assert analysis.contents.of(values).variables == {"Param"}
    assert not analysis.sharing.of(values)


def test_what_classes_hold_is_found_once_over_all_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    held = _counted(monkeypatch, ContentsFinder, "_class_contents")
    shared = _counted(monkeypatch, SharingFinder, "_reason_within")
    files = _holding()
    analysis = analysis_of(files)
    _hold(analysis)
    _hold(analysis)
    assert len(held) == _NETS + 1
    assert len(shared) == _NETS + 2  # Param, too
    held.clear()
    shared.clear()
    _hold(analysis.replacing(index_of("main.py", "\n" + files["main.py"])))
    assert len(held) == len(shared) == 1  # the class of the edited file


@pytest.mark.parametrize(("shared", "more"), [("loss", 1.15), ("block", 1.15), ("factory", 1.6)])
def test_work_grows_with_the_files_that_share_something(
    shared: str, more: float, tmp_path: Path
) -> None:
    # What a shared factory gives is of as many classes as there are files, and goes to each.
    few, many = (_work_on(grow(tmp_path / str(count), shared, count)) for count in (12, 48))
    assert many / few <= 4 * more


def _work_on(root: Path) -> int:
    return calls_during(lambda: run([root], Configuration(), write=None))


def test_a_method_is_looked_up_once_in_its_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = _counted(monkeypatch, Hierarchy, "_method")
    analysis = analysis_of(_holding())
    _hold(analysis)
    for each in analysis.evaluator.hierarchy.all_classes * 2:
        analysis.evaluator.hierarchy.method(each, "__init__")
    assert len(looks) == len(set(looks)) == _NETS + 1


_KEEPING = """\
from flax import nnx


class Part(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.linear(x)


class Model(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.one = Part(rngs)
        self.two = Part(rngs)
        self.rngs = rngs

    def __call__(self, x):
        return self.two(self.one(x)) + self.rngs.noise()
"""
_SITE = """

@nnx.jit
def forward{n}(model: Model, x):
    return model(x)


forward{n}(Model(nnx.Rngs(0)), 1.0)
"""


def _pinned(folder: Path, sites: int) -> None:
    folder.mkdir()
    text = _KEEPING + "".join(_SITE.replace("{n}", str(n)) for n in range(sites))
    (folder / "main.py").write_text(text)
    found = run([folder], Configuration(), write=None, jobs=1)
    assert found.totals.outcomes[Outcome.PINNED_MID] == sites


@pytest.mark.parametrize(
    ("kind", "name"), [(SharingFinder, "__init__"), (held, "_own_attributes"), (held, "_rngs_of")]
)
def test_what_classes_hold_is_not_found_anew_for_each_site_that_is_pinned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Any, name: str
) -> None:
    counts = []
    for sites in (2, 6):
        with monkeypatch.context() as patch:
            looks: list[object] = []
            original = getattr(kind, name)

            def noting(
                *args: Any, looks: Any = looks, original: Any = original, **named: Any
            ) -> Any:
                looks.append(args)
                return original(*args, **named)

            patch.setattr(kind, name, noting)
            _pinned(tmp_path / str(sites), sites)
            counts.append(len(looks))
    assert counts[0] == counts[1] > 0


def test_what_things_become_is_one_set_where_it_is_the_same() -> None:
    given = "".join(f"def given{n}(f):\n    return take(f)\n\n\n" for n in range(9))
    text = f"def take(f):\n    return f\n\n\n{given}"
    analysis = analysis_of(text)
    handles = analysis.evaluator.callers.handles
    found = [handles.aliases(Handle("f", scope_named(analysis, f"given{n}"))) for n in range(9)]
    assert found[0]
    assert len({id(each) for each in found}) == len(set(found)) == 1


def test_a_record_that_was_pickled_has_one_empty_set() -> None:
    functions = "".join(f"def f{n}(x):\n    return x\n\n\n" for n in range(9))
    record = pickle.loads(pickle.dumps(index_of("main.py", functions)))
    empty = [each.globals for each in record.functions.values()]
    assert len(empty) == 10
    assert len({id(each) for each in empty}) == 1
