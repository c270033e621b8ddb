"""`cached-partial`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned, check_transformed

RULE = "cached-partial"


def test_functools_partial_stays() -> None:
    check_noop(
        RULE,
        """\
import functools


def bound(step, model: Net):
    return functools.partial(step, model)
""",
    )


def test_a_partial_of_jit_stays() -> None:
    check_noop(
        RULE,
        """\
def bound(step, model: Net, x):
    return nnx.jit_partial(step, model)(x)
""",
    )


def test_a_model_that_is_not_touched_again_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
import functools


@nnx.jit
def run(model: Net, x):
    return model(x)


def twice(model: Net, x):
    bound = nnx.cached_partial(run, model)  # saves time
    return bound(bound(x))
""",
        """\
import functools


@nnx.jit
def run(model: Net, x):
    return model(x)


def twice(model: Net, x):
    bound = functools.partial(run, model)  # saves time
    return bound(bound(x))
""",
    )


def test_a_partial_that_leaves_the_function_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
@nnx.jit
def run(model: Net, x):
    return model(x)


def bind(model: Net):
    return nnx.cached_partial(run, model)
""",
        """\
@nnx.jit
def run(model: Net, x):
    return model(x)


def bind(model: Net):
    return functools.partial(run, nnx.clone(model, variables=False))
""",
        imports="import functools\n",
    )


def test_arguments_that_are_not_to_be_seen_is_left_to_a_person() -> None:
    check_pinned(
        RULE,
        """\
def bind(run, arguments):
    return nnx.cached_partial(*arguments)
""",
        "cannot tell what it binds",
    )


def test_arguments_that_became_too_long_have_a_line_each() -> None:
    check_transformed(
        RULE,
        """\
import functools


@nnx.jit
def train_step(model, optimizer, batch):
    return model(batch)


def make_step(model: Net, optimizer: nnx.Optimizer):
    return nnx.cached_partial(
        functools.partial(train_step, batch={"images": 1}), model, optimizer)
""",
        """\
import functools


@nnx.jit
def train_step(model, optimizer, batch):
    return model(batch)


def make_step(model: Net, optimizer: nnx.Optimizer):
    return functools.partial(
        functools.partial(train_step, batch={"images": 1}),
        nnx.clone(model, variables=False),
        nnx.clone(optimizer, variables=False))
""",
    )
