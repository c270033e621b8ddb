"""The programs of docs/semantics.md: what they are said to print in each mode, and what they do.

    python -m tests.semantics          # in the mode of NNX_GRAPH_MODE and NNX_GRAPH_UPDATES

prints, as JSON, the lines that each program prints; the name of the error where it ends with one.
"""

from __future__ import annotations

import dataclasses
import json
import re
import threading
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "semantics.md"
_CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)
_SAID = re.compile(r"  # (?:both: (?P<both>.*)|graph: (?P<graph>.*); tree: (?P<tree>.*))$")


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """One difference.

    Args:
        name: "STR-1".
        text: what is said of it.
        program: its code, without what all programs begin with.
    """

    name: str
    text: str
    program: str

    def said(self, mode: str) -> list[str]:
        """What the program is said to print in a mode, up to the error that ends it."""
        found: list[str] = []
        for line in self.program.splitlines():
            comment = _SAID.search(line)
            if comment is not None and not (found and found[-1].endswith("Error")):
                found.append(comment["both"] if comment["both"] is not None else comment[mode])
        return found


def entries() -> tuple[str, list[Entry]]:
    """What all programs begin with, and the entries of the page."""
    head, *parts = re.split(r"^### ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = []
    for part in parts:
        name, _, text = part.partition("\n")
        found.append(Entry(name, text, "\n".join(_CODE.findall(text))))
    return "\n".join(_CODE.findall(head)), found


def _run(code: str, printed: list[str]) -> None:
    names = {"print": lambda *parts: printed.append(" ".join(map(str, parts)))}
    try:
        exec(compile(code, "program", "exec"), names)
    except Exception as error:
        printed.append(type(error).__name__)


def main() -> None:
    """Run all programs, each in a thread of its own: modes that it sets count there alone."""
    head, found = entries()
    printed: dict[str, list[str]] = {}
    for entry in found:
        printed[entry.name] = []
        thread = threading.Thread(
            target=_run, args=(f"{head}\n{entry.program}", printed[entry.name])
        )
        thread.start()
        thread.join()
    print(json.dumps(printed))


if __name__ == "__main__":
    main()
