"""Finds the sites of a file: of nnx, of jax, of methods and of the project's own classes."""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Iterator

from nnx_migrate.analysis.flax.names import nnx_name
from nnx_migrate.analysis.flax.transforms import (
    AS_VALUE,
    CHOSEN_METHODS,
    JAX_SITES,
    METHODS,
    OBJECT_FUNCTIONS,
    OTHER_PACKAGE,
    SITE_NAMES,
    spec,
)
from nnx_migrate.analysis.ir.lowering.literal_lookups import looked_up
from nnx_migrate.analysis.ir.lowering.syntax_names import callee, is_called
from nnx_migrate.analysis.sites.build import SiteForms, keywords_of, of_object, of_object_chosen
from nnx_migrate.analysis.sites.hidden_names import hidden_names
from nnx_migrate.analysis.sites.other_packages import names_of_others, package_called
from nnx_migrate.analysis.sites.site import Site

_LAST_NAMES_OF_JAX = frozenset(name.rpartition(".")[2] for name in JAX_SITES)


class SiteFinder(SiteForms):
    """Finds the sites of one file."""

    @functools.cached_property
    def sites(self) -> list[Site]:
        """Every site of a transform, in source order."""
        found = [
            site
            for reference, name in self.references(SITE_NAMES)
            if (site := self.site(reference, name)) is not None
        ]
        found += self._methods()
        found += self._chosen_methods()
        found += self._own_keepers()
        found += self._jax_sites()
        found += self._of_other_packages()
        found += self._hidden()
        return sorted(found, key=lambda s: (s.reference.lineno, s.reference.col_offset))

    def _jax_sites(self) -> Iterator[Site]:
        """Functions of jax that are given a function, or what stands in its place."""
        lasts = _LAST_NAMES_OF_JAX.intersection(self.tree.project.modules[self.tree.module].words)
        lasts |= self.renamed.keys()
        for node in self.reads(lasts, lasts.__contains__):
            name = self.tree.dotted(node)
            if name not in JAX_SITES:
                continue
            assert name is not None
            parent = self.tree.parents[node]
            if not spec(name).becomes:
                site = self.site(node, spec(name).twin or name)
                if site is not None and site.form != "reference":
                    yield dataclasses.replace(site, transform=name)
            elif isinstance(parent, ast.Call) and parent.func is node and parent.args:
                yield _called_on(name, node, parent)

    def _methods(self) -> Iterator[Site]:
        """Calls of methods that may be those of a Module."""
        for call in self.tree.of_kind(ast.Call):
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in METHODS:
                continue
            name = METHODS[call.func.attr]
            dotted = self.tree.dotted(call.func)
            if dotted is None:
                yield of_object(name, call.func, call, call.func.value, keywords_of(call))
            elif nnx_name(dotted) == name and call.args:
                yield of_object(name, call.func, call, call.args[0], keywords_of(call))

    def _chosen_methods(self) -> Iterator[Site]:
        """Such methods that a call chooses: `(m.train if t else m.eval)()`, `getattr(m, "eval")()`.

        What is called there is no flag of that name, whatever the object is.
        """
        for method in self.tree.of_kind(ast.Attribute):
            chosen = isinstance(self.tree.parents[method], ast.IfExp)
            if method.attr in CHOSEN_METHODS and chosen and is_called(method, self.tree.parents):
                yield of_object_chosen(METHODS[method.attr], method, method.value)
        words = self.tree.project.modules[self.tree.module].words
        for call in self.tree.of_kind(ast.Call) if "getattr" in words else ():
            if isinstance(call.func, ast.Name) and callee(call) == "getattr":
                name = next((each for each in looked_up(call) if each in CHOSEN_METHODS), None)
                if name is not None and is_called(call, self.tree.parents):
                    yield of_object_chosen(METHODS[name], call, call.args[0])

    def _own_keepers(self) -> Iterator[Site]:
        """Calls of the project's own kinds of Optimizer and the like, and of `super().__init__`."""
        names = {name: base for t in self.tree.project.tables for name, base in t.keepers.items()}
        for call in self.tree.of_kind(ast.Call) if names else ():
            name = callee(call)
            if name == "__init__" and _is_super(call.func):
                around = (n for n in self.tree.ancestors(call) if isinstance(n, ast.ClassDef))
                name = next((each.name for each in around), "")
            if name in names:
                options = keywords_of(call)
                keyword = OBJECT_FUNCTIONS[names[name]].keyword
                given = call.args[0] if call.args else options.get(keyword)
                if given is not None and not isinstance(given, ast.Starred):
                    yield of_object(names[name], call.func, call, given, options)

    def _hidden(self) -> Iterator[Site]:
        """Places that come to functions of nnx under no name that is followed."""
        for each in hidden_names(self.tree):
            node = each.node
            yield Site(AS_VALUE, node, "reference", node, {}, None, True, None, escapes=each.why)

    def _of_other_packages(self) -> Iterator[Site]:
        """Calls of packages that are not part of the project, which may be given objects."""
        names = names_of_others(self.tree.project, self.tree.module)
        for call in self.tree.of_kind(ast.Call) if names else ():
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            given = [each for each in given if not isinstance(each, ast.Constant)]
            called = call.func
            if given and self._is_partial(call, given[0]):
                called, *given = given
            if given and package_called(self.tree, called):
                site = of_object(OTHER_PACKAGE, called, call, given[0], keywords_of(call))
                yield dataclasses.replace(site, operands=tuple(given))


def _called_on(name: str, reference: ast.expr, call: ast.Call) -> Site:
    first = call.args[:1]
    return Site(
        name,
        reference,
        "object",
        call,
        keywords_of(call),
        call,
        all(k.arg for k in call.keywords),
        None,
        functions=tuple(first),
        operands=tuple(first if spec(name).inspects else call.args[1:]),
    )


def _is_super(func: ast.expr) -> bool:
    """Whether it is `super().method`."""
    return (
        isinstance(func, ast.Attribute)
        and isinstance(func.value, ast.Call)
        and callee(func.value) == "super"
    )
