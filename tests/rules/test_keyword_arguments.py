"""`keyword-arguments`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned, check_transformed

RULE = "keyword-arguments"


def test_arguments_by_place_stays() -> None:
    check_noop(
        RULE,
        """\
def run(x, y):
    return nnx.vmap(lambda x, y: x - y, in_axes=1)(x, y)
""",
    )


def test_the_default_axis_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.vmap
def shifted(x, y):
    return x - y


def run(x, y):
    return shifted(x, y=y)
""",
    )


def test_all_that_a_model_is_called_with_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit
def forward(model: Net, x):
    return model(x)


def run(model: Net, x):
    return forward(model=model, x=x)
""",
    )


def test_an_argument_that_a_partial_binds_by_name_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
import functools


def shifted(x, y):
    return x - 2 * y


def run(x, y):
    return functools.partial(nnx.vmap(shifted, in_axes=1), y=y)(x)
""",
        "shifted gets y by keyword from a partial",
    )


def test_a_mapped_function_that_is_called_by_name_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
@nnx.vmap(in_axes=1)
def shifted(x, y):
    return x - 2 * y


def run(x, y):
    return shifted(x, **{"y": y})
""",
        "shifted is called with y by keyword",
    )


def test_arguments_are_passed_by_place() -> None:
    before = """\
@nnx.vmap(in_axes=1)
def shifted(x, y):
    return x - 2 * y


def run(x, y):
    return shifted(x, y=y)
"""
    check_transformed(RULE, before, before.replace("y=y", "y"))
