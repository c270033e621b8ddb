"""`plain-leaves`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned

RULE = "plain-leaves"


def test_modules_alone_stays() -> None:
    check_noop(
        RULE,
        """\
def both(model: Net, head: nnx.Linear):
    return nnx.split((model, head))
""",
    )


def test_arrays_beside_a_module_stays() -> None:
    check_noop(
        RULE,
        """\
def named(model: Net):
    return nnx.state({"model": model, "none": None, "scale": jnp.ones(2)})
""",
    )


def test_a_number_outside_of_what_is_split_stays() -> None:
    check_noop(
        RULE,
        """\
def describe(model: nnx.Linear, depth: int):
    graphdef, state = nnx.split(model)
    return len(jax.tree.leaves(state)) * depth
""",
    )


def test_a_number_beside_a_module_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def describe(model: nnx.Linear, depth: int):
    graphdef, state = nnx.split((model, depth))
    return len(jax.tree.leaves(state))
""",
        "(model, depth) holds plain Python values, which tree mode makes leaves of the State",
    )


def test_a_text_in_a_dictionary_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def checkpoint(model: nnx.Linear):
    return nnx.state({"model": model, "name": "encoder"})
""",
        "{'model': model, 'name': 'encoder'} holds plain Python values, which tree mode makes",
    )


def test_values_in_data_are_named_by_their_place() -> None:
    found = check_pinned(
        RULE,
        """\
class Recorder(nnx.Module):
    def __init__(self):
        self.last = nnx.data({"kind": "none", "scale": jnp.ones(2)})


def describe(recorder: Recorder):
    return nnx.state(recorder)
""",
        "holds values that are not arrays",
    ).findings
    assert [finding.message.endswith("(main.py:17)") for finding in found] == [True]
