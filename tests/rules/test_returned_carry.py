"""`returned-carry`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned

RULE = "returned-carry"


def test_one_name_for_both_stays() -> None:
    check_noop(
        RULE,
        """\
def step(model: nnx.Linear, x):
    model.bias[...] += x
    return model, model.bias[...].sum()


def run(xs):
    model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    model, sums = nnx.scan(step)(model, xs)
    model.frozen = True
    return model.frozen, sums
""",
    )


def test_only_variables_are_changed_stays() -> None:
    check_noop(
        RULE,
        """\
def step(model: nnx.Linear, x):
    model.bias[...] += x
    return model, x


def run(model: nnx.Linear, xs):
    trained, _ = nnx.scan(step)(model, xs)
    trained.bias[...] += 1
    return model.bias[...]
""",
    )


def test_a_result_that_is_only_read_stays() -> None:
    check_noop(
        RULE,
        """\
def run(model: nnx.Linear, xs):
    def step(model: nnx.Linear, x):
        return model, model(x)

    trained, ys = nnx.scan(step)(model, xs)
    return trained(ys[0]), model(ys[0])
""",
    )


def test_what_is_set_for_the_caller_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def step(model: nnx.Dropout, x):
    return model, model(x)


def run(model: nnx.Dropout, xs):
    model.train()
    model, ys = nnx.scan(step)(model, xs)
    model.eval()
    return ys
""",
        "model is changed, and model, which was passed, is not",
    )


def test_what_is_set_for_the_function_around_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def step(model: nnx.Dropout, x):
    return model, model(x)


def run(model: nnx.Dropout, xs):
    def epoch(xs):
        trained, ys = nnx.scan(step)(model, xs)
        trained.eval()
        return ys

    return epoch(xs), model(xs[0])
""",
        "trained is changed, and model, which was passed, is not",
    )


def test_an_attribute_of_one_of_two_names_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def step(model: nnx.Linear, x):
    model.bias[...] += x
    return model, x


def run(model: nnx.Linear, xs):
    trained, _ = nnx.scan(step)(model, xs)
    trained.frozen = True
    return model.frozen
""",
        "tree mode returns another object: trained is changed and model used",
    )


def test_a_loop_that_is_switched_afterwards_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def run(model: Net, x):
    looped = nnx.fori_loop(0, 2, lambda i, model: model, model)
    looped.eval()
    return model(x)
""",
        "tree mode returns another object: looped is changed and model used",
    )
