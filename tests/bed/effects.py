"""What a method does: changes of structure, and neighbours that are the same in both modes."""

from __future__ import annotations

from tests.bed.forms import Effect

CHANGING = (
    Effect("augmented", "{m}.n += 1"),
    Effect("set", "{m}.n = {m}.n + 1"),
    Effect("new variable", "{m}.extra = nnx.Variable(jnp.zeros(()))"),
    Effect("sow", '{m}.sow(nnx.Intermediate, "seen", jnp.ones(()))'),
    Effect("replace", "{m}.w = nnx.Param({m}.w[...] * 2)"),
    Effect("delete", 'if hasattr({m}, "gone"):\n    del {m}.gone', "self.gone = 3"),
    Effect("append", "{m}.parts.append(nnx.Param(jnp.ones(())))", "self.parts = nnx.List([])"),
    Effect(
        "replace element",
        "{m}.parts[0] = nnx.Param(jnp.ones(()))",
        "self.parts = nnx.List([nnx.Param(jnp.zeros(()))])",
    ),
    Effect("object.__setattr__", 'object.__setattr__({m}, "n", {m}.n + 1)'),
    Effect("__setattr__", '{m}.__setattr__("n", {m}.n + 1)'),
    Effect("nnx.Module.__setattr__", 'nnx.Module.__setattr__({m}, "n", {m}.n + 1)'),
    Effect("__dict__", '{m}.__dict__["n"] = 7'),
    Effect("vars", 'vars({m})["n"] = 7'),
    Effect("__dict__.update", "{m}.__dict__.update(n=7)"),
    Effect("setattr", 'setattr({m}, "n", 7)'),
    Effect("setattr, computed", 'for name in ("n",):\n    setattr({m}, name, 7)'),
    Effect("eval", "{m}.eval()", "self.deterministic = False"),
    Effect("train", "{m}.train()", "self.deterministic = True"),
    Effect("nnx.Module.eval", "nnx.Module.eval({m})", "self.deterministic = False"),
    Effect("set_attributes", "{m}.set_attributes(n=7)"),
    Effect("nnx.Module.set_attributes", "nnx.Module.set_attributes({m}, n=7)"),
    Effect("array", "{m}.k = {m}.k + 1", "self.k = jnp.zeros(())"),
    Effect("swap", "{m}.a, {m}.b = {m}.b, {m}.a", "self.a, self.b = 1, 2"),
    Effect("pop", "nnx.pop({m}, nnx.BatchStat)", "self.stat = nnx.BatchStat(jnp.ones(()))"),
    Effect("of a part", "{m}.part.n += 1", "self.part = Part()"),
)
#: The same in both modes.
HARMLESS = (
    Effect("nothing"),
    Effect("variable", "{m}.w[...] = {m}.w[...] + 1"),
    Effect(
        "statistic",
        "{m}.stat[...] = {m}.stat[...] + 1",
        "self.stat = nnx.BatchStat(jnp.zeros(()))",
    ),
    Effect("set_value", "{m}.w.set_value({m}.w[...] * 2)"),
    Effect("read", "known = {m}.n + 1"),
    Effect("local", "kept = [{m}.n]\nkept.append({m}.w[...])"),
)
#: What goes in comes out again, or goes in twice.
ALIASING = (
    Effect("returned", result="{m}"),
    Effect("returned in a tuple", result="(y, {m})"),
    Effect("returned in a dict", result="dict(y=y, m={m})"),
    Effect("returned part", init="self.part = Part()", result="(y, {m}.part)"),
    Effect("returned in a List", init="self.part = Part()", result="nnx.List([{m}.part])"),
    Effect("returned merged", result="nnx.merge(*nnx.split({m}))"),
    Effect("returned State", result="(y, nnx.state({m}))"),
    Effect("alias in a chain", init="self.a = self.b = nnx.Param(jnp.ones(()))"),
    Effect("alias of a part", init="part = Part()\nself.a, self.b = part, part"),
    Effect("alias by setattr", init='self.a = Part()\nsetattr(self, "b", self.a)'),
)
EFFECTS = (*CHANGING, *HARMLESS, *ALIASING)
