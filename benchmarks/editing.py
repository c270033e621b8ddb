"""Measures what a language server takes to answer after an edit.

    python -m benchmarks.editing FOLDER [--edits 32] [--compare] [--profile FILE]

Files of a project that say `nnx` are opened and edited one after the other, each in another way: a
comment, a local variable, a literal, a function, the name of a method, a default of a class, an
import, a call of a function that is traced. Printed are the CPU seconds of each answer, after an
edit that other files feel of the preliminary one too, and with `--compare` whether it is the one
that a look at everything anew gives.
"""

from __future__ import annotations

import argparse
import ast
import cProfile
import gc
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import nnx_migrate
from nnx_migrate.engine.projects.known import KnownFiles, Look
from nnx_migrate.engine.workers import uncollected

Edit = Callable[[str, ast.Module], str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Opens, edits and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--edits", type=int, default=4 * len(EDITS))
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--only", type=int, default=None, help="the number of the one edit")
    parser.add_argument("--profile", type=Path)
    options = parser.parse_args(arguments)
    with uncollected():  # as in the server, which searches for circles of objects when it rests
        return _measured(options)


def _measured(options: argparse.Namespace) -> int:
    known, taken, others = KnownFiles(edited=2), [], 0
    for number, (path, kind, before, after) in enumerate(_edits(options.folder, options.edits)):
        if options.only not in {None, number}:
            continue
        gc.collect(1)
        known.look = Look.FOR_EDITS
        opened, _ = _answer(before, path, known)
        profile = options.profile if options.only is not None else None
        known.look = Look.AT_ONCE
        seconds, found = _answer(after, path, known, profile)
        taken.append(seconds)
        later, known.look = "", Look.WHOLE
        if known.is_preliminary:
            settled, found = _answer(after, path, known)
            later = f"{settled:6.2f} later"
        same = ""
        if options.compare:
            fresh_seconds, fresh = _answer(after, path, KnownFiles())
            same = f"{fresh_seconds:6.2f} {'the same' if _told(fresh) == _told(found) else 'OTHER'}"
            others += _told(fresh) != _told(found)
        print(
            f"{number:3} {seconds:6.2f} {opened:6.2f} {same} {kind:10} {path} {later}", flush=True
        )
    print(f"median {statistics.median(taken):.2f}, slowest {max(taken):.2f} CPU s")
    return bool(others)


def _answer(
    text: str, path: Path, known: KnownFiles, profile: Path | None = None
) -> tuple[float, nnx_migrate.FileResult]:
    recorder = cProfile.Profile()
    if profile is not None:
        threading.setprofile(lambda *_: recorder.enable())
    begin = time.process_time()
    found = nnx_migrate.migrate_text(text, path, known=known)
    taken = time.process_time() - begin
    if profile is not None:
        threading.setprofile(None)
        recorder.dump_stats(profile)
    return taken, found


def _told(result: nnx_migrate.FileResult) -> object:
    return result.status, result.text, result.findings, result.edits


def _edits(folder: Path, count: int) -> Iterator[tuple[Path, str, str, str]]:
    """Files with the text of before and after an edit, spread over those that say `nnx`."""
    texts = {
        path: text
        for path in sorted(folder.rglob("*.py"))
        if "nnx" in (text := path.read_text(encoding="utf-8", errors="replace")) and _parses(text)
    }
    paths, kinds = list(texts), list(EDITS)
    # So many steps apart that each file comes once before one comes again.
    step = next(n for n in range(len(paths) // 3 + 1, 9999) if _coprime(n, len(paths)))
    number = made = 0
    while made < count and number < 99 * count:
        path, kind = paths[number * step % len(paths)], kinds[made % len(kinds)]
        number += 1
        before = texts[path]
        after = EDITS[kind](before, ast.parse(before))
        if after != before:
            made += 1
            yield path, kind, before, after


def _parses(text: str) -> bool:
    """Whether this Python reads the text, which may be of a newer one."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _coprime(one: int, other: int) -> bool:
    while other:
        one, other = other, one % other
    return one == 1


def _comment(text: str, tree: ast.Module) -> str:
    functions = _functions(tree)
    return (
        _inserted(text, functions[len(functions) // 2].body[0], "# a remark") if functions else text
    )


def _local(text: str, tree: ast.Module) -> str:
    functions = _functions(tree)
    return (
        _inserted(text, functions[len(functions) // 2].body[-1], "fresh_local = 1")
        if functions
        else text
    )


def _literal(text: str, tree: ast.Module) -> str:
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and type(n.value) is int]
    if not found:
        return text
    return _replaced(text, found[len(found) // 2], "1234")


def _function(text: str, tree: ast.Module) -> str:
    return text + "\n\ndef fresh_function(model, x):\n  return model(x) + 1\n"


def _method(text: str, tree: ast.Module) -> str:
    methods = [
        each
        for klass in ast.walk(tree)
        if isinstance(klass, ast.ClassDef)
        for each in klass.body
        if isinstance(each, ast.FunctionDef) and not each.name.startswith("__")
    ]
    if not methods:
        return text
    method = methods[len(methods) // 2]
    lines = text.splitlines(keepends=True)
    at = method.lineno - 1
    lines[at] = lines[at].replace(f"def {method.name}", f"def renamed_{method.name}", 1)
    return "".join(lines)


def _attribute(text: str, tree: ast.Module) -> str:
    classes = [each for each in ast.walk(tree) if isinstance(each, ast.ClassDef)]
    return (
        _inserted(text, classes[len(classes) // 2].body[-1], "fresh_attribute = None")
        if classes
        else text
    )


def _import(text: str, tree: ast.Module) -> str:
    found = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
    return _inserted(text, found[-1], "import functools as fresh_functools") if found else text


def _call(text: str, tree: ast.Module) -> str:
    functions = _functions(tree)
    if not functions:
        return text
    called, caller = functions[0], functions[-1]
    return _inserted(
        text, caller.body[-1], f"{called.name}({', '.join(['None'] * len(called.args.args))})"
    )


EDITS: dict[str, Edit] = {
    "comment": _comment,
    "local": _local,
    "literal": _literal,
    "function": _function,
    "method": _method,
    "attribute": _attribute,
    "import": _import,
    "call": _call,
}


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    found = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    return sorted(found, key=lambda each: each.lineno)


def _inserted(text: str, before: ast.stmt, line: str) -> str:
    """A text with a line before a statement, decorators included."""
    lines = text.splitlines(keepends=True)
    decorators = getattr(before, "decorator_list", [])
    at = min([before.lineno, *(each.lineno for each in decorators)])
    lines.insert(at - 1, " " * before.col_offset + line + "\n")
    return "".join(lines)


def _replaced(text: str, node: ast.expr, words: str) -> str:
    lines = text.splitlines(keepends=True)
    if node.end_col_offset is None or node.lineno != node.end_lineno:
        return text
    line = lines[node.lineno - 1].encode()
    changed = line[: node.col_offset] + words.encode() + line[node.end_col_offset :]
    lines[node.lineno - 1] = changed.decode()
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
