"""The documentation site: it builds, every rule has a page, and no link leads nowhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from nnx_migrate.rewrite.model.registry import rule_entries

pytest.importorskip("zensical")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, str(ROOT / "scripts" / "site.py"), str(folder / "made")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "made"


@pytest.mark.parametrize("rule", sorted(rule_entries()))
def test_every_rule_has_a_page_with_its_golden_pairs(site: Path, rule: str) -> None:
    page = (site / "docs" / "rules" / f"{rule}.md").read_text(encoding="utf-8")
    for section in ("What it finds", "Why it matters", "When it is safe", "Golden pairs"):
        assert f"## {section}" in page
    cases = [folder.name for folder in (ROOT / "golden" / rule).iterdir() if folder.is_dir()]
    assert cases
    assert all(f'??? example "{case}"' in page for case in cases)
    assert "```diff" in page
    assert (site / "site" / "rules" / rule / "index.html").is_file()


def test_every_page_is_in_the_navigation_and_every_entry_is_a_page(site: Path) -> None:
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    pages = {str(page.relative_to(site / "docs")) for page in (site / "docs").rglob("*.md")}
    assert listed == pages
    assert {f"rules/{rule}.md" for rule in rule_entries()} < listed


def test_a_link_that_leads_nowhere_is_an_error(site: Path) -> None:
    page = site / "docs" / "troubleshooting.md"
    page.write_text(page.read_text(encoding="utf-8") + "\n[gone](no-such-page.md)\n")
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=site, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "page does not exist" in done.stdout + done.stderr


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in (site / "site").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for tag in ('src="http', "src='http", 'rel="stylesheet" href="http', "fonts.googleapis"):
            assert tag not in text, page
