"""Which files answers rest on, through all that was asked for them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable


class _Group:
    """Questions that rest on each other, which rest on the same files: one, or those of a circle.

    Args:
        files: a bit for each.
    """

    __slots__ = ("files", "into")

    def __init__(self, files: int) -> None:
        self.files = files
        #: The group that it became a part of.
        self.into: _Group | None = None

    def found(self) -> _Group:
        """The group that it is a part of by now."""
        group = self
        while group.into is not None:
            group = group.into
        return group


class RestsOn:
    """Notes which files the answers of questions rest on.

    Args:
        before: has it of answers that were found earlier and still hold.
    """

    def __init__(self, before: RestsOn | None = None) -> None:
        self._before = before
        #: Files by name, numbered in the order in which they were met.
        self._bits: dict[str, int] = {} if before is None else before._bits
        self._groups: dict[Hashable, _Group] = {}
        self._open: list[_Group] = []

    def begin(self, key: Hashable, file: str) -> None:
        """A question about a file is being answered, until `end`."""
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _Group(0)
        self._open.append(group)
        self.read(file)

    def end(self) -> None:
        """The question that was begun last has an answer."""
        self._open.pop()

    def read(self, file: str) -> None:
        """The question that is being answered reads a file."""
        if self._open:
            self._open[-1].found().files |= self._bit(file)

    def asked(self, key: Hashable, *, settled: bool) -> None:
        """The question that is being answered asked another one.

        Args:
            settled: that one has its answer for good, and is in no circle with this one.
        """
        if not self._open:
            return
        asking = self._open[-1].found()
        if settled:
            asking.files |= self._files(key)
            return
        group = self._groups.get(key)
        other = asking if group is None else group.found()
        if other is not asking:
            asking.files |= other.files
            other.into = asking

    def is_any_of(self, key: Hashable, files: Iterable[str]) -> bool:
        """Whether the answer for a key rests on one of several files."""
        found = self._files(key)
        return any(found & self._bit(each) for each in files)

    def _files(self, key: Hashable) -> int:
        group = self._groups.get(key)
        if group is not None:
            return group.found().files
        return 0 if self._before is None else self._before._files(key)

    def _bit(self, file: str) -> int:
        bits = self._bits
        bit = bits.get(file)
        if bit is None:
            bit = bits[file] = 1 << len(bits)
        return bit
