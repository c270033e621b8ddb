"""Calls of a mapped, scanned or rematerialised function by keyword, or without its defaults.

What it finds
-------------
Functions under `nnx.vmap` and `nnx.pmap` with `in_axes`, under `nnx.scan`, and under `nnx.remat`
with `static_argnums`. Some call in the project, or a `functools.partial`, passes them arguments by
keyword, or fewer arguments than they have parameters.

Why it matters
--------------
Graph mode resolves keywords and defaults to positions and applies the axes to them. Tree mode maps
keywords over axis 0, whatever `in_axes` says, and leaves defaults alone. The result is silently
another one, or the call raises a ValueError or a TypeError (docs/semantics.md: VMP-1, SCN-5,
RMT-1).

Before
------
    @nnx.vmap(in_axes=(0, None))
    def forward(model, x): ...

    forward(model, x=x)

After
-----
    @nnx.vmap(in_axes=(0, None))
    def forward(model, x): ...

    forward(model, x)

When it is safe
---------------
A call means the same if it passes its arguments by position. The rule rewrites the calls where all
of these hold, and pins everything else, so that all calls keep their meaning:

- All calls are in the file of the function, and no code outside may call it.
- Each call passes its keywords in the order of the parameters, and none from a dictionary.
- The defaults that a call leaves out are numbers, strings, or the like. The call then passes them.

What it does otherwise
----------------------
Calls that are not in the project are not seen.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator, Set

from nnx_codemods._callers.placed import Changed, placed
from nnx_codemods._next_steps import NextStep
from nnx_migrate.analysis.callgraph.binding import unbound
from nnx_migrate.analysis.callgraph.call_sites import Caller
from nnx_migrate.analysis.domain.values import FunctionValue, Instance, Located, Scope
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Cause, Reason, step_of
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Contribution, Decision, Pin
from nnx_migrate.rewrite.model.functions import function_scopes, function_values
from nnx_migrate.rewrite.model.rule import Rule


@enum.unique
class PassingCause(Cause):
    """Ways to pass arguments that differ by the mode."""

    BY_PLACE = "its calls pass all arguments by position, which means the same in both modes"
    PASSED = "{function} {reason} ({place})"
    SHOWN = "{function} {reason}"
    PARTIAL = ("gets {name} by keyword from a partial", NextStep.BIND_BY_POSITION)
    KEYWORD = ("is called with {name} by keyword", NextStep.PASS_BY_POSITION)
    DICTIONARY = ("is called with keywords from a dictionary", NextStep.WRITE_KEYWORDS)
    DEFAULT = ("is called without {name}", NextStep.WRITE_DEFAULT)


def decide(context: FileContext, site: Site) -> Decision | None:
    ways = _mattering(site)
    if site.form == "reference" or not ways:
        return None
    changed: list[Changed] = []
    pins: list[Pin] = []
    for scope in function_scopes(context, site):
        function = context.project.function(scope)
        parameters = [p for p in function.parameters if p.kind == "positional"]
        if any(p.kind == "star" for p in function.parameters):
            continue
        named = {p.name for p in parameters} if "keyword" in ways else set()
        for place, bound in _bound_by_partials(context, site, scope):
            if name := min(named & bound, default=""):
                return _pin(function, PassingCause.PARTIAL.about(name=name), place)
        for where, call, free in _calls(context, site, scope, parameters):
            reason = _reason(call, free, ways)
            if reason:
                changed.append((where, call, free))
                pins.append(_pin(function, reason, Place(where.module, call.line)))
    return _passed_by_place(context, site, changed, pins)


def _passed_by_place(
    context: FileContext, site: Site, changed: list[Changed], pins: list[Pin]
) -> Decision | None:
    """All such calls pass their arguments by place, where they can."""
    if not pins:
        return None
    plan = placed(context, site, changed)
    if plan is None:
        return pins[0]
    evidence = tuple(each for pin in pins for each in pin.evidence)
    return Contribution(RULE.name, PassingCause.BY_PLACE, evidence, plan)


def _pin(function: ir.Function, reason: Reason, place: Place) -> Pin:
    why = PassingCause.PASSED.about(place, function=function.name, reason=reason)
    shown = PassingCause.SHOWN.about(function=function.name, reason=reason)
    evidence = Evidence(str(shown), Proof.PROVED, place)
    return Pin(RULE.name, why, (evidence,), ways_out=(step_of(reason),))


def _mattering(site: Site) -> frozenset[str]:
    """Which ways of not passing an argument by its place make a difference at a site."""
    if site.spec.by_place == "keywords":
        return frozenset({"keyword"})
    if site.spec.by_place == "static":
        return _ALL_WAYS if "static_argnums" in site.options else frozenset()
    axes = site.options.get("in_axes")
    along_first = axes is None or (isinstance(axes, ast.Constant) and axes.value == 0)
    # Keywords are mapped along axis 0 in both modes; a default is mapped in graph mode alone.
    return frozenset({"default"}) if along_first and not site.spec.carries else _ALL_WAYS


def _bound_by_partials(
    context: FileContext, site: Site, scope: Scope
) -> Iterator[tuple[Place, Set[str]]]:
    """Where a functools.partial around the transformed function binds keywords, and which."""
    if site.form != "call":
        for where, call, value in context.evaluator.callers.of(scope):
            yield Place(where.module, call.line), value.bound_keywords
        return
    for where, call, value in _callers_elsewhere(context, site, scope):
        yield Place(where.module, call.line), value.bound_keywords
    nodes: list[ast.expr] = [site.node]
    if site.bound_name is not None:
        nodes += context.finder.loads(context.scope(site.node), site.bound_name)
    for node in nodes:
        match context.tree.parents[node]:
            case ast.Call(func=func, args=[first, *_], keywords=keywords) as partial if (
                first is node and context.tree.dotted(func) == "functools.partial"
            ):
                yield context.where(partial), {each.arg for each in keywords if each.arg}


def _calls(
    context: FileContext, site: Site, scope: Scope, parameters: list[ir.Parameter]
) -> Iterator[tuple[Scope, ir.Call, list[ir.Parameter]]]:
    """Calls of the transformed function: where, the call, the parameters that are left to it."""
    function = context.project.function(scope)
    if site.form == "call":
        found = in_order(function_values(context, site))
        made_of = [v for v in found if isinstance(v, FunctionValue)]
        left = [_left(function, value) for value in made_of if value.scope == scope]
        for use in site.uses:
            lowered = lower_expr(use)
            if isinstance(lowered, ir.Call):
                yield from ((context.tree.scope(use), lowered, free) for free in left)
        for where, call, value in _callers_elsewhere(context, site, scope):
            yield where, call, _left(function, value)
        return
    callers = context.evaluator.callers
    for where, call, value in callers.of(scope):
        yield where, call, _left(function, value)
    if function.name != "__call__":
        return
    for parameter in function.parameters[1:]:
        for where, call in callers.mentions.calls_with_keyword(parameter.name):
            if any(
                isinstance(held, Instance)
                and context.evaluator.hierarchy.method(held.class_name, "__call__") == scope
                for held in context.evaluator.values(where, call.func)
            ):
                yield where, call, parameters[1:]


def _callers_elsewhere(context: FileContext, site: Site, scope: Scope) -> Iterator[Caller]:
    """Calls of the result where it was stored, returned, passed, or imported."""
    of_file = site.binding is not None and context.scope(site.node).function == ir.MODULE_SCOPE
    if not site.escapes and not of_file:
        return
    known = {(use.lineno, use.col_offset) for use in site.uses}
    for where, call, value in context.evaluator.callers.of(scope):
        again = where.module == context.tree.module and (call.line, call.column) in known
        if again or site.transform not in value.transforms:
            continue
        if not _is_of_another(context, site, where, call.func):
            yield where, call, value


def _is_of_another(context: FileContext, site: Site, where: Scope, func: ir.Expr) -> bool:
    """Whether what is called is seen to be what the transform gives at another site."""
    project = context.project
    own = context.tree.module, site.node.lineno, site.node.col_offset
    names: set[tuple[Scope, str]] = set()
    while True:
        match func:
            case ir.Name(id=name) if (where, name) not in names:
                names.add((where, name))
                match project.bindings(where, name):
                    case [Located(scope=where, expr=func)]:
                        continue
            case ir.Call(args=(function, *_), line=line, column=column):
                if (where.module, line, column) == own:
                    return False
                name = project.nnx_name(where, func.func) or ""
                if name.removeprefix("compat.") == site.transform:
                    return True
                func = function
                continue
        return False


def _left(function: ir.Function, value: FunctionValue) -> list[ir.Parameter]:
    """The positional parameters that neither `self` nor `functools.partial` has filled."""
    left = unbound(function, value)
    return [each for each in left if each.kind == "positional"]


def _reason(call: ir.Call, parameters: list[ir.Parameter], ways: frozenset[str]) -> Reason:
    if any(isinstance(arg, ir.Starred) for arg in call.args):
        return ""
    names = [parameter.name for parameter in parameters]
    passed = [keyword for keyword, _ in call.keywords if keyword in names]
    if "keyword" in ways and passed:
        return PassingCause.KEYWORD.about(name=passed[0])
    unpacked = any(keyword is None for keyword, _ in call.keywords)
    if unpacked:
        return PassingCause.DICTIONARY if "keyword" in ways else ""
    for parameter in parameters[len(call.args) :] if "default" in ways else ():
        empty = ways != _ALL_WAYS and parameter.default in {None, ir.Constant("none")}
        if parameter.name not in passed and not empty:
            return PassingCause.DEFAULT.about(name=parameter.name)
    return ""


_ALL_WAYS = frozenset({"keyword", "default"})
RULE = Rule(
    "keyword-arguments",
    of_nnx(lambda t: t.by_place != "never"),
    decide,
    way_out="pass the arguments by position, and write the defaults at the call",
)
