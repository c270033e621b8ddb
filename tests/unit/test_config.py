"""Flags beat the nearest table; what cannot be obeyed is an error that names file and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.sources.configuration import ConfigError, Configuration, Options

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


def test_the_nearest_table_counts_whole_and_flags_beat_it(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.nnx-migrate]\nunsafe = true\njobs = 2\n")
    write(tmp_path / "a" / "pyproject.toml", "[tool.nnx-migrate]\ndocs = true\n")
    write(tmp_path / "a" / "b" / "pyproject.toml", "[project]\nname = 'b'\n")
    inner = Configuration().options_for(tmp_path / "a" / "b" / "x.py")
    assert inner == Options(docs=True)
    assert Configuration().options_for(tmp_path / "x.py") == Options(unsafe=True, jobs=2)
    flagged = Configuration({"docs": False, "jobs": 5})
    assert flagged.options_for(tmp_path / "a" / "x.py") == Options(jobs=5)


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
        ('target = "tree"', "target is gone: what is written holds in graph mode and in tree mode"),
        ('overrides = [{paths = ["a"], target = "both"}]', "number 1 target is gone"),
        ('on_unsafe = "pin"', "has no key 'on_unsafe'; did you mean 'on-unsafe'?"),
        ('ignore = ["state-axis"]', "no rule named 'state-axis'; did you mean 'state-axes'?"),
        ("overrides = 3", "overrides must be written as [[tool.nnx-migrate.overrides]]"),
        ("overrides = [{unsafe = true}]", "number 1 needs 'paths'"),
        ('overrides = [{paths = ["a"], jobs = 2}]', "number 1 has no key 'jobs'"),
        ('overrides = [{paths = ["!"]}]', "number 1"),
        ("unsafe = ", "pyproject.toml: "),
    ],
)
def test_errors_name_the_file_and_the_key(tmp_path: Path, table: str, message: str) -> None:
    write(tmp_path / "pyproject.toml", f"[tool.nnx-migrate]\n{table}\n")
    with pytest.raises(ConfigError) as caught:
        Configuration(known_rules=lambda: RULES).options_for(tmp_path / "a.py")
    assert str(tmp_path / "pyproject.toml") in str(caught.value)
    assert message in str(caught.value)


def test_a_broken_file_that_is_not_about_this_tool_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.nnx-migrate]\njobs = 2\n")
    write(tmp_path / "fixture" / "pyproject.toml", "][")
    assert Configuration().options_for(tmp_path / "fixture" / "a.py").jobs == 2


def test_flags_with_unknown_rules_are_errors() -> None:
    with pytest.raises(ConfigError, match="--select: there is no rule named 'diff-stat'"):
        Configuration({"select": frozenset({"diff-stat"})}, lambda: RULES)
