"""`sown-intermediates`: what it leaves alone, and what it does."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import Outcome
from nnx_migrate.sources.configuration import Options
from tests.golden.migration import migrate_tree
from tests.rules.checking import check_noop, check_transformed

RULE = "sown-intermediates"


def test_nothing_is_sown_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit
def forward(model: nnx.Linear, x):
    return model(x)
""",
    )


def test_sown_and_popped_outside_of_transforms_stays() -> None:
    check_noop(
        RULE,
        """\
class Sowing(nnx.Module):
    def __call__(self, x):
        self.sow(nnx.Intermediate, "x", x)
        return x


def run(model: Sowing, x):
    y = model(x)
    return y, nnx.pop(model, nnx.Intermediate)
""",
    )


def test_captured_inside_stays() -> None:
    check_noop(
        RULE,
        """\
class Sowing(nnx.Module):
    def __call__(self, x):
        self.sow(nnx.Intermediate, "x", x)
        return x


@nnx.jit
def forward(model: Sowing, x):
    return nnx.capture(model, nnx.Intermediate)(x)
""",
    )


def test_sown_inside_and_popped_after_the_call_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
class Sowing(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        x = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", x)
        return x


@nnx.jit
def _forward(model: Sowing, x):
    return model(x)


def run(x):
    model = Sowing(nnx.Rngs(0))
    y = _forward(model, x)
    hidden = nnx.pop(model, nnx.Intermediate)  # of this call
    return y, hidden
""",
        """\
class Sowing(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        x = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", x)
        return x


@nnx.jit
@nnx.capture(nnx.Intermediate)
def _forward(model: Sowing, x):
    return model(x)


def run(x):
    model = Sowing(nnx.Rngs(0))
    y, hidden = _forward(model, x)
    # of this call
    return y, hidden
""",
    )


SETTING = """\
class Loss(nnx.Variable):
    pass


class Setting(nnx.Module):
{first}    def __call__(self, x):
        {store}
        return x


{more}@nnx.jit
def forward(model: Setting, x):
    return {result}


def run(model: Setting, x):
    y = forward(model, x)
    return y, nnx.pop(model, Loss)
"""
STORE = "self.loss = Loss(x)"


def _setting(first: str = "", store: str = STORE, more: str = "", result: str = "model(x)") -> str:
    return SETTING.format(first=first, store=store, more=more, result=result)


def test_a_variable_that_a_call_sets_anew_is_put_back_in_the_place_of_the_one_before() -> None:
    twin = """\
@nnx.jit
def _forward_and_pop(model: Setting, x):
    return model(x), nnx.clone(nnx.pop(model, Loss))


def forward(model: Setting, x):
    result, sown = _forward_and_pop(model, x)
    nnx.pop(model, Loss)  # new ones take their place
    nnx.update(model, sown)
    return result
"""
    before = "@nnx.jit\ndef forward(model: Setting, x):\n    return model(x)\n"
    assert before in _setting()
    check_transformed(RULE, _setting(), _setting().replace(before, twin))


def test_one_that_is_set_under_a_condition_is_put_back() -> None:
    before = _setting(store="if x.ndim:\n            self.loss = Loss(x)")
    assert (
        b"_forward_and_pop"
        in migrate_tree({"main.py": _program(before)}, Options())["main.py"].after
    )


NOT_ADDED = {
    "made before": _setting("    def __init__(self):\n        self.loss = Loss(0)\n\n"),
    "another value": _setting("    def __init__(self):\n        self.loss = None\n\n"),
    "of the class": _setting("    loss = None\n\n"),
    "two names": _setting(store="self.loss = self.other = Loss(x)"),
    "by a local name": _setting(store="kept = self.loss = Loss(x)"),
    "of a part": _setting(
    "    def __init__(self, rngs):\n        self.part = nnx.Linear(2, 2, rngs=rngs)\n\n",
    store="self.part.loss = Loss(x)"),
    "made elsewhere": _setting(more="class Other(nnx.Module):\n"
    "    def __init__(self):\n        self.loss = Loss(1.0)\n\n\n"),
    "set outside": _setting(more="def change(model: Setting):\n    model.loss = 1\n\n\n"),
    "set below": _setting(more="class Below(Setting):\n"
    "    def reset(self):\n        self.loss = None\n\n\n"),
    "a subclass of it": _setting(more="class Other(Loss):\n    pass\n\n\n"),
    "sown, too": _setting(store=STORE + "\n        self.sow(Loss, 'other', x)"),
    "under capture": _setting(result="nnx.capture(model, Loss)(x)"),
    "a name that Variables have": _setting(store="self.value = Loss(x)"),
    "annotated": _setting(store="self.loss: Loss = Loss(x)"),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_ADDED)
def test_a_variable_that_does_not_lie_there_as_if_sown_is_kept_in_graph_mode(case: str) -> None:
    result = migrate_tree({"main.py": _program(NOT_ADDED[case])}, Options())["main.py"]
    pinned = {each.rule for each in result.findings if each.outcome is Outcome.PINNED}
    assert "structural-update" in pinned
    assert b"_and_pop" not in result.after


CAPTURING = b"""\
from flax import nnx


def run(model, x):
    return nnx.capture(model, nnx.Intermediate)(x)
"""
ALONE = {
    "a program beside another": {"vae.py": b"", "probe.py": CAPTURING},
    "no import can name it": {"examples/05_vae.py": b"", "examples/probe.py": CAPTURING},
    "it imports another file": {"vae.py": b"import data\n", "data.py": b"", "probe.py": CAPTURING},
}
NOT_ALONE = {
    "in a package": {"examples/vae.py": b"", "examples/probe.py": CAPTURING},
    "imported by it": {"vae.py": b"", "probe.py": b"import vae\n" + CAPTURING},
    "both imported": {"vae.py": b"", "probe.py": CAPTURING, "main.py": b"import vae, probe\n"},
    "it imports that": {"vae.py": b"import probe\n", "probe.py": CAPTURING},
    "offered to others": {"vae.py": b"__all__ = ['Setting']\n", "probe.py": CAPTURING},
    "imports at run time": {
        "vae.py": b"import importlib\nlayers = importlib.import_module('pro' + 'be')\n",
        "probe.py": CAPTURING,
    },
}


def _put_back_beside(files: dict[str, bytes]) -> bool:
    name = next(each for each in files if each.endswith("vae.py"))
    tree = files | {name: files[name] + _program(_setting())}
    return b"_forward_and_pop" in migrate_tree(tree, Options())[name].after


@pytest.mark.parametrize("case", ALONE)
def test_what_another_program_captures_does_not_matter(case: str) -> None:
    assert _put_back_beside(ALONE[case])


@pytest.mark.parametrize("case", NOT_ALONE)
def test_what_may_run_in_one_program_with_a_capture_is_kept(case: str) -> None:
    assert not _put_back_beside(NOT_ALONE[case])


def _program(text: str) -> bytes:
    return f"import jax\nfrom flax import nnx\n\n\n{text}".encode()
