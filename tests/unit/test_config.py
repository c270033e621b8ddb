"""Flags beat the nearest table; what cannot be obeyed is an error that names file and key."""

from __future__ import annotations

import importlib.metadata
import json
import re
import runpy
import sys
import tomllib
import types
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.configuration import Configuration, Options
from nnx_migrate.sources.own_transforms import GROUP, installed_transforms

SCRIPT = Path(__file__).parents[2] / "scripts" / "configuration_page.py"
RULES = ["diff-state", "module-gradient", "state-axes"]


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_without_a_table_the_defaults_hold(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.other]\nx = 1\n")
    assert Configuration().options_for(tmp_path / "a.py") == Options()


def test_every_key(tmp_path: Path) -> None:
    write(
        tmp_path / "pyproject.toml",
        '[tool.nnx-migrate]\nselect = ["state-axes", "diff-state"]\nignore = ["diff-state"]\n'
        'unsafe = true\non-unsafe = "leave"\njobs = 3\nexclude = ["old/"]\n',
    )
    configuration = Configuration(known_rules=lambda: RULES)
    options = configuration.options_for(tmp_path / "deep" / "er" / "a.py")
    assert options == Options(
        select=frozenset({"state-axes", "diff-state"}),
        ignore=frozenset({"diff-state"}),
        unsafe=True,
        on_unsafe="leave",
        jobs=3,
        exclude=("old/",),
    )
    assert options.runs("state-axes")
    assert not options.runs("diff-state")
    assert not options.runs("module-gradient")
    excluded = configuration.exclude_for(tmp_path / "deep")
    assert excluded is not None
    assert excluded[0] == tmp_path
    assert excluded[1].match_file("old/a.py")


def test_an_environment_is_named_relative_to_its_table(tmp_path: Path) -> None:
    (tmp_path / ".venv" / "lib" / "python3.12" / "site-packages").mkdir(parents=True)
    table = '[tool.nnx-migrate]\nfollow-installed = true\npython = ".venv"\n'
    write(tmp_path / "pyproject.toml", table)
    options = Configuration().options_for(tmp_path / "deep" / "a.py")
    assert options == Options(follow_installed=True, python=str(tmp_path / ".venv"))
    elsewhere = {"python": str(tmp_path)}
    with pytest.raises(ConfigError, match="has no installed packages"):
        Configuration(elsewhere).options_for(tmp_path / "a.py")


def test_the_nearest_table_counts_whole_and_flags_beat_it(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.nnx-migrate]\nunsafe = true\njobs = 2\n")
    write(tmp_path / "a" / "pyproject.toml", "[tool.nnx-migrate]\ndocs = true\n")
    write(tmp_path / "a" / "b" / "pyproject.toml", "[project]\nname = 'b'\n")
    inner = Configuration().options_for(tmp_path / "a" / "b" / "x.py")
    assert inner == Options(docs=True)
    assert Configuration().options_for(tmp_path / "x.py") == Options(unsafe=True, jobs=2)
    flagged = Configuration({"docs": False, "jobs": 5})
    assert flagged.options_for(tmp_path / "a" / "x.py") == Options(jobs=5)


def test_a_table_by_the_name_of_the_package_is_not_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.nnx_migrate]\nunsafe = true\n")
    with pytest.raises(ConfigError, match=r"\[tool.nnx_migrate\] is called \[tool.nnx-migrate\]"):
        Configuration().options_for(tmp_path / "a.py")


def test_overrides_apply_by_path_in_order(tmp_path: Path) -> None:
    write(
        tmp_path / "pyproject.toml",
        '[[tool.nnx-migrate.overrides]]\npaths = ["legacy/**"]\nignore = ["state-axes"]\n'
        '[[tool.nnx-migrate.overrides]]\npaths = ["new.py"]\nignore = []\nunsafe = true\n',
    )
    configuration = Configuration()
    assert configuration.options_for(tmp_path / "a.py") == Options()
    old = configuration.options_for(tmp_path / "legacy" / "a.py")
    assert old == Options(ignore=frozenset({"state-axes"}))
    assert configuration.options_for(tmp_path / "legacy" / "new.py") == Options(unsafe=True)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("unsave = true", "has no key 'unsave'; did you mean 'unsafe'?"),
        ("unsafe = 1", "unsafe must be true or false, not 1"),
        ("jobs = 0", "jobs must be a whole number of 1 or more, not 0"),
        ("jobs = true", "jobs must be a whole number"),
        ('select = "state-axes"', "select must be a list of strings"),
        (
            'target = "tree"',
            "target no longer exists: the rewritten code always works in both modes",
        ),
        ('overrides = [{paths = ["a"], target = "both"}]', "number 1 target no longer exists"),
        ('on_unsafe = "pin"', "has no key 'on_unsafe'; did you mean 'on-unsafe'?"),
        ('ignore = ["state-axis"]', "no rule named 'state-axis'; did you mean 'state-axes'?"),
        ("overrides = 3", "overrides must be written as [[tool.nnx-migrate.overrides]]"),
        ("overrides = [{unsafe = true}]", "number 1 needs 'paths': a list of strings"),
        ('overrides = [{paths = ["a"], jobs = 2}]', "number 1 has no key 'jobs'"),
        ('overrides = [{paths = ["!"]}]', "number 1"),
        ('allow = ["unknown-clas"]', "not ['unknown-clas']; did you mean 'unknown-class'?"),
        (
            'on-unsafe = "pinn"',
            "on-unsafe must be 'leave' or 'pin', not 'pinn'; did you mean 'pin'?",
        ),
        ("frobnicate = 1", "has no key 'frobnicate'; the keys are allow, check, docs"),
        ("unsafe = ", "pyproject.toml: "),
    ],
)
def test_errors_name_the_file_and_the_key(tmp_path: Path, table: str, message: str) -> None:
    write(tmp_path / "pyproject.toml", f"[tool.nnx-migrate]\n{table}\n")
    with pytest.raises(ConfigError) as caught:
        Configuration(known_rules=lambda: RULES).options_for(tmp_path / "a.py")
    assert str(tmp_path / "pyproject.toml") in str(caught.value)
    assert message in str(caught.value)


def test_a_file_of_its_own_has_the_same_keys_and_beats_pyproject(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.nnx-migrate]\nunsafe = true\njobs = 2\n")
    write(
        tmp_path / "nnx-migrate.toml",
        'jobs = 3\n[[overrides]]\npaths = ["old/"]\nunpin = true\n[check]\nroots = ["src"]\n'
        '[transforms."acme.jit"]\nlike = "nnx.jit"\n',
    )
    (own,) = configured().options_for(tmp_path / "a.py").transforms
    assert configured().options_for(tmp_path / "a.py") == Options(jobs=3, transforms=(own,))
    assert configured().options_for(tmp_path / "old" / "a.py").unpin is True
    table = configured().table_for(tmp_path / "deep")
    assert table is not None
    assert table.check == {"roots": ["src"]}
    # The nearest folder counts first, whatever its file is called.
    write(tmp_path / "b" / "pyproject.toml", "[tool.nnx-migrate]\njobs = 5\n")
    assert configured().options_for(tmp_path / "b" / "x.py") == Options(jobs=5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("unsave = true", "nnx-migrate.toml: has no key 'unsave'; did you mean 'unsafe'?"),
        ("jobs = 0", "nnx-migrate.toml: jobs must be a whole number of 1 or more, not 0"),
        ("overrides = 3", "nnx-migrate.toml: overrides must be written as [[overrides]]"),
        ("[[overrides]]\njobs = 2", "nnx-migrate.toml: [[overrides]] number 1 has no key 'jobs'"),
        ("check = 3", "nnx-migrate.toml: [check] must be a table, not 3"),
        ("transforms = 3", "nnx-migrate.toml: [transforms] must be a table"),
        ("[tool.nnx-migrate]\njobs = 2", "nnx-migrate.toml: has no key 'tool'"),
    ],
)
def test_errors_name_a_file_of_its_own(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path / "nnx-migrate.toml", text)
    with pytest.raises(ConfigError) as caught:
        Configuration(known_rules=lambda: RULES).options_for(tmp_path / "a.py")
    assert message in str(caught.value)


def test_a_named_file_counts_alone_and_for_paths_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "nnx-migrate.toml", "jobs = 2\n")
    write(tmp_path / "ci" / "x.toml", 'unsafe = true\n[[overrides]]\npaths=["a/"]\nunpin = true\n')
    named = Configuration(file=Path("ci/x.toml"))
    assert named.options_for(tmp_path / "a.py") == Options(unsafe=True)
    assert named.options_for(tmp_path / "a" / "b.py") == Options(unsafe=True, unpin=True)
    assert named.options_for(tmp_path.parent / "a" / "b.py") == Options(unsafe=True)
    with pytest.raises(ConfigError, match=r"no\.toml: No such file"):
        Configuration(file=Path("no.toml"))
    write(tmp_path / "ci" / "pyproject.toml", "[project]\n")
    with pytest.raises(ConfigError, match=r"there is no \[tool\.nnx-migrate\] in it"):
        Configuration(file=Path("ci/pyproject.toml"))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What scripts/configuration_page.py defines."""
    monkeypatch.syspath_prepend(SCRIPT.parent)
    return runpy.run_path(str(SCRIPT))


def test_the_schema_and_the_page_are_those_of_the_tables(script: dict[str, Any]) -> None:
    fresh = "run scripts/configuration_page.py and read the diff"
    assert script["SCHEMA"].read_text() == script["schema"](), fresh
    assert script["keys"]() in script["PAGE"].read_text(), fresh


def test_the_schema_takes_what_is_read_and_refuses_what_is_not(
    tmp_path: Path, script: dict[str, Any]
) -> None:
    validator = Draft202012Validator(json.loads(script["schema"]()))
    page = (SCRIPT.parents[1] / "docs" / "configuration.md").read_text()
    in_pyproject, alone = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    documents = tomllib.loads(in_pyproject)["tool"]["nnx-migrate"], tomllib.loads(alone)
    assert documents[0] == documents[1]
    validator.validate(documents[1])
    write(tmp_path / "nnx-migrate.toml", alone)
    assert Configuration().options_for(tmp_path / "a.py").jobs == 4
    for wrong in ({"jobs": 0}, {"unsave": True}, {"overrides": [{"unsafe": True}]}):
        assert not validator.is_valid(wrong)


def test_a_broken_file_that_is_not_about_this_tool_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.nnx-migrate]\njobs = 2\n")
    write(tmp_path / "fixture" / "pyproject.toml", "][")
    assert Configuration().options_for(tmp_path / "fixture" / "a.py").jobs == 2


def test_flags_with_unknown_rules_are_errors() -> None:
    with pytest.raises(ConfigError, match="--select: there is no rule named 'diff-stat'"):
        Configuration({"select": frozenset({"diff-stat"})}, lambda: RULES)


_OWN = """
[tool.nnx-migrate.transforms."acme.fancy_jit"]
like = "nnx.jit"
renamed = { frozen = "static_argnums" }
bound = ["donate_argnums"]
own = ["label"]
passes = ["graph", "graph_updates"]
"""


def configured(known: Collection[str] = ("jit", "vmap")) -> Configuration:
    return Configuration(known_transforms=lambda: known)


def test_transforms_of_a_project_are_read(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", _OWN)
    (own,) = configured().options_for(tmp_path / "a.py").transforms
    assert (own.name, own.like) == ("acme.fancy_jit", "jit")
    assert [own.option(k) for k in ("frozen", "label", "graph")] == [
        "static_argnums",
        None,
        "graph",
    ]
    options = ("static_argnums", "graph", "donate_argnums", "inline")
    assert [own.keyword(o) for o in options] == ["frozen", "graph", None, None]


def test_what_is_said_of_a_transform_reads_the_same_in_every_process(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", _OWN.replace('["label"]', '["label", "b", "a"]'))
    (own,) = configured().options_for(tmp_path / "a.py").transforms
    assert "['a', 'b', 'label']" in repr(own)
    assert str(tmp_path) not in repr(own)


def test_a_transform_that_hands_on_all_keywords(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", _OWN.replace('["graph", "graph_updates"]', "true"))
    (own,) = configured().options_for(tmp_path / "a.py").transforms
    assert own.keyword("inline") == "inline"
    assert own.keyword("donate_argnums") is None
    assert own.keyword("label") is None


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"nnx.jit"', '"nnx.vmpa"', "nnx.vmpa is not a transform; did you mean 'nnx.vmap'?"),
        ('"nnx.jit"', '"nnx.Linear"', "it may be one of nnx.jit, nnx.vmap"),
        (
            '"nnx.jit"',
            '"jax.jit"',
            "like must be the name of a transform, as in 'nnx.jit'",
        ),
        ('like = "nnx.jit"', "", "needs 'like': the name of a transform"),
        ("own =", "mine =", "has no key 'mine'"),
        ('["label"]', '"label"', "own must be a list of strings, not 'label'"),
        ("{ frozen =", "{ frozen = 1, x =", "renamed.frozen must be a string, not 1"),
        ('"acme.fancy_jit"', '"fancy_jit"', "'fancy_jit' is not an absolute name"),
        ("passes =", 'compat = "jit"\npasses =', "compat: 'jit' is not an absolute name"),
    ],
)
def test_transforms_that_cannot_be_obeyed(tmp_path: Path, old: str, new: str, told: str) -> None:
    write(tmp_path / "pyproject.toml", _OWN.replace(old, new, 1))
    with pytest.raises(ConfigError) as error:
        configured().options_for(tmp_path / "a.py")
    assert told in str(error.value)
    assert str(tmp_path / "pyproject.toml") in str(error.value)


def test_installed_packages_name_transforms_and_a_table_beats_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = types.ModuleType("acme_migrate")
    vars(module)["FANCY"] = {"like": "nnx.vmap"}
    monkeypatch.setitem(sys.modules, "acme_migrate", module)
    points = [
        importlib.metadata.EntryPoint(name, "acme_migrate:FANCY", GROUP)
        for name in ("acme.fancy_jit", "acme.fancy_vmap")
    ]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: points)
    installed_transforms.cache_clear()
    write(tmp_path / "pyproject.toml", _OWN)
    found = configured().options_for(tmp_path / "a.py").transforms
    assert {own.name: own.like for own in found} == {
        "acme.fancy_jit": "jit",
        "acme.fancy_vmap": "vmap",
    }
    vars(module)["FANCY"] = {"like": "nnx.fold"}
    installed_transforms.cache_clear()
    with pytest.raises(ConfigError, match=r"entry point acme\.fancy_jit = acme_migrate:FANCY"):
        configured().options_for(tmp_path / "a.py")
    del vars(module)["FANCY"]
    installed_transforms.cache_clear()
    with pytest.raises(ConfigError, match="install its package again"):
        configured().options_for(tmp_path / "a.py")
    installed_transforms.cache_clear()
