"""What a call does after its return, and to metadata, is not lost; nor what coroutines do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command, Observe
from tests.cli.facts import findings
from tests.cli.test_observed_objects import ALONE

NET = """\
from flax import nnx

HOOKS = {}


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(1.0)


@nnx.jit
def named(model: Net, x):
    HOOKS["name"](model)
    return model.w * x


@nnx.jit
def cleaned(model: Net, x):
    try:
        return model.w * x
    finally:
        HOOKS["clean"](model)


@nnx.jit
def quiet(model: Net, x):
    try:
        return model.w * x
    finally:
        HOOKS["look"](model)


async def batches(model, source):
    async for each in source:
        yield each
        HOOKS["clean"](model)


async def served(model, source):
    async with source as given:
        return [each async for each in given]
"""
RUN = """\
import asyncio
import contextlib
import jax.numpy as jnp
import net

hooks = getattr(net, "".join(["HOO", "KS"]))
hooks["name"] = lambda model: model.w.set_metadata(note="seen")
hooks["clean"] = lambda model: setattr(model, "last", 1)
hooks["look"] = lambda model: model.w
for each in (net.named, net.cleaned, net.quiet):
    each(net.Net(), jnp.ones(2))


async def numbers(given):
    for each in range(3):
        given.other = each
        yield each


@contextlib.asynccontextmanager
async def opened(given):
    yield numbers(given)


async def main():
    model = net.Net()
    async for each in net.batches(model, numbers(net.Net())):
        model.another = each
    assert await net.served(net.Net(), opened(net.Net())) == [0, 1, 2]
    shared = net.Net()
    await net.served(shared, opened(shared))

asyncio.run(main())
"""


@pytest.mark.runs_jax
def test_what_calls_do_late_is_not_lost(tmp_path: Path, command: Command, observe: Observe) -> None:
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "run.py").write_text(RUN)
    seen_of = observe("run.py", of="net.py")
    objects = {
        name: seen["objects"]["model"] for name, seen in seen_of.items() if "objects" in seen
    }
    assert objects["named"] == ALONE | {"looks": 1, "changes": [".w metadata note made"]}
    assert objects["cleaned"] == ALONE | {"looks": 1, "changes": [".last made"]}
    assert objects["quiet"] == ALONE | {"looks": 1}
    # What its caller does while it stops is none of an async generator's doing.
    assert objects["batches"] == ALONE | {"looks": 1, "changes": [".last made"]}
    # Who of those who work while a coroutine waits it was, nobody knows.
    assert (objects["served"]["looks"], objects["served"]["changes"]) == (2, ["?"])
    found = findings(command, "--facts", "facts.json")
    assert {line: each["outcome"] for line, each in found.items()} == {
        11: "pinned",
        17: "pinned",
        25: "same",
    }
