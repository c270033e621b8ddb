"""What makes the page a tool for reviewing: addresses, likeness of hunks, manual pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import Evidence, Finding, Outcome, Proof
from nnx_migrate.report.html.hunks import hunks_of
from nnx_migrate.report.html.lines import split_lines
from nnx_migrate.report.html.review.folding import likeness
from nnx_migrate.report.html.review.manual import blocks_of
from nnx_migrate.report.html.review.run import blob_address, run_of
from nnx_migrate.rewrite.model.registry import rule_entries

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("https://github.com/acme/ml.git", f"https://github.com/acme/ml/blob/{COMMIT}/"),
        ("git@github.com:acme/ml.git", f"https://github.com/acme/ml/blob/{COMMIT}/"),
        ("ssh://git@github.com:22/acme/ml", f"https://github.com/acme/ml/blob/{COMMIT}/"),
        ("https://me:secret@github.com/acme/ml", f"https://github.com/acme/ml/blob/{COMMIT}/"),
        (
            "https://gitlab.example.com/group/sub/ml.git",
            f"https://gitlab.example.com/group/sub/ml/-/blob/{COMMIT}/",
        ),
        ("/home/me/ml", ""),
        ("../ml", ""),
        ("javascript:alert(1)//a/b", ""),
        ('https://github.com/acme/ml"onclick="x', ""),
        ("file:///home/me/ml", ""),
        ("", ""),
    ],
)
def test_a_remote_is_an_address_of_a_forge_or_none(remote: str, address: str) -> None:
    assert blob_address(remote, COMMIT) == address
    assert blob_address(remote, "main") == ""


def test_a_run_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    run = run_of(tmp_path, tmp_path / "review", "nnx-migrate apply .")
    assert (run.commit, run.blob, run.date) == ("", "", "1970-01-01 00:00 UTC")
    assert run.checkout == ".."
    # A page far from the code does not say in which folders that lies.
    far = run_of(tmp_path / "home" / "me" / "ml", tmp_path / "review", "")
    assert far.checkout is None


def alike(old: str, new: str, message: str = "m", proof: Proof = Proof.PROVED) -> str:
    left, right = split_lines(old), split_lines(new)
    (hunk,) = hunks_of(left, right)
    evidence = (Evidence("model is Net (line 12)", proof),)
    finding = Finding("jit", 1, 1, Outcome.PINNED, message, evidence)
    return likeness(hunk.rows, left, right, [finding], [], "")


def test_hunks_are_alike_when_the_words_that_differ_and_the_reasons_are() -> None:
    first = alike("step = nnx.jit(train)\n", "step = nnx.compat.jit(train)\n", "sown at a.py:12")
    same = alike("x = 1\nf = nnx.jit(g)\n", "x = 1\nf = nnx.compat.jit(g)\n", "sown at a.py:97")
    assert first == same
    others = [
        alike("step = nnx.grad(train)\n", "step = nnx.compat.grad(train)\n", "sown at a.py:12"),
        alike("step = nnx.jit(train)\n", "step = nnx.compat.jit(train)\n", "sown at b.py:12"),
        alike("step = nnx.jit(train)\n", "step = nnx.compat.jit(other)\n", "sown at a.py:12"),
        alike(
            "step = nnx.jit(train)\n",
            "step = nnx.compat.jit(train)\n",
            "sown at a.py:12",
            Proof.ASSUMED,
        ),
    ]
    assert len({first, *others}) == 5


def test_manual_pages_are_blocks() -> None:
    manual = "Summary of `x`.\n\nWhat it finds\n----\nTwo\nlines.\n\n"
    manual += "- one\n  more\n- two\n\n    a = 1\n\n    b\n"
    assert blocks_of(manual) == [
        ["p", ["Summary of ", ["x"], "."]],
        ["h", "What it finds"],
        ["p", ["Two lines."]],
        ["li", ["one more"]],
        ["li", ["two"]],
        ["code", "a = 1\n\nb"],
    ]


@pytest.mark.parametrize("rule", sorted(rule_entries()))
def test_no_mark_of_the_manual_pages_is_left(rule: str) -> None:
    blocks = blocks_of(rule_entries()[rule].manual())
    assert [each for each in blocks if each[0] == "h"]
    for kind, content in blocks:
        texts = [content] if kind in ("h", "code") else [part for part in content if part[0]]
        plain = [text for text in texts if isinstance(text, str) and kind != "code"]
        assert not any("`" in text or "---" in text for text in plain), plain
