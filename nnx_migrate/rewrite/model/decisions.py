"""What rules want done at a site: facts in, contributions out, one plan a site."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection, Mapping
from typing import Literal

from nnx_migrate.core.findings import Evidence, Outcome, Proof
from nnx_migrate.core.refusal import Cause, Reason, Refusal
from nnx_migrate.rewrite.model.function_rewrite import FunctionRewrite
from nnx_migrate.rewrite.model.lifted_rngs import FirstKeeps, LiftedRngs
from nnx_migrate.rewrite.model.sown_plans import CapturePlan, PerturbPlan, PutBack


@dataclasses.dataclass(frozen=True, slots=True)
class ArgumentSplit:
    """A Module argument that is passed as States and merged again inside the function.

    Args:
        index: its place among the function's positional arguments.
        filters: source text of the filters, `...` last: the arguments of `nnx.split`.
        placement: "together": all States take the argument's place; "apart": the first one does
            and the others follow the last argument that is split (so argnums stay what they are).
        clone: which of the States are copied before they are merged, because the updates that
            the function makes to them must not be kept (docs/semantics.md: SCN-2).
        carried: which of the States go into the carry of a scan.
        with_graphdef: the graphdef is passed too, because the transform keeps what it compiled.
        behind: the place of an argument that is not split, where the others are to follow that too.
        checked: the structure is not proved to stay: what is written raises where it changes.
    """

    index: int
    filters: tuple[str, ...]
    placement: Literal["together", "apart"] = "together"
    names: tuple[str, ...] = ()
    clone: tuple[bool, ...] = ()
    carried: tuple[bool, ...] = ()
    with_graphdef: bool = False
    behind: int = 0
    checked: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class ReturnSplit:
    """A Module that the function makes and returns: returned as States, merged again outside.

    Args:
        place: its place in the tuple that the function returns; None when it is all of the result.
        filters: source text of the filters.
    """

    place: int | None
    filters: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class CarryPlan:
    """A scan whose carry takes States in.

    Args:
        place: the place of the carry among the arguments; None for a scan that had none.
        alone: the function returns the carry alone, not (carry, outputs).
    """

    place: int | None
    alone: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Metadata:
    """An `nnx.transform_metadata` to put directly around the function.

    Args:
        partition: source text of the name of the axis.
        axes: source text of in_axes and out_axes, for those that are not the default.
    """

    partition: str
    axes: Mapping[str, str]


@dataclasses.dataclass(frozen=True, slots=True)
class Capture:
    """An object that a traced function captures, and is to be given explicitly.

    Args:
        name: the name that it has around the function, and in it.
        aliases: other names for it or for a part of it, each with the attributes that lead there
            (".layer").
        updated: it may be updated, so that a scan has to carry it: what it broadcasts it restores.
    """

    name: str
    aliases: tuple[tuple[str, str], ...] = ()
    updated: bool = True

    def ways(self) -> tuple[tuple[str, str], ...]:
        """Every name by which the function may read it, with the attributes behind it."""
        return ((self.name, ""), *self.aliases)

    def lines(self, read: Collection[str]) -> list[str]:
        """Statements that bind those of its other names that are read."""
        return [f"{alias} = {self.name}{rest}" for alias, rest in self.aliases if alias in read]


@dataclasses.dataclass(frozen=True, slots=True)
class StateOutside:
    """A model that the function makes and returns with its State: it returns the model alone.

    Args:
        returned: what it returns.
        model: what it calls the model.
        filters: source text of what is taken of the State.
        uses: each call of it, with the names that it binds.
        unread: the statement in it that takes the State, where nothing else reads that.
    """

    returned: ast.Tuple
    model: str
    filters: tuple[str, ...]
    uses: tuple[tuple[ast.Assign, ast.Name, ast.Name], ...]
    unread: ast.Assign | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class ReturnedAgain:
    """Objects that the function is given and returns, which its callers have anyway.

    Args:
        returns: what it returns at each place.
        uses: the statements that call it and bind its result; other calls throw it away.
        dropped: where the objects stand in what is returned, by their places in nested tuples.
        twin: a private name for the function, beside which one that returns all has its name.
    """

    function: ast.FunctionDef
    returns: tuple[ast.Return, ...]
    uses: tuple[ast.Assign, ...]
    dropped: frozenset[tuple[int, ...]]
    twin: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class OperandsAgain:
    """Operands that the branches of a conditional return, and that their names stand for anyway.

    Args:
        branches: all of them.
        use: the statement that binds what the conditional gives; None where nothing does.
        dropped: as of `ReturnedAgain`.
    """

    branches: tuple[ast.FunctionDef | ast.Lambda, ...]
    use: ast.Assign | None
    dropped: frozenset[tuple[int, ...]]


@dataclasses.dataclass(frozen=True, slots=True)
class OwnedArgument:
    """A parameter that the function is to read from another one, which holds it.

    Args:
        parameter: its name.
        source: what it is read from, `optimizer.model`.
        calls: all calls of the function, and
        dropped: what each of them passes for it.
    """

    function: ast.FunctionDef
    parameter: str
    source: str
    calls: tuple[ast.Call, ...]
    dropped: tuple[ast.expr, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class PlacedCall:
    """A call that is to pass by place what a function has defaults or keywords for.

    Args:
        passed: what follows the arguments that have their places, in the order of the parameters:
            a keyword that loses its name, or the source text of a default.
    """

    call: ast.Call
    passed: tuple[ast.keyword | str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ByPlace:
    """All calls of a function that pass something by keyword, or leave something out."""

    calls: tuple[PlacedCall, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Splits:
    """Arguments that are passed, and results that are returned, as States.

    Args:
        carry: how the States with axis Carry join the carry of a scan.
        watched: places of arguments that are passed as they are, and not split: what is written
            raises, when it is traced, where the function changes their structure.
    """

    arguments: tuple[ArgumentSplit, ...]
    returns: tuple[ReturnSplit, ...] = ()
    carry: CarryPlan | None = None
    watched: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Clones:
    """Arguments, by their places, that the function is to work on copies of."""

    places: tuple[int, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class HoistedCall:
    """A call of a function, and what it passes for each parameter of which something is set."""

    use: ast.Call
    given: Mapping[str, ast.expr]


@dataclasses.dataclass(frozen=True, slots=True)
class Hoist:
    """Statements of a function that are to stand before each call of it.

    Args:
        statements: each with the parameter that it sets something of, as it is named there.
        calls: all calls.
        stay: they stay in the function, too, because other code traces it.
    """

    statements: Mapping[ast.stmt, ast.Name]
    calls: tuple[HoistedCall, ...]
    stay: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Replacement:
    """A function of the standard library in the place of the transform.

    Args:
        callee: its name, "functools.partial".
        copied: places of its arguments that it is to be given copies of, which share their
            Variables.
    """

    callee: str
    copied: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Captures:
    """Objects from outside that the function is to be given."""

    objects: tuple[Capture, ...]


#: What is done at a site before anything else is: that is planned again by the text that it leaves.
Alone = (
    ByPlace
    | Captures
    | CapturePlan
    | FirstKeeps
    | LiftedRngs
    | OperandsAgain
    | OwnedArgument
    | PerturbPlan
    | PutBack
    | Replacement
    | ReturnedAgain
    | StateOutside
    | FunctionRewrite
)
#: What is to be done at a site; these are put together, and what is alone has a way of its own.
Change = Splits | Clones | Metadata | Hoist | Alone


@dataclasses.dataclass(frozen=True, slots=True)
class Contribution:
    """What one rule wants changed at one site.

    Args:
        change: what; None where nothing but options do.
        options: new source text of the transform's keyword arguments; None removes one.
        settles: rules whose pins at the site have no reason any more when this is done.
        drop: names whose binding is no longer needed when this is done.
        unchecked: the same without a check in the new code, where it may stand on what runs have
            shown if there is no place for the check; None where it may not.
    """

    rule: str
    message: Reason
    evidence: tuple[Evidence, ...] = ()
    change: Change | None = None
    options: Mapping[str, str | None] = dataclasses.field(default_factory=dict)
    settles: frozenset[str] = frozenset()
    drop: tuple[str, ...] = ()
    unchecked: Contribution | None = None

    @property
    def outcome(self) -> Outcome:
        """How the site ends when this is done."""
        checks = any(each.proof is Proof.CHECKED for each in self.evidence)
        return Outcome.REWRITTEN_CHECKED if checks else Outcome.REWRITTEN

    @property
    def told(self) -> str:
        """Its message, and what happens where something that it assumes is not so."""
        assumed = dict.fromkeys(e.permission for e in self.evidence if e.permission is not None)
        return str(self.message) + "".join(each.told for each in assumed)

    @property
    def captures(self) -> tuple[Capture, ...]:
        """The objects from outside that the function is to be given."""
        return self.change.objects if isinstance(self.change, Captures) else ()


@dataclasses.dataclass(frozen=True, slots=True)
class Pin:
    """The site must stay in graph mode.

    Args:
        outward: the transforms around it must stay in graph mode with it, because what the function
            does to the object does not pass a tree-mode boundary (docs/semantics.md: MIX-3).
        bare: nothing runs inside; the `compat` name alone is the pin.
        sows: it must because of values that are sown, or may be.
        sharing: it must because tree mode does not take the objects as they are, and not because of
            what is done to them.
        stays: later runs are to leave it, too, which takes a comment where they would not.
        ways_out: what makes it needless, the likeliest first; none for what the rule says of all.
    """

    rule: str
    reason: Reason
    evidence: tuple[Evidence, ...] = ()
    outward: bool = False
    bare: bool = False
    sows: bool = False
    sharing: bool = False
    stays: bool = False
    ways_out: tuple[Reason, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Same:
    """The site was proved not to depend on the mode."""

    rule: str
    reason: Reason
    evidence: tuple[Evidence, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Manual:
    """Neither rewritten nor pinned: a person has to decide.

    Args:
        blocks: until then no other rule may rewrite the site.
        ways_out: what to do, the likeliest first; none for what the reason, or the rule, says.
    """

    rule: str
    reason: Reason
    evidence: tuple[Evidence, ...] = ()
    blocks: bool = True
    ways_out: tuple[Reason, ...] = ()


Decision = Contribution | Pin | Same | Manual


class OwnWords(Cause):
    """A refusal of a plugin that has no table of causes."""

    SAID = "{words}"


class NotRewritten(Exception):
    """Something cannot be rewritten, for the reason that it gives.

    Args:
        why: the refusal, or its cause where that says all; a plugin may say it in words.
    """

    def __init__(self, why: Reason) -> None:
        if isinstance(why, str):
            why = OwnWords.SAID.about(words=why)
        self.refusal = Refusal(why) if isinstance(why, Cause) else why
        super().__init__(str(self.refusal))


class CannotEmit(NotRewritten):
    """The code around a site has no place for the rewrite; the site is pinned with this reason."""
