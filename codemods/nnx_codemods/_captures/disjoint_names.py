"""Which of the names that a function captures stand for one object, or for parts of it."""

from __future__ import annotations

import ast
import dataclasses

from nnx_codemods._captures.refusal import CaptureCause
from nnx_codemods._freshness.disjointness import why_together
from nnx_migrate.analysis.domain.values import Instance, Located, ParameterOf, Scope, Values
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.refusal import Reason
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Capture


def distinct(context: FileContext, names: dict[str, Scope]) -> tuple[tuple[Capture, ...], Reason]:
    """The captured objects, each once, and why two of them may not be told apart."""
    paths = {
        name: context.analysis.identity.path(scope, ir.Name(name)) for name, scope in names.items()
    }
    roots: dict[str, list[tuple[str, str]]] = {}
    reason: Reason = ""
    holders = _optimizers(context, names, paths)
    for name in sorted(names, key=lambda n: (len(paths[n]), n in holders, n)):
        if (optimizer := holders.get(name)) is not None:
            roots.setdefault(optimizer, []).append((name, ".model"))
            continue
        holder = next((r for r in roots if paths[name][: len(paths[r])] == paths[r]), None)
        if holder is None:
            reason = reason or _shares(context, names, roots, name)
            roots.setdefault(name, [])
        elif _is_alias(context, names[name], name, holder):
            rest = paths[name][len(paths[holder]) :]
            roots[holder].append((name, "".join(f".{part}" for part in rest)))
        else:
            reason = reason or CaptureCause.IS_PART.about(name=name, holder=holder)
            roots[name] = []
    order = sorted(roots)
    return tuple(Capture(name, tuple(roots[name])) for name in order), reason


def _optimizers(
    context: FileContext, names: dict[str, Scope], paths: dict[str, tuple[str, ...]]
) -> dict[str, str]:
    """The models that were given to a ModelAndOptimizer beside them, each with that one."""
    found: dict[str, str] = {}
    for holder, scope in names.items():
        bindings = context.project.bindings(scope, holder)
        if len(bindings) != 1 or not isinstance(bindings[0], Located):
            continue
        where, made = bindings[0].scope, bindings[0].expr
        if not isinstance(made, ir.Call) or not made.args:
            continue
        if context.project.nnx_name(where, made.func) != "ModelAndOptimizer":
            continue
        model = context.analysis.identity.path(where, made.args[0])
        for name, path in paths.items():
            single = len(context.project.bindings(names[name], name)) == 1
            single = single and not _is_stored(context, holder, "model")
            if model and path == model and single:
                found[name] = holder
    return found


def _is_stored(context: FileContext, holder: str, name: str) -> bool:
    """Whether an attribute of an object is set anywhere in the file."""
    return any(
        node.attr == name
        and not isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and node.value.id == holder
        for node in context.tree.of_kind(ast.Attribute)
    )


def _is_alias(context: FileContext, scope: Scope, name: str, holder: str) -> bool:
    """Whether a name is bound to attributes of `holder`, by no other name in between."""
    bindings = context.project.bindings(scope, name)
    if len(bindings) != 1 or isinstance(bindings[0], ParameterOf):
        return False
    expr = bindings[0].expr
    while isinstance(expr, ir.Attribute):
        expr = expr.base
    return expr == ir.Name(holder)


def _shares(
    context: FileContext,
    names: dict[str, Scope],
    roots: dict[str, list[tuple[str, str]]],
    name: str,
) -> Reason:
    values = context.evaluator.values(names[name], ir.Name(name))
    identity = context.analysis.identity
    path = identity.path(names[name], ir.Name(name))
    for root in roots:
        held = identity.path(names[root], ir.Name(root))
        kept = [
            *identity.kept(names[root], ir.Name(root)),
            *identity.kept(names[name], ir.Name(name)),
        ]
        if any(each[: len(p)] == p for each in kept for p in (path, held)):
            return CaptureCause.SAME_HELD.about(name=name, other=root)
        others = context.evaluator.values(names[root], ir.Name(root))
        here, there = Located(names[name], ir.Name(name)), Located(names[root], ir.Name(root))
        if disjoint(context, values, others):
            continue
        if reason := why_together(context, here, there):
            return CaptureCause.MAY_BE_ONE.about(name=name, other=root, reason=reason)
    return ""


def _alone(values: Values) -> Values:
    """An nnx.Optimizer without the model that it was made for, which it does not keep."""
    return frozenset(
        dataclasses.replace(value, wraps=frozenset())
        if isinstance(value, Instance) and value.class_name == "flax.nnx.Optimizer"
        else value
        for value in values
    )


def disjoint(context: FileContext, values: Values, others: Values) -> bool:
    """Whether two objects hold Variables of different types alone, so that they share none."""
    one, other = (context.analysis.contents.of(_alone(v)) for v in (values, others))
    return not (one.unseen or other.unseen or one.variables & other.variables)
