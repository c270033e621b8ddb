"""Golden programs over wrappers of a project's own: what was decided stays so, and all settles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.core.findings import FileStatus, Outcome
from nnx_migrate.engine.run import run
from nnx_migrate.sources.configuration import Configuration

GOLDEN = Path(__file__).parents[2] / "golden"
RULES = ("structural-update", "module-gradient", "returned-input", "keyword-arguments")
NAMES = sorted(of_nnx(lambda known: known.is_site) - {"checkpoint"})
_TRANSFORM = re.compile(rf"\bnnx\.({'|'.join(NAMES)})\b")
_IMPORT = re.compile(r"^( *)from flax import nnx\n", re.MULTILINE)
#: What is written otherwise than by options, or next to the transform, is not done to a wrapper,
_PINNED_INSTEAD = {"factory_closure", "module_level_grad_fn", "shadowed_nnx"}
#: and one that runs inside a function in graph mode says its mode itself.
_PINNED_INSTEAD |= {"loss_sows_in_jit", "nested_transforms", "unknown_class"}
_PINNED_INSTEAD |= {"unknown_class_unsafe", "checked_called_elsewhere", "settled_by_configs"}
_PINNED_INSTEAD |= {"popped_when_traced_kept", "in_scan", "jit_of_grad", "replaced_in_place"}


def _table(**keys: str) -> str:
    said = "".join(f"{key} = {value}\n" for key, value in keys.items())
    entries = (
        f'[tool.nnx-migrate.transforms."acme.our_{name}_of"]\nlike = "nnx.{name}"\n{said}'
        for name in NAMES
    )
    return "".join(entries)


def _programs() -> Iterator[tuple[str, str]]:
    for rule in RULES:
        for file in sorted((GOLDEN / rule).glob("*/before.py")):
            text = file.read_text(encoding="utf-8")
            if _TRANSFORM.search(text) and _IMPORT.search(text):
                yield f"{rule}_{file.parent.name}".replace("-", "_"), text


def _outcomes(folder: Path) -> dict[str, list[tuple[str, Outcome]]]:
    result = run([folder], Configuration(), write=None, jobs=1)
    assert {each.status for each in result.results} <= {FileStatus.CHANGED, FileStatus.UNCHANGED}
    return {
        each.path.stem: sorted((finding.rule, finding.outcome) for finding in each.findings)
        for each in result.results
    }


@pytest.fixture(scope="module")
def of_nnx_itself(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[str, Outcome]]]:
    folder = tmp_path_factory.mktemp("plain")
    (folder / "pyproject.toml").write_text("[project]\n")
    for name, text in _programs():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return _outcomes(folder)


def _wrapped(folder: Path, table: str) -> dict[str, list[tuple[str, Outcome]]]:
    (folder / "pyproject.toml").write_text(table)
    for name, text in _programs():
        wrapped = _TRANSFORM.sub(r"acme.our_\1_of", text)
        wrapped = _IMPORT.sub(r"\1import acme\n\g<0>", wrapped, count=1)
        (folder / f"{name}.py").write_text(wrapped, encoding="utf-8")
    return _outcomes(folder)


def test_wrappers_that_hand_all_on_are_decided_as_what_they_are_like(
    tmp_path: Path, of_nnx_itself: dict[str, list[tuple[str, Outcome]]]
) -> None:
    found = _wrapped(tmp_path, _table(passes="true"))
    assert len(found) > 80
    others = {name for name in found if found[name] != of_nnx_itself[name]}
    assert {name.partition("_")[2].partition("_")[2] for name in others} <= _PINNED_INSTEAD


def test_no_site_of_a_wrapper_is_silent(
    tmp_path: Path, of_nnx_itself: dict[str, list[tuple[str, Outcome]]]
) -> None:
    found = _wrapped(tmp_path, _table())
    for name, expected in of_nnx_itself.items():
        assert len(found[name]) >= len(expected), name
