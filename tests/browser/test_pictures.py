"""The review page beside pictures of it, at the widths of a desk, a tablet and a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from PIL import Image
from playwright.sync_api import Browser

from tests.browser.picturing import (
    PICTURES,
    SCHEMES,
    WIDTHS,
    Compared,
    compared,
    kept,
    opened,
    picture,
    pictured_page,
)


@pytest.fixture(scope="module")
def pictured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pictured_page(tmp_path_factory.mktemp("pictured"))


def seen(
    browser: Browser, file: Path, width: int, scheme: Literal["light", "dark"], style: str = ""
) -> tuple[Compared, Image.Image]:
    """A page beside its picture.

    Args:
        style: a change of the page.
    """
    [(found, new)] = [
        (compared(new, Image.open(kept(width, scheme)).convert("RGB")), new)
        for page in opened(browser, file, width, scheme)
        if style == "" or page.add_style_tag(content=style)
        for new in [picture(page)]
    ]
    return found, new


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_looks_like_its_picture(
    browser: Browser,
    pictured: Path,
    tmp_path: Path,
    width: int,
    scheme: Literal["light", "dark"],
) -> None:
    found, new = seen(browser, pictured, width, scheme)
    new.save(tmp_path / "new.png")
    where = f"{tmp_path / 'new.png'} beside {kept(width, scheme)}"
    assert found.alike, f"{found}: {where}; if right: python -m tests.browser.picturing"


@pytest.mark.parametrize(
    ("change", "alike"),
    [
        # What machines differ in: the fonts that they have, and an edge that lies elsewhere by less
        # than a point.
        ("html { font-family: serif; -webkit-font-smoothing: none }", True),
        ("body { transform: translateY(0.4px) }", True),
        # What a reader sees.
        ("#summary { padding-top: 8px }", False),
        ("button { visibility: hidden }", False),
        ("main { color: transparent }", False),
        ("body { font-size: 17px !important }", False),
    ],
)
def test_what_a_reader_sees_is_seen(
    browser: Browser, pictured: Path, change: str, alike: bool
) -> None:
    found, _ = seen(browser, pictured, 1024, "light", change)
    assert found.alike is alike, found


def test_each_picture_has_its_page() -> None:
    names = {kept(width, scheme).name for width in WIDTHS for scheme in SCHEMES}
    assert {each.name for each in PICTURES.iterdir()} == names
