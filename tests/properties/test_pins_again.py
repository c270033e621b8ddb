"""Golden programs that were pinned before: pins that are needed stay, all others go again.

The text that a program ends with does not depend on what an earlier version had pinned of it.
"""

from __future__ import annotations

import dataclasses
import functools

import pytest

import nnx_migrate.engine.migrate
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.active_rules import active_rules
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Contribution, Decision, Pin
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.sources.configuration import Options
from tests.golden.cases import Case, all_cases
from tests.golden.migration import migrate_tree, options_for

#: What is spelled or laid out otherwise once it was pinned.
_OTHERWISE = {
    "broadcast-state/named-tuple": "the pin puts its arguments on lines of their own",
    "module-gradient/from-import": "the pin is by another name for nnx",
    "module-gradient/named-elsewhere": "the pin is by another name for nnx",
    "shared-reference/keeps-a-state": "a pin that is needed stays, with all its setters",
    "sown-intermediates/read-by-place": "the pin puts its arguments on lines of their own",
    "state-sharding/bound-transform": "a rule that the case leaves out keeps its pin",
    "state-sharding/jit-both": "a rule that the case leaves out keeps its pin",
    "state-sharding/jit-in-shardings": "a rule that the case leaves out keeps its pin",
    "structural-update/private-names": "the pin is by another name for nnx",
    "transform-metadata/call-form": "one line that was too long before it was pinned",
}


def _pinned_before(case: Case) -> bool:
    return any(b"compat." in data or b"graph=True" in data for data in case.files("after").values())


@pytest.mark.parametrize("case", [*filter(_pinned_before, all_cases())], ids=lambda case: case.name)
@pytest.mark.parametrize("unpin", [None, True])
def test_pins_that_are_needed_stay_byte_for_byte(case: Case, unpin: bool | None) -> None:
    files = case.files("after")
    options = dataclasses.replace(options_for(case.expectation()), unpin=unpin)
    results = migrate_tree(files, options)
    assert {name: result.after for name, result in results.items()} == files
    assert all(pin.needed for result in results.values() for pin in result.pins)


def _pinning(options: Options) -> list[Rule]:
    """The rules of a version that rewrites nothing."""

    def decide(rule: Rule, context: FileContext, site: Site) -> Decision | None:
        decision = rule.decide(context, site)
        if isinstance(decision, Contribution) and not site.spec.of_jax:
            return Pin(rule.name, "it is not rewritten", decision.evidence)
        return decision

    rules = active_rules(options)
    return [dataclasses.replace(rule, decide=functools.partial(decide, rule)) for rule in rules]


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_all_others_go_again(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    options, before = options_for(case.expectation()), case.files("before")
    with monkeypatch.context() as patch:
        patch.setattr(nnx_migrate.engine.migrate, "active_rules", _pinning)
        pinned = {name: result.after for name, result in migrate_tree(before, options).items()}
    again = migrate_tree(pinned, dataclasses.replace(options, unpin=True))
    same = {name: result.after for name, result in again.items()} == case.files("after")
    assert same != (case.name in _OTHERWISE)
