"""What a function puts back that it popped: it is sown under the flags that what popped it asks."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import Outcome
from nnx_migrate.sources.configuration import Options
from tests.golden.migration import migrate_tree
from tests.rules.checking import check_noop

RULE = "sown-intermediates"
PROGRAM = """\
class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs, keeping: bool = False):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.keeping = keeping

    @nnx.remat
    def _call_and_pop(self, x):
        x = self.linear(x)
        if self.keeping:
            self.sow(nnx.Intermediate, "last", x)
        return x, nnx.clone(nnx.pop(self, nnx.Intermediate))

    def __call__(self, x):
        result, sown = self._call_and_pop(x)
        nnx.update(self, sown)
        return result


class Stack(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.block = Block(rngs)

    def __call__(self, x):
        return self.block(x)


@nnx.jit
def forward(model: Stack, x):
    return model(x)


def main(x):
    return forward(Stack(nnx.Rngs(0)), x)
"""
STEP = PROGRAM.index("@nnx.jit")


def outcomes(program: str) -> set[Outcome]:
    """What becomes of the sites of a program, by all rules."""
    text = f"import jax\nimport jax.numpy as jnp\nfrom flax import nnx\n\n\n{program}"
    result = migrate_tree({"main.py": text.encode()}, Options())["main.py"]
    return {finding.outcome for finding in result.findings} - {Outcome.SAME}


def test_what_no_flag_asks_for_is_not_put_back() -> None:
    check_noop(RULE, PROGRAM)
    assert outcomes(PROGRAM) == set()


def test_a_function_that_pops_for_another_is_followed_too() -> None:
    method = PROGRAM.replace(
        "    @nnx.remat\n    def _call_and_pop(self, x)", "    def run(self, x)"
    )
    method = method.replace("self._call_and_pop(x)", "self.run(x)")
    check_noop(RULE, method)


SOWING = {
    "the flag is set": PROGRAM.replace("Block(rngs)", "Block(rngs, True)"),
    "the flag is set by the caller": PROGRAM.replace("Block(rngs)", "Block(rngs, keeping=rngs)"),
    "there is no flag": PROGRAM.replace("if self.keeping:", "if True:"),
    "another flag": PROGRAM.replace("if self.keeping:", "if x.shape[0] > 1:"),
    "beside the flag": PROGRAM.replace(
        "        return result", "        self.sow(nnx.Intermediate, 'y', x)\n        return result"
    ),
    "the State is another one": PROGRAM.replace(
        "        nnx.update",
        "        sown = nnx.State({'last': nnx.Intermediate((x,))})\n        nnx.update",
    ),
    "the State gets more": PROGRAM.replace(
        "        nnx.update", "        sown['last'] = nnx.Intermediate((x,))\n        nnx.update"
    ),
    "the State gets more under another name": PROGRAM.replace(
        "        nnx.update",
        "        more = sown\n        more['last'] = nnx.Intermediate((x,))\n        nnx.update",
    ),
    "the State gets more in a function": PROGRAM.replace(
        "        nnx.update", "        sown.update(last=nnx.Intermediate((x,)))\n        nnx.update"
    ),
    "popped off another object": PROGRAM.replace(
        "result, sown = self._call_and_pop(x)",
        "other = Block(nnx.Rngs(0), True)\n        result, sown = other._call_and_pop(x)",
    ),
    "popped off a part beside it": PROGRAM.replace(
        "return x, nnx.clone(nnx.pop(self, nnx.Intermediate))",
        "other = Block(nnx.Rngs(0), True)\n        other(x)\n"
        "        return x, nnx.merge_state(nnx.pop(self, nnx.Intermediate),"
        " nnx.pop(other, nnx.Intermediate))",
    ),
}


@pytest.mark.parametrize("program", SOWING.values(), ids=SOWING)
def test_what_is_put_back_otherwise_counts(program: str) -> None:
    assert program != PROGRAM
    assert outcomes(program) & {Outcome.REWRITTEN, Outcome.PINNED, Outcome.PINNED_MID}
