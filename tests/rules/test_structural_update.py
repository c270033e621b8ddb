"""`structural-update`: what it leaves alone, and what it does."""

from __future__ import annotations

import pytest

from tests.rules.checking import check_noop, check_pinned, check_transformed

RULE = "structural-update"


def test_values_of_variables_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit
def step(model: nnx.Linear, x):
    model.bias[...] += x.mean()
    return model(x)
""",
    )


def test_the_value_of_an_object_of_unknown_class_is_that_of_a_variable() -> None:
    check_noop(RULE, "\n\n@nnx.jit\ndef step(count):\n    count.value += 2\n")


def test_a_variable_that_is_added_to_in_place_stays() -> None:
    # Flax raises for it, in both modes.
    check_noop(
        RULE,
        """\
class Count(nnx.Variable):
    pass


class Counted(nnx.Module):
    def __init__(self):
        self.count = Count(jnp.array(0))


@nnx.jit
def step(model: Counted):
    model.count += 1
""",
    )


def test_an_attribute_outside_of_transforms_stays() -> None:
    check_noop(
        RULE,
        """\
def freeze(model: nnx.Linear):
    model.frozen = True
    return model
""",
    )


def test_what_a_constructor_sets_is_no_change_of_its_options() -> None:
    check_noop(
        RULE,
        """\
class Block(nnx.Module):
    def __init__(self, size, *, rngs):
        options = {"in_features": size, "out_features": size, "rngs": rngs}
        self.first = Layer(**options)
        self.second = Layer(**options)


class Layer(nnx.Module):
    def __init__(self, in_features, out_features, *, rngs):
        self.linear = nnx.Linear(in_features, out_features, rngs=rngs)


@nnx.split_rngs(splits=3)
@nnx.vmap
def blocks(rngs):
    return Block(2, rngs=rngs)
""",
    )


def test_what_options_collect_may_be_replaced() -> None:
    check_noop(
        RULE,
        """\
def run(function, x, **options):
    options["x"] = x
    return function(**options)


def doubled(model: Net, x):
    return 2 * model(x)


@nnx.jit
def step(model: Net, x):
    return run(doubled, x, model=model)
""",
    )


def test_a_look_at_the_signature_stays() -> None:
    check_noop(
        RULE,
        """\
import inspect


@nnx.jit
def step(model: Net, x):
    return model(x) if inspect.signature(model).parameters else x
""",
    )


def test_an_attribute_of_what_is_made_inside_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit
def made(x):
    model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    model.bias = nnx.Param(x)
    return model(x)
""",
    )


_COPIED = """\
class Options(nnx.Module):
    def copy(self):
        return self

    def update(self, other):
        self.last = other


class Fixed(nnx.Module):
    def __init__(self, rngs, **options):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.options = {options}

    def __call__(self, x, **given):
        {first}
        return self.linear(x)


@nnx.jit
def step(model: Fixed, x):
    return model(x, scale=2.0)


step(Fixed(nnx.Rngs(0)), x)
"""


@pytest.mark.parametrize(
    "first",
    [
        "options = self.options.copy(); options.update(given)",
        'options = self.options.copy(); options["scale"] = x',
        'options = self.options.copy(); options.pop("scale", None)',
        "options = dict(self.options); options.update(given)",
        'x = x * self.options["scale"]',
    ],
)
@pytest.mark.parametrize("options", ["nnx.data(options)", 'nnx.data({"scale": jnp.ones(2)})'])
def test_a_dict_that_is_read_or_copied_stays(options: str, first: str) -> None:
    check_noop(RULE, _COPIED.format(options=options, first=first))


_GENERIC = """\
import typing as tp

T = tp.TypeVar("T")


class Holder(nnx.Module, tp.Generic[T]):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def run(self, x):{first}
        return self.linear(x)


y = nnx.jit(Holder[int].run)(Holder[int](nnx.Rngs(0)), x)
"""


def test_a_method_of_a_generic_class_for_some_type_stays() -> None:
    check_noop(RULE, _GENERIC.format(first=""))


def test_an_attribute_that_a_frozen_dataclass_sets_of_itself_stays() -> None:
    check_noop(
        RULE,
        """\
import dataclasses


@dataclasses.dataclass(frozen=True)
class Sizes:
    rows: int
    columns: int | None = None

    def __post_init__(self):
        if self.columns is None:
            object.__setattr__(self, "columns", self.rows)


@nnx.jit
def step(model: nnx.Linear, x):
    return model(x) * Sizes(model.out_features).columns
""",
    )


def _average(wrt: str = "nnx.Param", beside: str = "", filtered: str = "self.wrt") -> str:
    return f"""\
import optax


class Placed(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))
        self.frequencies = jnp.arange(2.0)


class Average(nnx.Optimizer):
    def __init__(self, model, tx):
        super().__init__(model, tx, wrt={wrt})

    def average(self, model, source: nnx.Module):
        state = optax.EmaState(count=self.step, ema=nnx.state(model, {filtered}))
        _, new = self.tx.update(nnx.state(source, {filtered}), state)
        nnx.update(model, new.ema)
{beside}

@nnx.jit
def average(averaged: Placed, model: Placed, optimizer: Average):
    optimizer.average(averaged, model)
"""


@pytest.mark.parametrize("wrt", ["nnx.Param", "[nnx.Param, nnx.BatchStat]", "(nnx.Variable,)"])
def test_a_state_that_the_filter_of_an_own_optimizer_lets_through_stays(wrt: str) -> None:
    check_noop(RULE, _average(wrt))


def test_a_state_that_several_types_of_variables_let_through_stays() -> None:
    check_noop(RULE, _average(filtered="(nnx.Param, nnx.BatchStat)"))


_APPLIED = {
    "a choice": "compiled = nnx.jit if len('') else jax.jit\nrun = compiled(scaled)\n",
    "another name": "compiled = nnx.jit\nrun = compiled(scaled)\n",
    "a statement": """\
if jax.device_count() > 1:
    compiled = nnx.jit
else:
    compiled = jax.jit


@compiled
def doubled(model: Net, x):
    return 2 * scaled(model, x)
""",
    "values of a test": """\
import pytest


@pytest.mark.parametrize("compiled", [lambda f: f, nnx.jit])
def test_scaled(compiled):
    assert compiled(scaled)(Net(nnx.Rngs(0)), jnp.ones((1, 2))).shape == (1, 2)
""",
    "values of a test of absl": """\
from absl.testing import parameterized


class Test(parameterized.TestCase):
    @parameterized.product(compiled=[jax.jit, nnx.jit], size=[1, 2])
    def test_scaled(self, compiled, size):
        model, x = Net(nnx.Rngs(0)), jnp.ones((size, 2))
        if compiled == jax.jit:
            count = compiled(lambda x: setattr(model, "seen", 1) or model(x))
        else:
            count = compiled(scaled)(model, x)
""",
}
_SCALED = """\
def scaled(model: Net, x):
    model.linear.bias[...] += 1
    return model(x)


"""


@pytest.mark.parametrize("how", _APPLIED)
def test_a_transform_that_is_a_value_stays_where_its_functions_do(how: str) -> None:
    check_noop(RULE, _SCALED + _APPLIED[how])


def test_an_attribute_that_a_dataclass_sets_of_what_it_holds_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
import dataclasses


@dataclasses.dataclass
class Marked:
    model: nnx.Linear

    def __post_init__(self):
        self.model.marked = True


@nnx.jit
def step(model: nnx.Linear, x):
    Marked(model)
    return model(x)
""",
        "attribute marked is set",
    )


def test_an_attribute_that_is_set_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
@nnx.jit
def step(model: nnx.Linear, x):
    model.last = nnx.Variable(x)
    return model(x)
""",
        "the function changes model: attribute last is set",
    )


@pytest.mark.parametrize(
    ("options", "first"),
    [
        ("nnx.data(options)", "options = self.options; options.update(given)"),
        (
            "nnx.data(options)",
            "options = self.options.copy() if given else self.options; options.update(given)",
        ),
        (
            'nnx.data({"names": []})',
            'options = self.options.copy(); options["names"].append("scale")',
        ),
        ("Options()", "options = self.options.copy(); options.update(given)"),
    ],
)
def test_what_is_no_copy_or_held_by_it_is_kept_in_graph_mode(options: str, first: str) -> None:
    check_pinned(RULE, _COPIED.format(options=options, first=first), "the function changes model")


@pytest.mark.parametrize(
    "first",
    [
        "options = self.options; options.update(given)",
        'self.options.pop("scale")',
        'self.options["scale"] = x',
    ],
)
def test_arrays_that_a_module_keeps_in_a_dict_are_a_part_of_it(first: str) -> None:
    kept = 'nnx.data({"scale": jnp.ones(2)})'
    check_pinned(RULE, _COPIED.format(options=kept, first=first), "the function changes model")


def test_a_method_of_a_generic_class_that_sets_an_attribute_is_kept_in_graph_mode() -> None:
    reason = "the function changes self: attribute last is set"
    check_pinned(RULE, _GENERIC.format(first="\n        self.last = x"), reason)


def test_a_stand_in_where_flax_is_missing_hides_nothing() -> None:
    check_pinned(
        RULE,
        """\
try:
    from flax import nnx
except ImportError:

    class nnx:
        pass


@nnx.jit
def step(model: nnx.Linear, x):
    model.last = nnx.Variable(x)
    return model(x)
""",
        "the function changes model: attribute last is set",
    )


def test_a_mode_that_is_switched_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
@nnx.jit
def evaluate(model: Net, x):
    model.eval()
    return model(x)
""",
        "the function changes model: .eval() changes it",
    )


def test_a_jitted_constructor_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
class Made(nnx.Module):
    @nnx.jit
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
""",
        "the function changes self: attribute linear is set",
    )


def test_what_replaces_itself_when_it_is_added_to_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
class Total(nnx.Variable):
    def __iadd__(self, other):
        return Total(self[...] + other)


class Summed(nnx.Module):
    def __init__(self):
        self.total = Total(jnp.array(0))
        self.plain = jnp.array(0)


@nnx.jit
def step(model: Summed):
    model.total += 1
""",
        "attribute total is updated",
    )


def test_a_mode_that_is_set_first_is_set_before_the_calls() -> None:
    check_transformed(
        RULE,
        """\
@nnx.jit
def step(model: Net, x):
    model.train()  # for the statistics
    return model(x)


def run(model: Net, x):
    return step(model, x)
""",
        """\
@nnx.jit
def step(model: Net, x):
    return model(x)


def run(model: Net, x):
    model.train()  # for the statistics
    return step(model, x)
""",
    )


@pytest.mark.parametrize(
    ("body", "call", "reason"),
    [
        ("if x is None:\n        model.train()", "step(model, x)", ".train() changes it"),
        ("y = model(x)\n    model.train()", "step(model, x)", ".train() changes it"),
        ("model.train()", "step(model, model(x))", "model(x) may depend on it"),
        ("model.train()", "[step(model, each) for each in x]", "in a comprehension"),
        ("model.train()", "run(step, model)", "also used as a value"),
        ("model.train()", "step(Net(nnx.Rngs(0)), x)", "the object has no name in the call"),
        ("model.train()", "model.norm.use_running_average, step(model, x)", "is read before"),
        ("model.flag = x", "step(model, x)", "attribute flag is set"),
    ],
)
def test_a_mode_that_something_could_tell_is_pinned(body: str, call: str, reason: str) -> None:
    check_pinned(
        RULE,
        f"""\
@nnx.jit
def step(model: Net, x):
    {body}
    return model(x)


def run(model: Net, x):
    return {call}
""",
        reason,
    )


@pytest.mark.parametrize("attribute", ["size", "shape", "T", "at"])
def test_an_attribute_of_an_object_of_unknown_class_is_not_that_of_an_array(attribute: str) -> None:
    # Arrays and Variables have it too, but it cannot be set there.
    for sign, how in (("=", "set"), ("+=", "updated")):
        check_pinned(
            RULE,
            f"\n\n@nnx.jit\ndef step(model):\n    model.{attribute} {sign} 2\n",
            f"the function changes model: attribute {attribute} is {how}",
        )


_SOWING = """\
class Sowing(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        {more}

    def __call__(self, x):
        self.sow(nnx.Intermediate, "h", x)
        return self.linear(x)


@nnx.jit
def step(model: Sowing, x):
    {body}


{below}
"""


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(
            {"more": "self.z = nnx.Intermediate(0.0)"}, id="such a Variable from the start"
        ),
        pytest.param({"more": "self(jnp.ones((1, 2)))"}, id="sown in the constructor"),
        pytest.param(
            {"below": "def run(model: Sowing, x):\n    return model(x), step(model, x)"},
            id="left by a caller",
        ),
        pytest.param(
            {
                "body": "nnx.pop(model, nnx.Intermediate)\n    y = model(x)\n"
                "    sown = nnx.pop(model, nnx.Intermediate)\n    return y, sown"
            },
            id="popped first",
        ),
        pytest.param(
            {
                "body": "y = model(x)\n    if x is None:\n        return y\n"
                "    sown = nnx.pop(model, nnx.Intermediate)\n    return y, sown"
            },
            id="returns before",
        ),
        pytest.param(
            {"body": "sown = nnx.pop(model, nnx.Intermediate)\n    return sown"}, id="not sown"
        ),
    ],
)
def test_a_pop_of_which_a_check_would_raise_is_pinned(changed: dict[str, str]) -> None:
    body = "y = model(x)\n    sown = nnx.pop(model, nnx.Intermediate)\n    return y, sown"
    standing = {"more": "", "below": "", "body": body}
    check_pinned(RULE, _SOWING.format(**standing | changed), "changes it")


_MAY_HOLD_ARRAYS = {
    "any filter": _average("..."),
    "a filter beside types": _average("[nnx.Param, ...]"),
    "a filter that is passed": _average()
    .replace("model, tx)", "model, tx, wrt)", 1)
    .replace("wrt=nnx.Param", "wrt=wrt"),
    "another filter is set": _average(beside="\n    def widen(self):\n        self.wrt = ...\n"),
    "another filter is set from outside": _average()
    + "\n\ndef widen(optimizer: Average):\n    optimizer.wrt = ...\n",
    "a class below has another filter": _average()
    + """

class Wide(Average):
    def __init__(self, model, tx):
        nnx.Optimizer.__init__(self, model, tx, wrt=...)
""",
    "another transformation is set": _average(
        beside="\n    def replace(self, tx):\n        self.tx = tx\n"
    ),
}


@pytest.mark.parametrize("how", _MAY_HOLD_ARRAYS)
def test_a_state_that_may_hold_arrays_is_kept_in_graph_mode(how: str) -> None:
    check_pinned(RULE, _MAY_HOLD_ARRAYS[how], "may set its array attributes")


_APPLIED_OUT_OF_SIGHT = {
    "handed on": "compiled = nnx.jit\nrun = list(map(compiled, [scaled]))\n",
    "kept in a table": "compiled = nnx.jit if len('') else jax.jit\nTABLE = [compiled]\n",
    "read by a text": "compiled = nnx.jit\nrun = globals()['compiled'](scaled)\n",
    "in a class": "class Runner:\n    compiled = nnx.jit\n",
    "a list that is kept": "TRANSFORMS = [nnx.jit]\n",
    "a parameter that is bound anew": """\
import pytest


@pytest.mark.parametrize("compiled", [lambda f: f, nnx.jit])
def test_scaled(compiled):
    compiled = compiled or nnx.jit
    compiled(scaled)
""",
}


@pytest.mark.parametrize("how", _APPLIED_OUT_OF_SIGHT)
def test_a_transform_that_goes_out_of_sight_is_kept_in_graph_mode(how: str) -> None:
    program = _SCALED + _APPLIED_OUT_OF_SIGHT[how]
    check_pinned(RULE, program, "because it is passed on as a value")


@pytest.mark.parametrize("how", _APPLIED)
def test_a_transform_that_is_a_value_is_kept_in_graph_mode_for_its_function(how: str) -> None:
    program = _SCALED.replace("model.linear.bias[...] += 1", "model.seen = 1") + _APPLIED[how]
    check_pinned(RULE, program, "")


def test_an_object_among_options_pins() -> None:
    check_pinned(
        RULE,
        """\
def run(x, **options):
    options["model"].ready = True
    return x


@nnx.jit
def step(model: Net, x):
    return model(run(x, model=model))
""",
        "the function changes model: attribute ready is set",
    )
