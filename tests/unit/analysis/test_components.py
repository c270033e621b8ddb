"""What nodes lead to, in graphs with circles and with long ways."""

from __future__ import annotations

from nnx_migrate.analysis.domain.components import reached_bits


def _of(graph: dict[str, str], start: str) -> dict[str, int]:
    known: dict[str, int] = {}
    reached_bits(start, lambda node: graph.get(node, ""), lambda node: 1 << ord(node) - 97, known)
    return known


def test_a_node_has_the_bits_of_all_that_it_leads_to() -> None:
    assert _of({"a": "bc", "b": "d", "c": "d"}, "a") == {"d": 8, "b": 10, "c": 12, "a": 15}


def test_those_that_lead_to_each_other_have_the_same() -> None:
    # a leads into the circle of b, c and d, which leads to e; nothing leads back to a.
    known = _of({"a": "b", "b": "c", "c": "de", "d": "b"}, "a")
    assert known == {"e": 16, "b": 30, "c": 30, "d": 30, "a": 31}


def test_an_inner_circle_is_a_part_of_the_outer_one() -> None:
    known = _of({"a": "b", "b": "c", "c": "bd", "d": "a"}, "a")
    assert set(known.values()) == {15}


def test_what_is_known_is_not_looked_at_again() -> None:
    known = {"b": 64}
    assert reached_bits("a", lambda _: "b", lambda _: 1, known) == 65
    assert known == {"a": 65, "b": 64}


def test_a_long_way_needs_no_recursion() -> None:
    ends = reached_bits(0, lambda n: [n + 1] if n < 50_000 else [], lambda n: int(n == 50_000), {})
    assert ends == 1
