"""Notebooks for tests, written in the styles that are met."""

from __future__ import annotations

import json
from typing import Any


def code(source: str | list[str], **more: Any) -> dict[str, Any]:
    """A code cell; a text becomes a list of lines."""
    lines = source.splitlines(keepends=True) if isinstance(source, str) else source
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": []}
    return {**cell, "source": lines, **more}


def text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source.splitlines(keepends=True)}


def notebook(*cells: dict[str, Any], **more: Any) -> dict[str, Any]:
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "p"}}
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5, **more}


def written(content: dict[str, Any], **style: Any) -> bytes:
    """The bytes as Jupyter writes them, unless told otherwise."""
    style = {"indent": 1, "ensure_ascii": False, **style}
    return (json.dumps(content, **style) + "\n").encode()


MODEL = """\
class Net(nnx.Module):
  def __init__(self, rngs):
    self.linear = nnx.Linear(2, 2, rngs=rngs)
    self.norm = nnx.BatchNorm(2, rngs=rngs)
  def __call__(self, x):
    return self.norm(self.linear(x))
model = Net(nnx.Rngs(0))
def loss(model: Net):
  return jnp.mean(model(jnp.ones((4, 2))))"""
