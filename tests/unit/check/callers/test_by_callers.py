"""A function of another interface passes by its callers, and nothing that is broken hides there."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping
from pathlib import Path

import pytest

from nnx_migrate.check.branches.lines import probes
from nnx_migrate.check.callers.judged import through_callers
from nnx_migrate.check.callers.recorded import Recorded
from nnx_migrate.check.compare.comparison import Difference
from nnx_migrate.check.compare.verdicts import CaseResult, ColumnResult, Verdict
from nnx_migrate.check.jobs import Side, SideName

_OLD = """\
def scale(x):
    return x * 2


def use(x):
    return scale(x) + 1
"""
_NEW = """\
def scale(x):
    return x * 2, x.sum()


def use(x):
    y, _ = scale(x)
    return y + 1
"""
_ANOTHER_TREE = ColumnResult(
    Verdict.DIFFERENT,
    part="call",
    difference=Difference("result", "array", "sequence tuple 2", structural=True),
)
_EQUAL = ColumnResult(Verdict.EQUAL)


@dataclasses.dataclass(frozen=True)
class Program:
    """A library on both sides, and what is known of its cases.

    Args:
        old: `lib.py` before.
        new: `lib.py` after.
        also: files that are the same on both sides.
        callers: of `scale`, as recorded.
        cases: result of the case of each function.
        unran: functions whose lines no case ran.
        missed: functions of which calls are missing.
    """

    old: str = _OLD
    new: str = _NEW
    also: Mapping[str, str] = dataclasses.field(default_factory=dict)
    callers: Mapping[str, tuple[str, ...]] = dataclasses.field(
        default_factory=lambda: {"scale": ("lib.py:use",)}
    )
    cases: Mapping[str, ColumnResult] = dataclasses.field(
        default_factory=lambda: {"scale": _ANOTHER_TREE, "use": _EQUAL}
    )
    unran: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()

    def judged(self, folder: Path) -> dict[str, ColumnResult]:
        """What is said of each function in the end."""
        sides = []
        names: tuple[SideName, SideName] = ("old", "new")
        for name, text in zip(names, (self.old, self.new), strict=True):
            for path, content in {"lib.py": text, **self.also}.items():
                file = folder / name / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content)
            sides.append(Side(name, folder / name, (folder / name,)))
        lines: dict[str, dict[str, tuple[int, ...]]] = {
            "old": {"lib.py": self._ran(self.old)},
            "new": {"lib.py": self._ran(self.new)},
        }
        no_lines: dict[str, dict[str, tuple[int, ...]]] = {}
        results = [
            CaseResult(
                name if name.endswith(".py") else f"lib.py:{name}#1",
                {"new@graph": each, "new@tree": each},
                0.0,
                {},
                lines=lines if each.verdict.passes else no_lines,
            )
            for name, each in self.cases.items()
        ]
        callers = {f"lib.py:{name}": frozenset(each) for name, each in self.callers.items()}
        recorded = Recorded(callers, frozenset(f"lib.py:{name}" for name in self.missed))
        found = through_callers(results, (sides[0], sides[1]), recorded)
        return {
            each.name.rpartition(":")[2].removesuffix("#1"): each.columns["new@tree"]
            for each in found
        }

    def _ran(self, text: str) -> tuple[int, ...]:
        tree = ast.parse(text)
        skipped = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and node.name in self.unran
        ]
        out = {line for node in skipped for _, _, line in probes(node)}
        return tuple(line for _, _, line in probes(tree) if line not in out)


def _with(text: str, callers: tuple[str, ...] = ("lib.py:use",), **cases: ColumnResult) -> Program:
    """The program with more code in it, the same on both sides."""
    return Program(
        _OLD + text,
        _NEW + text,
        callers={"scale": callers},
        cases={"scale": _ANOTHER_TREE, "use": _EQUAL, **cases},
    )


def _twice(value: str) -> Program:
    """The program with another caller that computes a value, and is seen to call nothing."""
    return _with(f"\n\ndef other(x):\n    return {value}\n", other=_EQUAL)


def _two_calls(code: str) -> Program:
    """The program with another caller that calls twice, once for certain."""
    text = f"\n\ndef other(x):\n    y = scale(x)\n    {code}\n    return y\n"
    return _with(text, ("lib.py:use", "lib.py:other"), other=_EQUAL)


def test_it_passes_where_all_its_callers_do(tmp_path: Path) -> None:
    found = Program().judged(tmp_path)
    assert found["scale"].verdict is Verdict.BY_CALLERS
    assert found["scale"].verdict.passes
    said = "its interface changed; 1 caller was compared and passes: lib.py:use"
    assert found["scale"].reason == said
    # What differs when it is called alone stays to be read.
    assert found["scale"].difference == _ANOTHER_TREE.difference
    assert found["use"] == _EQUAL


def test_callers_that_pass_by_their_own_callers_count(tmp_path: Path) -> None:
    old = _OLD + "\n\ndef whole(x):\n    return use(x) * 3\n"
    new = _NEW.replace("return y + 1", "return y + 1, _")
    new += "\n\ndef whole(x):\n    return use(x)[0] * 3\n"
    cases = {"scale": _ANOTHER_TREE, "use": _ANOTHER_TREE, "whole": _EQUAL}
    callers = {"scale": ("lib.py:use",), "use": ("lib.py:whole",)}
    found = Program(old, new, callers=callers, cases=cases).judged(tmp_path)
    assert found["scale"].verdict is found["use"].verdict is Verdict.BY_CALLERS


@pytest.mark.parametrize(
    "code",
    [
        "for each in x:\n        y += scale(each)",
        "if x is None:\n        return y\n    y = scale(x)",
        "y = [scale(each) for each in x]",
        "try:\n        y = scale(x)\n    finally:\n        y += 1",
    ],
    ids=["in-a-loop", "behind-a-return", "in-a-comprehension", "before-a-finally"],
)
def test_a_caller_that_was_seen_came_to_its_only_call(code: str, tmp_path: Path) -> None:
    text = f"\n\ndef other(x):\n    y = x\n    {code}\n    return y\n"
    found = _with(text, ("lib.py:use", "lib.py:other"), other=_EQUAL).judged(tmp_path)
    assert found["scale"].verdict is Verdict.BY_CALLERS


@pytest.mark.parametrize("loop", ["range(2)", "(x, 2)", "[*x, 2]"])
def test_a_loop_that_has_a_first_round_is_come_to(loop: str, tmp_path: Path) -> None:
    found = _two_calls(f"for each in {loop}:\n        y += scale(each)").judged(tmp_path)
    assert found["scale"].verdict is Verdict.BY_CALLERS


def test_a_script_is_a_caller(tmp_path: Path) -> None:
    old = _OLD + "print(scale(3))\n"
    new = _NEW + "print(scale(3)[0])\n"
    callers = {"scale": ("lib.py:use", "lib.py")}
    cases = {"scale": _ANOTHER_TREE, "use": _EQUAL, "lib.py": _EQUAL}
    known = Program(old, new, callers=callers, cases=cases)
    assert known.judged(tmp_path)["scale"].verdict is Verdict.BY_CALLERS
    broken = {**cases, "lib.py": _ANOTHER_TREE}
    found = dataclasses.replace(known, cases=broken).judged(tmp_path)
    assert found["scale"].verdict is Verdict.DIFFERENT


_RAISES = ColumnResult(Verdict.EQUAL, "both raise KeyError: x", raised=True)
_NOT_CHECKED = ColumnResult(Verdict.NOT_CHECKED, "nothing to compare")
_NUMBERS = ColumnResult(
    Verdict.DIFFERENT, part="call", difference=Difference("result", "2.0 float32", "3.0 float32")
)
_GRADIENT = dataclasses.replace(_ANOTHER_TREE, part="gradient")


@pytest.mark.parametrize(
    ("program", "why"),
    [
        pytest.param(
            _with("", use=_NUMBERS),
            "lib.py:use calls it, and was not compared",
            id="caller-differs",
        ),
        pytest.param(
            _with("", use=_NOT_CHECKED), "lib.py:use calls it, and was not", id="caller-not-checked"
        ),
        pytest.param(
            _with("", use=_RAISES), "lib.py:use calls it, and was not", id="caller-raises-alike"
        ),
        pytest.param(
            dataclasses.replace(_with(""), missed=("use",)),
            "lib.py:use calls it, and was not compared",
            id="calls-of-the-caller-are-missing",
        ),
        pytest.param(
            _with("", ("lib.py:use", "")), "other code calls it", id="called-from-elsewhere-too"
        ),
        pytest.param(
            _with("", ()), "no function was seen to call it", id="nobody-was-seen-to-call-it"
        ),
        pytest.param(
            _with("\n\ndef never_run(x):\n    return scale(x)\n"),
            "lib.py:never_run calls it, and was not compared",
            id="a-caller-that-never-ran",
        ),
        pytest.param(
            dataclasses.replace(Program(), also={"other.py": "import lib\nprint(lib.scale(3))\n"}),
            "other.py calls it, and was not compared",
            id="another-file-at-module-level",
        ),
        pytest.param(
            dataclasses.replace(
                Program(), also={"other.py": "from lib import scale as s\n\n\ndef f():\n    s(1)\n"}
            ),
            "other.py calls it, and was not compared",
            id="under-another-name",
        ),
        pytest.param(
            _with("\n\nif __name__ == '__main__':\n    print(scale(3))\n"),
            "calls it, and no case runs that line",
            id="under-the-main-guard",
        ),
        pytest.param(
            _with(
                "\n\ndef f(module, x):\n    return getattr(module, 'scale')(x)\n",
            ),
            "lib.py:f calls it, and was not compared",
            id="looked-up-by-its-name",
        ),
        pytest.param(
            _with("\n\nSTEPS = {'a': globals()['scale']}\n"),
            "lib.py calls it, and was not compared",
            id="looked-up-in-a-namespace",
        ),
        pytest.param(
            _with("\n\nTARGET = 'lib:scale'\n"),
            "lib.py calls it, and was not compared",
            id="named-for-an-import",
        ),
        pytest.param(
            _with("\n\ndef keep(kept):\n    kept.append(scale)\n", keep=_EQUAL),
            "lib.py:10 of OLD passes it on",
            id="handed-on-by-a-function-that-passes",
        ),
        pytest.param(
            _with("\n\ndef make():\n    return lambda x: scale(x)\n", make=_EQUAL),
            "lib.py:10 of OLD passes it on",
            id="called-in-a-lambda-that-goes-elsewhere",
        ),
        pytest.param(
            _with(
                "\n\ndef kept():\n    step = scale\n    kept.step = step\n    return step(1)\n",
                kept=_EQUAL,
            ),
            "lib.py:10 of OLD passes it on",
            id="handed-on-under-a-local-name",
        ),
        pytest.param(
            dataclasses.replace(
                _with("\n\ndef sometimes(x):\n    return scale(x)\n", sometimes=_EQUAL),
                unran=("sometimes",),
            ),
            "no passing case ran lib.py:10 of OLD",
            id="in-code-that-no-case-ran",
        ),
        pytest.param(
            _twice("scale(x) if x is None else x"),
            "nothing shows that lib.py:10 of OLD, which calls it, ran",
            id="in-a-value-that-may-not-be-computed",
        ),
        pytest.param(
            _two_calls("step = scale\n    if x is None:\n        y = step(x)"),
            "nothing shows that lib.py:11 of OLD, which calls it, ran",
            id="by-a-local-name-that-may-not-be-called",
        ),
        pytest.param(
            _twice("x is None and scale(x)"),
            "nothing shows that lib.py:10 of OLD, which calls it, ran",
            id="behind-an-and",
        ),
        pytest.param(
            _twice("[scale(each) for each in x]"),
            "nothing shows that lib.py:10 of OLD, which calls it, ran",
            id="in-a-comprehension",
        ),
        pytest.param(
            _two_calls("for each in x:\n        y += scale(each)"),
            "nothing shows that lib.py:12 of OLD, which calls it, ran",
            id="in-a-loop",
        ),
        pytest.param(
            _two_calls("for each in range(0):\n        y += scale(each)"),
            "nothing shows that lib.py:12 of OLD, which calls it, ran",
            id="in-a-loop-of-no-rounds",
        ),
        pytest.param(
            _two_calls("if x is None:\n        return y\n    y += scale(x)"),
            "nothing shows that lib.py:13 of OLD, which calls it, ran",
            id="behind-a-return",
        ),
        pytest.param(
            _two_calls("try:\n        y = scale(x)\n    except TypeError:\n        y = x * 2"),
            "lib.py:12 of OLD may catch what it raises",
            id="where-it-may-raise-unseen",
        ),
        pytest.param(
            _two_calls("with contextlib.suppress(TypeError):\n        y = scale(x)"),
            "lib.py:12 of OLD may catch what it raises",
            id="where-what-it-raises-is-suppressed",
        ),
        pytest.param(
            _two_calls("try:\n        y = x[0]\n    except TypeError:\n        y = scale(x)"),
            "nothing shows that lib.py:14 of OLD, which calls it, ran",
            id="in-a-handler",
        ),
        pytest.param(
            dataclasses.replace(Program(), new=_NEW.replace("y, _ = scale(x)", "y = x * 2")),
            "nothing in NEW calls it by its name",
            id="nothing-calls-it-any-more",
        ),
        pytest.param(
            Program(
                _OLD.replace("return scale(x) + 1", "scale(x)\n    return x"),
                _NEW.replace("y, _ = scale(x)\n    return y + 1", "scale(x)\n    return x"),
            ),
            "nothing in OLD uses what it returns",
            id="nobody-looks-at-its-result",
        ),
        pytest.param(
            dataclasses.replace(Program(), also={"demo.ipynb": '{"cells": ["scale(3)"]}'}),
            "some files could not be searched",
            id="in-a-notebook",
        ),
        pytest.param(
            dataclasses.replace(Program(), also={"broken.py": "def scale(:\n"}),
            "some files could not be searched",
            id="in-a-file-that-does-not-parse",
        ),
    ],
)
def test_nothing_hides_behind_its_callers(program: Program, why: str, tmp_path: Path) -> None:
    found = program.judged(tmp_path)["scale"]
    assert found.verdict is Verdict.DIFFERENT
    assert found.reason.startswith("its interface changed, and its callers do not vouch for it: ")
    assert why in found.reason


@pytest.mark.parametrize("result", [_NUMBERS, _GRADIENT, _NOT_CHECKED], ids=lambda r: r.part)
def test_what_is_no_interface_is_as_it_was(result: ColumnResult, tmp_path: Path) -> None:
    found = _with("", scale=result).judged(tmp_path)
    assert found["scale"] == result


def test_those_that_call_each_other_do_not_vouch_for_each_other(tmp_path: Path) -> None:
    cases = {"scale": _ANOTHER_TREE, "use": _ANOTHER_TREE}
    old = _OLD.replace("x * 2", "use(x) if x else 0")
    new = _NEW.replace("x * 2", "use(x) if x else 0")
    callers = {"scale": ("lib.py:use",), "use": ("lib.py:scale",)}
    found = Program(old, new, callers=callers, cases=cases).judged(tmp_path)
    assert {each.verdict for each in found.values()} == {Verdict.DIFFERENT}


def test_a_call_that_fits_other_parameters_is_compared_as_ever(tmp_path: Path) -> None:
    refused = dataclasses.replace(
        _ANOTHER_TREE, difference=Difference("", "a result", "TypeError: scale() missing ...")
    )
    new = _NEW.replace("scale(x)", "scale(x, factor)")
    anew = Program(new=new, cases={"scale": refused, "use": _EQUAL})
    assert anew.judged(tmp_path)["scale"].verdict is Verdict.BY_CALLERS
    # With the same parameters it is the code that raises.
    as_before = dataclasses.replace(anew, new=_NEW)
    assert as_before.judged(tmp_path)["scale"] == refused
    other_numbers = dataclasses.replace(anew, cases={"scale": _NUMBERS, "use": _EQUAL})
    assert other_numbers.judged(tmp_path)["scale"] == _NUMBERS
