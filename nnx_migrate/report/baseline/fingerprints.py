"""Names for findings that stay when lines above them come and go."""

from __future__ import annotations

import functools
import hashlib
import re
from collections import Counter
from pathlib import Path

from nnx_migrate.core.findings import Finding
from nnx_migrate.sources.imports.module_names import name_in_home

_NUMBER = re.compile(r"\d+")


class Fingerprints:
    """Gives each finding of a run a name of its own."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str, str]] = Counter()
        self._name = functools.cache(name_in_home)

    def of(self, path: Path, finding: Finding) -> str:
        """The same for the same finding in the next version of a file, however that is named.

        Args:
            path: the file, as it was named or found.
            finding: taken in the order of the file; equal ones are counted.
        """
        # Messages name lines here and there, and those are what moves.
        key = (self._name(path), finding.rule, _NUMBER.sub("#", finding.message))
        self._seen[key] += 1
        text = "\0".join((*key, str(self._seen[key])))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
