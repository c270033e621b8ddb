"""`shared-reference`: what it leaves alone, and what it does."""

from __future__ import annotations

import pytest

from tests.hazards.running import migrated_files
from tests.rules.checking import check_noop, check_pinned

RULE = "shared-reference"
_STEP = """\
@nnx.jit
def step(left, right):
    left.linear.kernel[...] += 1.0
    return right.linear.kernel[...]


"""
#: How a name gets one of several objects.
_ONE_OF_SEVERAL = (
    "one, other = [Net(rngs) for _ in range(2)]",
    "for one in [Net(rngs) for _ in range(2)]:",
    "for one, other in zip([Net(rngs)], [Net(rngs)]):",
    "for name, one in {'a': Net(rngs), 'b': Net(rngs)}.items():",
    "one = [Net(rngs) for _ in range(2)][0]",
)


def _with(how: str, call: str) -> str:
    indent = "        " if how.endswith(":") else "    "
    return (
        f"{_STEP}def run(rngs: nnx.Rngs):\n    {how}\n{indent}other = Net(rngs)\n{indent}{call}\n"
    )


@pytest.mark.parametrize("how", _ONE_OF_SEVERAL)
def test_one_of_several_objects_beside_a_new_one_stays(how: str) -> None:
    check_noop(RULE, _with(how, "step(one, other)"))


def test_an_array_of_several_twice_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit
def added(left, right):
    return left + right


def run(xs):
    first, second = jnp.split(xs, 2)
    for x in [first, second]:
        added(x, x)
    return added(first, first)
""",
    )


def test_what_a_function_of_another_file_makes_stays_where_it_makes_two() -> None:
    files = {
        "main.py": """
from flax import nnx
from making import make
@nnx.jit
def both(left, right, x):
    return left(x) + right(x)
def run(x):
    left, right = make(nnx.Rngs(0))
    return both(left, right, x)
""",
        "making.py": """
from flax import nnx
def make(rngs):
    return nnx.Linear(2, 2, rngs=rngs), nnx.Linear(2, 2, rngs=rngs)
""",
    }
    assert not any(each.findings for each in migrated_files(files).values())


def test_what_an_imported_function_gives_stays_where_another_is_defined_later() -> None:
    check_noop(
        RULE,
        """\
from elsewhere import make

model = make()
model.eval()


class Block(nnx.Module):
    def __init__(self, rngs):
        self.rngs = rngs


class Blocks(nnx.Module):
    def __init__(self, rngs):
        self.one = Block(rngs)
        self.other = Block(rngs)


def make():
    return Blocks(nnx.Rngs(0))
""",
    )


_WRAPPED = """\
class Wrap(nnx.Module):
    def __init__(self, inner):
        self.inner = inner


class Stack(nnx.Module):
    def __init__(self, rngs, wraps=False):
        {body}
        self.layers = nnx.List(layers)


@nnx.jit
def step(stack, x):
    return stack.layers[0](x)


def run(x):
    return step(Stack(nnx.Rngs(0)), x)
"""
_ALL_WRAPPED = "layers = [Wrap(each) for each in layers]"


def _wrapped(*lines: str) -> str:
    return _WRAPPED.format(body="\n        ".join(lines))


@pytest.mark.parametrize(
    "filled",
    [
        ["layers = [Net(rngs)]"],
        ["layers = []", "layers.append(Net(rngs))"],
        ["layers = []", "layers.insert(0, Net(rngs))"],
        ["layers = []", "layers.extend([Net(rngs)])"],
        ["layers = []", "layers += [Net(rngs)]"],
        [
            "layers = []",
            "layers.append(Net(rngs))",
            "for _ in 'ab':",
            "    layers.append(Net(rngs))",
        ],
    ],
)
@pytest.mark.parametrize("again", [[_ALL_WRAPPED], ["if wraps:", "    " + _ALL_WRAPPED]])
def test_layers_that_are_all_wrapped_stays(filled: list[str], again: list[str]) -> None:
    check_noop(RULE, _wrapped(*filled, *again))


def test_two_models_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit
def both(left: nnx.Linear, right: nnx.Linear, x):
    return left(x) + right(x)


def run(x, rngs: nnx.Rngs):
    return both(nnx.Linear(2, 2, rngs=rngs), nnx.Linear(2, 2, rngs=rngs), x)
""",
    )


def test_a_number_twice_stays() -> None:
    check_noop(
        RULE,
        """\
class Sized(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.size = self.linear.out_features


def leaves(model: Sized):
    return nnx.state(model)
""",
    )


def test_an_optimizer_that_a_function_gives_back_holds_what_it_did() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit
def step(optimizer: nnx.ModelAndOptimizer, frozen: Net, x):
    return optimizer.model(frozen(x))


def restored(optimizer: nnx.ModelAndOptimizer) -> tuple[int, nnx.ModelAndOptimizer]:
    nnx.update(optimizer, {})
    return 3, optimizer


def run(tx, x):
    frozen = Net(nnx.Rngs(0))
    optimizer = nnx.ModelAndOptimizer(nnx.Linear(2, 2, rngs=nnx.Rngs(1)), tx)
    start, optimizer = restored(optimizer)
    return step(optimizer, frozen, x)


def elsewhere(tx, frozen: Net):
    return nnx.ModelAndOptimizer(frozen, tx)
""",
    )


def test_a_layer_under_two_names_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
class Tied(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.one = nnx.Linear(2, 2, rngs=rngs)
        self.two = getattr(self, "one")


def leaves(tied: Tied):
    return len(jax.tree.leaves(nnx.state(tied)))
""",
        "tree mode does not allow shared objects: self.one is held in several places",
    )


def test_a_model_that_goes_in_twice_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
@nnx.jit
def both(left: nnx.Linear, right: nnx.Linear, x):
    return left(x) + right(x)


def run(model: nnx.Linear, x):
    return both(model, model, x)
""",
        "tree mode does not allow shared objects: model is passed twice",
    )


def test_what_is_in_a_list_beside_it_is_said_to_be_an_element_of_it() -> None:
    check_pinned(
        RULE,
        """\
@nnx.jit
def step(best: nnx.Linear, nets: dict[str, nnx.Linear], x):
    return best(x) + sum(net(x) for net in nets.values())


def run(x):
    nets = {str(i): nnx.Linear(2, 2, rngs=nnx.Rngs(i)) for i in range(2)}
    best = max(nets.values(), key=lambda net: net.kernel.sum())
    return step(best, nets, x)
""",
        "an element of nets is passed together with nets, which holds it",
    )


def test_a_tuple_that_keeps_a_tied_model_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
from typing import Any, NamedTuple

class Tied(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.one = nnx.Linear(2, 2, rngs=rngs)
        setattr(self, "two", self.one)


class State(NamedTuple):
    model: Any
    rate: float


@nnx.jit
def step(state: State, x):
    return state.model.one(x)


def run(x, rngs: nnx.Rngs):
    return step(State(Tied(rngs), 1.0), x)
""",
        "in state, self.one is held in several places",
    )


def test_a_tied_model_of_a_class_made_by_type_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
class Tied(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.one = self.two = nnx.Linear(2, 2, rngs=rngs)


def run(x, rngs: nnx.Rngs):
    model = type("Other", (Tied,), {})(rngs)
    return nnx.jit(lambda m, x: m.one(x))(model, x)
""",
        "model holds the result of Linear() twice",
    )


def test_a_model_made_with_its_state_where_options_say_what_comes_out_is_pinned() -> None:
    check_pinned(
        RULE,
        """\
@nnx.jit(out_shardings=None)
def create():
    model = Net(nnx.Rngs(0))
    return model, nnx.state(model)


def run():
    model, state = create()
    return model, state
""",
        "returned twice",
    )


def test_states_of_one_tied_model_together_are_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
class Tied(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.one = self.two = nnx.Linear(2, 2, rngs=rngs)


def run():
    tied = Tied(nnx.Rngs(0))
    state = nnx.compat.state(tied)
    return nnx.clone(nnx.compat.state(tied)), nnx.clone({"left": state, "right": state})
""",
        "twice",
    )


@pytest.mark.parametrize("how", _ONE_OF_SEVERAL)
def test_one_of_several_objects_twice_is_kept_in_mid_mode(how: str) -> None:
    check_pinned(RULE, _with(how, "step(one, one)"), "one is passed twice")


def test_the_mode_stands_on_a_line_as_the_arguments_do() -> None:
    result = check_pinned(
        RULE,
        """\
class Tied(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.one = Net(rngs)
        self.other = nnx.Sequential(self.one)


def run(rngs: nnx.Rngs, tx):
    return nnx.Optimizer(
        Tied(rngs),
        tx,
        wrt=nnx.Param
    )
""",
        "self.one is held in several places",
    )
    assert "        wrt=nnx.Param,\n        graph=True\n    )\n" in result.after.decode()


def test_what_a_function_of_the_file_gives_is_pinned_where_another_was_imported() -> None:
    result = check_pinned(
        RULE,
        """\
from elsewhere import make

__all__ = ["Block"]

early = make()
early.eval()


class Block(nnx.Module):
    def __init__(self, rngs):
        self.rngs = rngs


class Blocks(nnx.Module):
    def __init__(self, rngs):
        self.one = Block(rngs)
        self.other = Block(rngs)


def make():
    return Blocks(nnx.Rngs(0))


late = make()
late.eval()
""",
        "late holds the result of Rngs() twice",
    )
    after = result.after.decode()
    assert "\nearly.eval()\n" in after
    assert "\nnnx.set_graph_mode(True)(late.eval)()\n" in after


@pytest.mark.parametrize("setter", ["setattr", "object.__setattr__"])
def test_what_a_constructor_stores_by_name_is_kept(setter: str) -> None:
    check_pinned(
        RULE,
        f"""\
class Block(nnx.Module):
    def __init__(self, rngs):
        {setter}(self, "rngs", rngs)


class Blocks(nnx.Module):
    def __init__(self, rngs):
        self.one = Block(rngs)
        self.other = Block(rngs)


@nnx.jit
def step(model: Blocks, x):
    return x


step(Blocks(nnx.Rngs(0)), 1.0)
""",
        "holds the result of Rngs() twice",
    )


@pytest.mark.parametrize(
    "lines",
    [
        ["layers = [Net(rngs)]", "layers.append(Wrap(layers[0]))"],
        ["layers = []", "layers.append(Net(rngs))", "layers += [Wrap(each) for each in layers]"],
        ["layers = [Net(rngs)]", "one = layers[0]", _ALL_WRAPPED, "layers.append(one)"],
        ["layers = [Net(rngs)]", _ALL_WRAPPED, "layers.append(layers[0].inner)"],
        [
            "layers = []",
            "layers.append(Net(rngs))",
            "old = layers",
            _ALL_WRAPPED,
            "layers = layers + old",
        ],
        [
            "layers = [Net(rngs)]",
            "for _ in 'ab':",
            "    one = layers[0]",
            "    " + _ALL_WRAPPED,
            "    layers.append(one)",
        ],
        [
            "layers, one = [], Net(rngs)",
            "if wraps:",
            "    layers = [Wrap(one)]",
            "layers.append(one)",
        ],
    ],
)
def test_layers_that_stay_beside_their_wrappers_are_kept(lines: list[str]) -> None:
    check_pinned(RULE, _wrapped(*lines), "tree mode does not allow shared objects")
