"""`structural-update`: Variables that methods replace, and that are set in place instead."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import Outcome
from nnx_migrate.core.permissions import Permission
from tests.rules.checking import check_noop, check_pinned, check_transformed

RULE = "structural-update"
ALLOWED = frozenset({Permission.KEPT_VARIABLES})
_REPLACED = "self.term = Loss(jnp.mean(x))"
_STEP = """

@nnx.jit
def step(model: Term, x):
    return model(x)
"""


def _program(
    init: str = "self.term = Loss(jnp.zeros(()))",
    call: str = _REPLACED,
    step: str = _STEP,
    rest: str = "",
) -> str:
    """A Module that makes a Variable and replaces it, and a jitted function that calls it."""
    made = "\n".join(f"        {line}" for line in init.splitlines())
    called = "\n".join(f"        {line}" for line in call.splitlines())
    return f"""\
class Loss(nnx.Variable):
    pass


class Term(nnx.Module):
    def __init__(self):
{made}

    def __call__(self, x):
{called}
        return x
{step}{rest}"""


def test_what_no_transform_runs_stays() -> None:
    check_noop(RULE, _program(step=""))


def test_a_new_variable_of_the_same_type_is_set_in_place() -> None:
    before = _program()
    after = before.replace(_REPLACED, "self.term.set_value(jnp.mean(x))")
    check_transformed(RULE, before, after)


def test_a_call_over_several_lines_keeps_its_lines_and_comments() -> None:
    call = "self.term = Loss(\n    jnp.mean(x)  # of all\n)"
    after = "self.term.set_value(\n    jnp.mean(x)  # of all\n)"
    check_transformed(RULE, _program(call=call), _program(call=after))


@pytest.mark.parametrize(
    "before",
    [
        _program(init="self.term = nnx.Variable(jnp.zeros(()))"),
        _program(init="self.term = Loss(jnp.zeros(()), unit=1)"),
        _program(init="self(jnp.ones(2))\nself.term = Loss(jnp.zeros(()))"),
        _program(init="if jnp:\n    self.term = Loss(jnp.zeros(()))"),
        _program(call="self.term = Loss(self.other)"),
        _program(call="old = self.term\nself.term = Loss(jnp.mean(x))\nx = x - old"),
        _program(rest="\n\ndef first(model: Term):\n    return [model.term]\n"),
        _program(rest="\n\ndef none(model: Term):\n    model.term = None\n"),
        _program(rest="\n\ndef gone(model: Term):\n    del model.term\n"),
        _program(
            rest="\n\ndef any_set(model: Term, name, value):\n    setattr(model, name, value)\n"
        ),
        _program(rest='\n\ndef named(model: Term):\n    return getattr(model, "term")\n'),
        _program(rest="\n\ndef popped(model: Term):\n    return nnx.pop(model, Loss)\n"),
        _program(rest="\n\ndef told(model: Term):\n    model.term.set_metadata(unit=1)\n"),
        _program(rest="\n\nclass Bare(Term):\n    def __init__(self):\n        pass\n"),
    ],
)
def test_what_may_be_another_one_or_none_stays(before: str) -> None:
    check_pinned(RULE, before, "attribute term is set", allow=ALLOWED)


@pytest.mark.parametrize(
    "rest",
    [
        "\n\ndef all_of(model: Term):\n    return nnx.state(model)\n",
        "\n\ndef losses(model: Term):\n    return nnx.state(model, Loss)\n",
        "\n\ndef other(model: Term):\n    return nnx.split(model, nnx.Param, ...)\n",
        "\n\ndef leaves(model: Term):\n    return jax.tree.leaves(model)\n",
        "\n\ndef named(model: Term, name):\n    return getattr(model, name)\n",
        "\n\ndef twin(model: Term):\n    return nnx.clone(model, variables=False)\n",
    ],
)
def test_what_may_keep_the_old_one_has_to_be_allowed(rest: str) -> None:
    before = _program(rest=rest)
    result = check_pinned(RULE, before, "attribute term is set")
    (pin,) = [each for each in result.findings if each.outcome is Outcome.PINNED]
    assert Permission.KEPT_VARIABLES in {each.permission for each in pin.evidence}
    after = before.replace(_REPLACED, "self.term.set_value(jnp.mean(x))")
    check_transformed(RULE, before, after, allow=ALLOWED)


def test_states_of_other_variables_keep_nothing() -> None:
    rest = "\n\ndef params(model: Term):\n    return nnx.state(model, nnx.Param)\n"
    before = _program(rest=rest)
    after = before.replace(_REPLACED, "self.term.set_value(jnp.mean(x))")
    check_transformed(RULE, before, after)


def test_a_comment_keeps_it() -> None:
    call = f"{_REPLACED}  # nnx-migrate: ignore[structural-update]"
    check_pinned(RULE, _program(call=call), "attribute term is set")
