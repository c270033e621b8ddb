"""Which methods syntax runs on an object: of each class that it can be of, the first that is there.

An operator on arrays is asked about in every round of every circle: each class is looked at once.
"""

from __future__ import annotations

from collections.abc import Callable

from nnx_migrate.analysis.domain.values import Instance, Scope
from nnx_migrate.analysis.symbols.program import Project


class FirstMethods:
    """Looks methods up on objects, and remembers what it found.

    Args:
        classes_of: the classes that an object can be of.
        method: where a method of a class is defined; see `Hierarchy.method`.
    """

    def __init__(
        self,
        classes_of: Callable[[Instance], tuple[str, ...]],
        method: Callable[[str, str], Scope | str | None],
        project: Project,
    ) -> None:
        self._classes_of = classes_of
        self._method = method
        self._project = project
        self._known: dict[tuple[str, bool, tuple[str, ...]], tuple[Scope, ...]] = {}
        self._by_operators: dict[tuple[str, bool], frozenset[Scope]] = {}

    def of(self, value: Instance, names: tuple[str, ...]) -> tuple[Scope, ...]:
        """Of each class of an object the first of these methods; those of the library left out."""
        key = value.class_name, value.exact, names
        if key not in self._known:
            found: list[Scope] = []
            for class_name in self._classes_of(value):
                methods = (self._method(class_name, name) for name in names)
                method = next((each for each in methods if each is not None), None)
                if isinstance(method, Scope):
                    found.append(method)
            self._known[key] = tuple(found)
        return self._known[key]

    def by_operators(self, value: Instance) -> frozenset[Scope]:
        """The methods that operators may run on an object."""
        key = value.class_name, value.exact
        if key not in self._by_operators:
            names = self._project.arithmetic
            found = (method for name in names for method in self.of(value, (name,)))
            self._by_operators[key] = frozenset(found)
        return self._by_operators[key]
