"""`donated-by-half`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_transformed

RULE = "donated-by-half"


def test_both_names_are_given_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit(donate_argnums=(0,), donate_argnames=("model",))
def step(model: Net, x):
    return model(x)


def run(model: Net, x):
    return step(model, x), step(model=model, x=x)
""",
    )


def test_nothing_is_donated_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit
def step(model: Net, x):
    return model(x)
""",
    )


def test_a_place_that_calls_fill_by_place_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit(donate_argnums=0)
def step(model: Net, x):
    return model(x)


def run(model: Net, x):
    return step(model, x)
""",
    )


def test_a_place_that_a_call_fills_by_name_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
@nnx.jit(donate_argnums=(1,))
def forward(x, model: Net):
    return model(x)


def run(model: Net, x):
    return [forward(x, model=model) for _ in range(2)]
""",
        """\
@nnx.jit(donate_argnums=(1,), donate_argnames="model")
def forward(x, model: Net):
    return model(x)


def run(model: Net, x):
    return [forward(x, model=model) for _ in range(2)]
""",
    )


def test_a_name_that_a_call_fills_by_place_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
@nnx.jit(donate_argnames="model")
def forward(model: Net, x):
    return model(x)


def run(model: Net, x):
    return [forward(model, x) for _ in range(2)]
""",
        """\
@nnx.jit(donate_argnames="model", donate_argnums=0)
def forward(model: Net, x):
    return model(x)


def run(model: Net, x):
    return [forward(model, x) for _ in range(2)]
""",
    )
