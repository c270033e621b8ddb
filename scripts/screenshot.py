"""Makes docs/review-page.png: the review page of the sample project, after a check.

    python -m scripts.screenshot

Needs the extras `check`, `html` and `dev`, and Chromium.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, chromium
from tests.browser.projects import SAMPLE

_TARGET = Path(__file__).parents[1] / "docs" / "review-page.png"
_CONFIGURATION = """\
[tool.nnx-migrate.check]
command = "python drive.py"
"""
_DRIVE = """\
import jax.numpy as jnp
import optax
from flax import nnx

from ranker import diagnostics, ensemble, training
from ranker.models import Tower

training.main()
model = Tower(8, 16, 1, rngs=nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
x, y = jnp.ones((32, 8)), jnp.ones((32, 1))
outer = nnx.All(nnx.Param, nnx.PathContains("outer"))
training.finetune_step(model, nnx.Optimizer(model, optax.adam(1e-3), wrt=outer), (x, y))
training.generic_step(model, optimizer, (x, y), lambda m, b: jnp.mean((m(b[0]) - b[1]) ** 2))
ensemble.create(nnx.Rngs(0))
diagnostics.activations(x)
"""


def main() -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "sample"
        shutil.copytree(SAMPLE, root)
        (root / ".git").mkdir()
        (root / "CODEOWNERS").write_text("* @ranking\n")
        (root / "pyproject.toml").write_text(_CONFIGURATION)
        (root / "drive.py").write_text(_DRIVE)
        command = str(Path(sys.executable).with_name("nnx-migrate"))
        arguments = ["apply", "ranker", "--verify", "--html", "review"]
        # It ends with 2: the script above does not call all that changes.
        done = subprocess.run([command, *arguments], cwd=root, check=False)
        assert done.returncode in {0, 2}
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
            page = browser.new_page(viewport={"width": 1280, "height": 700})
            address = (root / "review" / "index.html").as_uri()
            page.goto(f"{address}#file=ranker/training.py&line=16")
            page.locator(".piece.current").wait_for()
            page.keyboard.press("e")
            page.locator(".piece.current .verdict summary").click()
            page.mouse.move(0, 0)
            page.wait_for_timeout(300)
            page.screenshot(path=_TARGET)
            browser.close()
    print(f"{_TARGET}: {_TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
