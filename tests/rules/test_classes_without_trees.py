"""`shared-reference`: classes made with `pytree=False` that become pytrees, and those that stay."""

from __future__ import annotations

import pytest

from nnx_migrate.sources.configuration import Options
from tests.golden.migration import migrate_tree
from tests.rules.checking import check_noop, check_pinned, check_transformed

RULE = "shared-reference"
_LAYER = "nnx.Linear(2, 2, rngs=rngs)"
_JITTED = """

@nnx.jit
def forward(model: Part, x):
    return model(x)
"""
_EITHER = """if wide:
            self.part = None
        else:
            self.part = jnp.ones(2)"""
#: What the constructor stores, and what it stores afterwards.
_STORES = {
    "a list of layers": (
        "self.parts = [nnx.Linear(2, 2, rngs=rngs) for _ in range(2)]",
        "self.parts = nnx.data([nnx.Linear(2, 2, rngs=rngs) for _ in range(2)])",
    ),
    "a tuple of arrays": (
        "self.parts = (jnp.ones(2), jnp.zeros(2))",
        "self.parts = nnx.data((jnp.ones(2), jnp.zeros(2)))",
    ),
    "an annotated dict": (
        'self.parts: dict = {"one": nnx.Param(jnp.ones(2))}',
        'self.parts: dict = nnx.data({"one": nnx.Param(jnp.ones(2))})',
    ),
    "a list that grows": (
        "self.parts = []\n        self.parts.append(nnx.Linear(2, 2, rngs=rngs))",
        "self.parts = nnx.data([])\n        self.parts.append(nnx.Linear(2, 2, rngs=rngs))",
    ),
    "nothing first": (
        "self.part = None\n        self.part = nnx.Linear(2, 2, rngs=rngs)",
        "self.part = nnx.data(None)\n        self.part = nnx.Linear(2, 2, rngs=rngs)",
    ),
    "nothing instead": (_EITHER, _EITHER),
    "marked already": (
        "self.parts = nnx.data([nnx.Linear(2, 2, rngs=rngs)])",
        "self.parts = nnx.data([nnx.Linear(2, 2, rngs=rngs)])",
    ),
    "a list of flax": (
        "self.parts = nnx.List([nnx.Linear(2, 2, rngs=rngs)])",
        "self.parts = nnx.List([nnx.Linear(2, 2, rngs=rngs)])",
    ),
    "numbers": ("self.sizes = [1, 2]", "self.sizes = [1, 2]"),
    "one after the other": (
        "self.net = Net(rngs)\n        self.scale = 2.0",
        "self.net = Net(rngs)\n        self.scale = 2.0",
    ),
}


def _class(header: str, store: str) -> str:
    return f"""\
class Part({header}):
    def __init__(self, wide: bool, rngs: nnx.Rngs):
        {store}

    def __call__(self, x):
        return x
{_JITTED}"""


def test_a_class_that_is_a_pytree_stays() -> None:
    check_noop(RULE, _class("nnx.Module, pytree=True", "self.scale = jnp.ones(2)"))


@pytest.mark.parametrize("case", _STORES)
def test_a_class_becomes_a_pytree(case: str) -> None:
    before, after = _STORES[case]
    check_transformed(RULE, _class("nnx.Module, pytree=False", before), _class("nnx.Module", after))


def test_the_list_of_bases_keeps_its_form() -> None:
    check_transformed(
        RULE,
        _class("\n    nnx.Module,\n    pytree=False,\n", "self.scale = jnp.ones(2)"),
        _class("\n    nnx.Module,\n", "self.scale = jnp.ones(2)"),
    )


def test_a_long_line_is_broken() -> None:
    name = "the_blocks_that_come_behind_the_embedding"
    check_transformed(
        RULE,
        _class(
            "nnx.Object",
            f"self.{name} = [nnx.Linear(2, 2, rngs=rngs), nnx.Linear(2, 2, rngs=rngs)]",
        ),
        _class(
            "nnx.Pytree",
            f"self.{name} = nnx.data(\n            [{_LAYER}, {_LAYER}]\n        )",
        ),
    )


#: What the constructor stores, what stands behind the class, and why the class stays.
_STAYING = {
    "a number beside layers": (f"self.parts = [{_LAYER}, 3]", "", "with other values"),
    "something unknown in a list": ("self.parts = [make(rngs)]", "", "holds are unknown"),
    "a number before a layer": (
        f"self.part = 3\n        self.part = {_LAYER}",
        "",
        "in one place, and to other things in another",
    ),
    "several at once": (
        f"self.parts, self.n = [{_LAYER}], 3",
        "",
        "is set together with other names",
    ),
    "from outside": (
        "self.part = 2.0",
        "def widened(part: Part):\n    part.part = jnp.ones(2)\n    return part\n",
        "code outside of its methods sets part",
    ),
    "a leaf": (
        "self.part = jnp.ones(2)",
        "def named(parts: dict[str, Part]):\n    return jax.tree.leaves(parts)\n",
        "treats it as a leaf",
    ),
    "a comment at the keyword": ("self.part = jnp.ones(2)", "#", "cannot be changed here"),
}


@pytest.mark.parametrize("case", _STAYING)
def test_a_class_stays_no_pytree(case: str) -> None:
    store, behind, reason = _STAYING[case]
    header = "nnx.Module, pytree=False"
    if behind == "#":
        header, behind = "nnx.Module,  # a note\n    pytree=False", ""
    program = "from parts import make\n" if "make(" in store else ""
    check_pinned(RULE, program + _class(header, store) + "\n\n" + behind, reason)


@pytest.mark.parametrize(
    ("call", "stays"),
    [
        pytest.param("nnx.split([part], graph=False)", True, id="tree mode"),
        pytest.param(
            "list(nnx.iter_graph(nnx.List([part]), graph=False))", True, id="of what holds it"
        ),
        pytest.param("part.iter_modules(graph=False)", True, id="of a method"),
        pytest.param("nnx.split(part, graph=True)", False, id="graph mode"),
        pytest.param("nnx.split(Net(rngs), graph=False)", False, id="of another class"),
    ],
)
def test_a_class_stays_where_a_call_asks_for_tree_mode(call: str, stays: bool) -> None:
    """Today that raises; a test of it (`assertRaises`) would fail with a pytree."""
    text = _class("nnx.Module, pytree=False", "self.part = jnp.ones(2)")
    asking = f"def asked(rngs):\n    part = Part(False, rngs)\n    return {call}\n"
    header = "import jax.numpy as jnp\nfrom flax import nnx\n\n\n"
    net = "class Net(nnx.Module):\n    def __init__(self, rngs):\n        pass\n\n\n"
    program = f"{header}{net}{text}\n\n{asking}"
    result = migrate_tree({"main.py": program.encode()}, Options())["main.py"]
    assert (b"pytree=False" in result.after) == stays
    told = [each.claim for finding in result.findings for each in finding.evidence]
    assert any("a call that asks for tree mode itself gets it" in each for each in told) == stays


def test_a_class_below_one_that_stays_stays() -> None:
    check_pinned(
        RULE,
        f"""\
class Base(nnx.Module, pytree=False):
    def __init__(self, rngs: nnx.Rngs):
        self.parts = [{_LAYER}, 3]


class Part(Base, pytree=False):
    def __call__(self, x):
        return x
{_JITTED}""",
        "Base is not a pytree either, and stays so",
    )


def test_a_decorator_that_is_not_known_keeps_a_class() -> None:
    check_pinned(
        RULE,
        "from parts import registered\n\n\n@registered\n"
        + _class("nnx.Module, pytree=False", "self.part = jnp.ones(2)"),
        "the effect of its decorators is unknown",
    )
