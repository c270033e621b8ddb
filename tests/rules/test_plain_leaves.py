"""`plain-leaves`: what it leaves alone, and what it does."""

from __future__ import annotations

import pytest

from tests.rules.checking import check_noop, check_pinned

RULE = "plain-leaves"


def _kept_in_data(parameters: str, data: str, passed: str) -> str:
    return f"""\
class Recorder(nnx.Module):
    def __init__(self, {parameters}):
        self.scale = nnx.Param(jnp.ones(2))
        self.last = nnx.data({data})


@nnx.jit
def step(recorder: Recorder, x):
    return recorder.scale * x


step(Recorder({passed}), jnp.ones(2))
"""


def test_modules_alone_stays() -> None:
    check_noop(
        RULE,
        """\
def both(model: Net, head: nnx.Linear):
    return nnx.split((model, head))
""",
    )


def test_arrays_beside_a_module_stays() -> None:
    check_noop(
        RULE,
        """\
def named(model: Net):
    return nnx.state({"model": model, "none": None, "scale": jnp.ones(2)})
""",
    )


def test_a_number_outside_of_what_is_split_stays() -> None:
    check_noop(
        RULE,
        """\
def describe(model: nnx.Linear, depth: int):
    graphdef, state = nnx.split(model)
    return len(jax.tree.leaves(state)) * depth
""",
    )


def _tested(test: str, body: str = "return nnx.state(target)") -> str:
    """A function that takes the State of what it is passed, which is a Module or a dictionary."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return f"""\
def saved(target):
    if {test}:
{lines}
    return target


saved(Net(nnx.Rngs(0)))
saved({{"model": Net(nnx.Rngs(0)), "step": 1}})
"""


@pytest.mark.parametrize(
    "test",
    [
        "isinstance(target, nnx.Module)",
        "isinstance(target, (Net, nnx.Metric))",
        "isinstance(target, Net) and len(jax.devices()) > 1",
    ],
)
def test_what_a_test_found_to_be_a_module_stays(test: str) -> None:
    check_noop(RULE, _tested(test))


@pytest.mark.parametrize(
    ("parameters", "data", "passed"),
    [
        ("count", "[None] * count", "3"),
        ("count", "{str(i): jnp.zeros(2) for i in range(count)}", "3"),
        ("layers", "list(layers)", "[nnx.Linear(2, 2, rngs=nnx.Rngs(0))]"),
        ("numbers", "jax.tree.map(jnp.asarray, numbers)", "{'n': 1}"),
        ("**numbers", "{name: jnp.asarray(each) for name, each in numbers.items()}", "n=1"),
    ],
)
def test_arrays_in_data_stay(parameters: str, data: str, passed: str) -> None:
    check_noop(RULE, _kept_in_data(parameters, data, passed))


def _annotated(kind: str) -> str:
    program = _kept_in_data(f"places: {kind}", "places", "places")
    return program.replace("step(Recorder", f"def run(places: {kind}):\n    return step(Recorder")


def test_a_tuple_of_any_number_of_arrays_in_data_stays() -> None:
    check_noop(RULE, _annotated("tuple[jax.Array, ...]"))


@pytest.mark.parametrize("kind", ["tuple[jax.Array, int]", "tuple[int, ...]"])
def test_a_tuple_with_numbers_in_data_is_kept_in_graph_mode(kind: str) -> None:
    check_pinned(RULE, _annotated(kind), "holds values that are not arrays")


def test_a_number_beside_a_module_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def describe(model: nnx.Linear, depth: int):
    graphdef, state = nnx.split((model, depth))
    return len(jax.tree.leaves(state))
""",
        "(model, depth) holds plain Python values, which tree mode makes leaves of the State",
    )


def test_a_text_in_a_dictionary_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def checkpoint(model: nnx.Linear):
    return nnx.state({"model": model, "name": "encoder"})
""",
        "{'model': model, 'name': 'encoder'} holds plain Python values, which tree mode makes",
    )


@pytest.mark.parametrize(
    ("parameters", "data", "passed"),
    [
        ("options", "options", "{'n': 0}"),
        ("options", "dict(options)", "{'n': 0}"),
        ("**options", "options", "n=0"),
        ("**options", "{**options}", "n=0"),
        ("n", "dict(n=n)", "0"),
        ("*dtypes", "list(dtypes)", "jnp.float32"),
    ],
)
def test_values_in_data_that_are_passed_are_kept_in_graph_mode(
    parameters: str, data: str, passed: str
) -> None:
    check_pinned(RULE, _kept_in_data(parameters, data, passed), "holds values that are not arrays")


def test_values_in_data_are_named_by_their_place() -> None:
    found = check_pinned(
        RULE,
        """\
class Recorder(nnx.Module):
    def __init__(self):
        self.last = nnx.data({"kind": "none", "scale": jnp.ones(2)})


def describe(recorder: Recorder):
    return nnx.state(recorder)
""",
        "holds values that are not arrays",
    ).findings
    assert [finding.message.endswith("(main.py:17)") for finding in found] == [True]


@pytest.mark.parametrize(
    "program",
    [
        _tested("isinstance(target, dict)"),
        _tested("isinstance(target, (nnx.Module, dict))"),
        _tested("not isinstance(target, nnx.Module)"),
        _tested("isinstance(target, nnx.Module) or target"),
        _tested("isinstance(other(target), nnx.Module)"),
        _tested("isinstance(target, nnx.Module)", "target = [target, 1]\nreturn nnx.state(target)"),
    ],
)
def test_what_no_test_found_to_be_a_module_is_kept(program: str) -> None:
    check_pinned(RULE, program, "plain Python values")


def test_what_is_read_later_is_kept() -> None:
    program = """\
def saving(target):
    if isinstance(target, nnx.Module):
        save = lambda: nnx.state(target)
        target = [target, 1]
        return save()
    return nnx.state(target)


saving(Net(nnx.Rngs(0)))
saving({"model": Net(nnx.Rngs(0)), "step": 1})
"""
    result = check_pinned(RULE, program, "plain Python values")
    assert len(result.findings) == 2


def test_a_name_bound_to_a_list_of_itself_and_a_number_is_kept() -> None:
    program = """\
def saved(target):
    target = [target, 1]
    return nnx.state(target)


saved(Net(nnx.Rngs(0)))
"""
    check_pinned(RULE, program, "plain Python values")
