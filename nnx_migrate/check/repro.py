"""Small scripts that show one difference again, one side at a time, in a debugger's reach."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

from nnx_migrate.check.compare.files import is_of_files
from nnx_migrate.check.compare.verdicts import ColumnResult
from nnx_migrate.check.jobs import Column, Job, JobKind, Mode, Side, SideName
from nnx_migrate.sources.own_folder import OwnFolder

_SCRIPT = '''"""{name} in {column}: {headline}

    python {file} old graph    # the reference
    python {file} {side} {mode}

Each shows what that side has; it runs in this process, so a debugger sees all of it.
"""

import sys
from pathlib import Path

from nnx_migrate.check.repro import show

if __name__ == "__main__":
    show(
        sys.argv[1:],
        trees={{"old": {old!r}, "new": {new!r}}},
        roots={roots!r},
        job=({name!r}, {kind!r}, Path({case_file!r}), {entry!r}),
        part={part!r},
        path={path!r},
    )
'''


def write_script(folder: Path, job: Job, column: Column, old: Side, result: ColumnResult) -> Path:
    """Writes the script for a difference.

    Args:
        folder: it is made if need be.
        job: the case.
        column: in which it differs.
        old: the side of the reference.
        result: what was found.

    Returns:
        Where the script lies.
    """
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "-", f"{job.name}-{column.name}").strip("-")
    file = folder / f"{safe}.py"
    new = column.side
    path = result.difference.path if result.difference else ""
    roots = [each.relative_to(new.root).as_posix() for each in new.import_roots]
    text = _SCRIPT.format(
        name=job.name,
        column=column.name,
        headline=str(result.difference or result.reason).replace("\\", "/").replace('"""', "'''"),
        file=file.name,
        side=new.name,
        mode=column.mode,
        old=old.given or str(old.root),
        new=new.given or str(new.root),
        roots=roots,
        kind=job.kind,
        case_file=str(job.file.resolve()),
        entry=job.entry,
        part=result.part or "call",
        path=path.split("[")[0],
    )
    with OwnFolder(folder) as own:
        own.put(file.name, text.encode())
    return file


def show(
    words: list[str],
    trees: dict[SideName, str],
    roots: list[str],
    job: tuple[str, JobKind, Path, str],
    part: str,
    path: str,
) -> None:
    """Runs one side of a case and prints what it has at a path; the body of those scripts.

    Args:
        words: the side and the mode, of the command line.
        trees: the root of each side, or its revision.
        roots: import roots, relative to a tree.
        job: name, kind, file and entry of the case.
        part: "arguments", "call", "jit" or "gradient".
        path: of the leaf; "" for the result as a whole.
    """
    from nnx_migrate.check.copies import for_process, private_copy
    from nnx_migrate.check.trees import opened_side

    side_name: SideName = "new" if words[:1] == ["new"] else "old"
    mode: Mode = "tree" if words[1:2] == ["tree"] else "graph"
    beside = trees["old" if side_name == "new" else "new"]
    with (
        opened_side(side_name, trees[side_name], roots, beside) as side,
        tempfile.TemporaryDirectory(prefix="nnx-migrate-", ignore_cleanup_errors=True) as name,
    ):
        folder = Path(name).resolve()
        copied = private_copy(side, folder / "base").side
        _show_in(for_process(Column(copied, mode), folder), Job(*job), part, path)


def _show_in(column: Column, job: Job, part: str, path: str) -> None:
    from nnx_migrate.check.worker.column import call_in, enter

    enter(column, os.environ)
    from nnx_migrate.check.worker.running import run_call

    before, called, jitted, gradient = run_call(call_in(column, job))
    seen = {"arguments": before, "call": called, "jit": jitted, "gradient": gradient}[part]
    print(f"{column.name}, {part}:")
    view = getattr(seen, "view", None)
    if view is None:
        print(seen)
        return
    leaf = view.form.get(path)
    shown = getattr(leaf, "text", leaf) if is_of_files(path) else getattr(leaf, "data", leaf)
    print(f"  {path or 'the result'} = {shown}")
    if leaf is None:
        print("  there is no such path; there are:", *view.form, sep="\n    ", file=sys.stdout)
