"""The Python of the pages, run; what other tests run is listed with them."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from nnx_migrate import FileStatus, Outcome, migrate_text
from tests.unit.test_code_blocks import PAGES_READ, ROOT, blocks, named

#: By page, the test that runs all of its Python.
_ELSEWHERE = {
    "docs/check.md": "cli/test_check_page.py",
    "docs/developers/analysis.md": "unit/analysis/test_developers_page.py",
    "docs/python-api.md": "unit/test_api.py",
    "docs/semantics.md": "unit/test_semantics_page.py",
    "docs/writing-rules.md": "cli/test_plugin_edit.py",
}
_HERE = {
    "docs/commands.md",
    "docs/concepts.md",
    "docs/developers/performance.md",
    "docs/developers/transforms.md",
    "docs/index.md",
}
_NET = """\
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Tower(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.dropout(self.norm(x)).sum(1)


"""
_CACHING = _NET.replace("        return", "        self.last = nnx.Cache(x)\n        return")
_CALLED = """

model = Tower(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
x, y = jnp.arange(6.0).reshape(3, 2), jnp.ones(3)
loss = train_step(model, optimizer, x, y)
"""


def python_of(page: str) -> list[str]:
    return [text for kind, text in blocks(ROOT / page) if kind == "python"]


def test_no_page_is_left_out() -> None:
    with_python = {named(page) for page in PAGES_READ if python_of(named(page))}
    assert with_python == _HERE | set(_ELSEWHERE)
    assert all((ROOT / "tests" / test).is_file() for test in _ELSEWHERE.values())


@contextlib.contextmanager
def _in(mode: str) -> Iterator[None]:
    from flax import nnx

    graph = mode == "graph"
    setters: Any = nnx
    with setters.set_graph_mode(graph), setters.set_graph_updates(graph):
        yield


def _ran(text: str, mode: str) -> dict[str, Any]:
    """The loss and the State that a program leaves."""
    from flax import nnx

    names: dict[str, Any] = {}
    with _in(mode):
        exec(compile(text, mode, "exec"), names)
    with _in("graph"):
        state = nnx.to_pure_dict(nnx.state(names["model"]))
    return {"loss": names["loss"], "state": state}


def _assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    import jax
    import jax.numpy as jnp
    import numpy as np

    structures: list[Any] = [jax.tree.structure(one), jax.tree.structure(other)]
    assert structures[0] == structures[1]
    for left, right in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        if jnp.issubdtype(left.dtype, jax.dtypes.prng_key):
            left, right = jax.random.key_data(left), jax.random.key_data(right)
        np.testing.assert_array_equal(left, right)


@pytest.mark.runs_jax
def test_the_three_ways_are_the_same() -> None:
    today, rewritten, pinned = python_of("docs/concepts.md")
    expected = _ran(_NET + today + _CALLED, "graph")
    assert float(expected["loss"]) != 0
    for text in (rewritten, pinned):
        for mode in ("graph", "tree"):
            _assert_same(_ran(_NET + text + _CALLED, mode), expected)
    with pytest.raises(TypeError):
        _ran(_NET + today + _CALLED, "tree")


def test_the_three_ways_are_what_the_tool_writes() -> None:
    today, rewritten, pinned = python_of("docs/concepts.md")
    for net, text in ((_NET, rewritten), (_CACHING, pinned)):
        assert migrate_text(net + today + _CALLED).text == net + text + _CALLED


def _step(code: str) -> str:
    lines = code.replace("\n\n\n", "\n\n").splitlines()
    body = "".join(f"    {line}\n" if line else "\n" for line in lines)
    return f"def train_step(model: Tower, optimizer: nnx.Optimizer, x, y):\n{body}    return loss\n"


@pytest.mark.runs_jax
def test_before_and_after_on_the_home_page_are_the_same() -> None:
    before, after = (_NET + _step(code) + _CALLED for code in python_of("docs/index.md"))
    assert migrate_text(before).text == after
    expected = _ran(before, "graph")
    for mode in ("graph", "tree"):
        _assert_same(_ran(after, mode), expected)


def test_the_comments_keep_code_as_it_is() -> None:
    (shown,) = python_of("docs/commands.md")
    kept, skipped = shown.splitlines()
    head = _NET + "def step(model: Tower, x):\n    def loss_fn(m):\n        return m(x).sum()\n\n"
    line = f"    {kept}\n    return loss, nnx.state(grads)\n"
    plain = migrate_text(head + line.replace(kept, kept.partition("  #")[0]))
    assert [finding.outcome for finding in plain.findings] == [Outcome.REWRITTEN]
    done = migrate_text(head + line)
    assert (done.status, done.findings) == (FileStatus.UNCHANGED, ())
    assert migrate_text(f"{skipped}\n{head}{line}").status is FileStatus.SKIPPED


@pytest.mark.runs_jax
def test_a_state_among_other_parts_reaches_a_step() -> None:
    import jax
    from flax import nnx

    (text,) = python_of("docs/developers/performance.md")
    names: dict[str, Any] = {
        "jax": jax,
        "nnx": nnx,
        "make_state": lambda model: lambda x: model(x),
        "run": lambda parts, x: x + parts[1],
    }
    exec(compile(text, "performance.md", "exec"), names)
    assert names["evaluate"](jax.numpy.ones((1, 2))).shape == (1, 2)
    assert int(names["step"]([2, 1], 1)) == 2


@dataclasses.dataclass
class _Site:
    """What the page has at hand."""

    spec: Any


def test_the_questions_about_transforms_have_answers() -> None:
    from nnx_migrate.analysis.flax import transforms
    from nnx_migrate.rewrite.model.rule import Rule

    (text,) = python_of("docs/developers/transforms.md")
    names: dict[str, Any] = {
        "site": _Site(transforms.spec("jit")),
        "spec": transforms.spec,
        "of_nnx": transforms.of_nnx,
        "Rule": Rule,
        "decide": lambda context, site: None,
    }
    first, second, third = text.splitlines()
    assert eval(first, names) is True
    assert eval(second, names) is True
    exec(third, names)
    assert {"vmap", "scan"} <= names["RULE"].transforms
