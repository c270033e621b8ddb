"""Marimo notebooks: functions whose parameters are what other cells bind."""

from __future__ import annotations

import textwrap

import pytest

from nnx_migrate.core.findings import FileResult, Outcome
from nnx_migrate.sources.configuration import Options
from tests.golden.migration import migrate_tree

_IMPORTS = "import jax.numpy as jnp\nfrom flax import nnx\nreturn jnp, nnx\n"
_NET = """\
class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        self.calls = 0

    def __call__(self, x):
        return self.dropout(self.linear(x))

model = Net(nnx.Rngs(0))
return Net, model
"""
_STEP = """\
def slope(net):
    def loss(net):
        return net(jnp.ones((1, 2))).sum()

    return nnx.grad(loss)(net)

grads = slope(model)
return
"""
_IN_CELL = """\
def loss(net):
    return net(jnp.ones((1, 2))).sum()

grads = nnx.grad(loss)(model)
return
"""
_COUNT = """\
@nnx.jit
def count(net):
    net.calls += 1

count(model)
return
"""


def notebook(
    *cells: tuple[str, str], decorator: str = "app.cell", app: str = "marimo.App()"
) -> str:
    text = f"import marimo\nimport typer\n\napp = {app}\n"
    for parameters, body in cells:
        text += f"\n\n@{decorator}\ndef _({parameters}):\n{textwrap.indent(body, '    ')}"
    return text + '\n\nif __name__ == "__main__":\n    app.run()\n'


def migrated(text: str) -> FileResult:
    return migrate_tree({"book.py": text.encode()}, Options())["book.py"]


def ends(text: str) -> list[tuple[str, Outcome]]:
    return [(each.rule, each.outcome) for each in migrated(text).findings]


@pytest.mark.parametrize("decorator", ["app.cell", "app.cell(hide_code=True)"])
def test_a_module_that_a_cell_returns_needs_nobody(decorator: str) -> None:
    assert ends(notebook(("", _IMPORTS), ("nnx", _NET), decorator=decorator)) == []


def test_what_a_cell_has_as_parameters_is_what_others_bind() -> None:
    text = notebook(("", _IMPORTS), ("nnx", _NET), ("jnp, model, nnx", _STEP))
    result = migrated(text)
    assert [each.outcome for each in result.findings] == [Outcome.REWRITTEN]
    assert "class of argument" not in result.findings[0].message
    after = result.after.decode()
    assert "nnx.grad(loss)(params, nondiff)" in after
    # The order of cells is nothing to marimo.
    text = notebook(("jnp, model, nnx", _STEP), ("nnx", _NET), ("", _IMPORTS))
    assert [end for _, end in ends(text)] == [Outcome.REWRITTEN]


def test_what_changes_its_module_in_a_cell_is_pinned() -> None:
    text = notebook(("", _IMPORTS), ("nnx", _NET), ("model, nnx", _COUNT))
    assert ends(text) == [("structural-update", Outcome.PINNED)]
    assert "@nnx.compat.jit" in migrated(text).after.decode()


def test_no_new_name_is_bound_in_a_cell() -> None:
    """Two cells that bind one name are an error, whichever they are."""
    text = notebook(("", _IMPORTS), ("nnx", _NET), ("jnp, model, nnx", _IN_CELL))
    (finding,) = migrated(text).findings
    assert finding.outcome is Outcome.PINNED
    assert "would bind graphdef, nondiff, params in a cell" in finding.message
    assert finding.ways_out[0].startswith("move this code of the cell into a function")
    followed = notebook(("", _IMPORTS), ("nnx", _NET), ("jnp, model, nnx", _STEP))
    assert Outcome.PINNED not in {end for _, end in ends(followed)}


@pytest.mark.parametrize(
    ("decorator", "app", "imports"),
    [
        ("app.command", "marimo.App()", _IMPORTS),
        ("app.cell", "typer.Typer()", _IMPORTS),
        ("app.cell", "marimo.App()", _IMPORTS.replace("jnp, nnx", "{'nnx': nnx}")),
        ("app.cell", "marimo.App()", _IMPORTS.replace("jnp, nnx", "run(jnp, nnx)")),
    ],
)
def test_nnx_that_goes_elsewhere_is_said(decorator: str, app: str, imports: str) -> None:
    text = notebook(("run", imports), ("nnx", _NET), decorator=decorator, app=app)
    assert ("structural-update", Outcome.MANUAL) in ends(text)
