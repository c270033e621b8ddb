"""Pictures of the review page that come out alike on every machine.

All text is set in a font that is made here, of which each character is the same box, so that lines
break at the same places wherever the page is shown. What is left to the machine is how an edge is
smoothed: pictures are compared at a quarter of their size, where an edge that lies a pixel off
changes a little, and one that lies elsewhere changes all.

python -m tests.browser.picturing     # makes the pictures anew: look at the diff
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import io
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page, sync_playwright

from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome, SourceEdit
from nnx_migrate.core.totals import count
from nnx_migrate.report.html.page import Review, render_page
from nnx_migrate.report.html.review.run import Run

WIDTHS = (1440, 1024, 390)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PICTURES = Path(__file__).with_name("pictures")
_HEIGHT, _SCALE = 1000, 4
#: A point of the small picture is another one when a colour is so far off.
_FAR = 64
#: So many points of ten thousand may be others.
_ALLOWED = 10
_OLD = [f"value_{line} = function(argument, {line})\n" for line in range(30)]
_STYLE = """
@font-face { font-family: Boxes; src: url(data:font/ttf;base64,%s); }
*, *::before, *::after {
  font-family: Boxes !important; font-synthesis: none !important;
  transition: none !important; animation: none !important; caret-color: transparent !important;
}
"""


@dataclasses.dataclass(frozen=True)
class Compared:
    """A picture beside the one that is kept.

    Args:
        points: of ten thousand, how many are others.
        same_size: both have one size.
    """

    points: float
    same_size: bool = True

    @property
    def alike(self) -> bool:
        """Whether a reader sees the same."""
        return self.same_size and self.points <= _ALLOWED


@functools.cache
def _font(characters: str) -> str:
    """A font in which each of some characters is a box of half its height, in base64."""
    pen = TTGlyphPen(None)
    pen.moveTo((60, 0))
    for point in ((60, 500), (540, 500), (540, 0)):
        pen.lineTo(point)
    pen.closePath()
    box, empty = pen.glyph(), TTGlyphPen(None).glyph()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", "space", "box"])
    builder.setupCharacterMap({ord(c): "space" if c.isspace() else "box" for c in characters})
    builder.setupGlyf({".notdef": box, "space": empty, "box": box})
    builder.setupHorizontalMetrics({".notdef": (600, 60), "space": (600, 0), "box": (600, 60)})
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Boxes", "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWinAscent=800, usWinDescent=200)
    builder.setupPost()
    file = io.BytesIO()
    builder.save(file)
    return base64.b64encode(file.getvalue()).decode()


def _result(number: int, outcome: Outcome) -> FileResult:
    """A file with two findings; one that is rewritten has an edit for each."""
    new, findings, edits = list(_OLD), [], []
    for place, line in enumerate((6, 20)):
        rule = ("module-gradient", "state-axes")[number % 2]
        reason = f"file {number} does {place} things that take more than a few words to explain"
        findings.append(Finding(rule, line + 1, 1, outcome, reason))
        new[line] = _OLD[line].replace("function", f"changed_{number}")
        start = len("".join(_OLD[:line]))
        span = (start, start + len(_OLD[line]), line + 1, 1, line + 1, len(_OLD[line]))
        edits.append(SourceEdit(*span, new[line], (place,), place))
    path, before = Path(f"package{number % 2}/module{number}.py"), "".join(_OLD).encode()
    if outcome is not Outcome.REWRITTEN:
        return FileResult(path, FileStatus.UNCHANGED, before, before, tuple(findings))
    after, status = "".join(new).encode(), FileStatus.CHANGED
    return FileResult(path, status, before, after, tuple(findings), edits=tuple(edits))


def pictured_page(folder: Path) -> Path:
    """A page whose text depends neither on rules nor on the day."""
    outcomes = (Outcome.REWRITTEN, Outcome.REWRITTEN, Outcome.PINNED, Outcome.MANUAL)
    results = [_result(number, outcome) for number, outcome in enumerate(outcomes)]
    run = Run("nnx-migrate apply . --dry-run --html review", "2026-01-01 12:00 UTC", "0" * 40)
    review = Review(results, count(results, 4), False, Path.cwd(), lambda path: (), run=run)
    file = folder / "page.html"
    file.write_text(render_page(review), encoding="utf-8")
    return file


def opened(
    browser: Browser, file: Path, width: int, scheme: Literal["light", "dark"]
) -> Iterator[Page]:
    """A page in boxes, as wide as that."""
    # The page allows no style of another, so that this has to be put beside its own.
    context = browser.new_context(
        viewport={"width": width, "height": _HEIGHT}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    page.goto(file.as_uri())
    page.locator("table.rows").first.wait_for()
    characters = "".join(sorted({*file.read_text(encoding="utf-8"), *map(chr, range(32, 0x2800))}))
    page.add_style_tag(content=_STYLE % _font(characters))
    page.evaluate("document.fonts.load('12px Boxes').then(() => document.fonts.ready)")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    yield page
    context.close()


def picture(page: Page) -> Image.Image:
    """What is in sight, in a quarter of its size."""
    whole = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    return whole.reduce(_SCALE)


def kept(width: int, scheme: str) -> Path:
    """The file of a picture."""
    return PICTURES / f"{width}-{scheme}.png"


def compared(one: Image.Image, other: Image.Image) -> Compared:
    """How far two pictures differ."""
    if one.size != other.size:
        return Compared(10_000, same_size=False)
    red, green, blue = ImageChops.difference(one, other).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    far = sum(most.histogram()[_FAR:])
    return Compared(10_000 * far / (one.width * one.height))


def main() -> int:
    """Make all pictures anew."""
    from tests.browser.conftest import ARGUMENTS, chromium

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        file = pictured_page(Path(folder))
        for width in WIDTHS:
            for scheme in SCHEMES:
                for page in opened(browser, file, width, scheme):
                    picture(page).save(kept(width, scheme), optimize=True)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
