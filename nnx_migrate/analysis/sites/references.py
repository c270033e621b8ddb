"""Where a file reads a name, or refers to a function of nnx."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence, Set

from nnx_migrate.analysis.domain.values import Located, ParameterOf, Scope
from nnx_migrate.analysis.flax.names import nnx_name
from nnx_migrate.analysis.flax.transforms import COMPUTED
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.literal_lookups import (
    is_computed_lookup,
    lookup,
    named_by_string,
)
from nnx_migrate.analysis.sites.tree import FunctionNode, Tree

#: What a file says that looks up attributes by texts, not by getattr.
_LOOKING_UP = frozenset({"attrgetter", "methodcaller", "vars", "__dict__", "globals"})


class References:
    """The names and attributes that one file reads."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._uses_by_name: dict[str, list[ast.Name]] = {}
        for node in tree.of_kind(ast.Name):
            if isinstance(node.ctx, ast.Load):
                self._uses_by_name.setdefault(node.id, []).append(node)
        self._uses_by_attribute: dict[str, list[ast.Attribute]] = {}
        for attribute in tree.of_kind(ast.Attribute):
            if isinstance(attribute.ctx, ast.Load):
                self._uses_by_attribute.setdefault(attribute.attr, []).append(attribute)

    def loads(self, scope: Scope, name: str) -> list[ast.Name]:
        """Every place that reads `name` as it is bound in `scope`."""
        return [
            use for use in self._uses_by_name.get(name, ()) if self._refers_to(use, scope, name)
        ]

    def calls(self, scope: Scope, name: str) -> tuple[ast.Call, ...] | None:
        """Every call of what `name` is bound to in `scope`; None where it is read otherwise too."""
        return self.calls_among(self.loads(scope, name))

    def calls_among(self, loads: Sequence[ast.Name]) -> tuple[ast.Call, ...] | None:
        """The calls of these names; None where one is read otherwise."""
        calls = [self.tree.parents[load] for load in loads]
        pairs = zip(calls, loads, strict=True)
        seen = tuple(c for c, load in pairs if isinstance(c, ast.Call) and c.func is load)
        return seen if len(seen) == len(loads) else None

    def loads_of_parameter(self, scope: Scope, name: str) -> list[ast.Name]:
        """Every place that reads a parameter of a function."""
        return [
            use
            for use in self._uses_by_name.get(name, ())
            if any(
                isinstance(b, ParameterOf) and b.scope == scope
                for b in self.tree.project.bindings(self.tree.scope(use), name)
            )
        ]

    def _refers_to(self, use: ast.Name, scope: Scope, name: str) -> bool:
        return any(
            isinstance(b, Located) and b.scope == scope
            for b in self.tree.project.bindings(self.tree.scope(use), name)
        )

    def references(self, names: frozenset[str]) -> Iterator[tuple[ast.expr, str]]:
        """Every expression that refers to one of these nnx names, outside of annotations."""
        yield from self._found_by_text(names)
        for call in self.tree.of_kind(ast.Call) if "getattr" in self._uses_by_name else ():
            if (named := named_by_string(call)) in names and self.tree.nnx_name(call) == named:
                yield call, named
            elif COMPUTED in names and self._is_computed(call):
                yield call, COMPUTED
        for node in self.reads(names | self.renamed.keys(), self._may_be_of_nnx):
            if isinstance(self.tree.parents.get(node), ast.Attribute):
                continue
            name = self.tree.nnx_name(node)
            if name in names and not self._in_annotation(node):
                yield node, name

    def _found_by_text(self, names: frozenset[str]) -> Iterator[tuple[ast.expr, str]]:
        """What is looked up in nnx by a literal text, as in `vars(nnx)["jit"]`."""
        words = self.tree.project.modules[self.tree.module].words
        if _LOOKING_UP.isdisjoint(words):
            return
        for node in (*self.tree.of_kind(ast.Call), *self.tree.of_kind(ast.Subscript)):
            found = lookup(node)
            if found is None:
                continue
            of_file = found.base is None and not found.module  # imported under any name
            if not of_file and not names.intersection(found.path[-1:]):
                continue
            if found.caller is None:
                name = self.tree.nnx_name(node)
            else:
                assert found.base is not None
                base = self.tree.dotted(found.base)
                name = nnx_name(base and f"{base}.{found.path[0]}")
            if name in names and not self._in_annotation(node):
                yield node, name

    def _is_computed(self, call: ast.Call) -> bool:
        """Whether it is `getattr(nnx, name)`."""
        return is_computed_lookup(call) and self.tree.dotted(call.args[0]) == "flax.nnx"

    def reads(
        self, attributes: Set[str], is_wanted: Callable[[str], bool]
    ) -> Iterator[ast.Name | ast.Attribute]:
        """Where these attributes are read, and names that are wanted."""
        for attribute in sorted(attributes & self._uses_by_attribute.keys()):
            yield from self._uses_by_attribute[attribute]
        for name, uses in self._uses_by_name.items():
            if is_wanted(name):
                yield from uses

    @property
    def renamed(self) -> Mapping[str, frozenset[str]]:
        """Names that stand for transforms which are called otherwise."""
        return self.tree.project.renamed(self.tree.module)

    @functools.cached_property
    def _references(self) -> frozenset[str]:
        """The names that stand for others somewhere in the file, as imported ones do."""
        index = self.tree.project.modules[self.tree.module]
        return frozenset(
            name
            for function in index.functions.values()
            for name, values in function.bindings.items()
            if any(map(ir.is_reference, values))
        )

    def _may_be_of_nnx(self, name: str) -> bool:
        """Whether a name may be one of nnx; a cheap check before it is followed."""
        stars = self.tree.project.modules[self.tree.module].star_imports
        return bool(stars) or name in self._references or name in self.renamed

    def _in_annotation(self, node: ast.expr) -> bool:
        child: ast.AST = node
        for parent in self.tree.ancestors(node):
            if isinstance(parent, ast.arg | ast.AnnAssign) and child is parent.annotation:
                return True
            if isinstance(parent, FunctionNode) and child is parent.returns:
                return True
            if isinstance(parent, ast.stmt):
                return False
            child = parent
        return False
