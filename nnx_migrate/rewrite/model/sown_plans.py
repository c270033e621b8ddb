"""What becomes of values that are sown: who pops them, and what is put in the place of that."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping


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
class PutBack:
    """What the function sows is popped at its end, and put back behind the one call of it.

    Args:
        function: the function that is transformed.
        parameter: its name for the object.
        use: the call, of the transform's result or of what splits Rngs around that.
        given: the object in it.
        types: what is sown.
        in_pair: the State joins the second one of a pair that the function returns.
        by_axes: StateAxes give the axes, so that the function is to become another one after this.
        options: new source text of options of the transform.
    """

    function: ast.Lambda | ast.FunctionDef
    parameter: str
    use: ast.Call
    given: ast.expr
    types: tuple[SownType, ...]
    in_pair: bool = False
    by_axes: bool = False
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)


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
