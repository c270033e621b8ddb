"""The structure that CONTRIBUTING.md draws is held: layers, package sizes, types not texts."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from nnx_migrate.analysis.flax.transforms import SPECS

ROOT = Path(__file__).parents[2]
PACKAGES = (ROOT / "nnx_migrate", ROOT / "codemods" / "nnx_codemods")
#: "Some twelve": where one more module would be one too many to find one's way.
MOST_MODULES = 14
#: What a finding says to people; decisions are made on types.
_PROSE = frozenset({"claim", "message", "reason", "what"})
_MATCHING = frozenset({"endswith", "find", "fullmatch", "match", "search", "startswith"})


def test_imports_go_one_way() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_process_that_checks_imports_no_jax() -> None:
    """Its workers do, each in a mode of its own; here it would only take time."""
    asked = "import sys, nnx_migrate.check.run; print({'jax', 'flax'} & {*sys.modules})"
    command = [sys.executable, "-c", asked]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"set()\n"


def test_every_rule_is_held_to_be_independent() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (modules,) = (each["modules"] for each in contracts["contracts"] if "modules" in each)
    rules = {file.stem for file in PACKAGES[1].glob("[a-z]*.py")}
    assert {name.removeprefix("nnx_codemods.") for name in modules} == rules


def test_every_rule_has_small_programs_and_those_that_stay_come_first() -> None:
    for rule in PACKAGES[1].glob("[a-z]*.py"):
        file = ROOT / "tests" / "rules" / f"test_{rule.stem}.py"
        calls = [
            node.func.id
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        ]
        asked = [name for name in calls if name.startswith("check_")]
        assert asked[0] == "check_noop", file
        noops = asked.count("check_noop")
        assert set(asked[:noops]) == {"check_noop"}, file
        assert len(asked) > noops, file


def test_a_package_is_small_enough_to_find_a_module_in() -> None:
    counts = Counter(file.parent for file in _modules() if file.name != "__init__.py")
    # One rule, one file: there are as many as there are rules.
    del counts[PACKAGES[1]]
    assert {str(p.relative_to(ROOT)): n for p, n in counts.items() if n > MOST_MODULES} == {}


def test_the_top_of_a_package_holds_packages_only() -> None:
    assert [file.name for file in PACKAGES[0].glob("*.py")] in (
        ["__init__.py", "__main__.py"],
        ["__main__.py", "__init__.py"],
    )


@pytest.mark.parametrize("folder", ["rewrite", "analysis", "nnx_codemods"])
def test_no_decision_is_made_by_the_text_of_a_message(folder: str) -> None:
    places = [f"{file}:{line}" for file in _modules() for line in _decided_by_text(file)]
    assert [place for place in places if f"/{folder}/" in place] == []


def test_what_is_decided_is_said_in_a_table_of_causes() -> None:
    """Rules and rewrites name a member of a `Cause`; its words stand there alone."""
    files = [file for file in _modules() if {"rewrite", "nnx_codemods"} & {*file.parts}]
    told = {f"{file}:{line}": text for file in files for line, text in sentences_in_place(file)}
    assert told == {}


def test_what_is_not_known_is_said_in_a_table() -> None:
    """The analysis names a member of `Unknown` or `Hides`, too."""
    files = [file for file in _modules() if "analysis" in file.parts]
    told = [
        f"{file}:{line}: {text}"
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"Basic", "Contents", "unknown"}
        for line, text in _sentences(node)
    ]
    assert told == []


def test_a_sentence_in_place_is_found(tmp_path: Path) -> None:
    file = tmp_path / "rule.py"
    file.write_text(
        "def decide(site) -> Pin:\n"
        "    if site.a:\n"
        "        return Pin(RULE.name, f'{site} is hidden')\n"
        "    reason = 'the code does not show it'\n"
        "    why = Evidence('it is not known', PROVED)\n"
        "    return Manual(RULE.name, reason, (why, Evidence(f'{site} was seen', PROVED)))\n"
        "def why_not(site) -> Reason:\n"
        "    return 'it is elsewhere'\n"
        "def check(site):\n"
        "    raise NotLifted('it cannot be')\n"
    )
    lines = [line for line, _ in sentences_in_place(file)]
    assert lines == [3, 4, 5, 6, 8, 10]


def test_what_is_kept_for_the_whole_process_says_why_it_may_be() -> None:
    """What hangs on the project, a run or the disk lives as long as these: on an object.

    `check` is left out: its processes run one case, or record one command.
    """
    files = [file for file in _modules() if "check" not in file.relative_to(ROOT).parts]
    assert [place for file in files for place in _kept_without_reason(file)] == []


def _kept_without_reason(file: Path) -> Iterator[str]:
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.parse(text).body:
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            named = ast.unparse(decorator).partition("(")[0]
            caches = named in {"functools.cache", "functools.lru_cache"}
            above, line = lines[decorator.lineno - 2], lines[decorator.lineno - 1]
            if caches and not above.startswith("# ") and "  # " not in line:
                yield f"{file}:{decorator.lineno}"


def test_a_cause_is_told_what_its_words_name() -> None:
    words: dict[str, set[str]] = {}
    steps: dict[str, str] = {}
    for file in _modules():
        for family in _families(file):
            for name, text, step in _members(family):
                words[f"{family.name}.{name}"] = {f for _, f, _, _ in Formatter().parse(text) if f}
                steps |= {f"{family.name}.{name}": step} if step else {}
    assert len(words) > 400
    assert len(steps) > 80
    wrong = [f"{cause}: {step}" for cause, step in steps.items() if words[step] - words[cause]]
    for file in _modules():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                cause = ast.unparse(node.func.value)
                if node.func.attr == "about" and cause in words:
                    given = {each.arg for each in node.keywords} | {*["place"][: len(node.args)]}
                    if given != words[cause]:
                        wrong.append(f"{file}:{node.lineno}: {cause} needs {words[cause]}")
    assert wrong == []


def _families(file: Path) -> Iterator[ast.ClassDef]:
    """The tables of causes of a module."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and [ast.unparse(base) for base in node.bases] in (
            ["Cause"],
            ["Claim"],
        ):
            yield node


def _members(family: ast.ClassDef) -> Iterator[tuple[str, str, str]]:
    """The name of each, its words, and the cause that stands behind them as the step."""
    for node in family.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Tuple(elts=[words, step])):
                yield name, ast.literal_eval(words), ast.unparse(step)
            case ast.Assign(targets=[ast.Name(id=name)], value=words):
                yield name, ast.literal_eval(words), ""


_SENTENCE = re.compile(r"[a-z]{2,},? [a-z]{2,}")
_DECISIONS = frozenset({"Pin", "Manual", "Same", "Contribution", "CannotEmit", "Evidence"})
_REASONS = frozenset({"Reason", "Refusal", "Refusal | None", "Reason | None"})


def sentences_in_place(file: Path) -> Iterator[tuple[int, str]]:
    """Where a decision, a reason for one, or its evidence is a sentence that stands in no table."""
    for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(function, ast.FunctionDef):
            continue
        told: list[ast.AST] = []
        of_reasons = function.returns is not None and ast.unparse(function.returns) in _REASONS
        for node in ast.walk(function):
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in _DECISIONS or _is_raised(name):
                    told += [*node.args, *(each.value for each in node.keywords)]
                case ast.Return(value=ast.expr() as value) if of_reasons:
                    told.append(value)
        names = {each.id for each in told if isinstance(each, ast.Name)}
        for node in ast.walk(function):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in names:
                    told.append(value)
                case ast.AugAssign(target=ast.Name(id=name), value=value) if name in names:
                    told.append(value)
        yield from sorted({(line, text) for each in told for line, text in _sentences(each)})


def _is_raised(name: str) -> bool:
    """Whether a class says why something is not rewritten: `NotRewritten`, `NotLifted`."""
    return name.startswith("Not") and name != "NotImplementedError"


def _sentences(node: ast.AST) -> Iterator[tuple[int, str]]:
    match node:
        case ast.JoinedStr(values=values):
            parts = (each.value if isinstance(each, ast.Constant) else "it" for each in values)
            text = "".join(map(str, parts))
        case ast.Constant(value=str(text)):
            pass
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _sentences(child)
            return
    if _SENTENCE.search(text):
        yield node.lineno, text


#: Where a word means something else: it is the beginning of a variable's name.
_NO_TRANSFORM = {("signature.py", "scan")}


def test_no_transform_is_named_outside_of_the_registry() -> None:
    named = [(file.name, name) for file in _modules() for name in _transforms_named(file)]
    assert sorted({*named} - _NO_TRANSFORM) == []
    assert {*named} >= _NO_TRANSFORM


def _transforms_named(file: Path) -> Iterator[str]:
    """The texts of a module that are the name of a transform, whole."""
    package = file.relative_to(ROOT).parts[1]
    registry = file.parent.name == "flax" and file.stem in {"transforms", "transform_spec"}
    if registry or package not in {"analysis", "rewrite", "nnx_codemods"}:
        return
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value.removeprefix("flax.nnx.").removeprefix("compat.")
            if name in SPECS:
                yield name


def _modules() -> Iterator[Path]:
    for package in PACKAGES:
        yield from package.rglob("*.py")


def _decided_by_text(file: Path) -> Iterator[int]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=args):
                if name in _MATCHING and any(map(_is_prose, (value, *args))):
                    yield node.lineno
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
                if isinstance(left, ast.Constant) and _is_prose(right):
                    yield node.lineno


def _is_prose(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in _PROSE
