"""`module-gradient`: what it leaves alone, and what it does."""

from __future__ import annotations

import pytest

from tests.rules.checking import check_noop, check_pinned, check_transformed

RULE = "module-gradient"


def test_arrays_stays() -> None:
    check_noop(
        RULE,
        """\
def slope(x: jax.Array):
    return nnx.grad(lambda x: (x**2).sum())(x)
""",
    )


def test_params_that_only_update_reads_stays() -> None:
    check_noop(
        RULE,
        """\
def train_step(model: nnx.Linear, optimizer: nnx.Optimizer, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    optimizer.update(model, grads)
""",
    )


def test_jax_over_a_state_stays() -> None:
    check_noop(
        RULE,
        """\
def slope(graphdef, state, x):
    return jax.grad(lambda state: nnx.merge(graphdef, state)(x).sum())(state)
""",
    )


def test_a_model_with_statistics_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
def train_step(model: Net, optimizer: nnx.Optimizer, x):
    def loss_fn(model: Net):
        return jnp.mean(model(x) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)  # of Params
    optimizer.update(model, grads)
    return loss
""",
        """\
def train_step(model: Net, optimizer: nnx.Optimizer, x):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(model(x) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)  # of Params
    optimizer.update(model, grads)
    return loss
""",
    )


def test_a_model_that_is_the_second_argument_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
def loss_fn(x, model: Net):
    return jnp.mean(model(x) ** 2)


def gradients(model: Net, x):
    return nnx.grad(loss_fn, argnums=1)(x, model)
""",
        """\
def loss_fn(x, model: Net):
    return jnp.mean(model(x) ** 2)


def gradients(model: Net, x):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(x, params, nondiff):
        return loss_fn(x, nnx.merge(graphdef, params, nondiff))

    return nnx.grad(loss_fn_of_state, argnums=1)(x, params, nondiff)
""",
    )


def test_a_loss_of_which_not_all_is_known_is_checked_when_traced() -> None:
    check_transformed(
        RULE,
        """\
def train_step(model: nnx.Module, optimizer: nnx.Optimizer, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    optimizer.update(model, grads)
""",
        """\
def train_step(model: nnx.Module, optimizer: nnx.Optimizer, x):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_of_state(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        loss = m(x).sum()
        if nnx.split(m, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("m must keep its structure")
        return loss

    grads = nnx.grad(loss_of_state)(params, nondiff)
    optimizer.update(model, grads)
""",
    )


_RETURNS = """\
class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __rmul__(self, other):
        return other * self.factor


def train_step(model: nnx.Module, scale: Scale, f, x):
    def loss_fn(model: nnx.Module):
        y = model(x)
        return {returned}

    return nnx.value_and_grad(loss_fn, has_aux=True)(model)
"""


def _checked_return(lines: str) -> str:
    return f"""\
class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __rmul__(self, other):
        return other * self.factor


def train_step(model: nnx.Module, scale: Scale, f, x):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        y = model(x)
{lines}

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    return nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
"""


@pytest.mark.parametrize(
    "returned",
    [
        "y, y",
        "y, {'y': y, 'all': [y, (x, None)]}",
        "jnp.mean((y - x) ** 2), y",
        "((y - x) ** 2).mean(axis=-1).sum(), -y",
    ],
)
def test_a_result_that_changes_no_structure_is_returned_behind_the_check(returned: str) -> None:
    check_transformed(
        RULE,
        _RETURNS.format(returned=returned),
        _checked_return(
            f"""\
        if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("model must keep its structure")
        return {returned}""",
        ),
    )


@pytest.mark.parametrize(
    "returned",
    [
        "jnp.mean(model(y)), y",
        "jnp.mean(y * scale), y",
        "jnp.apply_along_axis(f, 0, y).sum(), y",
        "y.mean(), y",
        "f(y), y",
        "y, {**y}",
        "y, (*y,)",
        "y, {f(y): y}",
        "y, y[0]",
        "y, y.value",
    ],
)
def test_a_result_that_may_change_a_structure_is_found_before_the_check(returned: str) -> None:
    check_transformed(
        RULE,
        _RETURNS.format(returned=returned),
        _checked_return(
            f"""\
        result = {returned}
        if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("model must keep its structure")
        return result""",
        ),
    )


def test_a_decorated_loss_of_which_not_all_is_known_is_checked_before_it_returns() -> None:
    check_transformed(
        RULE,
        """\
def slope(model: nnx.Module, x):
    @nnx.grad
    def loss_fn(model):
        return (model(x) -
                1).sum()  # all of it

    return loss_fn(model)
""",
        """\
def slope(model: nnx.Module, x):
    @nnx.grad
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        loss = (model(x) -
                1).sum()  # all of it
        if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("model must keep its structure")
        return loss

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    return loss_fn(params, nondiff)
""",
    )


@pytest.mark.parametrize(
    "body",
    [
        "if x.ndim: return model(x).sum()\n        return model(x).mean()",
        "y = model(x); return y.sum()",
        "with x:\n            return model(x).sum()",
        "model = model.inner\n        return model(x).sum()",
        "def f():\n            nonlocal model\n            model = 1\n        return model(x).sum",
    ],
)
def test_a_decorated_loss_without_a_place_for_a_check_is_kept_in_graph_mode(body: str) -> None:
    check_pinned(
        RULE,
        f"""\
def slope(model: nnx.Module, x):
    @nnx.grad
    def loss_fn(model):
        {body}

    return loss_fn(model)
""",
        "",
    )


def test_the_model_of_an_optimizer_of_an_older_flax_is_a_module() -> None:
    check_transformed(
        RULE,
        """\
def train_step(state: nnx.Optimizer, x):
    grads = nnx.grad(lambda m: m(x).sum())(state.model)
    state.update(grads)
""",
        """\
def train_step(state: nnx.Optimizer, x):
    graphdef, params, nondiff = nnx.split(state.model, nnx.Param, ...)

    def loss_of_state(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        loss = m(x).sum()
        if nnx.split(m, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("m must keep its structure")
        return loss

    grads = nnx.grad(loss_of_state)(params, nondiff)
    state.update(grads)
""",
    )


def test_a_model_that_is_called_behind_many_functions_is_one() -> None:
    check_transformed(
        RULE,
        """\
def a(m, x): return b(m, x)
def b(m, x): return c(m, x)
def c(m, x): return d(m, x) if x else a(m, x)
def d(m, x): return e(m, x)
def e(m, x): return m(x).sum()

def train_step(model, optimizer, x):
    grads = nnx.grad(lambda m: a(m, x))(model)
    optimizer.update(model, grads)
""",
        """\
def a(m, x): return b(m, x)
def b(m, x): return c(m, x)
def c(m, x): return d(m, x) if x else a(m, x)
def d(m, x): return e(m, x)
def e(m, x): return m(x).sum()

def train_step(model, optimizer, x):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_of_state(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        loss = a(m, x)
        if nnx.split(m, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("m must keep its structure")
        return loss

    grads = nnx.grad(loss_of_state)(params, nondiff)
    optimizer.update(model, grads)
""",
    )


def test_states_stand_one_a_line_where_the_module_did() -> None:
    check_transformed(
        RULE,
        """\
def step(model: Net, x, y):
    def loss_fn(model, x, y):
        return ((model(x) - y) ** 2).mean()

    return nnx.grad(loss_fn)(
        model,
        x,
        y,
    )
""",
        """\
def step(model: Net, x, y):
    def loss_fn(params, nondiff, x, y):
        model = nnx.merge(graphdef, params, nondiff)
        return ((model(x) - y) ** 2).mean()

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    return nnx.grad(loss_fn)(
        params,
        nondiff,
        x,
        y,
    )
""",
    )


_PUT = """\
def patch(scale):
    def scaled(self, x):
        {body}

    Net.__call__ = scaled


"""


def test_a_method_that_is_put_on_the_class_changes_nothing() -> None:
    put = _PUT.format(body="return self.linear(x) * scale")
    check_transformed(
        RULE,
        f"""\
{put}def slope(model: Net, x):
    def loss_fn(model):
        return model(x).sum()

    return nnx.grad(loss_fn)(model)
""",
        f"""\
{put}def slope(model: Net, x):
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        return model(x).sum()

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    return nnx.grad(loss_fn)(params, nondiff)
""",
    )


@pytest.mark.parametrize(
    "body",
    [
        "self.last = nnx.Param(x)\n        return x",
        "self.sow(nnx.Intermediate, 'x', x)\n        return x",
        "self.linear.last = nnx.Param(x)\n        return x",
    ],
)
def test_a_method_that_is_put_on_the_class_may_change_its_object(body: str) -> None:
    check_pinned(
        RULE,
        _PUT.format(body=body)
        + """\
def slope(model: Net, x):
    return nnx.grad(lambda model: model(x).sum())(model)
""",
        "the function changes its Module",
    )


@pytest.mark.parametrize("put", ["lambda self, x: run(x)", "staticmethod(run)", "both"])
def test_a_method_that_is_put_on_the_class_may_change_an_argument(put: str) -> None:
    found = check_pinned(
        "structural-update",
        f"""\
class Counting(nnx.Module):
    def __init__(self):
        self.n = 0

    def __call__(self, x):
        self.n += 1
        return x

def run(other: Counting, x=1.0):
    return other(x)

def both(self, other):
    return run(other)

Net.__call__ = {put}

@nnx.jit
def step(model: Net, other: Counting):
    return model(other)
""",
        "attribute n is updated",
    )
    assert len(found.findings) == 1


@pytest.mark.parametrize(
    "put", ["staticmethod(run)", "functools.partial(run)", "functools.partial(run, x=2.0)", "kept"]
)
def test_what_a_class_calls_without_its_object_gets_no_object(put: str) -> None:
    check_pinned(
        "structural-update",
        f"""\
import functools

class Counting(nnx.Module):
    def __init__(self):
        self.n = 0

    def __call__(self, x):
        self.n += 1
        return x

def run(other, x=1.0):
    return other(x)

kept = functools.partial(run)
Net.__call__ = {put}

@nnx.jit
def step(model: Net, other: Counting):
    return model(other)
""",
        "the called code is unknown",
    )


_BOUND = """\
from typing import TypeVar

Model = TypeVar("Model", bound=nnx.Module)


def grads_of(model: Model, loss, x):
    return nnx.grad(loss)(model, x)
"""
_SPLIT = """\
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_of_state(params, nondiff, x):
        model = nnx.merge(graphdef, params, nondiff)
        loss_2 = loss(model, x)
        if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("model must keep its structure")
        return loss_2

    return nnx.grad(loss_of_state)(params, nondiff, x)
"""
_GRADIENT = "    return nnx.grad(loss)(model, x)\n"


def test_a_type_variable_without_a_bound_says_nothing() -> None:
    free = _BOUND.replace(", bound=nnx.Module", "")
    check_pinned(RULE, free, "the class of argument 0 is unknown")
    newer = "def grads_of[Model](model: Model, loss, x):\n" + _GRADIENT
    check_pinned(RULE, newer, "the class of argument 0 is unknown")


def test_an_inner_type_parameter_hides_the_outer_one() -> None:
    head = (
        "class Trainer[Model: nnx.Module]:\n    def grads_of[Model](self, model: Model, loss, x):\n"
    )
    program = head + "    " + _GRADIENT
    check_pinned(RULE, program, "the class of argument 0 is unknown")


def test_the_bound_of_a_type_variable_is_the_class() -> None:
    check_transformed(RULE, _BOUND, _BOUND.replace(_GRADIENT, _SPLIT))


@pytest.mark.parametrize("bounds", ["Model: nnx.Module", "Loss, Model: nnx.Module, *More"])
def test_the_bound_of_a_type_parameter_is_the_class(bounds: str) -> None:
    head = f"def grads_of[{bounds}](model: Model, loss, x):\n"
    check_transformed(RULE, head + _GRADIENT, head + _SPLIT)


def test_a_name_that_is_bound_anew_before_the_call_pins() -> None:
    check_pinned(
        RULE,
        """\
def gradients(losses, model: Net, x):
    found = []
    for scale in (1.0, 2.0):
        def loss(model: Net, x):
            return model(x).sum()

        step = nnx.grad(loss)
        found.append(step)
    return found
""",
        "loss may mean something else where the result is called",
    )


def test_an_attribute_that_is_set_anew_before_the_call_pins() -> None:
    check_pinned(
        RULE,
        """\
def loss_fn(model: Net, x):
    return model(x).sum()


class Trainer:
    def __init__(self):
        self.loss = loss_fn

    def step(self, model: Net, x):
        step = nnx.grad(self.loss)
        self.loss = None
        return step(model, x)
""",
        "loss may mean something else where the result is called",
    )


def test_a_function_that_a_loop_makes_anew_pins() -> None:
    check_pinned(
        RULE,
        _SCALED
        + """\
def gradients(scales):
    found = []
    for scale in scales:
        step = nnx.grad(scaled(scale))
        found.append(step)
    return found
""",
        "scaled(scale) may mean something else where the result is called",
    )


def test_a_function_that_a_call_makes_is_made_once() -> None:
    check_transformed(
        RULE,
        _SCALED
        + """\
def gradient(scale):
    step = nnx.grad(scaled(scale))
    scale = 0.0
    return step
""",
        _SCALED
        + """\
def gradient(scale):
    loss = scaled(scale)

    def step(model, x):
        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

        @nnx.grad
        def step_of_state(params, nondiff, x):
            model = nnx.merge(graphdef, params, nondiff)
            return loss(model, x)

        return step_of_state(params, nondiff, x)

    scale = 0.0
    return step
""",
    )


def test_a_gradient_that_is_a_value_becomes_a_function() -> None:
    check_transformed(
        RULE,
        _LOSS + "\n\nstep = nnx.jit(nnx.value_and_grad(loss_fn))\n",
        _LOSS
        + """\


def value_and_grad_loss_fn(model, x):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    @nnx.value_and_grad
    def value_and_grad_loss_fn_of_state(params, nondiff, x):
        model = nnx.merge(graphdef, params, nondiff)
        return loss_fn(model, x)

    return value_and_grad_loss_fn_of_state(params, nondiff, x)


step = nnx.jit(value_and_grad_loss_fn)
""",
    )


def test_the_gradient_of_a_method_leaves_out_its_object() -> None:
    head = """\
class Trainer:
    def __init__(self):
"""
    loss = """\

    def loss(self, model: Net, x):
        return model(x).sum()
"""
    check_transformed(
        RULE,
        head + "        self.gradient = nnx.grad(self.loss)\n" + loss,
        head
        + """\
        def grad_loss(model, x):
            graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

            @nnx.grad
            def grad_loss_of_state(params, nondiff, x):
                model = nnx.merge(graphdef, params, nondiff)
                return self.loss(model, x)

            return grad_loss_of_state(params, nondiff, x)

        self.gradient = grad_loss
"""
        + loss,
    )


_LOSS = """\
def loss_fn(model: Net, x):
    return model(x).sum()
"""
_SCALED = """\
def scaled(scale):
    def loss(model: Net, x):
        return scale * model(x).sum()

    return loss


"""


@pytest.mark.parametrize("first", ["", "        # of one example\n", "        @jax.vmap\n"])
def test_a_loss_that_begins_with_a_definition_gets_a_blank_line(first: str) -> None:
    body = f"""\
{first}        def of_one(x):
            return jnp.mean(model(x) ** 2)

        return jnp.mean(of_one(x))
"""
    check_transformed(
        RULE,
        f"""\
def train_step(model: Net, x):
    def loss_fn(model):
{body}
    return nnx.value_and_grad(loss_fn)(model)
""",
        f"""\
def train_step(model: Net, x):
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)

{body}
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    return nnx.value_and_grad(loss_fn)(params, nondiff)
""",
    )
