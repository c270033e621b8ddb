"""What rules want done at a site: facts in, contributions out, one plan a site."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection, Mapping
from typing import Literal

from nnx_migrate.core.findings import Evidence
from nnx_migrate.rewrite.model.function_rewrite import FunctionRewrite


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
        checked: what the function does to the structure is not proved: what is written raises,
            when it is traced, where the function changes that.
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
class Read:
    """A place that reads what was sown.

    Args:
        node: the expression.
        filter: of what takes all of it (`nnx.state(model, T)`), the filter.
        path: of what looks one value up (`model.blocks[0].h`), source text of the keys.
    """

    node: ast.expr
    filter: ast.expr | None
    path: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Popper:
    """A function that pops what is sown on its first argument, and uses that for nothing else.

    Args:
        pop: the call of `nnx.pop` in it.
    """

    function: ast.FunctionDef
    pop: ast.Call


@dataclasses.dataclass(frozen=True, slots=True)
class CapturedCall:
    """A call of the transformed function, and the `nnx.pop` that takes what it sowed.

    Args:
        before: the call is part of an expression, and is to be made before its statement.
        passed_on: what is called is a function between, which returns the State too.
        reads: in the place of the pop, all reads of it.
        module: of the file that it stands in.
        parts: where several types are sown, for each filter of the pop the places of its types
            among them.
        popper: the function that pops, and is to be given the State; the pop is the call of it.
        wanted: the filters of the pop, where they are not its other arguments.
    """

    use: ast.Call
    pop: ast.Call | None
    before: bool = False
    passed_on: bool = False
    reads: tuple[Read, ...] = ()
    module: str = ""
    parts: tuple[tuple[int, ...], ...] = ()
    popper: Popper | None = None
    wanted: tuple[ast.expr, ...] = ()

    @property
    def filters(self) -> tuple[ast.expr, ...]:
        """The filters by which it is taken."""
        if self.wanted:
            return self.wanted
        if self.pop is not None:
            return tuple(self.pop.args[1:])
        return tuple(read.filter for read in self.reads if read.filter is not None)

    @property
    def taken(self) -> ast.expr:
        """What takes it first."""
        if self.popper is not None and self.pop is not None:
            return self.pop.args[0]
        return self.pop or self.reads[0].node


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """Calls that sow one after the other, and the pop that takes it all.

    Args:
        start: the first statement that they are in, in the block of the pop.
        pops: where these stand between the calls, or under conditions, all of them.
    """

    start: ast.stmt
    calls: tuple[CapturedCall, ...]
    pop: ast.Call
    pops: tuple[ast.Call, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class PassedOn:
    """A function between the transform and the pops, which returns the State too.

    Args:
        use: its one call of what the transform gives, or of another such function.
        returned: the return statement to extend; None when that returns the call itself.
        passed_on: what is called is another such function.
        before: the call is part of an expression, and is to be made before its statement.
        module: of the file that it stands in.
    """

    use: ast.Call
    returned: ast.Return | None
    passed_on: bool = False
    before: bool = False
    module: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class SownType:
    """A type of what is sown.

    Args:
        name: a name after `nnx.`, or one of the file.
        of_library: it is one after `nnx.`.
    """

    name: str
    of_library: bool

    def source(self, nnx: str) -> str:
        """Source text of it."""
        return f"{nnx}.{self.name}" if self.of_library else self.name


@dataclasses.dataclass(frozen=True, slots=True)
class CapturePlan:
    """What the function sows on its first argument becomes a second result.

    Args:
        types: what it sows, subclasses first; each is a result of its own.
        calls: all calls of it, or of the function that passes it on.
        passes: of a loss, the calls in it that sow, which alone go under capture; the State is an
            auxiliary output. None when all of the function does, and the State is a second result.
        passed_on: the functions between, through which it comes out.
        runs: where several calls go before one pop, all calls by the pops behind them; what was
            sown before is then an argument of the function.
        around_calls: capture goes around what each call runs, and not around the function.
        in_pair: the State joins the second one of a pair that the function returns.
        options: new source text of options of the transform.
    """

    types: tuple[SownType, ...]
    calls: tuple[CapturedCall, ...]
    passes: tuple[ast.Call, ...] = ()
    passed_on: tuple[PassedOn, ...] = ()
    runs: tuple[Run, ...] = ()
    around_calls: bool = False
    in_pair: bool = False
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def modules(self) -> frozenset[str]:
        """The files that change with it."""
        calls = frozenset(call.module for call in self.calls)
        return calls | frozenset(each.module for each in self.passed_on)

    def filters(self, nnx: str) -> str:
        """Source text of the types, as arguments of `nnx.capture`."""
        return ", ".join(each.source(nnx) for each in self.types)

    def within(self, module: str) -> CapturePlan:
        """The part of it that is done in one file."""
        calls = tuple(each for each in self.calls if each.module == module)
        passed_on = tuple(each for each in self.passed_on if each.module == module)
        return dataclasses.replace(self, calls=calls, passed_on=passed_on)


@dataclasses.dataclass(frozen=True, slots=True)
class PerturbedCall:
    """A call of a gradient with respect to what its Module perturbs.

    Args:
        first: the forward pass before it, which makes the perturbations.
        pop: what takes them off the object again; None when nothing sees them on it.
        parts: the statement that takes the gradients apart, if there is one; else they are put
            together again.
    """

    first: ast.Call
    use: ast.Call
    pop: ast.stmt | None
    parts: ast.Assign | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class PerturbPlan:
    """The perturbations of a Module become an argument of its own, differentiated like it.

    Args:
        definition: the function that is differentiated.
        place: that of the Module among its arguments, behind which the perturbations go.
        forward: the call in it that perturbs.
        alone: nothing else of the Module is differentiated.
    """

    definition: ast.FunctionDef | ast.Lambda
    place: int
    forward: ast.Call
    calls: tuple[PerturbedCall, ...]
    alone: bool


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
class Splits:
    """Arguments that are passed, and results that are returned, as States.

    Args:
        carry: how the States with axis Carry join the carry of a scan.
    """

    arguments: tuple[ArgumentSplit, ...]
    returns: tuple[ReturnSplit, ...] = ()
    carry: CarryPlan | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Clones:
    """Arguments, by their places, that the function is to work on copies of."""

    places: tuple[int, ...]


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


#: What is done at a site before anything else is: that is planned anew by the text that it leaves.
Alone = Captures | CapturePlan | PerturbPlan | Replacement | StateOutside | FunctionRewrite
#: What is to be done at a site; these are put together, and what is alone has a way of its own.
Change = Splits | Clones | Metadata | Alone


@dataclasses.dataclass(frozen=True, slots=True)
class Contribution:
    """What one rule wants changed at one site.

    Args:
        change: what; None where nothing but options do.
        options: new source text of the transform's keyword arguments; None removes one.
        settles: rules whose pins at the site have no reason any more when this is done.
        drop: names whose binding is no longer needed when this is done.
    """

    rule: str
    message: str
    evidence: tuple[Evidence, ...] = ()
    change: Change | None = None
    options: Mapping[str, str | None] = dataclasses.field(default_factory=dict)
    settles: frozenset[str] = frozenset()
    drop: tuple[str, ...] = ()

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
    """

    rule: str
    reason: str
    evidence: tuple[Evidence, ...] = ()
    outward: bool = False
    bare: bool = False
    sows: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Same:
    """The site was proved not to depend on the mode."""

    rule: str
    reason: str
    evidence: tuple[Evidence, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Manual:
    """Neither rewritten nor pinned: a person has to decide.

    Args:
        blocks: until then no other rule may rewrite the site.
    """

    rule: str
    reason: str
    evidence: tuple[Evidence, ...] = ()
    blocks: bool = True


Decision = Contribution | Pin | Same | Manual


class NotRewritten(Exception):
    """Something cannot be rewritten, for the reason that it gives."""


class CannotEmit(NotRewritten):
    """The code around a site has no place for the rewrite; the site is pinned with this reason."""
