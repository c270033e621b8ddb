"""Which methods syntax runs on an object: of each class that it can be of, the first that is there.

An operator on arrays is asked about in every round of every circle: each class is looked at once.
"""

from __future__ import annotations

from typing import Protocol

from nnx_migrate.analysis.domain.values import Instance, Scope
from nnx_migrate.analysis.symbols.program import Project


class Classes(Protocol):
    """What of `Hierarchy` is asked for."""

    @property
    def project(self) -> Project: ...

    def classes_of(self, instance: Instance) -> tuple[str, ...]: ...

    def method(self, class_name: str, name: str) -> Scope | str | None: ...


class FirstMethods:
    """Remembers which methods were found on objects of some classes.

    The classes are passed each time: to keep what keeps this would leave a circle behind.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, bool, tuple[str, ...]], tuple[Scope, ...]] = {}
        self._by_operators: dict[tuple[str, bool], frozenset[Scope]] = {}

    def of(self, classes: Classes, value: Instance, names: tuple[str, ...]) -> tuple[Scope, ...]:
        """Of each class of an object the first of these methods; those of the library left out.

        Each once: hundreds of classes may have it from one above them.
        """
        key = value.class_name, value.exact, names
        if key not in self._known:
            found: dict[Scope, None] = {}
            for class_name in classes.classes_of(value):
                methods = (classes.method(class_name, name) for name in names)
                method = next((each for each in methods if each is not None), None)
                if isinstance(method, Scope):
                    found[method] = None
            self._known[key] = tuple(found)
        return self._known[key]

    def by_operators(self, classes: Classes, value: Instance) -> frozenset[Scope]:
        """The methods that operators may run on an object."""
        key = value.class_name, value.exact
        if key not in self._by_operators:
            names = classes.project.arithmetic
            found = (method for name in names for method in self.of(classes, value, (name,)))
            self._by_operators[key] = frozenset(found)
        return self._by_operators[key]
