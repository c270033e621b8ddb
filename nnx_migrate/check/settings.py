"""`[tool.nnx-migrate.check]`: how a project is checked.

[tool.nnx-migrate.check]
cases = ["checks/cases.py"]            # case files, relative to this file
command = "pytest tests/ -x -q"        # an entry point to record, in their place or beside them
roots = ["src"]                        # folders that imports start from
timeout = 120                          # seconds for a case
memory = 8                             # gigabytes for a worker process
tolerances = { bfloat16 = 0.05 }       # relative, by dtype
exclude = ["save_checkpoint"]          # parts of the names of cases that are left out
allow-unchecked = false                # what differs and no case looks at changes no exit code
data = ["data/small"]                  # what git ignores, and cases read
"""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping
from pathlib import Path

from nnx_migrate.check.compare.comparison import DEFAULT, Tolerance
from nnx_migrate.sources.config_values import ConfigError, did_you_mean

_KEYS = (
    "cases",
    "command",
    "roots",
    "timeout",
    "memory",
    "tolerances",
    "exclude",
    "allow-unchecked",
    "data",
)


@dataclasses.dataclass(frozen=True, slots=True)
class CheckSettings:
    """What a check is told.

    Args:
        cases: case files.
        command: an entry point to record; empty for none.
        roots: folders that imports start from, relative to a side; empty for the usual ones.
        timeout: seconds for a case.
        memory: gigabytes for a worker process; 0 for no limit.
        tolerances: by name of the dtype.
        exclude: parts of the names of cases that are left out.
        allow_unchecked: what differs and no case looks at changes no exit code.
        data: paths in the trees that cases read, and git ignores.
    """

    cases: tuple[Path, ...] = ()
    command: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    timeout: float = 120.0
    memory: float = 0.0
    tolerances: Mapping[str, Tolerance] = dataclasses.field(default_factory=lambda: DEFAULT)
    exclude: tuple[str, ...] = ()
    allow_unchecked: bool = False
    data: tuple[str, ...] = ()


def settings_from(file: Path, table: Mapping[str, object]) -> CheckSettings:
    """Reads a `[tool.nnx-migrate.check]` table.

    Args:
        file: the pyproject.toml that it stands in.
        table: its keys and values.

    Raises:
        ConfigError: a key is not known, or its value is of another type.
    """
    where = f"{file}: [tool.nnx-migrate.check]"
    for key in table:
        if key not in _KEYS:
            raise ConfigError(f"{where} has no key {key!r}{did_you_mean(key, _KEYS)}")
    command = table.get("command", "")
    if isinstance(command, list):
        words = _strings(where, "command", command)
    elif isinstance(command, str):
        words = tuple(shlex.split(command))
    else:
        raise ConfigError(f"{where} command must be a string or a list of strings")
    tolerances = table.get("tolerances", {})
    if not isinstance(tolerances, dict):
        raise ConfigError(f"{where} tolerances must be a table of numbers by dtype")
    allow_unchecked = table.get("allow-unchecked", False)
    if not isinstance(allow_unchecked, bool):
        raise ConfigError(f"{where} allow-unchecked must be true or false")
    return CheckSettings(
        cases=tuple(
            file.parent / name for name in _strings(where, "cases", table.get("cases", []))
        ),
        command=words,
        roots=_strings(where, "roots", table.get("roots", [])),
        timeout=_number(where, "timeout", table.get("timeout", 120)),
        memory=_number(where, "memory", table.get("memory", 0)),
        tolerances=with_tolerances(
            {
                dtype: _number(where, f"tolerances.{dtype}", value)
                for dtype, value in tolerances.items()
            }
        ),
        exclude=_strings(where, "exclude", table.get("exclude", [])),
        allow_unchecked=allow_unchecked,
        data=_strings(where, "data", table.get("data", [])),
    )


def with_tolerances(relative: Mapping[str, float]) -> dict[str, Tolerance]:
    """The default tolerances with some of them replaced.

    Args:
        relative: by name of the dtype; a tenth of it is the absolute one, and 0 asks for equality.
    """
    given = {dtype: Tolerance(value, value / 10) for dtype, value in relative.items()}
    return {**DEFAULT, **given}


def _strings(where: str, key: str, value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ConfigError(f"{where} {key} must be a list of strings, not {value!r}")


def _number(where: str, key: str, value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0:
        return float(value)
    raise ConfigError(f"{where} {key} must be a number of 0 or more, not {value!r}")
