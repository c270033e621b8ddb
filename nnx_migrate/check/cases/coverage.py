"""What changed between the trees, and no case looks at."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from nnx_migrate.check.cases.notebooks import twin
from nnx_migrate.check.cases.touched import Touched, sources_of
from nnx_migrate.check.jobs import Side


def files_not_compared(old: Side, new: Side) -> Iterator[str]:
    """Files that differ and are no case of any kind: those that are gone, and notebooks.

    Args:
        old: the tree before the migration.
        new: the tree after it.

    Yields:
        A line for each.
    """
    if old.is_program or new.is_program:
        return
    before, after = set(sources_of(old.root)), set(sources_of(new.root))
    for path in sorted(before - after):
        moved = _moved_to(old.root / path, new.root, after - before)
        to = f"; it may have moved to {moved}" if moved else ""
        yield f"{path} is not in NEW{to}"
    for path in sources_of(old.root, ".ipynb"):
        if twin(path) not in before & after and _code(old.root / path) != _code(new.root / path):
            yield f"{path} differs, and notebooks are not run"


def files_not_imported(touched: Sequence[Touched], imported: Collection[str]) -> Iterator[str]:
    """Files whose code differs, and that no case has imported.

    Args:
        touched: what differs.
        imported: the files that cases have imported, relative to the trees.

    Yields:
        A line for each.
    """
    for each in touched:
        if each.path not in imported and not each.problem:
            yield f"{each.path} differs, and no case imports it"


def _moved_to(gone: Path, new: Path, come: Collection[str]) -> str:
    contents = gone.read_bytes()
    same = [path for path in sorted(come) if (new / path).read_bytes() == contents]
    named = [path for path in sorted(come) if Path(path).name == gone.name]
    return next(iter(same + named), "")


def _code(notebook: Path) -> list[str] | None:
    """The code of a notebook: its outputs differ after each run; None where it has none."""
    try:
        cells = json.loads(notebook.read_bytes())["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
