"""`[tool.nnx-migrate.check]`, read and refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.check.compare.comparison import DEFAULT, Tolerance
from nnx_migrate.check.settings import CheckSettings, settings_from
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.settings.files import Table

FILE = Path("/project/pyproject.toml")


def test_an_empty_table_is_the_default() -> None:
    assert settings_from(Table(FILE, FILE.parent)) == CheckSettings()


def test_every_key_is_read() -> None:
    table = {
        "cases": ["checks/cases.py"],
        "command": "pytest -k 'not slow'",
        "roots": ["src"],
        "timeout": 5,
        "memory": 1.5,
        "tolerances": {"bfloat16": 0.5, "float32": 0},
        "exclude": ["save"],
        "allow-unchecked": True,
    }
    found = settings_from(Table(FILE, FILE.parent, check=table))
    assert found.cases == (Path("/project/checks/cases.py"),)
    assert found.command == ("pytest", "-k", "not slow")
    assert (found.roots, found.timeout, found.memory) == (("src",), 5.0, 1.5)
    assert found.tolerances["bfloat16"] == Tolerance(0.5, 0.05)
    assert found.tolerances["float32"] == Tolerance(0, 0)
    assert found.tolerances["float64"] == DEFAULT["float64"]
    assert (found.exclude, found.allow_unchecked) == (("save",), True)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"case": []}, "has no key 'case'; did you mean 'cases'?"),
        ({"cases": "cases.py"}, "cases must be a list of strings"),
        ({"timeout": "long"}, "timeout must be a number"),
        ({"memory": True}, "memory must be a number"),
        ({"command": 3}, "command must be a string or a list of strings, not 3"),
        ({"exclude": "save"}, "exclude must be a list of strings"),
        ({"allow-unchecked": "yes"}, "allow-unchecked must be true or false"),
        ({"tolerances": {"float32": -1}}, "tolerances.float32 must be a number of 0 or more"),
    ],
)
def test_what_cannot_be_obeyed_is_refused(table: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError, match=r"\[tool\.nnx-migrate\.check\]") as error:
        settings_from(Table(FILE, FILE.parent, check=table))
    assert told in str(error.value)


def test_the_table_leaves_the_rest_of_the_configuration_alone(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.nnx-migrate]\njobs = 2\n[tool.nnx-migrate.check]\nroots = ["src"]\n'
    )
    table = Configuration({}).table_for(tmp_path)
    assert table is not None
    assert table.check == {"roots": ["src"]}
    assert Configuration({}).options_for(tmp_path / "a.py").jobs == 2
