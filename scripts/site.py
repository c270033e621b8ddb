"""Builds the documentation site: the pages of docs/ and those made of the rules.

    python scripts/site.py [FOLDER]    # build/site by default; needs pip install '.[docs]'

The site is in FOLDER/site. Exit status: 0 built, 1 a link leads nowhere or a page cannot be made.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from site_pages import ROOT, linked, rule_pages, smallest_rule


def lay_out(folder: Path) -> None:
    """Puts the configuration and all pages of the site into a folder, in the place of what it held.

    Args:
        folder: it gets `mkdocs.yml` and `docs`.
    """
    shutil.rmtree(folder, ignore_errors=True)
    target = folder / "docs"
    shutil.copytree(ROOT / "docs", target)
    shutil.copy(ROOT / "mkdocs.yml", folder)
    made = dict(rule_pages())
    for name in ("CONTRIBUTING", "CHANGELOG"):
        text = (ROOT / f"{name}.md").read_text(encoding="utf-8")
        made[f"{name.lower()}.md"] = text.replace("](docs/", "](")
    page = target / "writing-rules.md"
    made[page.name] = page.read_text(encoding="utf-8").replace(
        "{{ smallest_rule }}", smallest_rule()
    )
    for name in ("accuracy.md", "ecosystem.md", "outcomes.md", "concepts.md"):
        made[name] = linked((target / name).read_text(encoding="utf-8"), "semantics.md")
    for path, text in made.items():
        file = target / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")


def main() -> int:
    """Lay the pages out and build them."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "site"
    lay_out(folder)
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    return int(subprocess.run(command, cwd=folder).returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
