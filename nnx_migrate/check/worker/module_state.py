"""What a call changes beside its arguments: values that modules of the user hold."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator, Mapping

from nnx_migrate.check.cases.calls import Home
from nnx_migrate.check.compare.files import ROOT as FILES
from nnx_migrate.check.compare.forms import Array, Form, Leaf, View
from nnx_migrate.check.compare.leaves import TooLarge, view_of
from nnx_migrate.check.compare.namespaces import ROOT
from nnx_migrate.check.worker.loading import project_files

_LOOKED_AT_ELSEWHERE = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)


def module_state(home: Home | None) -> dict[str, View]:
    """The values that the modules of a tree hold, by "file:name".

    Args:
        home: the tree; None for none.
    """
    return dict(_views(home)) if home is not None else {}


def _views(home: Home) -> Iterator[tuple[str, View]]:
    for module, path in sorted(project_files(home.root).items()):
        # A single program has another name on each side.
        path = "program" if path in (".", home.program) else path
        for name, value in list(vars(sys.modules[module]).items()):
            if name.startswith("__") or isinstance(value, _LOOKED_AT_ELSEWHERE):
                continue
            try:
                yield f"{path.replace('/', '.')}:{name}", view_of(value)
            except (TooLarge, RuntimeError, TypeError, ValueError):
                # What cannot be flattened cannot be seen to change either.
                continue


def changed(before: Mapping[str, View], after: Mapping[str, View]) -> dict[str, View]:
    """The values that are others now.

    Args:
        before: of `module_state`.
        after: likewise, later.
    """
    return {
        name: view
        for name, view in after.items()
        if name in before and not _alike(before[name], view)
    }


def with_changes(view: View, changes: Mapping[str, View]) -> View:
    """A view of a call, and of what it changed beside its arguments.

    Args:
        view: of its result and its arguments.
        changes: of `changed`.
    """
    form: Form = dict(view.form)
    for name, each in changes.items():
        form |= {f"{ROOT}/{name}/{path}".rstrip("/"): leaf for path, leaf in each.form.items()}
    return View(form, view.shared)


def changes_modules(view: View) -> bool:
    """Whether a call changed what modules hold.

    Args:
        view: of `with_changes`.
    """
    return any(path.startswith(f"{ROOT}/") for path in view.form)


def without_changes(view: View | None) -> View | None:
    """A view of what a call returned and was given alone, without what it wrote, too.

    Args:
        view: of `with_changes`.
    """
    if view is None:
        return None
    roots = (f"{ROOT}/", f"{FILES}/")
    form = {path: leaf for path, leaf in view.form.items() if not path.startswith(roots)}
    return View(form, view.shared)


def _alike(one: View, two: View) -> bool:
    if one.form.keys() != two.form.keys() or one.shared != two.shared:
        return False
    return all(_same(leaf, two.form[path]) for path, leaf in one.form.items())


def _same(one: Leaf, two: Leaf) -> bool:
    if isinstance(one, Array) and isinstance(two, Array):
        if (one.kind, one.dtype, one.shape) != (two.kind, two.dtype, two.shape):
            return False
        if one.data is None or two.data is None:
            # One that is traced is not what it was before.
            return one.data is two.data
        return one.data.tobytes() == two.data.tobytes()
    return one == two
