"""The golden cases as they lie on disk."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[2] / "golden"


@dataclasses.dataclass(frozen=True, slots=True)
class Expectation:
    """What expect.toml says of a case.

    Args:
        why: what the case is there for, in one line.
        outcomes: rule -> outcome -> number of sites; an outcome that is not named is 0, except
            `same`, which counts only where it is named.
        unsafe: whether rewrites with assumptions are allowed.
        tree_unchanged_ok: the unmigrated program runs in tree mode with the same results.
        reason: why a case that tree mode does not break is kept all the same.
        select: the rules that are asked for by name; none for all of them, unasked.
        raises: mode -> type of the exception that the unmigrated program ends with in it. A case
            that raises in graph mode has no reference to be compared with: its driver compares
            with plain Python, and both modes must give the same.
        placement: why results lie elsewhere on several devices after the migration, in tree mode;
            none where they may not.
    """

    why: str
    outcomes: Mapping[str, Mapping[str, int]]
    unsafe: bool
    tree_unchanged_ok: bool
    reason: str
    select: tuple[str, ...] = ()
    raises: Mapping[str, str] = dataclasses.field(default_factory=dict)
    placement: str = ""

    @property
    def must_change(self) -> bool:
        """Whether anything of the case is expected to be rewritten or pinned."""
        return any(
            counts.get(outcome, 0)
            for counts in self.outcomes.values()
            for outcome in ("rewritten", "rewritten-checked", "pinned", "pinned-mid")
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """One folder golden/<rule>/<name>."""

    folder: Path

    @property
    def name(self) -> str:
        """The rule and the name of the folder, as they are given on the command line."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    def program(self, side: str) -> Path:
        """Where a side lies.

        Args:
            side: "before" or "after".

        Returns:
            A file for a program of one file, a folder with main.py for one of several.
        """
        folder = self.folder / side
        return folder if (self.folder / "before").is_dir() else folder.with_suffix(".py")

    def files(self, side: str) -> dict[str, bytes]:
        """Reads a side.

        Args:
            side: "before" or "after".

        Returns:
            Path relative to the program -> bytes.

        Raises:
            FileNotFoundError: that side has not been written yet.
        """
        program = self.program(side)
        if program.suffix == ".py":
            return {"main.py": program.read_bytes()}
        if not program.is_dir():
            raise FileNotFoundError(program)
        found = sorted(program.rglob("*.py"))
        return {path.relative_to(program).as_posix(): path.read_bytes() for path in found}

    def write(self, side: str, files: Mapping[str, bytes]) -> None:
        """Writes a side in the layout of `files`."""
        program = self.program(side)
        if program.suffix == ".py":
            program.write_bytes(files["main.py"])
            return
        for name, data in files.items():
            target = program / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

    def expectation(self) -> Expectation:
        """Reads expect.toml.

        Raises:
            ValueError: a key is not known or `why` is missing.
        """
        text = (self.folder / "expect.toml").read_text(encoding="utf-8")
        table = tomllib.loads(text)
        known = {"why", "outcomes", "unsafe", "tree_unchanged_ok", "reason"}
        known |= {"select", "raises", "placement"}
        if table.keys() - known or not table.get("why"):
            raise ValueError(f"{self.name}: expect.toml needs `why` and only {sorted(known)}")
        return Expectation(
            why=table["why"],
            outcomes=table.get("outcomes", {}),
            unsafe=table.get("unsafe", False),
            tree_unchanged_ok=table.get("tree_unchanged_ok", False),
            reason=table.get("reason", ""),
            select=tuple(table.get("select", ())),
            raises=table.get("raises", {}),
            placement=table.get("placement", ""),
        )


def all_cases(names: tuple[str, ...] = ()) -> list[Case]:
    """Finds the cases.

    Args:
        names: names ("diff-state/one-filter") or rules ("diff-state") to keep; all when empty.

    Returns:
        The cases, sorted by name.

    Raises:
        ValueError: a name matches no case.
    """
    cases = [Case(path.parent) for path in sorted(GOLDEN.glob("*/*/expect.toml"))]
    if not names:
        return cases
    kept = [case for case in cases if {case.name, case.folder.parent.name} & set(names)]
    missing = set(names) - {case.name for case in kept} - {case.folder.parent.name for case in kept}
    if missing:
        raise ValueError(f"no such golden case: {', '.join(sorted(missing))}")
    return kept
