"""`static-nodes`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned

RULE = "static-nodes"


def test_nodes_alone_stays() -> None:
    check_noop(
        RULE,
        """\
def kernels(model: Net):
    return [value[...] for _, value in nnx.iter_graph(model) if isinstance(value, nnx.Param)]
""",
    )


def test_modules_alone_stays() -> None:
    check_noop(
        RULE,
        """\
def layers(model: Net):
    return [path for path, module in nnx.iter_modules(model)]
""",
    )


def test_numbers_of_a_model_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def sizes(model: Net):
    return {path: value for path, value in nnx.iter_graph(model) if isinstance(value, int)}
""",
        "graph mode visits static attributes too",
    )


def test_attributes_that_are_mapped_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def halved(model: Net):
    return nnx.recursive_map(lambda path, node: node / 2 if path == ("rate",) else node, model)
""",
        "graph mode visits static attributes too",
    )
