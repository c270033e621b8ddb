"""An object from outside that a traced function uses: a loop over `self`, a branch that calls it.

What it finds
-------------
Functions under these transforms that use a Module, Rngs, Optimizer, Metric, or Variable from
outside without getting it as an argument:

- of nnx: `while_loop`, `fori_loop`, `cond`, `switch`, `scan`, `vmap`, `pmap`, `remat`, `grad`,
  `value_and_grad`, `jit`, `checkify`, `shard_map`, and `eval_shape`
- of jax: `jit`, `vmap`, `grad`, `checkpoint`, `make_jaxpr`, `eval_shape`, `lax.scan`, `lax.map`,
  `lax.cond`, and the loops

From outside is a local of the function around them, a parameter, `self`, or an object of the
module. A function that uses the object only through other functions that it calls counts too, and
so does `eval_shape` of a model.

Why it matters
--------------
In both modes, code inside a transform may only read such an object. To update it (a dropout key,
batch statistics, a counter) raises TraceContextError in both modes. To pass it to another
transform in there (layers that are scanned or rematerialised) raises in graph mode, and in tree
mode if that transform writes back (docs/semantics.md: CLO-2).

Before
------
    def step(carry):
        index, x = carry
        return index + 1, self.blocks(x)

    out = nnx.while_loop(lambda carry: carry[0] < length, step, (0, x))
    return out[-1]

After
-----
    def step(carry):
        index, x, self = carry
        return index + 1, self.blocks(x), self

    out = nnx.while_loop(lambda carry: carry[0] < length, step, (0, x, self))
    return out[1]

A method, a `functools.partial`, or a model instead of the function (`nnx.scan(self.step)`,
`jax.jit(model)`) captures what it is bound to, and becomes a lambda that is given it:
`nnx.jit(lambda x, self: self.step(x))(x, self)`.

Other transforms get one argument more: `nnx.cond(flag, lambda x, self: self(x), ..., x, self)`,
and so does `nnx.eval_shape(lambda model, x: model(x), model, x)`. A scan carries what its body may
update and broadcasts what it only reads. A transform of jax becomes that of nnx, because jax drops
what a function does to an argument; where an object is an argument of jax already, that is so in
both modes and stays. `jax.lax.map` becomes an `nnx.scan`, and `jax.make_jaxpr`, which keeps
nothing, stays and is given the object.

A function that is called on the way gets the object as a parameter, and all its calls pass it on:
by keyword where it has defaults, `*args` or `**kwargs`.

When it is safe
---------------
The rewrite is safe when all of this holds:

- The code shows everything that the object holds, and the object holds each part once.
- No other argument shares a Variable with it. An object that a call of its own makes, from nothing
  that was there before, shares none.
- Only this transform uses the functions, or several transforms around each other do.
- No other transform around them still captures the object.

A function under `jit` keeps the values of what it captures, while an argument follows updates. So
such a function must be called at most once, or must update nothing while nothing between its calls
can. Otherwise that is an assumption (`--allow unchanged-captures`).

What it does otherwise
----------------------
An object that is only read, or whose updates something may switch off (`model.eval()` somewhere, a
subclass that makes none), is taken to work as it is; `--select captured-module` asks for the
rewrite all the same. Code that raises in both modes and cannot be rewritten needs a person; the
finding says why. These are such objects:

- objects that functions of other files, or methods, update without getting them as an argument; the
  finding names each place on the way
- objects in lists, and objects that another object holds that is not a Module
- objects that derivatives of jax capture (`jax.jvp`, `vjp`, `linearize`, `hessian`, `jacfwd`,
  `jacrev`), because nnx has no counterpart that works in both modes

Everything else stays as it is, and so does code with Variables of hijax, which may be captured.

Reference: https://github.com/google/flax/issues/4819
"""

from __future__ import annotations

import ast

from nnx_codemods._captures.by_hand import ways_to_pass
from nnx_codemods._captures.captures import (
    Captured,
    as_changed,
    calls_of_decorated,
    captured_by,
    definitions_of,
    given_back,
    gives_object,
    may_capture,
    uses_of,
)
from nnx_codemods._captures.implicit_captures import (
    as_lambdas,
    bound_and_raising,
    raising,
    through_others,
)
from nnx_codemods._captures.loop_carry import is_data, is_unchanged, not_a_tree, overlap
from nnx_codemods._captures.module_globals import read_out_of_sight, updating_of_module
from nnx_codemods._captures.must_execute import is_certain, is_expected_to_raise
from nnx_codemods._captures.refusal import CaptureCause
from nnx_codemods._captures.trace_level import may_be_captured, obstacle
from nnx_codemods._evidence import is_graph_node
from nnx_migrate.analysis.flax.transforms import (
    JAX_SITES,
    NNX_TRANSFORMS,
    ONLY_OF_JAX,
    of_nnx,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.refusal import Reason
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import (
    Capture,
    Captures,
    Contribution,
    Decision,
    Manual,
    NotRewritten,
    Same,
)
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.rewrite.model.stacks import stack_of
from nnx_migrate.rewrite.planner.regions import covered_by_setters
from nnx_migrate.rewrite.thread.bound_methods import bound_functions
from nnx_migrate.rewrite.thread.captures import closure_edits
from nnx_migrate.rewrite.thread.eval_shape import is_abstract, of_function


def decide(context: FileContext, site: Site) -> Decision | None:
    """What becomes of a site, by what its functions capture and what they do out of sight."""
    if site.form == "reference":
        return None
    decision = _captures(context, site)
    if decision is None or isinstance(decision, Same):
        return updating_of_module(context, site) or decision
    return decision


def _captures(context: FileContext, site: Site) -> Decision | None:
    if site.transform in ONLY_OF_JAX:
        return _only_of_jax(context, site)
    if is_abstract(site):
        called = of_function(context, site)
        if called is None:
            return _abstractly_called(context, site)
        if not all(is_data(values) for values in given_back(context, called)):
            return None  # what it returns may hold the object
        site = called
    if any(bound_functions(context, site)):
        return as_lambdas(context, site, decide)
    if not may_capture(context, site):
        return None
    if (decision := through_others(context, site, decide)) is not None:
        return decision
    captured = captured_by(context, site)
    if captured is None or may_be_captured(context):
        return None
    if not captured.objects and not captured.holders:
        return None
    stack = stack_of(context, site)
    places = [site.node, *stack[0].uses, *calls_of_decorated(context, stack[0])]
    if is_expected_to_raise(context, [*places, *filter(None, definitions_of(context, site))]):
        return None
    if captured.holders:
        return _left(context, site, captured, captured.obstacle, ())
    updated = any(use.kind == "update" and use.expected for use in captured.uses)
    if site.spec.inspects and site.spec.twin and not updated:
        return None  # a jaxpr: in tree mode it runs, and the jaxpr would be another one
    asked = context.options.select is not None and RULE.name in context.options.select
    if not captured.uses and (not asked or site.transform in JAX_SITES):
        return _only_read(as_changed(context, captured))
    if not asked and not any(use.expected for use in captured.uses):
        return Same(RULE.name, CaptureCause.MAY_NOT_BE_UPDATED)
    captured = as_changed(context, captured)
    names = " and ".join(each.name for each in captured.objects)
    uses = sorted(captured.uses, key=lambda use: (not use.certain, use.where, use.what))
    evidence = [Evidence(f"{names}: {use.what}", Proof.PROVED, use.where) for use in uses[:3]]
    reason = _reason(context, site, captured, evidence)
    if reason:
        return _left(context, site, captured, reason, tuple(evidence))
    carried = site.spec.is_loop or (
        site.spec.iterates and any(each.updated for each in captured.objects)
    )
    cause = CaptureCause.CARRIED if carried else CaptureCause.PASSED
    message = cause.about(names=names)
    return Contribution(RULE.name, message, tuple(evidence), Captures(captured.objects))


def _only_of_jax(context: FileContext, site: Site) -> Decision | None:
    """A derivative of jax and the like: no transform of nnx can be given what it captures."""
    name = site.transform.removeprefix("jax.")
    known = name in NNX_TRANSFORMS
    reason = (
        CaptureCause.OF_NNX.about(name=name) if known else CaptureCause.NOT_OF_NNX.about(name=name)
    )
    if any(bound_functions(context, site)):
        return bound_and_raising(context, site, reason)
    if not may_capture(context, site):
        return None
    if (found := raising(context, site, reason)) is not None:
        return found
    captured = captured_by(context, site)
    if captured is None or may_be_captured(context):
        return None
    places = [site.node, *site.uses, *filter(None, definitions_of(context, site))]
    if is_expected_to_raise(context, places):
        return None
    return _left(context, site, captured, reason, ())


def _abstractly_called(context: FileContext, site: Site) -> Decision | None:
    """`eval_shape` of an object, which it captures like any function that it is given."""
    if not isinstance(site.node, ast.Call) or not site.node.args:
        return None
    target = site.node.args[0]
    values = context.values(target)
    if not is_graph_node(context, values, frozenset({"module"})):
        return None
    uses = context.analysis.uses.of_call(values, context.where(site.node))
    asked = context.options.select is not None and RULE.name in context.options.select
    if not (uses or asked) or may_be_captured(context):
        return None
    text = ast.unparse(target)
    evidence = [Evidence(f"{text}: {u.what}", Proof.PROVED, u.where) for u in sorted(uses, key=str)]
    evidence = evidence[:3]
    called = ir.Call(lower_expr(target), (), (), target.lineno)
    if not is_data(context.evaluator.values(context.scope(target), called)):
        return None  # what it returns may hold its Variables
    doubt = not_a_tree(context, values, context.where(target))
    if doubt is not None and not _is_allowed(context, doubt):
        return None
    if doubt is not None:
        evidence.append(doubt)
    captures = (Capture(text),)
    try:
        closure_edits(context, site, captures)
    except NotRewritten:
        return None
    message = CaptureCause.PASSED_TO_EVAL_SHAPE.about(text=text)
    return Contribution(RULE.name, message, tuple(evidence), Captures(captures))


def _only_read(captured: Captured) -> Decision | None:
    if captured.unseen:
        return None
    return Same(RULE.name, CaptureCause.ONLY_READ)


def _reason(
    context: FileContext, site: Site, captured: Captured, evidence: list[Evidence]
) -> Reason:
    """Why the object cannot be carried; empty when it can."""
    reason = captured.obstacle or obstacle(
        context, site, captured, lambda other: _carried(context, other)
    )
    if reason := reason or read_out_of_sight(context, site, captured):
        return reason
    # What is compiled is kept, with the values that captured objects had then.
    keeps = any(each.spec.compiles for each in stack_of(context, site))
    if keeps and not is_unchanged(context, site, captured):
        claim = CaptureCause.MAY_CHANGE
        where, permission = context.where(site.node), Permission.UNCHANGED_CAPTURES
        evidence.append(Evidence(str(claim), Proof.ASSUMED, where, permission))
        if not context.options.allows(permission):
            return claim
    if any(each.transform in JAX_SITES for each in stack_of(context, site)) and any(
        gives_object(context, value) for values in given_back(context, site) for value in values
    ):
        return CaptureCause.RETURNS_OBJECT
    shared = overlap(context, site, captured)
    if shared is not None:
        evidence.append(shared)
        if not _is_allowed(context, shared):
            return shared.claim
    try:
        closure_edits(context, site, captured.objects)
    except NotRewritten as error:
        return error.refusal
    return ""


def _is_allowed(context: FileContext, doubt: Evidence) -> bool:
    return doubt.permission is not None and context.options.allows(doubt.permission)


def _carried(context: FileContext, site: Site) -> set[str]:
    """The names of what another site is going to pass explicitly."""
    if site.decided or covered_by_setters(context, site.node):
        return set()
    decision = decide(context, site)
    captures = decision.captures if isinstance(decision, Contribution) else ()
    return {name for capture in captures for name, _ in capture.ways()}


def _left(
    context: FileContext,
    site: Site,
    captured: Captured,
    reason: Reason,
    evidence: tuple[Evidence, ...],
) -> Decision | None:
    """Left as it is; where it raises in both modes, a person has to know."""
    certain = [use for use in captured.uses if use.kind == "update" and is_certain(context, use)]
    if not certain:
        return None
    use = min(certain, key=lambda use: (use.where, use.what))
    objects = tuple(each.name for each in captured.objects)
    names = " and ".join((*objects, *captured.holders))
    updated = (name for name in objects if use in uses_of(context, captured, name))
    message = CaptureCause.UPDATES.about(
        use.where,
        function=_told(context, site),
        updated=next(updated, names),
        names=names,
        what=use.what,
        reason=reason,
    )
    ways = ways_to_pass(site, objects, captured.holders, reason is CaptureCause.SOWS)
    return Manual(RULE.name, message, evidence, blocks=False, ways_out=ways)


def _told(context: FileContext, site: Site) -> str:
    """The function of a site as a message names it."""
    match definitions_of(context, site):
        case [ast.FunctionDef(name=name)]:
            return name
        case _:
            return "the function"


RULE = Rule(
    "captured-module",
    of_nnx(lambda t: t.traces or t.inspects) | JAX_SITES,
    decide,
    way_out="pass the object to the function as an argument",
)
