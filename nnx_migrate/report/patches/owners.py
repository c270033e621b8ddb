"""Who owns a file: CODEOWNERS, as GitHub and GitLab read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from nnx_migrate.report.patches.gitlab_owners import has_sections, owners_by_section
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.patterns import require_few_double_stars, without_explosion
from nnx_migrate.sources.walk.scanning import read_settings

_Owners = Callable[[str], tuple[str, ...]]
#: Where the file may lie; the first that exists counts.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
UNOWNED = "unowned"
_SPACE = "\ue000"  # private use, so in nobody's names
_COMMENT = re.compile(r"(^|\s)#.*")


def owners_in(root: Path, asked: str = "--patch-by owner") -> _Owners:
    """Return what gives the owners of a file, by its name from the root.

    A file that nobody owns belongs to `unowned`.

    Args:
        root: of the repository.
        asked: what on the command line asks for them.

    Raises:
        ConfigError: there is no CODEOWNERS file, it cannot be read, or the library that reads it is
            not installed.
    """
    file = next((root / place for place in PLACES if (root / place).is_file()), None)
    if file is None:
        raise ConfigError(
            f"{asked}: there is no CODEOWNERS in {root}; looked for {', '.join(PLACES)}; "
            "add one, or group in another way"
        )
    try:
        lines = read_settings(file).decode("utf-8-sig").splitlines()
        read = owners_by_section if _is_of_gitlab(file, root, lines) else _owners_by_line
        known = read(lines)
    except ModuleNotFoundError:
        raise ConfigError(f"{asked}: pip install 'nnx-migrate[owners]'") from None
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror or error}") from None
    except (UnicodeDecodeError, ValueError, re.error) as error:
        raise ConfigError(f"{file}: {error}") from None
    return lambda name: known(name) or (UNOWNED,)


def _is_of_gitlab(file: Path, root: Path, lines: Sequence[str]) -> bool:
    """Whether GitLab's rules count: by the file's place, what is in it, and what is beside it."""
    if file.parent.name in (".github", ".gitlab"):
        return file.parent.name == ".gitlab"
    beside = (root / ".gitlab-ci.yml").is_file() and not (root / ".github").is_dir()
    return beside or has_sections(lines)


def _owners_by_line(lines: Sequence[str]) -> _Owners:
    """What gives the owners of a file by GitHub's rules: those of the last line that matches."""
    from codeowners import CodeOwners

    # The library takes an @name in a comment behind a rule for one more owner, and a space in
    # the name of a file for the end of a folder.
    plain = [_COMMENT.sub("", line).replace("\\ ", _SPACE) for line in lines]
    for line in plain:
        require_few_double_stars(line)
    table = CodeOwners("\n".join(plain))
    table.paths = [(without_explosion(row[0]), *row[1:]) for row in table.paths]

    def owners(name: str) -> tuple[str, ...]:
        return tuple(owner for _, owner in table.of(name.replace(" ", _SPACE)))

    return owners
