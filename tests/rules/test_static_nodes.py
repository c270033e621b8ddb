"""`static-nodes`: what it leaves alone, and what it does."""

from __future__ import annotations

import pytest

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


def test_another_module_for_a_module_stays() -> None:
    check_noop(
        RULE,
        """\
def adapted(model: Net, rngs: nnx.Rngs):
    def lora(path, node):
        if isinstance(node, nnx.Linear):
            return nnx.LoRA(node.in_features, 2, node.out_features, base_module=node, rngs=rngs)
        return node
    return nnx.recursive_map(lora, model)
""",
    )


@pytest.mark.parametrize(
    ("test", "made"),
    [
        ("isinstance(node, nnx.Param)", "nnx.Param(node[...] * 0)"),
        ("isinstance(node, nnx.Param)", "nnx.Linear(2, 2, rngs=rngs)"),
        ("isinstance(node, (nnx.Linear, int))", "nnx.Linear(2, 2, rngs=rngs)"),
        ("path == ('rate',)", "nnx.Linear(2, 2, rngs=rngs)"),
        ("isinstance(node, nnx.Linear)", "nnx.Param(0)"),
        ("isinstance(node, nnx.Linear)", "None"),
        ("isinstance(node, nnx.Linear)", "make(node)"),
    ],
)
def test_what_is_no_module_is_kept_in_graph_mode(test: str, made: str) -> None:
    check_pinned(
        RULE,
        f"""\
def other(model: Net, rngs: nnx.Rngs, make):
    def change(path, node):
        if {test}:
            return {made}
        return node
    return nnx.recursive_map(change, model)
""",
        "graph mode visits static attributes too",
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
