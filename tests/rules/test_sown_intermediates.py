"""`sown-intermediates`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_transformed

RULE = "sown-intermediates"


def test_nothing_is_sown_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit
def forward(model: nnx.Linear, x):
    return model(x)
""",
    )


def test_sown_and_popped_outside_of_transforms_stays() -> None:
    check_noop(
        RULE,
        """\
class Sowing(nnx.Module):
    def __call__(self, x):
        self.sow(nnx.Intermediate, "x", x)
        return x


def run(model: Sowing, x):
    y = model(x)
    return y, nnx.pop(model, nnx.Intermediate)
""",
    )


def test_captured_inside_stays() -> None:
    check_noop(
        RULE,
        """\
class Sowing(nnx.Module):
    def __call__(self, x):
        self.sow(nnx.Intermediate, "x", x)
        return x


@nnx.jit
def forward(model: Sowing, x):
    return nnx.capture(model, nnx.Intermediate)(x)
""",
    )


def test_sown_inside_and_popped_after_the_call_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
class Sowing(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        x = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", x)
        return x


@nnx.jit
def _forward(model: Sowing, x):
    return model(x)


def run(x):
    model = Sowing(nnx.Rngs(0))
    y = _forward(model, x)
    hidden = nnx.pop(model, nnx.Intermediate)  # of this call
    return y, hidden
""",
        """\
class Sowing(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        x = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", x)
        return x


@nnx.jit
@nnx.capture(nnx.Intermediate)
def _forward(model: Sowing, x):
    return model(x)


def run(x):
    model = Sowing(nnx.Rngs(0))
    y, hidden = _forward(model, x)
    # of this call
    return y, hidden
""",
    )
