"""Whole programs of NNX: classes, steps, and a `main` that returns all that they did."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from tests.fuzzing.drawing import Draw, Piece
from tests.fuzzing.models import COMMON, Class, class_of
from tests.fuzzing.steps import Setting, steps_of

_IMPORTS = (
    "import functools",
    "",
    "import jax",
    "import jax.numpy as jnp",
    "import optax",
    "from flax import nnx",
)


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """A program in pieces.

    Args:
        seed: it was drawn by.
        classes: of its models.
        setup: lines of `main` that make models and optimizers.
        steps: what `main` then does.
        returned: names that it returns beside what the steps saw.
        indentation: of a level.
    """

    seed: int
    classes: tuple[Class, ...]
    setup: tuple[str, ...]
    steps: tuple[Piece, ...]
    returned: tuple[str, ...]
    indentation: str = "    "

    def text(self) -> str:
        """Its source."""
        parts = [[*_IMPORTS], [*COMMON], *(each.lines() for each in self.classes)]
        parts += [[*step.definitions] for step in self.steps if step.definitions]
        lines = [*self.setup, *(line for step in self.steps for line in step.lines)]
        main = ["def main():", *(f"    {line}" for line in lines)]
        parts.append([*main, f"    return out, {', '.join(self.returned)}"])
        text = "\n\n\n".join("\n".join(part) for part in parts) + "\n"
        if self.indentation == "    ":
            return text
        return "\n".join(_reindented(line, self.indentation) for line in text.split("\n"))

    def smaller(self) -> Iterator[Program]:
        """The same with one step or one layer less."""
        for place in range(len(self.steps)):
            steps = self.steps[:place] + self.steps[place + 1 :]
            yield dataclasses.replace(self, steps=steps)
        for number, each in enumerate(self.classes):
            for place in range(len(each.layers)):
                layers = each.layers[:place] + each.layers[place + 1 :]
                classes = list(self.classes)
                classes[number] = dataclasses.replace(each, layers=layers)
                yield dataclasses.replace(self, classes=tuple(classes))


def program(seed: int) -> Program:
    """Draw a program; the same seed gives the same one."""
    draw = Draw(seed)
    classes = [class_of(draw, "Net")]
    if draw.chance(0.3):
        classes.append(class_of(draw, "Other", draw.pick("nnx.Module", "Net")))
    models = [("model", "Net")]
    setup = ["x = jnp.arange(8.0).reshape(4, 2) / 8", "y = jnp.ones((4, 2))", "out = []"]
    shared = draw.chance(0.15)
    setup += ["rngs = nnx.Rngs(0)"] if shared else []
    setup.append(f"model = Net({'rngs' if shared else 'nnx.Rngs(0)'})")
    if draw.chance(0.4):
        kind = draw.pick(*classes).name
        models.append(("other", kind))
        setup.append(f"other = {kind}({'rngs' if shared else 'nnx.Rngs(1)'})")
    optimizers = [("optimizer", "model")]
    optax = draw.pick("optax.sgd(0.1)", "optax.adam(1e-2)", "optax.sgd(0.1, momentum=0.9)")
    setup.append(f"optimizer = nnx.Optimizer(model, {optax}, wrt=nnx.Param)")
    setting = Setting(draw, tuple(models), tuple(optimizers))
    steps = steps_of(setting, draw.number(1, 3))
    returned = [name for name, _ in (*models, *optimizers)]
    indentation = draw.pick("    ", "    ", "  ", "\t")
    return Program(seed, tuple(classes), tuple(setup), tuple(steps), tuple(returned), indentation)


def _reindented(line: str, indentation: str) -> str:
    body = line.lstrip(" ")
    return indentation * ((len(line) - len(body)) // 4) + body
