"""Methods of lists that a function makes in a dictionary: no change of what these hold."""

from __future__ import annotations

import pytest

from tests.rules.checking import check_noop, check_pinned

RULE = "structural-update"
_STACK = """\
import collections


class Stack(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.blocks = nnx.List([Net(rngs)])


def fill(table, stack):
    table.setdefault("all", stack.blocks)


@nnx.jit
def run(stack: Stack, x):
"""


def _run(body: str) -> str:
    return _STACK + "".join(f"    {line}\n" for line in body.splitlines()) + "    return x\n"


_OF_NEW = {
    "items": """\
table = collections.defaultdict(list)
for block in stack.blocks:
    table[1].append((block, 0))
for _, rows in table.items():
    rows.sort(key=lambda row: row[1])""",
    "values": """\
table = {}
table.setdefault("all", []).append(stack.blocks[0])
for rows in table.values():
    rows.reverse()
    rows.pop()""",
    "made under its key": """\
table = {}
table["all"] = [stack.blocks[0]]
for rows in table.values():
    rows.append(stack.blocks[0])""",
}


@pytest.mark.parametrize("how", _OF_NEW)
def test_a_list_in_a_dictionary_that_is_made_here_stays(how: str) -> None:
    check_noop(RULE, _run(_OF_NEW[how]))


_OF_OTHERS = {
    "put in by its key": """\
table = {}
table["all"] = stack.blocks
for rows in table.values():
    rows.append(1)""",
    "put in by a function": """\
table = {}
fill(table, stack)
for _, rows in table.items():
    rows.append(1)""",
    "put in by a function inside": """\
table = {}
def put():
    table["all"] = stack.blocks
put()
for _, rows in table.items():
    rows.append(1)""",
    "made of it": """\
table = dict(all=stack.blocks)
for _, rows in table.items():
    rows.append(1)""",
    "what the list holds": """\
table = collections.defaultdict(list)
table["all"].append(stack.blocks)
for _, rows in table.items():
    rows[0].append(1)""",
    "in a loop over the list": """\
table = collections.defaultdict(list)
table["all"].append(stack.blocks)
for rows in table.values():
    for row in rows:
        row.append(1)""",
    "bound anew in the loop": """\
table = collections.defaultdict(list)
for _, rows in table.items():
    rows = stack.blocks
    rows.append(1)""",
    "bound anew behind the loop": """\
table = collections.defaultdict(list)
for rows in table.values():
    rows.sort()
rows = stack.blocks
rows.append(1)""",
    "another table from then on": """\
table = collections.defaultdict(list)
table = {"all": stack.blocks}
for rows in table.values():
    rows.append(1)""",
    "a key that changes it": """\
table = collections.defaultdict(list)
table["all"].append(stack)
for _, rows in table.items():
    rows.sort(key=lambda each: setattr(each, "seen", 1))""",
}


@pytest.mark.parametrize("how", _OF_OTHERS)
def test_a_list_of_the_object_is_kept_in_graph_mode(how: str) -> None:
    check_pinned(RULE, _run(_OF_OTHERS[how]), "the function changes stack")


_PRIMITIVE = """\
from jax.extend.core import Primitive

doubled_p = Primitive("doubled")
"""


def test_an_operation_on_arrays_stays() -> None:
    program = """\
@nnx.jit
def run(model: Net, x):
    return doubled_p.bind(model.linear.kernel, model(x))
"""
    check_noop(RULE, _PRIMITIVE + program)


def test_what_an_operation_gives_is_an_array_that_is_set() -> None:
    program = """\
@nnx.jit
def run(model: Net, x):
    model.doubled = doubled_p.bind(model(x))
"""
    check_pinned(RULE, _PRIMITIVE + program, "attribute doubled is set")


_OPTIONS = """\
class Stack(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.blocks = nnx.List([Net(rngs)])

    def ask(self, options):
        return options.pop("mask", None)

    def ask_deeper(self, options):
        return self.ask(options)

    def ask_inside(self, options):
        return options["blocks"].pop()

    def ask_each(self, options):
        for held in options.values():
            held.pop()

    def ask_others(self, options):
        options = options or self.blocks
        return options.pop()

    def forward(self, x, **options):
        self.ASKED(options)
        return x


@nnx.jit
def run(stack: Stack, x):
    return stack.forward(x, blocks=stack.blocks)
"""


@pytest.mark.parametrize("how", ["ask", "ask_deeper"])
def test_what_is_taken_out_of_options_by_another_function_stays(how: str) -> None:
    check_noop(RULE, _OPTIONS.replace("ASKED", how))


@pytest.mark.parametrize("how", ["ask_inside", "ask_each", "ask_others"])
def test_what_is_taken_out_of_what_they_hold_is_kept_in_graph_mode(how: str) -> None:
    check_pinned(RULE, _OPTIONS.replace("ASKED", how), ".pop() changes it")


_DROPPED = """\
class Stack(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.blocks = nnx.List([Net(rngs)])


def drop(parts):
    parts.pop()


def fill(parts, stack):
    parts.update(all=stack.blocks)


@nnx.jit
def run(stack: Stack, x):
    PARTS
    return x
"""


def test_what_is_taken_out_of_a_list_made_for_the_call_stays() -> None:
    check_noop(RULE, _DROPPED.replace("PARTS", "parts = [*stack.blocks]\n    drop(parts)"))


@pytest.mark.parametrize(
    "parts",
    [
        "drop(stack.blocks)",
        "parts = stack.blocks\n    drop(parts)",
        "parts = [stack.blocks]\n    drop(*parts)",
        "parts = []\n    if x.ndim:\n        parts = stack.blocks\n    drop(parts)",
        "parts = [stack.blocks]\n    for part in parts:\n        drop(part)",
        'parts = {}\n    fill(parts, stack)\n    parts["all"].append(1)',
    ],
)
def test_what_is_taken_out_of_a_list_of_the_object_is_kept_in_graph_mode(parts: str) -> None:
    check_pinned(RULE, _DROPPED.replace("PARTS", parts), "the function changes stack")


_SPREAD = """\
class Plain(Net):
    def forward(self, x):
        return self(x)


class Named(Net):
    def forward(self, x, mask=None):
        MASK
        return self(x)


@nnx.jit
def run(model: Plain | Named, other: Net, x):
    options = {"mask": other}
    return model.forward(x, **options)
"""


def test_what_no_parameter_can_take_stays() -> None:
    check_noop(RULE, _SPREAD.replace("MASK", "pass"))


def test_what_one_parameter_takes_and_changes_is_kept_in_graph_mode() -> None:
    program = _SPREAD.replace("MASK", "mask.seen = 1")
    check_pinned(RULE, program, "the function changes other: attribute seen is set")


@pytest.mark.parametrize(
    "parts",
    ["drop(stack.__dict__)", "parts = stack.__dict__\n    drop(parts)", "drop(vars(stack))"],
)
def test_what_is_taken_out_of_its_attributes_is_kept_in_graph_mode(parts: str) -> None:
    check_pinned(RULE, _DROPPED.replace("PARTS", parts), "the function changes stack")


def test_what_reads_its_attributes_alone_stays() -> None:
    program = _DROPPED.replace("parts.pop()", "return parts.get('blocks')")
    check_noop(RULE, program.replace("PARTS", "drop(stack.__dict__)"))
