"""What a check says about a place: which cases ran its code, and their weakest verdict."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nnx_migrate.report.html.display import visible

#: Of a changed place that no case has run.
NOT_RUN = "not run"
#: From what needs eyes to what needs none.
VERDICTS = ("different", "not checked", NOT_RUN, "by callers", "close", "equal", "proved")


class Checks:
    """The cases of a check by the places that they ran.

    Args:
        document: the check of a run, as its JSON report has it.
        root: absolute folder that the names of files in it are relative to.
    """

    def __init__(self, document: Mapping[str, Any], root: Path) -> None:
        self._cases: Sequence[Mapping[str, Any]] = document["cases"]
        self._root = root.resolve()
        branches = [each["told"] for each in document["branches_not_taken"]]
        told = [*document["unchecked"], *document["remarks"], *branches, *document["not_put_back"]]
        self.remarks = tuple(map(visible, told))
        self.put_back = frozenset(map(os.path.realpath, document["put_back"]))
        self._by_file: dict[str, list[int]] = {}
        for number, case in enumerate(self._cases):
            for name in sorted({name for names in case["files"].values() for name in names}):
                self._by_file.setdefault(name, []).append(number)

    def of_place(self, path: Path, function: str) -> list[int]:
        """Return the numbers of the cases that call a function, else of all that ran its file.

        Args:
            path: of the file, as it was named.
            function: qualified name; "" for code outside of any.
        """
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(self._root):
            return []
        name = real.relative_to(self._root).as_posix()
        ran = self._by_file.get(name, [])
        called = [number for number in ran if _calls(self._cases[number]["name"], name, function)]
        return called or ran

    def verdict(self, numbers: Sequence[int]) -> str:
        """Return the weakest verdict among cases; a difference counts before a gap."""
        verdicts = {str(self._cases[number]["verdict"]) for number in numbers}
        return next((each for each in VERDICTS if each in verdicts), NOT_RUN)

    def as_data(self) -> list[dict[str, Any]]:
        """Return all cases, for the page."""
        return [_case(case) for case in self._cases]

    def counted(self) -> dict[str, int]:
        """Return how many cases there are of each verdict."""
        verdicts = [str(case["verdict"]) for case in self._cases]
        return {verdict: verdicts.count(verdict) for verdict in VERDICTS if verdict in verdicts}


def _calls(case: str, file: str, function: str) -> bool:
    """Whether a case is a recorded call of a function: "file:function#1"."""
    called, hash_sign, _ = case.rpartition("#")
    return bool(hash_sign) and called == f"{file}:{function}"


def _case(case: Mapping[str, Any]) -> dict[str, Any]:
    columns = case["columns"].items()
    return {
        "name": visible(case["name"]),
        "verdict": str(case["verdict"]),
        "columns": [
            [name, str(found["verdict"]), visible("; ".join(_said(found)))]
            for name, found in columns
        ],
        "scripts": [
            visible(f"python {found['repro']} {name.replace('@', ' ')}")
            for name, found in columns
            if found["repro"]
        ],
    }


def _said(found: Mapping[str, Any]) -> Iterator[str]:
    if found["part"]:
        yield found["part"]
    difference = found["difference"]
    if difference is not None:
        where = difference["path"] or "the result itself"
        apart = "" if difference["ulps"] is None else f" ({difference['ulps']} ulps apart)"
        yield f"{where}: expected {difference['old']}, got {difference['new']}{apart}"
    if found["reason"]:
        yield found["reason"]
    if found["proof"]:
        yield f"not proved: {found['proof']}"
