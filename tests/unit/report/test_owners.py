"""CODEOWNERS as GitHub reads it: the last line that matches counts, whatever the name of the file.

The cases are those of GitHub's own page on the syntax of CODEOWNERS.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.report.patches.owners import PLACES, owners_in
from nnx_migrate.sources.config_values import ConfigError

FILE = """\
# This is a comment.
*       @global-owner1 @global-owner2

*.js    @js-owner #This is an inline comment, @nobody.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/*  docs@example.com
apps/ @octocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/github
my\\ code/*.py @space
"""


@pytest.mark.parametrize(
    ("name", "owners"),
    [
        ("a.py", ("@global-owner1", "@global-owner2")),
        ("deep/er/a.js", ("@js-owner",)),
        ("a.txt", ("@octo-org/octocats",)),
        ("docs/getting-started.md", ("docs@example.com",)),
        ("docs/build-app/troubleshooting.md", ("@global-owner1", "@global-owner2")),
        ("deep/apps/a.py", ("@octocat",)),
        ("apps/github/a.py", ("unowned",)),
        ("scripts/x/y.py", ("@doctocat", "@octocat")),
        ("build/logs/a.py", ("@octocat",)),
        ("deeply/nested/logs/a.py", ("@octocat",)),
        ("docs/a b.md", ("docs@example.com",)),
        ("my code/a b.py", ("@space",)),
        ("my code/x/a b.py", ("@global-owner1", "@global-owner2")),
    ],
)
def test_the_last_line_that_matches_counts(
    tmp_path: Path, name: str, owners: tuple[str, ...]
) -> None:
    (tmp_path / "CODEOWNERS").write_text(FILE)
    assert owners_in(tmp_path)(name) == owners


def test_the_first_place_counts(tmp_path: Path) -> None:
    for number, place in reversed(list(enumerate(PLACES))):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(f"* @owner{number}")
        assert owners_in(tmp_path)("a.py") == (f"@owner{number}",)


@pytest.mark.parametrize("text", [b"/a[b @x", b"* @\xff"])
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "CODEOWNERS").write_bytes(text)
    with pytest.raises(ConfigError, match="CODEOWNERS"):
        owners_in(tmp_path)
