"""nnx-migrate: moves graph-mode Flax NNX code to tree mode and proves that nothing changed.

`migrate_text` and `migrate_paths` do what `nnx-migrate apply` does; docs/python-api.md shows how.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from nnx_migrate.api.migrating import migrate_paths, migrate_text
    from nnx_migrate.core.findings import (
        Evidence,
        FileResult,
        FileStatus,
        Finding,
        Outcome,
        Proof,
        SourceEdit,
    )
    from nnx_migrate.core.totals import RunResult, Totals
    from nnx_migrate.engine.projects.known import KnownFiles
    from nnx_migrate.sources.config_values import ConfigError

_HOMES = {
    "migrate_paths": "api.migrating",
    "migrate_text": "api.migrating",
    "Evidence": "core.findings",
    "FileResult": "core.findings",
    "FileStatus": "core.findings",
    "Finding": "core.findings",
    "Outcome": "core.findings",
    "Proof": "core.findings",
    "SourceEdit": "core.findings",
    "RunResult": "core.totals",
    "Totals": "core.totals",
    "KnownFiles": "engine.projects.known",
    "ConfigError": "sources.config_values",
}
__all__ = [
    "ConfigError",
    "Evidence",
    "FileResult",
    "FileStatus",
    "Finding",
    "KnownFiles",
    "Outcome",
    "Proof",
    "RunResult",
    "SourceEdit",
    "Totals",
    "__version__",
    "migrate_paths",
    "migrate_text",
]


def __getattr__(name: str) -> object:
    """Import what is asked for: `import nnx_migrate` alone, or a page of help, costs nothing."""
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
