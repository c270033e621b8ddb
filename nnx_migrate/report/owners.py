"""Who owns a file: CODEOWNERS, as GitHub and GitLab read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from nnx_migrate.config import ConfigError

#: Where the file may lie; the first that exists counts.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
UNOWNED = "unowned"
_SPACE = "\ue000"  # private use, so in nobody's names
_COMMENT = re.compile(r"(^|\s)#.*")


def owners_in(root: Path) -> Callable[[str], tuple[str, ...]]:
    """Return what gives the owners of a file, by its name from the root.

    A file that nobody owns belongs to `unowned`.

    Args:
        root: of the repository.

    Raises:
        ConfigError: there is no CODEOWNERS file, it cannot be read, or the library that reads it is
            not installed.
    """
    file = next((root / place for place in PLACES if (root / place).is_file()), None)
    if file is None:
        raise ConfigError(
            f"--patch-by owner: there is no CODEOWNERS in {root}; looked for {', '.join(PLACES)}"
        )
    try:
        from codeowners import CodeOwners
    except ModuleNotFoundError:
        raise ConfigError("--patch-by owner: pip install 'nnx-migrate[owners]'") from None
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
        # The library takes an @name in a comment behind a rule for one more owner, and a space in
        # the name of a file for the end of a folder.
        rules = (_COMMENT.sub("", line).replace("\\ ", _SPACE) for line in lines)
        table = CodeOwners("\n".join(rules))
    except (OSError, UnicodeDecodeError, ValueError, re.error) as error:
        raise ConfigError(f"{file}: {error}") from None

    def owners(name: str) -> tuple[str, ...]:
        return tuple(owner for _, owner in table.of(name.replace(" ", _SPACE))) or (UNOWNED,)

    return owners
