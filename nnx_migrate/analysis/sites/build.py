"""Makes sites of references: what a transform is applied to, in each way to write it."""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Mapping

from nnx_migrate.analysis.domain.values import ParameterOf
from nnx_migrate.analysis.flax.transform_spec import ControlFlow
from nnx_migrate.analysis.flax.transforms import OBJECT_FUNCTIONS, spec
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.ir.lowering.literal_lookups import lookup
from nnx_migrate.analysis.sites.reaching_statements import ReachingStatements
from nnx_migrate.analysis.sites.references import References
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import FunctionNode
from nnx_migrate.sources.own_transforms import OwnTransform

#: What the function that is transformed may be passed by.
_FUNCTION = frozenset({"f", "fun"})
#: Options that say nothing of what becomes of objects.
_OF_NO_MATTER = frozenset(
    {"backend", "device", "inline", "keep_unused", "policy", "prevent_cse", "unroll"}
) | {"graph", "graph_updates"}
_AS_VALUE = "the transform is passed on as a value"
#: The calls of a result, why there may be more, and the assignment that gives it a name.
_Uses = tuple[tuple[ast.Call, ...], str, ast.Assign | None]


class SiteForms(References):
    """Tells the ways apart in which transforms are applied."""

    @functools.cached_property
    def reaching(self) -> ReachingStatements:
        return ReachingStatements(self.tree)

    def site(self, reference: ast.expr, name: str) -> Site | None:
        """The site of a transform or function of nnx; None where it is given nothing.

        Args:
            reference: the expression that refers to it, or to a wrapper that is like it.
            name: its public name.
        """
        wrappers = self.tree.project.wrappers
        made = self._site(reference, name)
        if wrappers is None or made is None:
            return made
        wrapper = wrappers.wrapper(self.tree.scope(reference), lower_expr(reference))
        if self._is_inside_of(made, wrapper):
            return None
        return made if wrapper is None else _wrapped(made, wrapper)

    def _is_inside_of(self, site: Site, applied: OwnTransform | None) -> bool:
        """Whether a wrapper applies itself, or what it is like, to what it is given.

        What that is, is looked at where the wrapper is used.
        """
        wrappers = self.tree.project.wrappers
        assert wrappers is not None
        for function in self.tree.ancestors(site.node):
            if not isinstance(function, FunctionNode):
                continue
            around = wrappers.named.get(f"{self.tree.module}.{function.name}")
            if around is not None and around.like == site.transform:
                return applied == around or self._is_parameter(site.function)
        return False

    def _is_parameter(self, given: object) -> bool:
        if not isinstance(given, ast.Name):
            return False
        bound = self.tree.project.bindings(self.tree.scope(given), given.id)
        return bool(bound) and all(isinstance(each, ParameterOf) for each in bound)

    def _site(self, reference: ast.expr, name: str) -> Site | None:
        site = Site(name, reference, "reference", reference, {}, None, True, None)
        found = lookup(reference)
        if found is not None and found.caller is not None:
            return dataclasses.replace(site, escapes=_AS_VALUE)
        parent = self.tree.parents[reference]
        if self._is_partial(parent, reference):
            assert isinstance(parent, ast.Call)
            options, complete = _options(parent)
            site = dataclasses.replace(
                site, node=parent, options=options, option_call=parent, complete=complete
            )
            parent = self.tree.parents[parent]
        if self._is_decorator(site.node):
            return self._decorated(site)
        called = parent if isinstance(parent, ast.Call) and parent.func is site.node else None
        flow = spec(name).operands
        if flow is not None and called is not None and called.func is reference:
            return _control_flow(name, flow, reference, called)
        if name in OBJECT_FUNCTIONS:
            return _of_object(name, reference, parent)
        if called is None or flow is not None:
            return dataclasses.replace(site, escapes=_AS_VALUE)
        return self._called(site, called)

    def _is_partial(self, call: ast.AST, reference: ast.expr) -> bool:
        return (
            isinstance(call, ast.Call)
            and call.args[:1] == [reference]
            and self.tree.dotted(call.func) == "functools.partial"
        )

    def _is_decorator(self, node: ast.expr) -> bool:
        parent = self.tree.parents.get(node)
        return isinstance(parent, FunctionNode) and node in parent.decorator_list

    def _decorated(self, site: Site) -> Site:
        definition = self.tree.parents[site.node]
        assert isinstance(definition, FunctionNode)
        return dataclasses.replace(site, form="decorator", function=definition)

    def _called(self, site: Site, call: ast.Call) -> Site:
        """A transform, or a partial of it, that is called: on its function, or to wait for it."""
        options, complete = _options(call)
        named = next((k.value for k in call.keywords if k.arg in _FUNCTION), None)
        function = named or (call.args[0] if call.args else None)
        node = call
        complete = complete and site.complete
        if function is None:  # nnx.vmap(in_axes=0), waiting for its function
            outer = self.tree.parents[call]
            if isinstance(outer, ast.Call) and outer.func is call and outer.args:
                function, node = outer.args[0], outer
                complete = complete and len(outer.args) == 1 and not outer.keywords
        made = dataclasses.replace(
            site,
            node=node,
            options={**site.options, **options},
            option_call=call if call.keywords else site.option_call or call,
            complete=complete,
        )
        if function is not None:
            return self._applied(made, function)
        if self._is_decorator(call):
            return self._decorated(made)
        return dataclasses.replace(made, escapes=_AS_VALUE)

    def _applied(self, site: Site, function: ast.expr) -> Site:
        uses, escapes, binding = self._uses_of_result(site.node)
        return dataclasses.replace(
            site, form="call", function=function, uses=uses, escapes=escapes, binding=binding
        )

    def _uses_of_result(self, node: ast.expr) -> _Uses:
        parent = self.tree.parents[node]
        if isinstance(parent, ast.Call) and parent.func is node:
            return (parent,), "", None
        match parent:
            case ast.Assign(targets=[ast.Name(id=name)]):
                uses, escapes = self._uses_of_name(parent, name)
                return uses, escapes, parent
        return (), "its result is passed on as a value", None

    def _uses_of_name(self, assignment: ast.Assign, name: str) -> tuple[tuple[ast.Call, ...], str]:
        scope = self.tree.scope(assignment)
        if isinstance(self.tree.parents.get(assignment), ast.ClassDef):
            return (), f"{name} is an attribute of a class"
        if len(self.tree.project.bindings(scope, name)) == 1:
            calls = self.calls(scope, name)
        else:
            loads = self.reaching.reads_of(assignment, self.loads(scope, name))
            if loads is None:
                return (), f"{name} is bound more than once"
            calls = self.calls_among(loads)
        return ((), f"{name} is passed on as a value") if calls is None else (calls, "")

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
        return self.calls(scope, function.name) or ()


def of_object(
    name: str,
    reference: ast.expr,
    call: ast.Call,
    given: ast.expr,
    options: Mapping[str, ast.expr],
    complete: bool = True,
) -> Site:
    """The site of a function or method that is given an object and transforms nothing."""
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


def of_object_chosen(name: str, method: ast.expr, given: ast.expr) -> Site:
    """The site of a method that is one of several which a call may run."""
    return Site(name, method, "object", method, {}, None, True, None, operands=(given,))


def _wrapped(site: Site, wrapper: OwnTransform) -> Site:
    """The site of a wrapper, with its keywords as the options that they are for."""
    options: dict[str, ast.expr] = {}
    unknown = False
    for keyword, value in site.options.items():
        option = wrapper.option(keyword)
        if option is not None:
            options[option] = value
            unknown = unknown or wrapper.keyword(option) != keyword
    complete = site.complete and not unknown and wrapper.bound <= _OF_NO_MATTER
    return dataclasses.replace(site, options=options, complete=complete, wrapper=wrapper)


def keywords_of(call: ast.Call) -> dict[str, ast.expr]:
    """What a call passes by name, as far as it shows the names."""
    return {k.arg: k.value for k in call.keywords if k.arg}


def _options(call: ast.Call) -> tuple[dict[str, ast.expr], bool]:
    """The options that a transform is called with, and whether they are all to be seen."""
    complete = len(call.args) <= 1 and not any(isinstance(arg, ast.Starred) for arg in call.args)
    options = {name: value for name, value in keywords_of(call).items() if name not in _FUNCTION}
    return options, complete and all(k.arg for k in call.keywords)


def _of_object(name: str, reference: ast.expr, call: ast.AST) -> Site | None:
    if not (isinstance(call, ast.Call) and call.func is reference):
        escapes = "the function is passed on as a value"
        return Site(name, reference, "reference", reference, {}, None, True, None, escapes=escapes)
    place, keyword = OBJECT_FUNCTIONS[name].place, OBJECT_FUNCTIONS[name].keyword
    options = keywords_of(call)
    given = call.args[place] if call.args[place:] else options.get(keyword)
    if given is None:
        return None
    complete = not any(isinstance(arg, ast.Starred) for arg in call.args[: place + 1])
    return of_object(name, reference, call, given, options, complete)


def _control_flow(name: str, flow: ControlFlow, reference: ast.expr, call: ast.Call) -> Site:
    options = keywords_of(call)
    starred_from = next(
        (i for i, arg in enumerate(call.args) if isinstance(arg, ast.Starred)), len(call.args)
    )
    given = dict(enumerate(call.args[:starred_from]))
    for i, parameter in enumerate(flow.parameters):
        if parameter in options:
            given[i] = options[parameter]
    complete = starred_from == len(call.args) and all(k.arg for k in call.keywords)
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


def _listed(function: ast.expr) -> list[ast.expr]:
    """The branches of a switch, where they are listed; else the expression itself."""
    if not isinstance(function, ast.List | ast.Tuple):
        return [function]
    whole = any(isinstance(element, ast.Starred) for element in function.elts)
    return [function] if whole else function.elts
