"""The file of facts that `apply` is given: what of it still counts."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from nnx_migrate.report.text import printable
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.facts.observed_facts import FactsError, ObservedFacts, read_facts

_MOST_NAMED = 3


def current_facts(file: Path | None) -> ObservedFacts | None:
    """The facts of files that have not changed since they ran; the others are named on stderr.

    Args:
        file: what `nnx-migrate observe` wrote; None for no facts.

    Raises:
        ConfigError: there are none in it.
    """
    if file is None:
        return None
    try:
        facts, changed = read_facts(file).current()
    except FactsError as error:
        raise ConfigError(str(error)) from None
    if changed:
        files = "1 file" if len(changed) == 1 else f"{len(changed)} files"
        named = ", ".join(changed[:_MOST_NAMED]) + ", ..." * (len(changed) > _MOST_NAMED)
        again = f"nnx-migrate observe --out {file} -- {shlex.join(facts.command)}"
        told = (
            f"{file} says nothing about {files} that changed since ({named}); record again: {again}"
        )
        print(f"nnx-migrate: {printable(told)}", file=sys.stderr)
    return facts
