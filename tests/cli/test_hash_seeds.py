"""What is found, said and written does not depend on the order of Python's sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.hazards.test_soundness import PROGRAMS

#: Several places say the same of one object.
SEVERAL_REASONS = """
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.a = nnx.Linear(2, 2, rngs=rngs)
        self.b = nnx.Linear(2, 2, rngs=rngs)
        self.c = nnx.Linear(2, 2, rngs=rngs)

class Holder:
    pass

def tied(net: Net):
    net.b = net.a
    net.c.kernel = net.a.kernel
    net.c.bias = net.a.bias
    return nnx.state(net)

def keep(model, holder):
    holder.model = model

def keep_too(model, holder):
    holder.other = model

@nnx.jit
def step(net: Net, holder: Holder):
    keep(net, holder)
    keep_too(net, holder)
    return net
"""

#: What an attribute is has a reason of its own in each class that the object may be of.
CLASSES = [f"Kind{number}" for number in range(8)]
SEVERAL_CLASSES = (
    "import elsewhere\nfrom flax import nnx\n"
    + "".join(
        f"""
class {name}(nnx.Module):
    def __init__(self):
        self.inner = elsewhere.make_{name}()
"""
        for name in CLASSES
    )
    + f"""
def train(number, x):
    model = {" or ".join(f"{name}()" for name in CLASSES)}
    return nnx.grad(lambda m: m(x).sum())(model.inner)
"""
)
#: What may run beside the Module is one of several functions.
SEVERAL_FUNCTIONS = """
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "y", y)
        return y

def looked(x):
    look = nnx.split or nnx.state or nnx.graphdef or nnx.clone or nnx.iter_graph or nnx.update
    return look(x)

@nnx.jit
def step(model: Net, x):
    y = model(x)
    looked(y)
    return y

model = Net(nnx.Rngs(0))
y = step(model, 1)
sown = nnx.pop(model, nnx.Intermediate)
"""
#: The same object is made in several places, and handed on in a circle of functions.
CIRCLE = """
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
    def __call__(self, x):
        return self.linear(x)
""" + "".join(
    f"""
def step_{number}(model, x):
    if x.any():
        return step_{(number + 1) % 8}(model, x)
    return nnx.grad(lambda m: m(x).sum())(model)

def made_{number}(x):
    return Net(nnx.Rngs({number})) if x else made_{(number + 3) % 8}(x)

def run_{number}(x):
    return step_{number}(made_{number}(x), x)
"""
    for number in range(8)
)

#: What is declared as any Module is passed objects of one class, made in several places.
SEEN_AMONG_OTHERS = (
    """
import elsewhere
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
    def __call__(self, x):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "y", y)
        return y

class Trainer:
    def __init__(self, model: nnx.Module):
        self.model = model
    def step(self, x):
        return nnx.grad(lambda m, x: m(x).sum())(self.model, x)

Trainer(elsewhere.make())
"""
    + "".join(
        f"\nmodel_{number} = Net(nnx.Rngs(0))\nTrainer(model_{number})" for number in range(8)
    )
    + "\n"
)


def test_every_hash_seed_gives_the_same(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = {"reasons": SEVERAL_REASONS, "classes": SEVERAL_CLASSES, "circle": CIRCLE}
    more |= {"functions": SEVERAL_FUNCTIONS, "seen": SEEN_AMONG_OTHERS}
    for name, source in {**PROGRAMS, **more}.items():
        folder = tmp_path / "src" / name
        folder.mkdir(parents=True)
        (folder / "main.py").write_text(source)
    found = set()
    for seed, jobs in (("1", "1"), ("2", "2"), ("3", "1"), ("4", "3")):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        done = command("apply", "src", "--check", "--format", "json", "--jobs", jobs)
        assert done.code == 1, done.err
        found.add(done.out)
    assert len(found) == 1
