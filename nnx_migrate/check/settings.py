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
from nnx_migrate.sources.settings.files import Table


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


def settings_from(table: Table) -> CheckSettings:
    """What the configuration says of checks.

    Args:
        table: of the project.

    Raises:
        ConfigError: a key is not known, or its value is of another kind.
    """
    from nnx_migrate.sources.settings.reading import read_values
    from nnx_migrate.sources.settings.tables import CheckTable

    values = read_values(table.named("check"), table.check, CheckTable)
    command = values.pop("command", ())
    words = shlex.split(command) if isinstance(command, str) else command
    cases = tuple(table.base / name for name in values.pop("cases", ()))
    tolerances = with_tolerances(values.pop("tolerances", {}))
    lists = {key: tuple(value) for key, value in values.items() if isinstance(value, list)}
    return CheckSettings(
        cases=cases, command=tuple(words), tolerances=tolerances, **{**values, **lists}
    )


def with_tolerances(relative: Mapping[str, float]) -> dict[str, Tolerance]:
    """The default tolerances with some of them replaced.

    Args:
        relative: by name of the dtype; a tenth of it is the absolute one, and 0 asks for equality.
    """
    given = {dtype: Tolerance(value, value / 10) for dtype, value in relative.items()}
    return {**DEFAULT, **given}
