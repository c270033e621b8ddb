"""An object from outside that a traced function uses: `nnx.while_loop(cond, body, x)` over `self`.

What it finds
-------------
Functions of `nnx.while_loop` and `nnx.fori_loop` that use a Module, Rngs, Optimizer, Metric or
Variable of the code around them (a local, a parameter, `self`) without being given it.

Why it matters
--------------
Inside a transform such an object may be read, in both modes, and nothing else. To update it (a
dropout key, batch statistics, a counter) raises TraceContextError in both modes; to hand it to
another transform in there (layers that are scanned or rematerialised) raises in graph mode, and in
tree mode where that transform writes back (SEMANTICS 20).

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

When it is safe
---------------
When nothing else that the loop carries shares a Variable with the object, the functions of the loop
are used by it alone, and no other transform around them captures the object too.

What it does otherwise
----------------------
An object that is only read works in both modes and stays as it is; `--select captured-module` asks
for the rewrite all the same. What raises in both modes and cannot be rewritten is for a person to
do; the finding says why. All else is left as it is.

Reference: https://github.com/google/flax/issues/4819
"""

from __future__ import annotations

from codemods._captures import Captured, captured_by
from codemods._carried import obstacle, overlap
from nnx_migrate.facts.sites import Site
from nnx_migrate.outcomes import Evidence, Proof
from nnx_migrate.rewrite.carrying import carry_edits
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.plan import CannotEmit, Contribution, Decision, Manual, Same
from nnx_migrate.rewrite.rule import Rule


def decide(context: FileContext, site: Site) -> Decision | None:
    if site.form != "operands" or site.transform not in _LOOPS:
        return None
    captured = captured_by(context, site)
    if captured is None or not captured.objects:
        return None
    asked = context.options.select is not None and RULE.name in context.options.select
    if not captured.uses and not asked:
        return _only_read(captured)
    names = " and ".join(each.name for each in captured.objects)
    uses = sorted(captured.uses, key=lambda use: (not use.certain, use.where, use.what))
    evidence = [Evidence(f"{names}: {use.what}", Proof.PROVED, use.where) for use in uses[:3]]
    reason = _reason(context, site, captured, evidence)
    if reason:
        return _left(captured, reason, tuple(evidence))
    message = f"{names} from outside became part of the carry"
    return Contribution(RULE.name, message, tuple(evidence), captures=captured.objects)


def _only_read(captured: Captured) -> Decision | None:
    if captured.unseen:
        return None
    return Same(RULE.name, "what the loop captures is only read, which works in both modes")


def _reason(context: FileContext, site: Site, captured: Captured, evidence: list[Evidence]) -> str:
    """Why the object cannot be carried; empty when it can."""
    reason = captured.obstacle or obstacle(
        context, site, captured, lambda other: _carried(context, other)
    )
    if reason:
        return reason
    shared = overlap(context, site, captured)
    if shared is not None:
        evidence.append(shared)
        if shared.proof is not Proof.ASSUMED or not context.options.unsafe:
            return shared.claim
    try:
        carry_edits(context, site, captured.objects)
    except CannotEmit as error:
        return str(error)
    return ""


def _carried(context: FileContext, site: Site) -> set[str]:
    """The names of what a loop is going to carry."""
    decision = decide(context, site)
    captures = decision.captures if isinstance(decision, Contribution) else ()
    return {name for capture in captures for name, _ in capture.ways()}


def _left(captured: Captured, reason: str, evidence: tuple[Evidence, ...]) -> Decision | None:
    """Left as it is; where it raises in both modes, a person has to know."""
    certain = [use for use in captured.uses if use.kind == "update" and use.certain]
    if not certain:
        return None
    use = min(certain, key=lambda use: (use.where, use.what))
    names = " and ".join(each.name for each in captured.objects)
    return Manual(
        RULE.name,
        f"the loop captures {names} and updates what it captures ({use.what}, {use.where}), which "
        f"raises in both modes; carry it instead. Not done here: {reason}",
        evidence,
    )


_LOOPS = frozenset({"while_loop", "fori_loop"})
RULE = Rule("captured-module", _LOOPS, decide)
