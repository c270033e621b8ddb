"""A project's own transforms: the names that stand for them, and what each is like."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from nnx_migrate.analysis.domain.values import Located, ParameterOf, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.sources.own_transforms import OwnTransform

if TYPE_CHECKING:
    from nnx_migrate.analysis.symbols.program import Project


_Binding = Located | ParameterOf


@dataclasses.dataclass(frozen=True, eq=False)
class Wrappers:
    """The transforms of a project's own.

    Args:
        named: them, by every dotted name that stands for one.
        plain: the project in which their names stand for what they are defined as.
    """

    named: Mapping[str, OwnTransform]
    plain: Project

    @classmethod
    def of(cls, project: Project, transforms: Sequence[OwnTransform]) -> Wrappers:
        """Those of a project, by the names that they are imported from too."""
        named = {name: each for each in transforms for name in project.names_on_the_way(each.name)}
        return cls({**named, **{each.name: each for each in transforms}}, project)

    def replacing(self, *indexes: ir.ModuleIndex) -> Wrappers:
        """The same where some files are as they are after an edit."""
        return Wrappers(self.named, self.plain.replacing(*indexes))

    def like(self, dotted: str) -> str:
        """The absolute name of the transform that one is like."""
        return f"flax.nnx.{self.named[dotted].like}"

    def instead(self, name: str, bindings: list[_Binding]) -> list[_Binding]:
        """What a name is bound to; in the module of a wrapper, what that is like."""
        for binding in bindings:
            if isinstance(binding, Located) and binding.scope.function == ir.MODULE_SCOPE:
                dotted = f"{binding.scope.module}.{name}"
                if dotted in self.named:
                    here = Scope(binding.scope.module, ir.MODULE_SCOPE)
                    return [Located(here, ir.ImportRef(self.like(dotted)))]
        return bindings

    def is_like(self, word: str) -> bool:
        """Whether one of them is like the transform of that name."""
        return any(own.like == word for own in self.named.values())

    @functools.cached_property
    def by_last_name(self) -> Mapping[str, frozenset[str]]:
        """Their last names, each with the transforms that it may stand for."""
        found: dict[str, frozenset[str]] = {}
        for dotted, own in self.named.items():
            last = dotted.rpartition(".")[2]
            found[last] = found.get(last, frozenset()) | {own.like}
        return found

    def words(self, words: Collection[str]) -> Mapping[str, frozenset[str]]:
        """Those of these names that are among the words of a file."""
        return {last: likes for last, likes in self.by_last_name.items() if last in words}

    def wrapper(self, scope: Scope, expr: ir.Expr) -> OwnTransform | None:
        """The wrapper that an expression refers to, if it refers to one."""
        dotted = self.plain.dotted(scope, expr)
        if dotted is not None or not isinstance(expr, ir.Name):
            return self.named.get(dotted or "")
        # Defined here; or bound twice, as in `except ImportError: fancy_jit = nnx.jit`.
        bound = [b for b in self.plain.bindings(scope, expr.id) if isinstance(b, Located)]
        meant = [f"{scope.module}.{expr.id}", *(self.plain.dotted(b.scope, b.expr) for b in bound)]
        return next((self.named[name] for name in meant if name and name in self.named), None)
