"""Who owns a file by GitLab's rules: sections, each of which has a say of its own.

Sources: "Syntax of CODEOWNERS file" and "Advanced CODEOWNERS configuration" in GitLab's
documentation, https://docs.gitlab.com/user/project/codeowners/reference/ and .../advanced/.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from nnx_migrate.sources.patterns import ignore_patterns

#: Approvals count for merges, not for owning.
_HEADING = re.compile(r"\^?\[(?P<name>[^\]]+)\](\[[^\]]*\])?(\s+(?P<owners>.*))?")
_SPACE = re.compile(r"(?<!\\)\s+")
_OWNER = re.compile(r"\S*@\S+")
_END = "\ue001"  # private use, so in nobody's names


def has_sections(lines: Sequence[str]) -> bool:
    """Whether a CODEOWNERS file has sections, which only GitLab knows.

    Args:
        lines: of the file.
    """
    return any(_HEADING.fullmatch(line.strip()) for line in lines)


def owners_by_section(lines: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Return what gives the owners of a file: of each section those of its last line that matches.

    Args:
        lines: of the CODEOWNERS file.

    Raises:
        ValueError: a pattern cannot be understood.
    """
    sections: dict[str, _Section] = {}
    section, default = sections.setdefault("", _Section()), ""
    for line in map(str.strip, lines):
        heading = _HEADING.fullmatch(line)
        if heading is not None:
            # Sections of one name are one, each part of it with owners of its own.
            section = sections.setdefault(heading["name"].casefold(), _Section())
            default = heading["owners"] or ""
        elif line and not line.startswith("#"):
            pattern, *named = _SPACE.split(line, maxsplit=1)
            section.add(pattern, _OWNER.findall(named[0] if named else default))
    asked = [each.owners() for each in sections.values()]

    def owners(name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(owner for of in asked for owner in of(name)))

    return owners


class _Section:
    """The lines of one section."""

    def __init__(self) -> None:
        self._patterns: list[str] = []
        self._owners: list[Sequence[str]] = []
        self._excluded: list[str] = []

    def add(self, pattern: str, owners: Sequence[str]) -> None:
        if pattern.startswith("!"):
            self._excluded.append(_as_gitignore(pattern[1:]))
        else:
            self._patterns.append(_as_gitignore(pattern))
            self._owners.append(owners)

    def owners(self) -> Callable[[str], Sequence[str]]:
        owned = ignore_patterns(self._patterns)
        excluded = ignore_patterns(self._excluded)

        def owners(name: str) -> Sequence[str]:
            line = owned.check_file(name + _END).index
            # What is excluded once stays so, whatever follows.
            if line is None or excluded.match_file(name + _END):
                return ()
            return self._owners[line]

        return owners


def _as_gitignore(pattern: str) -> str:
    """A pattern of GitLab as one of .gitignore, for names that end in a mark.

    In GitLab every pattern is one of files: only a slash at its end takes in what is in a folder.
    And only one at its beginning ties it to the root.
    """
    tied = pattern if pattern.startswith("/") else f"/**/{pattern}"
    return f"{tied}**/*{_END}" if tied.endswith("/") else f"{tied}{_END}"
