"""A review from beginning to end: marks, hunks that are alike, progress, links, cells."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from nnx_migrate.engine import run as engine
from nnx_migrate.report.html.page import render_page
from nnx_migrate.report.html.review.run import Run
from nnx_migrate.report.html.writing import review_of, write
from nnx_migrate.sources.configuration import Configuration
from tests.browser.conftest import Reader
from tests.browser.projects import TRAIN

WIDTHS = (1440, 1024, 390)
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Training\n", "by hand"]},
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": TRAIN.format(text="notebook").splitlines(keepends=True),
        },
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four files that change alike, one that does not, and a notebook, in a repository."""
    root = tmp_path_factory.mktemp("project") / "tree"
    (root / "src" / "deep").mkdir(parents=True)
    for name in ("a", "b", "deep/c", "deep/d"):
        (root / "src" / f"{name}.py").write_text(TRAIN.replace("{text}", "text"))
    other = TRAIN.replace("{text}", "other").replace("jnp.mean(model(x) ** 2)", "jnp.sum(model(x))")
    (root / "other.py").write_text(
        other.replace("def loss_fn(model: Net)", "def loss_fn(net: Net)")
    )
    (root / "tour.ipynb").write_text(json.dumps(NOTEBOOK, indent=1) + "\n")
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-C", str(root))
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "first"], check=True)
    remote = "https://user:secret@github.com/acme/ml.git"
    subprocess.run([*git, "remote", "add", "origin", remote], check=True)
    return root


@pytest.fixture(scope="module")
def page_file(project: Path) -> Path:
    configuration = Configuration({"docs": True})
    result = engine.run([project], configuration, write=None)
    command = "nnx-migrate apply . --dry-run --html review"
    return write(result, project / "review", written=False, command=command)


def open_at(reader: Reader, page_file: Path, width: int, address: str = "") -> Page:
    page = reader.open(page_file, address)
    page.set_viewport_size({"width": width, "height": 900})
    return page


def test_alike_hunks_are_shown_once_and_reviewed_once(reader: Reader, page_file: Path) -> None:
    page = reader.open(page_file)
    expect(page.locator("#progress-text")).to_contain_text("0 of")
    note = page.locator(".alike", has_text="other hunks").first
    expect(note).to_contain_text("have the same change for the same reason")
    first = page.locator(".piece", has=note)
    folded = page.locator(".piece.folded")
    before = folded.count()
    assert before >= 3
    expect(folded.first).to_contain_text("Same change and reason as")
    assert folded.first.locator("table").count() == 0
    note.get_by_role("button", name="Show them").click()
    assert folded.count() < before
    page.locator(".alike").first.get_by_role("button", name="Fold them").click()
    expect(folded).to_have_count(before)
    folded.first.get_by_role("button", name="Show").click()
    expect(folded).to_have_count(before - 1)
    first = page.locator(".piece", has=page.locator(".alike")).first
    first.get_by_role("checkbox", name="Reviewed").click()
    expect(page.locator("#progress")).not_to_have_attribute("value", "0")
    assert int(page.locator("#progress").get_attribute("value") or 0) >= before
    again = reader.open(page_file)
    assert int(again.locator("#progress").get_attribute("value") or 0) >= before
    # A file of which all hunks are reviewed is viewed; taking that back takes back the mark of all.
    viewed = again.locator("section[aria-label='src/a.py']").get_by_role("checkbox")
    expect(viewed).to_have_count(1)
    viewed.click()
    expect(again.locator("#progress")).to_have_attribute("value", "0")


def test_progress_goes_to_a_file_and_comes_back(
    reader: Reader, page_file: Path, browser: Browser, tmp_path: Path
) -> None:
    page = reader.open(page_file)
    page.get_by_role("checkbox", name="Reviewed").first.click()
    expect(page.locator("#progress")).not_to_have_attribute("value", "0")
    done = page.locator("#progress").get_attribute("value")
    page.get_by_role("button", name="Review", exact=True).click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Save progress").click()
    kept = tmp_path / "progress.json"
    started.value.save_as(kept)
    reader.requests[:] = [each for each in reader.requests if not each.startswith("blob:")]
    assert started.value.suggested_filename == "nnx-migrate-review.json"
    saved = json.loads(kept.read_text())
    assert saved["version"] == 1
    assert len(saved["marks"]) == 1
    elsewhere = browser.new_context()
    other = elsewhere.new_page()
    other.goto(page_file.as_uri())
    other.wait_for_selector("html[data-ready]")
    expect(other.locator("#progress")).to_have_attribute("value", "0")
    other.get_by_role("button", name="Review", exact=True).click()
    other.locator("#progress-load").set_input_files(kept)
    expect(other.locator("#progress-said")).to_have_text("Loaded 1 marks.")
    expect(other.locator("#progress")).to_have_attribute("value", done or "")
    wrong = tmp_path / "wrong.json"
    for text in ("{}", "no json", '{"format": 1, "marks": ["viewed.x"]}', "[" * 10_000):
        wrong.write_text(text)
        other.locator("#progress-load").set_input_files(wrong)
        expect(other.locator("#progress-said")).to_contain_text("is not a saved review")
    elsewhere.close()


def test_the_run_is_named(reader: Reader, page_file: Path, project: Path) -> None:
    page = reader.open(page_file)
    about = page.locator("#summary .run")
    expect(about).to_contain_text("nnx-migrate apply . --dry-run --html review")
    commit = subprocess.run(
        ["git", "-C", str(project), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    expect(about).to_contain_text(commit[:12])
    expect(about).to_contain_text("UTC")
    expect(about).to_contain_text("not run")


def test_places_lead_to_the_editor_and_the_repository(
    reader: Reader, page_file: Path, project: Path
) -> None:
    page = reader.open(page_file, "#file=src/deep/d.py&line=17")
    piece = page.locator(".piece.current")
    editor = piece.get_by_role("link", name="in the editor")
    line = int((piece.locator("h3 a").inner_text()).removeprefix("Line "))
    expect(editor).to_have_attribute("href", f"vscode://file{project}/src/deep/d.py:{line}")
    web = piece.get_by_role("link", name="in the repository")
    address = web.get_attribute("href") or ""
    assert address.startswith("https://github.com/acme/ml/blob/")
    assert address.endswith(f"/src/deep/d.py#L{line}")
    # Neither a password in the remote nor the folders of this machine are in the page.
    text = page_file.read_text()
    assert "secret" not in text
    page.get_by_role("button", name="Review", exact=True).click()
    page.get_by_label("Editor", exact=True).select_option("zed")
    page.get_by_label("Folder of the code").fill("/home/me/ml checkout/")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Close").click()
    page.evaluate("location.hash = '#file=src/deep/c.py&line=17'")
    link = page.locator(".piece.current").get_by_role("link", name="in the editor")
    expect(link).to_have_attribute("href", f"zed://file/home/me/ml%20checkout/src/deep/c.py:{line}")


def test_cells_of_notebooks_are_code(reader: Reader, page_file: Path) -> None:
    page = reader.open(page_file, "#file=tour.ipynb&line=27")
    section = page.locator("section[aria-label='tour.ipynb']")
    expect(section.locator("h3").first).to_contain_text("Cell 2, line ")
    expect(section.locator("tr.cell").first).to_have_text("Cell 2")
    shown = section.inner_text()
    assert "def train_step(model: Net, x):" in shown
    for json_text in ('"source"', '"outputs"', '\\n"', '"cell_type"'):
        assert json_text not in shown
    numbers = section.locator("table").first.locator("td.number").all_inner_texts()
    assert max(int(number) for number in numbers if number) < 40


def test_manual_pages_are_rendered(reader: Reader, page_file: Path) -> None:
    page = reader.open(page_file)
    page.locator("#summary button.rule").first.click()
    manual = page.locator("#rule-text")
    expect(manual.locator("h3").first).to_be_visible()
    assert manual.locator("pre").count() >= 2
    assert manual.locator("code").count() > 0
    text = manual.inner_text()
    assert "----" not in text
    assert "`" not in text


def test_folders_open_and_close(reader: Reader, page_file: Path) -> None:
    page = reader.open(page_file)
    tree = page.locator("#file-list")
    folder = tree.get_by_role("button", name="src/deep:")
    expect(folder).to_have_attribute("aria-expanded", "true")
    rows = tree.locator("li").count()
    folder.click()
    expect(tree.locator("li")).to_have_count(rows - 2)
    expect(tree.get_by_role("button", name="src/deep:")).to_be_focused()
    # Going to a file in it opens it.
    page.evaluate("location.hash = '#file=src/deep/d.py'")
    expect(tree.locator("li")).to_have_count(rows)
    expect(tree.locator("li[aria-current]")).to_contain_text("d.py")


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_fits_screens_of_all_widths(
    reader: Reader, browser: Browser, page_file: Path, sample: Path, width: int
) -> None:
    for file, address in ((page_file, "#file=tour.ipynb&line=27"), (sample, "")):
        page = open_at(reader, file, width, address)
        page.locator("table.rows").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") == width
        tools = page.locator(".tools button:visible")
        boxes = [each.bounding_box() for each in tools.all()]
        assert len({box["y"] for box in boxes if box}) == 1
        assert all(box["x"] + box["width"] <= width for box in boxes if box)
    context = browser.new_context(viewport={"width": width, "height": 2000}, bypass_csp=True)
    checked = context.new_page()
    checked.goto(page_file.as_uri())
    checked.locator("table.rows").first.wait_for()
    checked.get_by_role("button", name="Review", exact=True).click()
    found = Axe().run(checked).response["violations"]
    checked.keyboard.press("Escape")
    checked.locator("#summary button.rule").first.click()
    found += Axe().run(checked).response["violations"]
    assert [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found] == []
    context.close()


def test_a_phone_shows_filters_and_files_on_demand(reader: Reader, page_file: Path) -> None:
    page = open_at(reader, page_file, 390)
    expect(page.locator("#file-list")).to_be_hidden()
    assert (page.locator("#summary").bounding_box() or {"y": 999})["y"] < 300
    page.get_by_role("button", name="Filters").click()
    expect(page.locator("#file-list")).to_be_visible()
    expect(page.get_by_role("button", name="Filters")).to_have_attribute("aria-expanded", "true")
    page.locator("#file-list").get_by_role("link", name="other.py").click()
    expect(page.locator("section.current")).to_have_attribute("aria-label", "other.py")


def test_a_filter_by_rule_sets_other_findings_back(reader: Reader, sample: Path) -> None:
    page = reader.open(sample, "#rule=diff-state")
    cards = page.locator(".card.rewritten, .card.pinned")
    cards.first.wait_for()
    for card in cards.all():
        own = card.locator(".rule").inner_text() == "diff-state"
        assert ("other" in (card.get_attribute("class") or "").split()) != own


def test_a_page_without_a_repository_has_no_links(reader: Reader, project: Path) -> None:
    result = engine.run([project / "other.py"], Configuration({}), write=None)
    review = dataclasses.replace(review_of(result, written=False), run=Run())
    file = project.parent / "bare.html"
    file.write_text(render_page(review))
    page = reader.open(file)
    page.locator("table.rows").first.wait_for()
    assert page.locator("a.out").count() == 0
    expect(page.locator("#summary .run")).to_contain_text(
        "none: the paths are in no git repository"
    )
