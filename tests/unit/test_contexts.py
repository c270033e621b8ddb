"""What is known of a file goes away with it: workers run without the search for circles."""

from __future__ import annotations

import gc

from nnx_migrate.engine.workers import uncollected
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.sources.configuration import Options
from tests.golden.cases import GOLDEN
from tests.golden.migration import migrate_tree


def test_contexts_of_planned_files_are_let_go() -> None:
    rules = ("sown-intermediates", "captured-module")
    found = [path for rule in rules for path in sorted((GOLDEN / rule).glob("*/before.py"))]
    gc.collect()
    with uncollected():
        for path in found[::4]:
            migrate_tree({"main.py": path.read_bytes()}, Options())
        left = sum(isinstance(each, FileContext) for each in gc.get_objects())
    # What calls in other files share is kept for two files.
    assert left <= 2
