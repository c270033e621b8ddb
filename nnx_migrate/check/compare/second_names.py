"""Objects with several names, of which the new side may have fewer.

A name that reaches what another one reaches too is none of the paths of a State. It may go: a
property reads it from then on, perhaps. What a State lists stays, and so does which names are one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from nnx_migrate.check.compare.forms import View


def names_gone(old: View, new: View) -> dict[str, str]:
    """Names of objects that the new side lacks, each with one that it keeps.

    Args:
        old: the reference.
        new: what is compared with it.
    """
    gone = {
        name: first
        for name, first in old.shared.items()
        if name not in new.form and first in new.form and old.second_name(name) == name
    }
    for name, first in old.shared.items():
        if first not in new.form and name in new.form and _stands_in_states(name, first):
            gone.setdefault(first, name)
    return gone


def _stands_in_states(name: str, first: str) -> bool:
    """Whether a State lists what has two names by the one that was noted second.

    Of two attributes in one object it takes the one that comes first in the alphabet.
    """
    within = first.rpartition("/")[0]
    beside = not within or name.startswith(f"{within}/")
    return beside and name.split("/") < first.split("/")


def is_gone(path: str, gone: Collection[str]) -> bool:
    """Whether a path leads over one of some names."""
    return any(path == name or path.startswith(f"{name}/") for name in gone)


def shared_otherwise(old: View, new: View) -> tuple[str, str, str] | None:
    """The first object that is one with another on one side only.

    Args:
        old: the reference.
        new: what is compared with it.

    Returns:
        Its path, and what it is on either side, in words.
    """
    both = old.form.keys() & new.form.keys()
    before, after = _one_name_each(old, both), _one_name_each(new, both)
    for path in [*before, *after]:
        left, right = before.get(path, path), after.get(path, path)
        if left != right:
            return path, _told(path, left), _told(path, right)
    return None


def _told(path: str, first: str) -> str:
    return "an object of its own" if path == first else f"the same object as {first}"


def _one_name_each(view: View, names: Collection[str]) -> dict[str, str]:
    """Of objects that have several of some names, each name with one that stands for all."""
    named: dict[str, list[str]] = {}
    for path, first in _pairs(view):
        if path in names:
            named.setdefault(first, []).append(path)
    return {path: min(paths) for paths in named.values() for path in paths if len(paths) > 1}


def _pairs(view: View) -> Iterator[tuple[str, str]]:
    yield from view.shared.items()
    for first in dict.fromkeys(view.shared.values()):
        yield first, first
