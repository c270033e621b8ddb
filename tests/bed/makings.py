"""How a program comes to the object that it calls a traced function with."""

from __future__ import annotations

from tests.bed.forms import Made

MADE = (
    Made("constructor", "Net()"),
    Made("function", "build()", "def build():\n    return Net()\n"),
    Made("annotated function", "build()", "def build() -> nnx.Module:\n    return Net()\n"),
    Made("class method", "Net.create()"),
    Made("table", 'NETS["net"]()', 'NETS = {"net": Net}\n'),
    Made(
        "registry",
        'NETS["Net"]()',
        "NETS = {}\ndef register(c):\n    NETS[c.__name__] = c\nregister(Net)\n",
    ),
    Made("copy", "copy.deepcopy(Net())"),
    Made("clone", "nnx.clone(Net())"),
    Made("merge", "nnx.merge(*nnx.split(Net()))"),
    Made("globals", 'globals()["Net"]()'),
    Made(
        "cached", "build()", "@functools.lru_cache(maxsize=None)\ndef build():\n    return Net()\n"
    ),
    Made("list", "[Net() for _ in range(1)][0]"),
    Made("subclass", "Other()", "class Other(Net):\n    pass\n"),
    Made("type", 'type("Other", (Net,), {})()'),
)
