"""Variables that methods are to set in place, instead of putting new ones there.

    def __call__(self, z):                def __call__(self, z):
        self.loss = Loss(jnp.mean(z))         self.loss.set_value(jnp.mean(z))

Both modes then give the value back, under the same path and type. Whoever kept the Variable that
was there sees its new value; so nothing may keep it, or somebody has to allow that.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from nnx_migrate.analysis.domain.values import short_name
from nnx_migrate.core.findings import Evidence, Finding, Outcome, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.claims import ClassClaim
from nnx_migrate.rewrite.classes.change import ClassChange
from nnx_migrate.rewrite.classes.variables.candidates import (
    ReplacedVariable,
    replaced_variables,
)
from nnx_migrate.rewrite.classes.variables.conditions import check_in_place
from nnx_migrate.rewrite.classes.variables.keepers import first_keeper
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, NotRewritten
from nnx_migrate.rewrite.model.functions import function_scopes, given_parameters
from nnx_migrate.rewrite.text.edits import Edit

#: The rule that finds what is lost in tree mode.
IN_PLACE_RULE = "structural-update"


@dataclasses.dataclass(frozen=True, slots=True)
class InPlace:
    """What becomes of the Variables that methods replace.

    Args:
        wanted: those that are set in place, by class and attribute, with what may keep the old
            one; None where nothing does.
        kept: where those are replaced that stay as they are, with what may keep the old one.
    """

    wanted: Mapping[tuple[str, str], Refusal | None] = dataclasses.field(default_factory=dict)
    kept: Mapping[Place, Refusal] = dataclasses.field(default_factory=dict)


def plan_in_place(contexts: Sequence[FileContext]) -> InPlace:
    """Decide which Variables of the classes of a project are set in place.

    Args:
        contexts: of the files that may change.
    """
    wanted: dict[tuple[str, str], Refusal | None] = {}
    kept: dict[Place, Refusal] = {}
    traced = _Traced()
    for context in contexts:
        for found in replaced_variables(context):
            places = frozenset(context.where(store) for store in found.stores)
            try:
                check_in_place(context, found)
            except NotRewritten:
                continue
            if not traced.replaces(context, places):
                continue
            keeper = first_keeper(context, found)
            if keeper is None or context.options.allows(Permission.KEPT_VARIABLES):
                wanted[found.name] = keeper
            else:
                kept |= dict.fromkeys(places, keeper)
    return InPlace(wanted, kept)


class _Traced:
    """Where functions under transforms change what they are passed, themselves or in calls.

    Each class with such a Variable asks for all sites of the project: each file is looked at once.
    """

    def __init__(self) -> None:
        self._places: dict[str, frozenset[Place]] = {}

    def replaces(self, context: FileContext, places: frozenset[Place]) -> bool:
        """Whether one of them that may run with a file changes something at one of some places."""
        module, imports = context.tree.module, context.analysis.imports
        return any(
            not places.isdisjoint(self._changed_in(context, other))
            for other in context.project.modules
            if imports.in_one_program(module, other)
        )

    def _changed_in(self, context: FileContext, module: str) -> frozenset[Place]:
        if module not in self._places:
            other = context.at(module)
            found = frozenset[Place]() if other is None else frozenset(_changed_by_sites(other))
            self._places[module] = found
        return self._places[module]


def _changed_by_sites(context: FileContext) -> Iterator[Place]:
    for site in context.finder.sites:
        if site.spec.traces or site.spec.differentiates:
            for scope in function_scopes(context, site):
                for _, name, _ in given_parameters(context, site, scope):
                    yield from (each.where for each in context.effects_of(scope, name))


def in_place_in(
    context: FileContext, wanted: Mapping[tuple[str, str], Refusal | None]
) -> Iterator[ClassChange]:
    """What makes the methods of a file set Variables in place, of those that are wanted."""
    if not wanted:
        return
    for found in replaced_variables(context):
        if found.name not in wanted:
            continue
        try:
            edits = tuple(_edit(context, store) for store in found.stores)
        except CannotEmit:
            continue
        first = min(store.lineno for store in found.stores)
        last = max(store.end_lineno or store.lineno for store in found.stores)
        yield ClassChange(first, last, edits, _finding(context, found, wanted[found.name]))


def _edit(context: FileContext, store: ast.Assign) -> Edit:
    assert isinstance(store.value, ast.Call)
    target, func = context.text.span(store.targets[0]), context.text.span(store.value.func)
    return Edit(target[1], func[1], ".set_value")


def _finding(context: FileContext, found: ReplacedVariable, keeper: Refusal | None) -> Finding:
    store = found.stores[0]
    line, column = context.text.line_and_column(context.text.span(store)[0])
    name, where = short_name(found.of), context.where(store)
    message = (
        f"{name} sets {found.attribute} in place, because tree mode does not keep new Variables"
        f"{Permission.KEPT_VARIABLES.told if keeper is not None else ''}"
    )
    if keeper is None:
        claim = str(ClassClaim.NOTHING_KEEPS.about(attribute=found.attribute, name=name))
        evidence = Evidence(claim, Proof.PROVED, where)
    else:
        evidence = Evidence(str(keeper), Proof.ASSUMED, where, Permission.KEPT_VARIABLES)
    return Finding(IN_PLACE_RULE, line, column, Outcome.REWRITTEN, message, (evidence,))
