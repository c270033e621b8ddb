"""Findings name lines of the file as it was, however many lines a rewrite above them adds."""

from __future__ import annotations

import re
import textwrap

from tests.hazards.running import migrated

SOURCE = """
    import jax, jax.numpy as jnp
    from flax import nnx
    class Net(nnx.Module):
        def __init__(self):
            self.calls = nnx.Variable(jnp.array(0))
        def __call__(self, x):
            self.calls[...] += 1  # the update
            return x
    def run(x: jax.Array):
        net = Net()
        return nnx.fori_loop(0, 2, lambda i, x: net(x), x)
    class Later(nnx.Module):
        def __init__(self):
            self.drawn = nnx.Variable(jnp.array(0))
        def __call__(self, x):
            self.drawn[...] += 1  # this one stands below
            return x
    def run_more(nets: list[Later], x: jax.Array):
        return nnx.fori_loop(0, 2, lambda i, x: nets[0](x), x)
"""


def test_messages_and_evidence_name_lines_as_they_were() -> None:
    text = textwrap.dedent(SOURCE).lstrip("\n")
    result = migrated(text)
    assert len(result.after.splitlines()) > len(result.before.splitlines())
    named = {
        int(line)
        for finding in result.findings
        for words in (finding.message, *(str(each.where) for each in finding.evidence))
        for line in re.findall(r"main\.py:(\d+)", words)
    }
    lines = text.splitlines()
    updates = {number for number, line in enumerate(lines, 1) if "+= 1" in line}
    assert named == updates
