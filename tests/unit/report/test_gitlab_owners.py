"""CODEOWNERS as GitLab reads it: sections, of each of which the last line that matches counts.

Most cases are those of GitLab's own pages on the syntax of CODEOWNERS.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.report.patches.owners import PLACES, owners_in

SECTIONS = """\
* @admin

[README Owners]
README.md @user1 @user2
internal/README.md @user4

[README other owners]
README.md @user3
"""
DEFAULTS = """\
# Required for all files
* @general-approvers

[Documentation][2] @docs-team
docs/
README.md
*.txt

^[Database] @database-team @agarcia
model/db/
config/db/database-setup.md @docs-team
"""
TWICE = """\
[Documentation]
ee/docs/    @docs
docs/       @docs

[Database]
README.md  @database
model/db/   @database

[DOCUMENTATION] @other
README.md  @docs
docs/api/
"""
EXCLUDED = """\
* @username

!pom.xml

[Ruby]
*.rb @ruby-team
!/config/**/*.rb
/config/routes.rb @ops

[Config]
/config/ @ops-team
"""
BROKEN = """\
* @group

[Docs] @docs
docs/

[Section name
src/ @src_group
"""
# As teams write them: columns, tabs, nested groups, roles, addresses, blanks, CRLF.
REAL = """\
## owners of the platform\r
*\t\t\t@acme/platform/leads\r
/.gitlab-ci.yml  @acme/infra\r
\r
^[Training]  @acme/ml/training  trainers@acme.example  # ask @acme/ml/lead first\r
/train/**/*\r
/train/legacy/**/*.py   @@maintainer\r
/train/nobody.py  \r
\r
[ Kernels ][3]\r
kernels/**/*_test.py @acme/qa\r
/kernels/*.py @acme/kernels not_a_name\r
my\\ models/ @space\r
[a-c]x.py @class\r
[!a-c]y.py @other\r
\\#odd.py @odd\r
setup @setup\r
"""


@pytest.mark.parametrize(
    ("text", "name", "owners"),
    [
        (SECTIONS, "README.md", "@admin @user1 @user2 @user3"),
        (SECTIONS, "internal/README.md", "@admin @user4 @user3"),
        (SECTIONS, "deep/er/internal/README.md", "@admin @user4 @user3"),
        (SECTIONS, "src/a.py", "@admin"),
        (
            DEFAULTS,
            "model/db/CHANGELOG.txt",
            "@general-approvers @docs-team @database-team @agarcia",
        ),
        (DEFAULTS, "config/db/database-setup.md", "@general-approvers @docs-team"),
        (DEFAULTS, "a/docs/b/c.py", "@general-approvers @docs-team"),
        (TWICE, "README.md", "@docs @database"),
        (TWICE, "docs/a.md", "@docs"),
        (TWICE, "docs/api/a.md", "@other"),
        (TWICE, "a.py", "unowned"),
        (EXCLUDED, "pom.xml", "unowned"),
        (EXCLUDED, "a/b.rb", "@username @ruby-team"),
        (EXCLUDED, "config/x/b.rb", "@username @ops-team"),
        (EXCLUDED, "config/routes.rb", "@username @ops-team"),
        (BROKEN, "docs/a.py", "@group @docs"),
        (BROKEN, "src/a.py", "@group @src_group"),
        (REAL, "a.py", "@acme/platform/leads"),
        (REAL, ".gitlab-ci.yml", "@acme/infra"),
        (
            REAL,
            "train/a/.b.py",
            "@acme/platform/leads @acme/ml/training trainers@acme.example @acme/ml/lead",
        ),
        (REAL, "train/legacy/old.py", "@acme/platform/leads @@maintainer"),
        (REAL, "sub/train/a.py", "@acme/platform/leads"),
        (REAL, "kernels/a.py", "@acme/platform/leads @acme/kernels"),
        (REAL, "kernels/deep/a.py", "@acme/platform/leads"),
        (REAL, "x/kernels/deep/a_test.py", "@acme/platform/leads @acme/qa"),
        (REAL, "my models/a/b.py", "@acme/platform/leads @space"),
        (REAL, "d/bx.py", "@acme/platform/leads @class"),
        (REAL, "d/dx.py", "@acme/platform/leads"),
        (REAL, "d/dy.py", "@acme/platform/leads @other"),
        (REAL, "#odd.py", "@acme/platform/leads @odd"),
        (REAL, "setup", "@acme/platform/leads @setup"),
        (REAL, "setup/a.py", "@acme/platform/leads"),
    ],
)
def test_each_section_has_its_say(tmp_path: Path, text: str, name: str, owners: str) -> None:
    (tmp_path / "CODEOWNERS").write_bytes(text.encode())
    assert owners_in(tmp_path)(name) == tuple(owners.split())


def test_a_line_without_a_slash_owns_no_folder_where_gitlab_reads_it(tmp_path: Path) -> None:
    """On GitHub `docs` is the folder with all in it, and `a/docs/` is one at the root."""
    text = "docs @docs\na/api/ @api\n"
    github = {"docs/a.py": "@docs", "x/a/api/b.py": "unowned", "a/api/b.py": "@api"}
    gitlab = {"docs/a.py": "unowned", "x/a/api/b.py": "@api", "a/api/b.py": "@api"}
    for place in PLACES:
        root = tmp_path / place.replace("/", "-")
        (root / place).parent.mkdir(parents=True)
        (root / place).write_text(text)
        owners = owners_in(root)
        expected = gitlab if place.startswith(".gitlab") else github
        assert {name: " ".join(owners(name)) for name in expected} == expected
    owners = owners_in(beside(tmp_path / "mirror", text, ".gitlab-ci.yml", ".github/x.yml"))
    assert {name: " ".join(owners(name)) for name in github} == github
    owners = owners_in(beside(tmp_path / "lab", text, ".gitlab-ci.yml"))
    assert {name: " ".join(owners(name)) for name in gitlab} == gitlab


def beside(root: Path, text: str, *others: str) -> Path:
    for name in ("CODEOWNERS", *others):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_brackets_on_github_are_no_section(tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github" / "CODEOWNERS").write_text("/a/ @a\n[Docs]\n/a/b.py @b\n")
    assert owners_in(tmp_path)("a/b.py") == ("@b",)
