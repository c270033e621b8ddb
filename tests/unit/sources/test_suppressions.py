"""Comments silence what they name, nothing else, and not from inside strings."""

from __future__ import annotations

from nnx_migrate.core.findings import Outcome
from nnx_migrate.sources.suppressions import Suppression, Suppressions, parse_suppressions


def test_a_file_that_never_names_the_tool_is_not_tokenized() -> None:
    # An unterminated bracket would stop the tokenizer; it is not reached.
    assert parse_suppressions("x = (") == Suppressions()


def test_named_rules_and_all_rules() -> None:
    found = parse_suppressions(
        "a = 1  # nnx-migrate: ignore[state-axes, diff-state]\n"
        "b = 2  # type: ignore  # nnx-migrate: ignore\n"
    )
    assert found.match("state-axes", 1, 1) == Suppression(1, 8, "state-axes")
    assert found.match("diff-state", 1, 1) == Suppression(1, 8, "diff-state")
    assert found.match("module-gradient", 1, 1) is None
    assert found.match("module-gradient", 2, 2) == Suppression(2, 24, None)
    assert found.match("state-axes", 3, 9) is None


def test_any_line_of_the_site_counts_and_the_named_rule_wins() -> None:
    found = parse_suppressions(
        "f(  # nnx-migrate: ignore\n    1,\n    2,  # nnx-migrate: ignore[state-axes]\n)\n"
    )
    assert found.match("state-axes", 1, 4) == Suppression(3, 9, "state-axes")
    assert found.match("diff-state", 1, 4) == Suppression(1, 5, None)
    assert found.match("diff-state", 2, 4) is None


def test_strings_are_not_comments() -> None:
    found = parse_suppressions('"""\n# nnx-migrate: skip-file\n"""\nx = "# nnx-migrate: ignore"\n')
    assert found == Suppressions()


def test_skip_file_and_old_newlines() -> None:
    assert parse_suppressions("x = 1\r# nnx-migrate: skip-file\ry = 2\r").skip_file
    found = parse_suppressions("x = 1\r\ny = 2  # nnx-migrate: ignore[a]\r\n")
    assert found.match("a", 2, 2) is not None


def test_what_follows_a_syntax_error_does_not_hide_what_was_before() -> None:
    found = parse_suppressions("# nnx-migrate: skip-file\nx = (\n")
    assert found.skip_file


def test_unused_unknown_and_misspelt_directives_are_findings() -> None:
    found = parse_suppressions(
        "a  # nnx-migrate: ignore[used]\n"
        "b  # nnx-migrate: ignore[unused]\n"
        "c  # nnx-migrate: ignore[no-such]\n"
        "d  # nnx-migrate: ingore[used]\n"
        "e  # nnx-migrate: ignore[]\n"
        "f  # nnx-migrate: ignore\n"
    )
    used = [found.match("used", 1, 1)]
    findings = found.unused([s for s in used if s], known=["used", "unused"])
    assert [finding.line for finding in findings] == [2, 3, 4, 5, 6]
    assert {finding.rule for finding in findings} == {"unused-ignore"}
    assert {finding.outcome for finding in findings} == {Outcome.MANUAL}
    assert "for unused silences nothing" in findings[0].message
    assert "no rule named 'no-such'" in findings[1].message
    assert "means nothing" in findings[2].message


def test_an_ignore_for_a_rule_that_did_not_run_is_not_unused() -> None:
    found = parse_suppressions("a  # nnx-migrate: ignore[b]\nc  # nnx-migrate: ignore\n")
    assert found.unused([], known=["a", "b"], active=["a"]) == []
    assert len(found.unused([], known=["a", "b"], active=["a", "b"])) == 2
