"""The review page under the hands of a reviewer: clicks, keys, filters, links, print."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Reader, until


def shows(page: Page, *names: str) -> None:
    """Wait until these files are shown, in this order."""
    labels = "[...document.querySelectorAll('#files > section')].map(each => each.ariaLabel)"
    wanted = json.dumps(names, separators=(",", ":"))
    until(page, f"JSON.stringify({labels}) === {json.dumps(wanted)}")


def test_the_summary_and_what_is_left_come_first(reader: Reader, sample: Path) -> None:
    page = reader.open(sample)
    expect(page.locator("#summary h2")).to_have_text("3 files would change")
    expect(page.locator(".tile.rewritten")).to_have_text("9 rewritten")
    expect(page.locator("#summary .run")).to_contain_text("different 1")
    expect(page.locator("#todo-list li")).to_have_count(2)
    expect(page.locator("#todo-list")).to_contain_text("broken.py:3")
    expect(page.locator("#todo-list")).to_contain_text("skip-file")
    shows(
        page,
        "broken.py",
        "left.py",
        "ranker/diagnostics.py",
        "ranker/ensemble.py",
        "ranker/training.py",
    )


def test_a_hunk_says_its_rule_outcome_evidence_and_verdict(reader: Reader, sample: Path) -> None:
    page = reader.open(sample, "#file=ranker/training.py&line=38")
    piece = page.locator(".piece.current")
    expect(piece.locator("h3")).to_contain_text("in finetune_step")
    expect(piece.locator(".card .badge.rewritten")).to_be_visible()
    expect(piece.locator(".card button.rule")).to_have_text("diff-state")
    evidence = piece.locator(".evidence li")
    expect(evidence.first).to_be_hidden()
    piece.locator(".evidence summary").click()
    expect(evidence.first).to_contain_text("argument 0 is Tower")
    expect(piece.locator(".verdict > summary")).to_have_text("Check: different by 1 case")
    expect(piece.locator(".verdict")).to_contain_text("expected 0.25 float32, got 0.5 float32")
    # Of a function that was not called itself, the cases that ran its file say what they can.
    other = page.locator(".piece", has=page.locator("h3", has_text="generic_step"))
    expect(other.locator(".verdict > summary")).to_have_text("Check: different by 2 cases")
    page.evaluate("location.hash = '#file=ranker/diagnostics.py'")
    unrun = page.locator("section[aria-label='ranker/diagnostics.py'] .piece").first
    expect(unrun.locator(".verdict")).to_contain_text("No case of the check ran this file")


def test_both_views_mark_lines_and_words(reader: Reader, sample: Path) -> None:
    page = reader.open(sample, "#file=ranker/training.py&line=16")
    piece = page.locator(".piece.current")
    expect(piece.locator("table.side")).to_be_visible()
    expect(piece.locator("del").first).to_have_text("model: Tower")
    expect(piece.locator("ins").first).to_have_text("params: nnx.State, nondiff: nnx.State")
    expect(piece.locator("td.gone").first).to_have_text("  def loss_fn(model: Tower):")
    expect(piece.locator("td.gone .t-k").first).to_have_text("def")
    page.keyboard.press("s")
    expect(piece.locator("table.inline")).to_be_visible()
    kinds = piece.locator("td.code").evaluate_all("cells => cells.map(c => c.classList[1])")
    assert kinds[3:6] == ["gone", "come", "come"]
    expect(page.get_by_role("button", name="Inline")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Side by side").click()
    expect(page.locator("table.side").first).to_be_visible()


def test_more_lines_are_there_on_demand(reader: Reader, sample: Path) -> None:
    page = reader.open(sample, "#file=ranker/training.py&line=38")
    piece = page.locator(".piece.current")
    numbers = piece.locator("td.number:first-child")
    expect(piece.locator(".more")).to_have_text(["↑ Show 1 more line above"])
    before = numbers.count()
    piece.locator(".more").click()
    expect(piece.locator(".more")).to_have_count(0)
    shown = [int(text) for text in numbers.all_inner_texts() if text]
    assert shown[0] == 34
    assert numbers.count() == before + 1
    assert shown == list(range(shown[0], shown[-1] + 1))
    page.keyboard.press("k")
    expect(piece.locator("h3")).to_contain_text("train_step")
    page.keyboard.press("x")
    expect(piece.locator(".more")).to_have_count(0)
    shown = [int(text) for text in numbers.all_inner_texts() if text]
    assert shown == list(range(3, 34))


def test_keys_go_from_hunk_to_hunk_and_from_file_to_file(reader: Reader, sample: Path) -> None:
    page = reader.open(sample)
    for place in (
        "Line 3",
        "Line 41 in Sampler.settle",
        "Line 52 in activations",
        "Line 63 in attributions",
        "Line 12 in create_heads",
    ):
        page.keyboard.press("j")
        until(page, f"document.activeElement.innerText.startsWith({place!r})")
    page.keyboard.press("k")
    until(page, "document.activeElement.innerText.startsWith('Line 63')")
    page.keyboard.press("n")
    until(page, "document.activeElement.innerText === 'ranker/ensemble.py'")
    page.keyboard.press("p")
    until(page, "document.activeElement.innerText === 'ranker/diagnostics.py'")
    box = page.locator("section[aria-label='ranker/diagnostics.py']").bounding_box()
    assert box is not None
    assert 40 <= box["y"] <= 80


def test_filters_narrow_and_say_so(reader: Reader, sample: Path) -> None:
    page = reader.open(sample)
    count = page.locator("#count")
    expect(count).to_have_text("5 files of 5, 10 hunks, 0 viewed")
    assert count.get_attribute("aria-live") == "polite"
    page.get_by_role("checkbox", name="state-axes").check()
    expect(count).to_contain_text("1 file of 5")
    shows(page, "ranker/ensemble.py")
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_role("checkbox", name="pinned").check()
    expect(page.locator(".piece")).to_have_count(1)
    expect(page.locator(".piece h3")).to_contain_text("generic_step")
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_role("checkbox", name="@models").check()
    shows(page, "ranker/ensemble.py")
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_role("checkbox", name="no owner").check()
    shows(page, "broken.py")
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_role("checkbox", name="different").check()
    shows(page, "ranker/training.py")
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_role("checkbox", name="same").check()
    expect(page.locator(".card.same")).to_contain_text(
        "no code depends on the type of the gradients"
    )


def test_the_file_filter_is_a_key_away(reader: Reader, sample: Path) -> None:
    page = reader.open(sample)
    page.keyboard.press("/")
    page.keyboard.type("RANKER train")
    expect(page.locator("#count")).to_contain_text("1 file of 5")
    # What is typed is text: no key of it is taken for a command.
    assert page.locator("#query").input_value() == "RANKER train"
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    until(page, "document.activeElement.className.includes('piece')")
    page.locator("#query").fill("nothing like it")
    expect(page.locator("#none")).to_be_visible()


def test_viewed_files_fold_and_stay_so(reader: Reader, sample: Path) -> None:
    page = reader.open(sample)
    section = page.locator("section[aria-label='ranker/diagnostics.py']")
    section.get_by_role("checkbox", name="Viewed", exact=True).check()
    expect(section.locator(".piece")).to_have_count(0)
    expect(page.locator("#count")).to_contain_text("1 viewed")
    again = reader.open(sample)
    expect(again.locator("#count")).to_contain_text("1 viewed")
    again.get_by_role("checkbox", name="Not viewed yet").check()
    expect(again.locator("section[aria-label='ranker/diagnostics.py']")).to_have_count(0)
    again.get_by_role("checkbox", name="Not viewed yet").uncheck()
    again.locator("#file-list a", has_text="diagnostics").click()
    until(again, "document.activeElement.innerText === 'ranker/diagnostics.py'")
    again.keyboard.press("v")
    expect(again.locator("#count")).to_contain_text("0 viewed")
    expect(again.locator("section[aria-label='ranker/diagnostics.py'] .piece")).to_have_count(3)


def test_addresses_lead_to_places_and_keep_filters(reader: Reader, sample: Path) -> None:
    page = reader.open(sample, "#rule=diff-state&file=ranker/training.py&line=38")
    expect(page.locator(".piece.current h3")).to_contain_text("finetune_step")
    shows(page, "ranker/training.py")
    assert "rule=diff-state" in page.url
    # A place that the filters hide is shown all the same.
    page.evaluate("location.hash = '#file=ranker/ensemble.py'")
    until(page, "document.activeElement.innerText === 'ranker/ensemble.py'")
    expect(page.locator("#files > section")).to_have_count(5)
    page.locator("section[aria-label='ranker/ensemble.py'] h3 a").last.click()
    expect(page.locator(".piece.current h3")).to_contain_text("predict")
    assert "line=23" in page.url


def test_dialogs_tell_the_keys_and_the_rules(reader: Reader, sample: Path) -> None:
    page = reader.open(sample)
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("j")
    expect(page.locator("#help")).to_be_visible()
    page.get_by_label("Keys without Ctrl").uncheck()
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#help")).to_be_hidden()
    # Who speaks to the machine, or leans on it, can have them off.
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="Inline")).to_have_attribute("aria-pressed", "false")
    page.locator("#summary").get_by_role("button", name="state-axes").click()
    expect(page.locator("#rule-text")).to_contain_text("nnx.StateAxes")


def test_the_theme_follows_the_system_until_it_is_chosen(dark_reader: Reader, sample: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page = dark_reader.open(sample)
    assert page.evaluate(ground) == "rgb(15, 19, 24)"
    page.keyboard.press("t")
    until(page, f"{ground} === 'rgb(255, 255, 255)'")
    assert dark_reader.open(sample).evaluate(ground) == "rgb(255, 255, 255)"


def test_print_has_everything(reader: Reader, sample: Path) -> None:
    page = reader.open(sample)
    page.locator("section[aria-label='ranker/training.py']").wait_for(state="attached")
    page.evaluate("window.print = () => { window.printed = document.body.innerText; }")
    page.get_by_role("button", name="Print").click()
    until(page, "window.printed !== undefined")
    text = page.evaluate("window.printed")
    assert "params, nondiff" in text
    assert "argument 0 is Tower" in text
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    expect(page.locator("#files > section")).to_have_count(5)
