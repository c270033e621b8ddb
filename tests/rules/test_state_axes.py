"""`state-axes`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned, check_transformed

RULE = "state-axes"


def test_an_axis_for_all_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.vmap(in_axes=(0, None))
def each(model: nnx.Linear, x):
    return model(x)
""",
    )


def test_that_of_another_package_stays() -> None:
    check_noop(
        RULE,
        """\
def each(f, StateAxes, x):
    return jax.vmap(f, in_axes=StateAxes)(x)
""",
    )


def test_params_mapped_and_the_rest_shared_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
@nnx.vmap(in_axes=(nnx.StateAxes({nnx.Param: 0, ...: None}), 0))
def each(model: nnx.Linear, x):
    return model(x)  # one row
""",
        """\
def each(model: nnx.Linear, x):
    graphdef, params, rest = nnx.split(model, nnx.Param, ...)

    @nnx.vmap(in_axes=(0, None, 0))
    def each_of_state(params, rest, x):
        model = nnx.merge(graphdef, params, rest)
        return model(x)  # one row

    return each_of_state(params, rest, x)
""",
    )


def test_one_called_where_it_stands_is_rewritten_though_its_axes_are_bound_again() -> None:
    check_transformed(
        RULE,
        """\
def means(model: nnx.Dropout, xs):
    axes = nnx.StateAxes({nnx.RngState: 0, ...: None})
    found = nnx.split_rngs(splits=4)(
        nnx.vmap(lambda model, x: model(x).mean(), in_axes=(axes, 0))
    )(model, xs)
    axes = nnx.StateAxes({...: None})
    return found, axes
""",
        """\
def means(model: nnx.Dropout, xs):
    axes = nnx.StateAxes({nnx.RngState: 0, ...: None})

    def vmapped_fn(model, x):
        graphdef, rng_state, rest = nnx.split(model, nnx.RngState, ...)

        @nnx.vmap(in_axes=(0, None, 0))
        def vmapped_fn_of_state(rng_state, rest, x):
            model = nnx.merge(graphdef, rng_state, rest)
            return model(x).mean()

        return vmapped_fn_of_state(rng_state, rest, x)

    found = nnx.split_rngs(splits=4)(vmapped_fn)(model, xs)
    axes = nnx.StateAxes({...: None})
    return found, axes
""",
    )


def test_axes_that_the_caller_gives_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def batched(function, axes, *args):
    return nnx.vmap(function, in_axes=(axes, None))(*args)


def default_axes():
    return nnx.StateAxes({nnx.Param: 0, ...: 0})
""",
        "axes is built in a way that cannot be read from the code",
    )


def test_axes_that_are_bound_twice_alike_are_read() -> None:
    check_transformed(
        RULE,
        """\
def run(model: nnx.Linear, x):
    axes = nnx.StateAxes({nnx.Param: 0, ...: None})
    y = nnx.vmap(lambda m, x: m(x), in_axes=(axes, 0))(model, x)
    axes = nnx.StateAxes({nnx.Param: 0, ...: None})
    return y + nnx.vmap(lambda m, x: m(x), in_axes=(axes, None))(model, x)
""",
        """\
def run(model: nnx.Linear, x):
    axes = nnx.StateAxes({nnx.Param: 0, ...: None})
    graphdef, params, rest = nnx.split(model, nnx.Param, ...)

    def mapped_fn(params, rest, x):
        m = nnx.merge(graphdef, params, rest)
        return m(x)

    y = nnx.vmap(mapped_fn, in_axes=(0, None, 0))(params, rest, x)
    axes = nnx.StateAxes({nnx.Param: 0, ...: None})
    graphdef, params, rest = nnx.split(model, nnx.Param, ...)

    def mapped_fn(params, rest, x):
        m = nnx.merge(graphdef, params, rest)
        return m(x)

    return y + nnx.vmap(mapped_fn, in_axes=(0, None, None))(params, rest, x)
""",
    )


def test_axes_that_are_bound_otherwise_in_a_branch_are_not() -> None:
    check_pinned(
        RULE,
        """\
def run(model: nnx.Linear, x):
    axes = nnx.StateAxes({nnx.Param: 0, ...: None})
    if x is not None:
        axes = nnx.StateAxes({nnx.Param: None, ...: None})
    return nnx.vmap(lambda m, x: m(x), in_axes=(axes, 0))(model, x)
""",
        "built in a way that cannot be read",
    )


def test_axes_that_are_bound_again_are_read_where_they_are_used() -> None:
    check_transformed(
        RULE,
        """\
def run(model: nnx.Linear, x):
    axes = nnx.StateAxes({nnx.Param: 0, ...: None})
    y = nnx.vmap(lambda m, x: m(x), in_axes=(axes, 0))(model, x)
    axes = nnx.StateAxes({nnx.Param: None, ...: 0})
    return y + nnx.vmap(lambda m, x: m(x), in_axes=(axes, 0))(model, x)
""",
        """\
def run(model: nnx.Linear, x):
    axes = nnx.StateAxes({nnx.Param: 0, ...: None})
    graphdef, params, rest = nnx.split(model, nnx.Param, ...)

    def mapped_fn(params, rest, x):
        m = nnx.merge(graphdef, params, rest)
        return m(x)

    y = nnx.vmap(mapped_fn, in_axes=(0, None, 0))(params, rest, x)
    axes = nnx.StateAxes({nnx.Param: None, ...: 0})
    graphdef, params, rest = nnx.split(model, nnx.Param, ...)
    return y + nnx.vmap(mapped_fn, in_axes=(None, 0, 0))(params, rest, x)
""",
    )


def test_the_fifth_name_of_an_axis_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
def each(model: nnx.Linear, x):
    a = nnx.StateAxes({nnx.Param: 0, ...: None})
    b = a
    c = b
    d = c
    e = d
    return nnx.vmap(lambda m, x: m(x), in_axes=(e, 0))(model, x)
""",
        """\
def each(model: nnx.Linear, x):
    graphdef, params, rest = nnx.split(model, nnx.Param, ...)

    def mapped_fn(params, rest, x):
        m = nnx.merge(graphdef, params, rest)
        return m(x)

    return nnx.vmap(mapped_fn, in_axes=(0, None, 0))(params, rest, x)
""",
    )


def test_calls_alike_in_two_cells_have_a_function_each() -> None:
    call = "y = nnx.vmap(forward, in_axes=(nnx.StateAxes({nnx.Param: 0, ...: None}), 0))(net, x)\n"
    split = "graphdef, params, rest = nnx.split(net, nnx.Param, ...)\n"
    function = """
def forward_of_state(params, rest, x):
    return forward(nnx.merge(graphdef, params, rest), x)

"""
    mapped = "y = nnx.vmap(forward_of_state, in_axes=(0, None, 0))(params, rest, x)\n"
    head = """\
def forward(model: nnx.Linear, x):
    return model(x)


net, x = nnx.Linear(2, 2, rngs=nnx.Rngs(0)), jnp.ones((2, 2))
"""
    cell = f"{split}{function}{mapped}"
    check_transformed(
        RULE,
        f"{head}{call}#=2\n{call}{call}",  # the boundary of a notebook's cells
        f"{head}{cell}#=2\n{cell}{split}{mapped}",
    )
