"""Where nnx transforms are applied, in every spelling, and how their results are used."""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Literal

from nnx_migrate.facts import ir
from nnx_migrate.facts.lower import callee, is_computed_lookup, named_by_string
from nnx_migrate.facts.project import is_reference
from nnx_migrate.facts.syntax import AnyFunction, FunctionNode, Tree
from nnx_migrate.facts.transforms import (
    COMPUTED,
    CONTROL_FLOW,
    JAX_SITES,
    METHODS,
    NNX_OF_JAX,
    OBJECT_FUNCTIONS,
    ONLY_OF_JAX,
    SITE_NAMES,
)
from nnx_migrate.facts.values import Located, Scope

Form = Literal["decorator", "call", "operands", "object", "reference"]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Site:
    """One application of a transform.

    Args:
        transform: its public name ("value_and_grad", "Module.eval").
        reference: the expression that names it (`nnx.value_and_grad`).
        form: "decorator" on a function; "call" with its function as an argument; "operands" for
            control flow, which is called with functions and what they are called with; "object" for
            a function or method that is given an object and transforms nothing; "reference" when
            the transform itself is a value that goes somewhere else.
        node: the whole expression: the decorator, or the call that takes the function.
        options: its keyword arguments, those of a partial and of the call that takes the function.
        complete: the options are all to be seen (no `**options`, no positional ones).
        function: the function that is transformed, as an expression, or the decorated definition.
        uses: the calls of the result that are known; together with `escapes` they are all uses.
        escapes: why not all uses of the result are to be seen; empty when they are.
        bound_name: the name that the result is bound to, if it is.
        functions: of control flow, all functions that it is given, and
        branches: those of them that may change the
        operands: what they are called with, after so many
        leading: parameters of theirs.
    """

    transform: str
    reference: ast.expr
    form: Form
    node: ast.expr
    options: Mapping[str, ast.expr]
    option_call: ast.Call | None
    complete: bool
    function: ast.expr | AnyFunction | None
    uses: tuple[ast.Call, ...] = ()
    escapes: str = ""
    bound_name: str | None = None
    binding: ast.Assign | None = None
    functions: tuple[ast.expr, ...] = ()
    branches: tuple[ast.expr, ...] = ()
    operands: tuple[ast.expr, ...] = ()
    leading: int = 0

    @property
    def decided(self) -> bool:
        """Whether the site already says its mode."""
        return "graph" in self.options or "graph_updates" in self.options


class SiteFinder:
    """Finds the sites of one file."""

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

    @functools.cached_property
    def sites(self) -> list[Site]:
        """Every site of a transform, in source order."""
        found = [
            site
            for reference, name in self.references(SITE_NAMES)
            if (site := self._site(reference, name)) is not None
        ]
        found += self._methods()
        found += self._own_keepers()
        found += self._jax_sites()
        return sorted(found, key=lambda s: (s.reference.lineno, s.reference.col_offset))

    def _jax_sites(self) -> Iterator[Site]:
        """Functions of jax that are given a function, or what stands in its place."""
        lasts = {name.rpartition(".")[2] for name in JAX_SITES}
        lasts &= set(self.tree.project.modules[self.tree.module].words)
        lasts |= self._renamed.keys()
        for node in self._loads(lasts, lasts.__contains__):
            name = self.tree.dotted(node)
            if name not in JAX_SITES:
                continue
            assert name is not None
            parent = self.tree.parents[node]
            if name in NNX_OF_JAX or name in ONLY_OF_JAX:
                site = self._site(node, NNX_OF_JAX.get(name, "grad"))
                if site is not None and site.form != "reference":
                    yield dataclasses.replace(site, transform=name)
            elif isinstance(parent, ast.Call) and parent.func is node and parent.args:
                yield self._called_on(name, node, parent)

    def _called_on(self, name: str, reference: ast.expr, call: ast.Call) -> Site:
        first = call.args[:1]
        return Site(
            name,
            reference,
            "object",
            call,
            {k.arg: k.value for k in call.keywords if k.arg},
            call,
            all(k.arg for k in call.keywords),
            None,
            functions=tuple(first),
            operands=tuple(first if name == "jax.eval_shape" else call.args[1:]),
        )

    def references(self, names: frozenset[str]) -> Iterator[tuple[ast.expr, str]]:
        """Every expression that refers to one of these nnx names, outside of annotations."""
        for call in self.tree.of_kind(ast.Call) if "getattr" in self._uses_by_name else ():
            if (named := named_by_string(call)) in names and self.tree.nnx_name(call) == named:
                yield call, named
            elif COMPUTED in names and self._is_computed(call):
                yield call, COMPUTED
        for node in self._loads(names | self._renamed.keys(), self._may_be_of_nnx):
            if isinstance(self.tree.parents.get(node), ast.Attribute):
                continue
            name = self.tree.nnx_name(node)
            if name in names and not self._in_annotation(node):
                yield node, name

    def _is_computed(self, call: ast.Call) -> bool:
        """Whether it is `getattr(nnx, name)`."""
        return is_computed_lookup(call) and self.tree.dotted(call.args[0]) == "flax.nnx"

    def _loads(
        self, attributes: Set[str], is_wanted: Callable[[str], bool]
    ) -> Iterator[ast.Name | ast.Attribute]:
        """Where these attributes are read, and names that are wanted."""
        for attribute in sorted(attributes & self._uses_by_attribute.keys()):
            yield from self._uses_by_attribute[attribute]
        for name, uses in self._uses_by_name.items():
            if is_wanted(name):
                yield from uses

    @property
    def _renamed(self) -> Mapping[str, frozenset[str]]:
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
            if any(map(is_reference, values))
        )

    def _may_be_of_nnx(self, name: str) -> bool:
        """Whether a name may be one of nnx; a cheap check before it is followed."""
        stars = self.tree.project.modules[self.tree.module].star_imports
        return bool(stars) or name in self._references or name in self._renamed

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

    def _site(self, reference: ast.expr, name: str) -> Site | None:
        node: ast.expr = reference
        options: dict[str, ast.expr] = {}
        complete = True
        call: ast.Call | None = None
        parent = self.tree.parents[node]
        if isinstance(parent, ast.Call) and parent.args[:1] == [node] and self._is_partial(parent):
            complete = self._collect(parent, options, skip=1)
            node, call = parent, parent
            parent = self.tree.parents[node]
        if self._is_decorator(node):
            return self._decorated(name, reference, node, options, call, complete)
        if name in CONTROL_FLOW and isinstance(parent, ast.Call) and parent.func is reference:
            return self._control_flow(name, reference, parent)
        if name in OBJECT_FUNCTIONS:
            return self._of_object(name, reference, parent)
        if not (isinstance(parent, ast.Call) and parent.func is node) or name in CONTROL_FLOW:
            return Site(
                name,
                reference,
                "reference",
                node,
                options,
                call,
                complete,
                None,
                escapes="the transform is passed on as a value",
            )
        function = self._function_argument(parent)
        complete = self._collect(parent, options, skip=0) and complete
        call = parent if parent.keywords or call is None else call
        if function is None:  # nnx.vmap(in_axes=0), waiting for its function
            if self._is_decorator(parent):
                return self._decorated(name, reference, parent, options, call, complete)
            outer = self.tree.parents[parent]
            if not (isinstance(outer, ast.Call) and outer.func is parent and outer.args):
                return Site(
                    name,
                    reference,
                    "reference",
                    parent,
                    options,
                    call,
                    complete,
                    None,
                    escapes="the transform is passed on as a value",
                )
            function, node = outer.args[0], outer
            complete = complete and len(outer.args) == 1 and not outer.keywords
        else:
            node = parent
            complete = complete and len(parent.args) <= 1
        return self._applied(name, reference, node, options, call, complete, function)

    def _of_object(self, name: str, reference: ast.expr, call: ast.AST) -> Site | None:
        if not (isinstance(call, ast.Call) and call.func is reference):
            escapes = "the function is passed on as a value"
            return Site(
                name, reference, "reference", reference, {}, None, True, None, escapes=escapes
            )
        place, keyword = OBJECT_FUNCTIONS[name].place, OBJECT_FUNCTIONS[name].keyword
        options = {k.arg: k.value for k in call.keywords if k.arg}
        given = call.args[place] if call.args[place:] else options.get(keyword)
        if given is None:
            return None
        complete = not any(isinstance(arg, ast.Starred) for arg in call.args[: place + 1])
        return self._object(name, reference, call, given, options, complete)

    def _methods(self) -> Iterator[Site]:
        """Calls of methods that may be those of a Module."""
        for call in self.tree.of_kind(ast.Call):
            if not isinstance(call.func, ast.Attribute):
                continue
            name = call.func.attr
            if name in METHODS and self.tree.dotted(call.func) is None:
                options = {k.arg: k.value for k in call.keywords if k.arg}
                given = call.func.value
                yield self._object(METHODS[name], call.func, call, given, options, True)

    def _own_keepers(self) -> Iterator[Site]:
        """Calls of the project's own kinds of Optimizer and the like, and of `super().__init__`."""
        names = {name: base for t in self.tree.project.tables for name, base in t.keepers.items()}
        for call in self.tree.of_kind(ast.Call) if names else ():
            name = callee(call)
            if name == "__init__" and _is_super(call.func):
                around = (n for n in self.tree.ancestors(call) if isinstance(n, ast.ClassDef))
                name = next((each.name for each in around), "")
            if name in names:
                options = {k.arg: k.value for k in call.keywords if k.arg}
                keyword = OBJECT_FUNCTIONS[names[name]].keyword
                given = call.args[0] if call.args else options.get(keyword)
                if given is not None and not isinstance(given, ast.Starred):
                    yield self._object(names[name], call.func, call, given, options, True)

    def _object(
        self,
        name: str,
        reference: ast.expr,
        call: ast.Call,
        given: ast.expr,
        options: Mapping[str, ast.expr],
        complete: bool,
    ) -> Site:
        return Site(
            name,
            reference,
            "object",
            call,
            options,
            call,
            complete,
            None,
            (call,),
            operands=(given,),
        )

    def _control_flow(self, name: str, reference: ast.expr, call: ast.Call) -> Site:
        options = {k.arg: k.value for k in call.keywords if k.arg}
        complete = all(k.arg for k in call.keywords)
        starred_from = next(
            (i for i, arg in enumerate(call.args) if isinstance(arg, ast.Starred)), len(call.args)
        )
        given = dict(enumerate(call.args[:starred_from]))
        flow = CONTROL_FLOW[name]
        for i, parameter in enumerate(flow.parameters):
            if parameter in options:
                given[i] = options[parameter]
        complete = complete and starred_from == len(call.args)
        return Site(
            name,
            reference,
            "operands",
            call,
            options,
            call,
            complete,
            None,
            (call,),
            functions=tuple(f for i in flow.functions if i in given for f in _listed(given[i])),
            branches=tuple(f for i in flow.changing if i in given for f in _listed(given[i])),
            operands=tuple(given[i] for i in sorted(given) if i >= flow.start),
            leading=flow.leading,
        )

    def _is_partial(self, call: ast.Call) -> bool:
        return self.tree.dotted(call.func) == "functools.partial"

    def _is_decorator(self, node: ast.expr) -> bool:
        parent = self.tree.parents.get(node)
        return isinstance(parent, FunctionNode) and node in parent.decorator_list

    def _collect(self, call: ast.Call, options: dict[str, ast.expr], skip: int) -> bool:
        complete = not any(isinstance(arg, ast.Starred) for arg in call.args)
        complete = complete and len(call.args) <= max(skip, 1)
        for keyword in call.keywords:
            if keyword.arg is None:
                complete = False
            elif keyword.arg not in {"f", "fun"}:
                options[keyword.arg] = keyword.value
        return complete

    def _function_argument(self, call: ast.Call) -> ast.expr | None:
        for keyword in call.keywords:
            if keyword.arg in {"f", "fun"}:
                return keyword.value
        return call.args[0] if call.args else None

    def _decorated(
        self,
        name: str,
        reference: ast.expr,
        node: ast.expr,
        options: dict[str, ast.expr],
        call: ast.Call | None,
        complete: bool,
    ) -> Site:
        definition = self.tree.parents[node]
        assert isinstance(definition, FunctionNode)
        return Site(name, reference, "decorator", node, options, call, complete, definition)

    def _applied(
        self,
        name: str,
        reference: ast.expr,
        node: ast.expr,
        options: dict[str, ast.expr],
        call: ast.Call | None,
        complete: bool,
        function: ast.expr,
    ) -> Site:
        make = dataclasses.replace(
            Site(name, reference, "call", node, options, call, complete, function)
        )
        parent = self.tree.parents[node]
        if isinstance(parent, ast.Call) and parent.func is node:
            return dataclasses.replace(make, uses=(parent,))
        if (
            isinstance(parent, ast.Assign)
            and len(parent.targets) == 1
            and isinstance(parent.targets[0], ast.Name)
        ):
            return self._bound(make, parent, parent.targets[0].id)
        return dataclasses.replace(make, escapes="its result is passed on as a value")

    def _bound(self, site: Site, assignment: ast.Assign, name: str) -> Site:
        scope = self.tree.scope(assignment)
        site = dataclasses.replace(site, bound_name=name, binding=assignment)
        uses = []
        if len(self.tree.project.bindings(scope, name)) != 1:
            return dataclasses.replace(site, escapes=f"{name} is bound more than once")
        if isinstance(self.tree.parents.get(assignment), ast.ClassDef):
            return dataclasses.replace(site, escapes=f"{name} is an attribute of a class")
        for use in self._uses_by_name.get(name, ()):
            if not self._refers_to(use, scope, name):
                continue
            parent = self.tree.parents[use]
            if isinstance(parent, ast.Call) and parent.func is use:
                uses.append(parent)
            else:
                return dataclasses.replace(site, escapes=f"{name} is passed on as a value")
        return dataclasses.replace(site, uses=tuple(uses))

    def _refers_to(self, use: ast.Name, scope: Scope, name: str) -> bool:
        return any(
            isinstance(b, Located) and b.scope == scope
            for b in self.tree.project.bindings(self.tree.scope(use), name)
        )

    def uses(self, site: Site) -> tuple[ast.Call, ...]:
        """All calls of the result of a site; nothing where others are not to be seen."""
        if site.form == "call":
            return () if site.escapes else site.uses
        function = site.function
        if site.form != "decorator" or not isinstance(function, FunctionNode):
            return ()
        scope = self.tree.scope(function)
        inside = isinstance(self.tree.parents[function], FunctionNode)
        if not inside or function.decorator_list[0] is not site.node:
            return ()
        if len(self.tree.project.bindings(scope, function.name)) != 1:
            return ()
        loads = self.loads(scope, function.name)
        calls = [self.tree.parents[load] for load in loads]
        pairs = zip(calls, loads, strict=True)
        seen = [c for c, load in pairs if isinstance(c, ast.Call) and c.func is load]
        return tuple(seen) if len(seen) == len(loads) else ()

    def loads(self, scope: Scope, name: str) -> list[ast.Name]:
        """Every place that reads `name` as it is bound in `scope`."""
        return [
            use for use in self._uses_by_name.get(name, ()) if self._refers_to(use, scope, name)
        ]


def _is_super(func: ast.expr) -> bool:
    """Whether it is `super().method`."""
    return (
        isinstance(func, ast.Attribute)
        and isinstance(func.value, ast.Call)
        and callee(func.value) == "super"
    )


def _listed(function: ast.expr) -> list[ast.expr]:
    """The branches of a switch, where they are listed; else the expression itself."""
    if not isinstance(function, ast.List | ast.Tuple):
        return [function]
    whole = any(isinstance(element, ast.Starred) for element in function.elts)
    return [function] if whole else function.elts


def assigned_value(tree: Tree, scope: Scope, name: str) -> tuple[ast.expr, ast.Assign] | None:
    """What `name` is bound to by its one and only assignment, if that is in this file."""
    bindings = tree.project.bindings(scope, name)
    if len(bindings) != 1 or not isinstance(bindings[0], Located):
        return None
    where = bindings[0].scope
    if where.module != tree.module:
        return None
    for node in tree.of_kind(ast.Assign):
        if (
            len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == name
            and tree.scope(node) == where
            and not isinstance(tree.parents.get(node), ast.ClassDef)
        ):
            return node.value, node
    return None


def is_module_scope(scope: Scope) -> bool:
    return scope.function == ir.MODULE_SCOPE
