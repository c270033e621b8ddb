"""`diff-state`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_transformed

RULE = "diff-state"


def test_a_place_that_is_a_number_stays() -> None:
    check_noop(
        RULE,
        """\
def gradients(loss, model: Net, x):
    return nnx.grad(loss, argnums=0)(model, x)
""",
    )


def test_the_call_of_another_package_stays() -> None:
    check_noop(
        RULE,
        """\
def gradients(loss, x, DiffState):
    return jax.grad(loss, argnums=DiffState(0, "kernel"))(x)
""",
    )


def test_a_filter_that_is_not_used_stays() -> None:
    check_noop(
        RULE,
        """\
KERNELS = nnx.PathContains("kernel")


def count(model: Net):
    return len(nnx.state(model, KERNELS))
""",
    )


def test_a_filter_by_type_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
def loss_fn(model: Net, x):
    return jnp.mean(model(x) ** 2)


def gradients(model: Net, x):
    grad_fn = nnx.grad(loss_fn, argnums=nnx.DiffState(0, nnx.BatchStat))
    return grad_fn(model, x)  # statistics only
""",
        """\
def loss_fn(model: Net, x):
    return jnp.mean(model(x) ** 2)


def gradients(model: Net, x):
    def loss_fn_of_state(batch_stats, nondiff, x):
        return loss_fn(nnx.merge(graphdef, batch_stats, nondiff), x)

    grad_fn = nnx.grad(loss_fn_of_state)
    graphdef, batch_stats, nondiff = nnx.split(model, nnx.BatchStat, ...)
    return grad_fn(batch_stats, nondiff, x)  # statistics only
""",
    )


def test_the_second_argument_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
def loss_fn(x, model: Net):
    return jnp.mean(model(x) ** 2)


def gradients(model: Net, x):
    return nnx.grad(loss_fn, argnums=nnx.DiffState(1, nnx.PathContains("kernel")))(x, model)
""",
        """\
def loss_fn(x, model: Net):
    return jnp.mean(model(x) ** 2)


def gradients(model: Net, x):
    graphdef, kernel_state, nondiff = nnx.split(model, nnx.PathContains("kernel"), ...)

    def loss_fn_of_state(x, kernel_state, nondiff):
        return loss_fn(x, nnx.merge(graphdef, kernel_state, nondiff))

    return nnx.grad(loss_fn_of_state, argnums=1)(x, kernel_state, nondiff)
""",
    )


def test_the_fifth_name_of_it_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
def gradients(model: Net, x):
    a = nnx.DiffState(0, nnx.PathContains("kernel"))
    b = a
    c = b
    d = c
    e = d
    return nnx.grad(lambda m, x: jnp.mean(m(x) ** 2), argnums=e)(model, x)
""",
        """\
def gradients(model: Net, x):
    graphdef, kernel_state, nondiff = nnx.split(model, nnx.PathContains("kernel"), ...)

    def loss_fn(kernel_state, nondiff, x):
        m = nnx.merge(graphdef, kernel_state, nondiff)
        return jnp.mean(m(x) ** 2)

    return nnx.grad(loss_fn)(kernel_state, nondiff, x)
""",
    )
