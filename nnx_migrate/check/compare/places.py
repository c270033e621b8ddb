"""Values without the place that a tree lies at: each side lies elsewhere."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import overload

from nnx_migrate.check.compare.forms import Leaf, NotDone, Observation, Plain, Traced, View

#: What stands for the folder of a tree.
TREE = "<tree>"


def placeless_text(text: str, place: Path) -> str:
    """A text with the folder of a tree as `TREE`.

    Args:
        text: of any kind.
        place: the folder.
    """
    return text.replace(str(place), TREE) if place.parts[1:] else text


def placeless_view(view: View, place: Path) -> View:
    """A view with the folder of a tree as `TREE`.

    Args:
        view: of any value.
        place: the folder.
    """
    name = str(place)
    form: dict[str, Leaf] = {
        path: dataclasses.replace(leaf, text=placeless_text(leaf.text, place))
        if isinstance(leaf, Plain) and name in leaf.text
        else leaf
        for path, leaf in view.form.items()
    }
    return View(form, view.shared)


@overload
def placeless(found: Observation, place: Path) -> Observation: ...
@overload
def placeless(found: NotDone, place: Path) -> NotDone: ...
@overload
def placeless(found: Traced, place: Path) -> Traced: ...
def placeless(found: Observation | NotDone | Traced, place: Path) -> Observation | NotDone | Traced:
    """What became of a call, with the folder of a tree as `TREE`.

    Args:
        found: of a worker.
        place: the folder.
    """
    if isinstance(found, NotDone):
        return NotDone(placeless_text(found.reason, place))
    if isinstance(found, Traced):
        before, view = (placeless_view(each, place) for each in (found.before, found.view))
        return dataclasses.replace(found, before=before, view=view)
    return Observation(
        found.view and placeless_view(found.view, place),
        found.raised,
        placeless_text(found.message, place),
        found.left and placeless_view(found.left, place),
    )
