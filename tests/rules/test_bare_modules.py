"""What `nnx.Module()` makes has parts, and is never called; a Module of any class may be."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import Outcome
from nnx_migrate.sources.configuration import Options
from tests.golden.migration import migrate_tree
from tests.rules.checking import check_noop

PROGRAM = """\
class Stages(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.stages = nnx.List([])
        for _ in range(2):
            stage = nnx.Module()
            stage.blocks = nnx.List([nnx.Linear(2, 2, rngs=rngs)])
            self.stages.append(stage)
        self.stages.append(nnx.Linear(2, 2, rngs=rngs))

    def __call__(self, x):
        return self.stages[-1](x)


class Counted(nnx.Module):
    def __call__(self, x):
        self.seen = True
        return x


@nnx.jit
def forward(model: Stages, x):
    return model(x)


def gradient(model: Stages, x):
    return nnx.grad(lambda m: jnp.sum(m(x)))(model)


def main(x):
    model = Stages(nnx.Rngs(0))
    return forward(model, Counted()(x)), gradient(model, x)
"""


def outcomes(program: str) -> list[Outcome]:
    """What becomes of the gradient of a program."""
    text = f"import jax\nimport jax.numpy as jnp\nfrom flax import nnx\n\n\n{program}"
    options = Options(select=frozenset({"module-gradient"}))
    result = migrate_tree({"main.py": text.encode()}, options)["main.py"]
    return [finding.outcome for finding in result.findings]


def test_a_bare_module_is_not_called() -> None:
    check_noop("structural-update", PROGRAM)
    assert outcomes(PROGRAM) == [Outcome.REWRITTEN]


CALLED = {
    "of any class": (
        "stage = nnx.Module()",
        "stage = made(rngs)",
        "def made(rngs) -> nnx.Module:\n    import others\n\n    return others.make()\n",
    ),
    "of the class of another": (
        "stage = nnx.Module()",
        "stage = like(Counted())",
        "def like(m: nnx.Module):\n    return type(m)()\n",
    ),
    "of a class below": ("stage = nnx.Module()", "stage = Counted()", ""),
    "of a class of its own name": (
        "stage = nnx.Module()",
        "stage = Module()",
        "class Module(Counted):\n    pass\n",
    ),
    "where the class gets a call": (
        "stage = nnx.Module()",
        "stage = nnx.Module()",
        "nnx.Module.__call__ = Counted.__call__\n",
    ),
}


@pytest.mark.parametrize("made", CALLED.values(), ids=CALLED)
def test_any_other_module_may_be(made: tuple[str, str, str]) -> None:
    old, new, more = made
    program = PROGRAM.replace(old, new).replace("@nnx.jit", f"{more}\n\n@nnx.jit")
    assert outcomes(program)[0] in {Outcome.PINNED, Outcome.REWRITTEN_CHECKED}
