"""Takes calls down in the user's process; nothing of it may be seen by the user's program."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from nnx_migrate.check.callers.around import Callers, import_paths, module_name, within
from nnx_migrate.check.recording import store
from nnx_migrate.check.recording.kinds import Kind, is_tracing, kind_of
from nnx_migrate.check.recording.meshes import meshes_around
from nnx_migrate.check.recording.settings import read_settings

if TYPE_CHECKING:
    from nnx_migrate.check.compare.forms import Observation

_at_work = threading.local()
# So many calls of a function are looked at whatever it takes; then as many as this part of the
# time of the process is enough for.
_ALWAYS_LOOKED_AT = 32
_PART_OF_TIME = 0.01
# A function that is called in more ways than these is not looked at in all of them.
_MOST_KINDS = 24
# Of each kind the first call is kept; more of them are, as far as these go: so many of a function
# whatever it takes, then as many as this part of the CPU time of the process is enough for.
_ALWAYS_KEPT = 8
_PART_OF_CPU_TIME = 0.02


@dataclasses.dataclass
class Seen:
    """Calls of one kind in this process.

    Args:
        digest: of the kind.
        calls: how many there were.
        numbers: hashes of the numbers of Python that they had.
        more_numbers: whether there were more than can be kept.
        done: no more of them are kept.
    """

    digest: str
    calls: int = 0
    numbers: set[int] = dataclasses.field(default_factory=set)
    more_numbers: bool = False
    done: bool = False


@dataclasses.dataclass
class Site:
    """A touched function in this process.

    Args:
        path: its file, relative to the tree.
        name: its qualified name.
        calls: how often it was called with numbers.
        skipped: whether calls were not looked at.
        kinds: of its calls, by their hash.
        traced: the kinds of calls while tracing that were taken down.
        made: of a function that another one returned, what that one was called with.
        callers: who has called it.
    """

    path: str
    name: str
    calls: int = 0
    skipped: bool = False
    kinds: dict[int, Seen] = dataclasses.field(default_factory=dict)
    traced: set[int] = dataclasses.field(default_factory=set)
    made: bytes | None = None
    callers: Callers = dataclasses.field(default_factory=Callers)

    def digest(self, kind: Kind) -> str:
        """The digest of a kind of call; functions that were made otherwise are called otherwise."""
        made = hashlib.sha256(self.made).hexdigest()[:8] if self.made is not None else ""
        return kind.digest() + made

    def make_again(self, made: bytes) -> None:
        """From now on it is what another call returned, which may have made it otherwise."""
        if made != self.made:
            self.made = made
            self.kinds.clear()
            self.traced.clear()


@dataclasses.dataclass
class _Looking:
    began: float = 0.0
    seconds: float = 0.0


_looking = _Looking()


@dataclasses.dataclass
class _Keeping:
    """What it took this process to keep calls, without what had to be imported for it.

    Args:
        seconds: of CPU time.
        calls: how many were kept, by path and name of the function.
    """

    seconds: float = 0.0
    calls: Counter[tuple[str, str]] = dataclasses.field(default_factory=Counter)


_keeping = _Keeping()


@dataclasses.dataclass(frozen=True)
class _Begun:
    kept: store.Kept
    arguments: bytes
    wanted: _Wanted


class _Wanted(NamedTuple):
    kind: str
    numbers: str


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
    outer, within.name = within.name, f"{site.path}:{site.name}"
    try:
        result = target(*args, **kwargs)
    except (Exception, SystemExit) as error:
        if begun is not None:
            _end(site, begun, functools.partial(_raised, error))
        raise
    finally:
        within.name = outer
    if begun is None:
        return result
    returned = functools.partial(_returned, args, kwargs, result)
    # With numbers made up for shapes it will return something else.
    _end(site, begun, returned if begun.kept == "values" else lambda: None)
    return _with_products(site, begun, result)


def _with_products(site: Site, begun: _Begun, result: Any) -> Any:
    if begun.kept != "values":
        return result
    found = result
    with _working(site):
        from nnx_migrate.check.recording.products import with_watched_products

        found = with_watched_products(site, begun.arguments, result)
    return found


def note_missed(site: Site, reason: str, kind: str = "") -> None:
    """Reports a function, or a call of it, that is not recorded.

    Args:
        site: the function.
        reason: why not.
        kind: of the call, where no other call speaks for it.
    """
    with contextlib.suppress(Exception):
        store.add_missed(read_settings().recording, site.path, site.name, reason[:500], kind)


@contextlib.contextmanager
def _working(site: Site, kind: str = "") -> Iterator[None]:
    _at_work.busy = True
    started = time.thread_time()
    try:
        yield
    except Exception as error:
        # A recording that fails is a finding of the report, never one of the user's program.
        note_missed(site, f"{type(error).__name__}: {error}", kind)
    finally:
        _keeping.seconds += time.thread_time() - started
        _at_work.busy = False


def _begin(site: Site, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Begun | None:
    wanted = begun = None
    tracing = False
    with _working(site):
        _note_caller(site)
        tracing = is_tracing()
        wanted = (_wanted_traced if tracing else _wanted)(site, args, kwargs)
    if wanted is not None:
        with _working(site, wanted.kind):
            if tracing:
                _take_traced(site, args, kwargs, wanted)
            else:
                begun = _taken(site, args, kwargs, wanted)
    return begun


def _note_caller(site: Site) -> None:
    settings = read_settings()
    caller = site.callers.another(f"{site.path}:{site.name}", settings.root)
    if caller is not None:
        store.add_caller(settings.recording, site.path, site.name, caller)


def _wanted(site: Site, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Wanted | None:
    site.calls += 1
    if not _may_look(site):
        return None
    started = time.perf_counter()
    if site.calls > 1:
        # The first call compiles.
        _looking.began = _looking.began or started
    kind = kind_of((args, kwargs))
    number = hash(kind.structure)
    kept = site.kinds.get(number)
    _looking.seconds += time.perf_counter() - started
    if kept is None:
        kept = site.kinds[number] = _first_of_its_kind(site, site.digest(kind))
    kept.calls += 1
    if kept.done or not _is_kept(site, kept, hash(kind.numbers)):
        return None
    _keeping.calls[site.path, site.name] += 1
    return _Wanted(kept.digest, repr(kind.numbers))


def _first_of_its_kind(site: Site, digest: str) -> Seen:
    # Other processes of the command record the same function.
    recording = read_settings().recording
    taken, kinds = store.count_calls(recording, site.path, site.name, digest)
    too_many = not taken and kinds >= _MOST_KINDS
    if too_many:
        note_missed(site, f"it was called in more than {_MOST_KINDS} ways", "more")
    return Seen(digest, done=too_many)


def _is_kept(site: Site, seen: Seen, numbers: int) -> bool:
    calls = read_settings().calls
    if numbers not in seen.numbers:
        if len(seen.numbers) < store.most_numbers(calls) and _may_keep(site, seen):
            seen.numbers.add(numbers)
            return True
        if not seen.more_numbers:
            seen.more_numbers = True
            note_missed(site, "it differs from the kept calls in its numbers alone", "")
    # The first calls of a training loop are alike: 1st, 2nd, 4th, 8th, ...
    is_due = not seen.calls & (seen.calls - 1) and seen.calls < 2**calls
    return is_due and _may_keep(site, seen)


def _may_keep(site: Site, seen: Seen) -> bool:
    """Whether one more call of a kind may be kept; its first one always is."""
    if seen.calls == 1 or _keeping.calls[site.path, site.name] < _ALWAYS_KEPT:
        return True
    return _keeping.seconds < _PART_OF_CPU_TIME * time.process_time()


def _may_look(site: Site) -> bool:
    if site.calls <= _ALWAYS_LOOKED_AT or not site.calls & (site.calls - 1):
        return True
    if _looking.seconds < _PART_OF_TIME * (time.perf_counter() - _looking.began):
        return True
    if not site.skipped:
        site.skipped = True
        note_missed(
            site,
            f"some calls after the {_ALWAYS_LOOKED_AT}th were skipped, because recording takes "
            "too much time",
        )
    return False


def _wanted_traced(site: Site, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Wanted | None:
    kind = kind_of((args, kwargs))
    number = hash(kind.structure)
    if number in site.kinds or number in site.traced or len(site.traced) >= _MOST_KINDS:
        return None
    site.traced.add(number)
    return _Wanted(site.digest(kind), repr(kind.numbers))


def _taken(site: Site, args: tuple[Any, ...], kwargs: Mapping[str, Any], wanted: _Wanted) -> _Begun:
    from nnx_migrate.check.recording.packing import TooManyBytes, arguments_of, packed

    settings = read_settings()
    given = arguments_of(args, kwargs, settings.root)
    try:
        return _Begun("values", packed(given, settings.root, settings.most_bytes), wanted)
    except TooManyBytes:
        for kept in site.kinds.values():
            # Others of this kind are as large.
            kept.done = kept.done or kept.digest == wanted.kind
        blob = packed(given, settings.root, settings.most_bytes, shapes=True)
        return _Begun("shapes", blob, wanted)


def _take_traced(
    site: Site, args: tuple[Any, ...], kwargs: Mapping[str, Any], wanted: _Wanted
) -> None:
    from nnx_migrate.check.recording.packing import arguments_of, packed

    settings = read_settings()
    given = arguments_of(args, kwargs, settings.root)
    blob = packed(given, settings.root, settings.most_bytes, shapes=True)
    _store(site, _Begun("traced", blob, wanted), None)


def _end(site: Site, begun: _Begun, observe: Callable[[], Observation | None]) -> None:
    with _working(site, begun.wanted.kind):
        observed: bytes | None = None
        from nnx_migrate.check.compare.places import placeless
        from nnx_migrate.check.recording.packing import packed_observation

        settings = read_settings()
        # A result that is no value at all spoils the observation, not the call.
        with contextlib.suppress(Exception):
            found = observe()
            if found is not None:
                found = placeless(found, settings.root)
                observed = packed_observation(found, settings.most_bytes)
        _store(site, begun, observed)


def _store(site: Site, begun: _Begun, observed: bytes | None) -> None:
    settings = read_settings()
    root = settings.root
    call = store.StoredCall(
        site.path,
        site.name,
        begun.kept,
        module_name(root, site.path),
        begun.arguments,
        observed,
        tuple(sys.argv),
        import_paths(root, tuple(sys.path)),
        meshes_around(),
        begun.wanted.kind,
        begun.wanted.numbers[:1000],
        site.made,
    )
    store.add_call(settings.recording, call, settings.calls)


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
