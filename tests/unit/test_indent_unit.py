"""New lines are indented as the code around them, in files that mix two and four spaces."""

from __future__ import annotations

from tests.hazards.running import migrated

PROGRAM = """\
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.linear(x).sum()

def loss(net: nnx.Module, x):
    return net(x)

def step(net: nnx.Module, x):
  grads = nnx.grad(loss)(net, x)
  return grads
"""


def test_a_new_function_is_indented_as_the_one_around_it() -> None:
    after = migrated(PROGRAM).after.decode()
    _, _, step = after.partition("def step(")
    found = {len(line) - len(line.lstrip()) for line in step.splitlines()[1:] if line}
    assert found == {2, 4, 6}
    assert "  def loss_of_state(params, nondiff, x):\n    net = " in step
