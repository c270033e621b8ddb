"""Which answers about objects last over an edit of another file: those that it leaves the same."""

from __future__ import annotations

import pytest

from nnx_migrate.analysis.domain.fixpoint import UNKNOWN
from nnx_migrate.analysis.domain.rests_on import RestsOn
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.points_to.abstract_objects import Held, MadeBy, Variable
from nnx_migrate.analysis.points_to.containers.elements import all_objects
from nnx_migrate.analysis.points_to.object_finder import ObjectFinder
from tests.unit.analysis.asking import analysis_of, index_of, scope_named

MAIN = """
import lib


class Box:
    items = []

    def __init__(self, net):
        self.net = net
        self.pair = [net, Box.items]

    def put(self, net):
        self.last = net
        Box.items.append(net)

    def made(self):
        return [Box(self.net)]


def new():
    return Box(1)


def twice(one):
    return [one, one, new()]


def main():
    box = new()
    lib.given_by(new)
    lib.by(twice, box)
    lib.filled(Box(box), box)
    lib.made_of(Box, box)
    lib.own(box)
"""
LIB = """
class Kept:
    def __init__(self, one):
        self.one = one
        self.other = [one]

    def again(self):
        return Kept(self.one)


def given_by(function):
    return [function()]


def by(function, net):
    return function(net)


def filled(box, net):
    box.put(net)
    return box.made()


def made_of(kind, net):
    return kind(net)


def own(net):
    kept = Kept(net)
    return [kept.again(), own_pair(kept)]


def own_pair(kept):
    return [kept, kept.other]
"""
FUNCTIONS = ("given_by", "by", "filled", "made_of", "own", "own_pair")
MOVED = MAIN.replace("import lib\n", "import functools\n\nimport lib\n")


def _finder(analysis: Analysis) -> ObjectFinder:
    return analysis.sharing.objects


def _given(analysis: Analysis) -> dict[str, Held]:
    """What the functions of the other file return, and what they are passed stores."""
    finder = _finder(analysis)
    return {name: finder.returned(scope_named(analysis, name, "lib")) for name in FUNCTIONS}


def _before() -> Analysis:
    # From then on the file has tables of its own, as one that is edited has.
    return analysis_of({"lib.py": LIB, "main.py": MAIN}).replacing(index_of("main.py", MAIN))


def _computed(analysis: Analysis, patch: pytest.MonkeyPatch) -> list[str]:
    """The functions of which what they return is found for an analysis."""
    found: list[str] = []
    original = ObjectFinder._returned

    def noting(self: ObjectFinder, scope: object) -> Held:
        if self is _finder(analysis):
            found.append(str(getattr(scope, "function", "")).partition(":")[0])
        return original(self, scope)  # type: ignore[arg-type]

    with patch.context() as patched:
        patched.setattr(ObjectFinder, "_returned", noting)
        _given(analysis)
    return found


@pytest.mark.parametrize(
    "after",
    [
        MOVED,
        MAIN.replace("[one, one, new()]", "[one, new()]"),
        MAIN.replace("self.net = net", "self.net = None"),
        MAIN.replace("return Box(1)", "return [Box(1)]"),
    ],
    ids=["lines move", "a list", "a constructor", "a function"],
)
def test_what_rests_on_the_edited_file_is_found_anew(after: str) -> None:
    before = _before()
    _given(before)
    assert after != MAIN
    later = before.replacing(index_of("main.py", after))
    assert _given(later) == _given(analysis_of({"lib.py": LIB, "main.py": after}))


def test_what_does_not_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before = _before()
    _given(before)
    later = before.replacing(index_of("main.py", MOVED))
    assert set(FUNCTIONS) - set(_computed(later, monkeypatch)) == {"own", "own_pair"}
    # Nor is it after one more edit, when all that is known of it is that it lasts.
    last = later.replacing(index_of("main.py", MAIN))
    assert set(FUNCTIONS) - set(_computed(last, monkeypatch)) == {"own", "own_pair"}


def test_answers_tell_of_no_file_that_they_do_not_rest_on() -> None:
    finder = _finder(before := _before())
    _given(before)
    values = [(key, finder.final(key)) for key in list(finder._answers.known)]
    assert len(values) > 50
    for key, value in values:
        for one in all_objects(value) if isinstance(value, Held) else ():
            scopes = [one.place.scope]
            if isinstance(one.root, MadeBy | Variable):
                scopes += [one.root.scope, *(scope for scope, _ in one.root.within)]
            for scope in scopes:
                assert finder.rests_on.is_any_of(key, [scope.module]), (key, scope)
    assert any(value is not UNKNOWN for _, value in values)


def test_the_questions_of_a_circle_rest_on_the_same() -> None:
    rests = RestsOn()
    rests.begin("a", "one")
    rests.begin("b", "two")
    rests.asked("a", settled=False)  # which is being answered
    rests.begin("c", "three")
    rests.end()
    rests.asked("c", settled=True)
    rests.end()
    rests.asked("b", settled=False)
    rests.read("four")
    rests.end()
    for key, files in {"a": "1234", "b": "1234", "c": "3"}.items():
        names = dict(zip("1234", ("one", "two", "three", "four"), strict=True))
        assert [n for n, name in names.items() if rests.is_any_of(key, [name])] == list(files)


def test_what_lasts_rests_on_what_it_did() -> None:
    before = RestsOn()
    before.begin("a", "one")
    before.end()
    later = RestsOn(before)
    later.begin("b", "two")
    later.asked("a", settled=True)
    later.end()
    assert later.is_any_of("b", ["one"])
    assert later.is_any_of("a", ["one"])
    assert not later.is_any_of("a", ["two"])
