"""What a file leaves at module level, beside what it left before."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from nnx_migrate.check.compare.files import ROOT as FILES
from nnx_migrate.check.compare.forms import Form, Observation, Plain, View

#: Where in a view those values are that a call changes in modules.
ROOT = "globals"


def without_new_names(old: Observation, new: Observation) -> tuple[Observation, tuple[str, ...]]:
    """Leaves out the names that only the new side has: nothing could read them before.

    What they hide or change shows in what both sides have.

    Args:
        old: of a file that was run, by its names.
        new: likewise.

    Returns:
        The new one without them, and the names.
    """
    if old.view is None or new.view is None:
        return new, ()
    before, after = ({_name(path) for path in each.form} for each in (old.view, new.view))
    added = after - before - {ROOT, FILES}
    if not added:
        return new, ()
    form: Form = {path: leaf for path, leaf in new.view.form.items() if _name(path) not in added}
    if before - after <= {ROOT, FILES}:
        # The mapping at the root tells how many names there are.
        form |= {"": old.view.form.get("", Plain("mapping", ""))}
    return dataclasses.replace(new, view=View(form, _shared(new.view, added))), tuple(sorted(added))


def _shared(view: View, added: Collection[str]) -> dict[str, str]:
    """Which paths are one object, told by the first of those that are left."""
    firsts: dict[str, str] = {}
    found = {}
    for path, first in view.shared.items():
        if _name(path) in added:
            continue
        if _name(first) in added:
            if first not in firsts:
                firsts[first] = path
                continue
            first = firsts[first]
        found[path] = first
    return found


def _name(path: str) -> str:
    return path.partition("/")[0]
