"""Whatever is edited between two runs, the second finds what one without answers finds."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import nnx_migrate
from nnx_migrate.engine.cache.user_cache import CACHE_VARIABLE
from tests.unit.known.test_user_cache import grow, run

#: What an edit may put at the end of a file.
_MORE = (
    "# a comment\n",
    "\n\nclass Added(nnx.Module):\n    def __call__(self, x):\n        return x\n",
    "\n\nedited = nnx.vmap(lambda model, x: model(x))\n",
    "\n\ndef edited(model: nnx.Module, x):\n    return nnx.grad(lambda m: m(x).sum())(model)\n",
)


def edit(src: Path, drawn: random.Random) -> None:
    """Change, add, rename or remove one file."""
    files = sorted(src.rglob("*.py"))
    file = drawn.choice(files)
    text = file.read_text()
    what = drawn.randrange(8)
    if what == 0:
        file.write_text(f"# one line more\n{text}")
    elif what == 1:
        file.write_text("\n".join(text.split("\n")[: -drawn.randrange(1, 6)]) + "\n")
    elif what == 2:
        file.rename(file.with_stem(f"{file.stem}{drawn.randrange(9)}"))
    elif what == 3 and len(files) > 3:
        file.unlink()
    elif what == 4:
        file.write_text(text.replace("self.sow", "self.perturb").replace("nnx.vmap", "nnx.jit"))
    elif what == 5:
        lines = text.split("\n")
        lines[drawn.randrange(len(lines))] += f"  # a remark {drawn.randrange(9)}"
        file.write_text("\n".join(lines))
    elif what == 6:
        file.write_text(text.replace(" # a remark", " # 'another\" remark", 1))
    else:
        file.write_text(text + drawn.choice(_MORE))


@pytest.mark.parametrize("seed", range(5))
def test_cached_is_fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    src = grow(tmp_path)
    drawn = random.Random(seed)
    run(src)
    for _ in range(6):
        edit(src, drawn)
        assert run(src) == run(src, cached=False)


@pytest.mark.parametrize("seed", range(3))
def test_a_server_is_fresh(tmp_path: Path, seed: int) -> None:
    """What a language server keeps in memory changes no answer, whatever is edited."""
    src = grow(tmp_path)
    drawn = random.Random(seed)
    kept = nnx_migrate.KnownFiles()
    for _ in range(6):
        for file in drawn.sample(sorted(src.rglob("*.py")), 2):
            text = file.read_text() + drawn.choice(("", *_MORE))
            found = nnx_migrate.migrate_text(text, file, known=kept)
            assert found == nnx_migrate.migrate_text(text, file)
        edit(src, drawn)
