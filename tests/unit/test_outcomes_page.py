"""docs/outcomes.md names programs and rules that there are, and every rule there is."""

from __future__ import annotations

import re
from pathlib import Path

from nnx_migrate.rewrite.model.registry import rule_entries

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "outcomes.md").read_text(encoding="utf-8")


def test_programs_that_the_page_names_are_there() -> None:
    named = set(re.findall(r"`([a-z-]+/[a-z-]+)`", PAGE))
    assert len(named) > 40
    missing = [name for name in sorted(named) if not any((ROOT / "golden" / name).glob("before*"))]
    assert not missing


def test_page_names_every_rule() -> None:
    assert not rule_entries().keys() - set(re.findall(r"`([a-z-]+)`", PAGE))
