"""Takes calls down in the user's process; nothing of it may be seen by the user's program."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nnx_migrate.check.recording import store
from nnx_migrate.check.recording.meshes import meshes_around
from nnx_migrate.check.recording.settings import read_settings

if TYPE_CHECKING:
    from nnx_migrate.check.compare.forms import Observation

_at_work = threading.local()


@dataclasses.dataclass
class Site:
    """A touched function in this process.

    Args:
        path: its file, relative to the tree.
        name: its qualified name.
        calls: how often it was called with numbers.
        taken: how many of these calls were taken down, or were to be.
        traced: a call while tracing was taken down.
        done: its calls are of no interest any more.
    """

    path: str
    name: str
    calls: int = 0
    taken: int = 0
    traced: bool = False
    done: bool = False


@dataclasses.dataclass(frozen=True)
class _Begun:
    kept: store.Kept
    arguments: bytes


def busy() -> bool:
    """Whether the calls of this thread are made by the recording itself."""
    return getattr(_at_work, "busy", False)


def make_call(
    site: Site, target: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:
    """Makes a call of the user's, and takes it down if it is one of those that are kept.

    Args:
        site: the function.
        target: what is called.
        args: its positional arguments.
        kwargs: its keyword arguments.

    Raises:
        BaseException: what the call raises.
    """
    __tracebackhide__ = True
    begun = _begin(site, args, kwargs)
    if begun is None:
        return target(*args, **kwargs)
    try:
        result = target(*args, **kwargs)
    except (Exception, SystemExit) as error:
        _end(site, begun, functools.partial(_raised, error))
        raise
    returned = functools.partial(_returned, args, kwargs, result)
    # With numbers made up for shapes it will return something else.
    _end(site, begun, returned if begun.kept == "values" else lambda: None)
    return result


def note_missed(site: Site, reason: str) -> None:
    """Reports a function, or a call of it, that is not recorded.

    Args:
        site: the function.
        reason: why not.
    """
    with contextlib.suppress(Exception):
        store.add_missed(read_settings().recording, site.path, site.name, reason[:500])


@contextlib.contextmanager
def _working(site: Site) -> Iterator[None]:
    _at_work.busy = True
    try:
        yield
    except Exception as error:
        # A recording that fails is a finding of the report, never one of the user's program.
        note_missed(site, f"{type(error).__name__}: {error}")
    finally:
        _at_work.busy = False


def _begin(site: Site, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Begun | None:
    begun = None
    with _working(site):
        if _tracing():
            _take_traced(site, args, kwargs)
        elif _is_wanted(site):
            begun = _taken(site, args, kwargs)
    return begun


def _is_wanted(site: Site) -> bool:
    site.calls += 1
    # The first calls of a training loop are alike: 1st, 2nd, 4th, 8th, ...
    if site.calls & (site.calls - 1):
        return False
    settings = read_settings()
    if site.calls == 1:
        # Other processes of the command record the same function.
        site.taken = store.count_calls(settings.recording, site.path, site.name)
    site.taken += 1
    site.done = site.taken >= settings.calls
    return site.taken <= settings.calls


def _taken(site: Site, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Begun:
    from nnx_migrate.check.recording.packing import TooManyBytes, packed

    settings = read_settings()
    given = args, dict(kwargs)
    try:
        return _Begun("values", packed(given, settings.root, settings.most_bytes))
    except TooManyBytes:
        site.done = True
        blob = packed(given, settings.root, settings.most_bytes, shapes=True)
        return _Begun("shapes", blob)


def _take_traced(site: Site, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    if site.traced or site.calls:
        return
    site.traced = True
    from nnx_migrate.check.recording.packing import packed

    settings = read_settings()
    blob = packed((args, dict(kwargs)), settings.root, settings.most_bytes, shapes=True)
    _store(site, _Begun("traced", blob), None)


def _end(site: Site, begun: _Begun, observe: Callable[[], Observation | None]) -> None:
    with _working(site):
        observed: bytes | None = None
        from nnx_migrate.check.recording.packing import packed

        settings = read_settings()
        # A result that is no value at all spoils the observation, not the call.
        with contextlib.suppress(Exception):
            found = observe()
            if found is not None:
                observed = packed(found, settings.root, settings.most_bytes)
        _store(site, begun, observed)


def _store(site: Site, begun: _Begun, observed: bytes | None) -> None:
    settings = read_settings()
    root = settings.root.resolve()
    inside = [Path(os.path.realpath(entry)) for entry in sys.path]
    import_paths = [
        path.relative_to(root).as_posix() for path in inside if path.is_relative_to(root)
    ]
    call = store.StoredCall(
        site.path,
        site.name,
        begun.kept,
        _module_name(root / site.path),
        begun.arguments,
        observed,
        tuple(sys.argv),
        tuple(dict.fromkeys(import_paths)),
        meshes_around(),
    )
    store.add_call(settings.recording, call, settings.calls)


def _module_name(file: Path) -> str:
    for name, module in list(sys.modules.items()):
        origin = getattr(module, "__file__", None)
        if not origin or os.path.basename(origin) != file.name or Path(origin).resolve() != file:
            continue
        spec = getattr(module, "__spec__", None)
        return name if name != "__main__" else getattr(spec, "name", "")
    return ""


def _tracing() -> bool:
    if "jax" not in sys.modules:
        return False
    from jax._src import core

    return not core.trace_state_clean()


def _returned(args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any) -> Observation | None:
    if "flax" not in sys.modules:
        return None
    from nnx_migrate.check.cases.calls import Call, outcome
    from nnx_migrate.check.compare.forms import Observation
    from nnx_migrate.check.compare.leaves import view_of

    return Observation(view_of(outcome(Call(lambda: None, args, kwargs), result)))


def _raised(error: BaseException) -> Observation:
    from nnx_migrate.check.compare.forms import Observation

    return Observation(None, type(error).__name__, str(error))
