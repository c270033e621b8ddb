"""What becomes of values that are sown: who pops them, and what is put in the place of that."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True, slots=True)
class CapturedCall:
    """A call of the transformed function, and the `nnx.pop` behind it that takes what it sowed."""

    use: ast.Call
    pop: ast.Call


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
        type: what it sows.
        calls: all calls of it.
        forward: of a loss, the call in it that sows, which alone goes under capture; the State is
            an auxiliary output. None when all of the function does, and it is a second result.
        in_pair: the State joins the second one of a pair that the loss returns.
        options: new source text of options of the transform.
    """

    type: SownType
    calls: tuple[CapturedCall, ...]
    forward: ast.Call | None = None
    in_pair: bool = False
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class PutBack:
    """What the function sows is popped at its end, and put back behind each call of it.

    Args:
        function: the function that is transformed.
        parameter: its name for the object.
        place: that of the object among the arguments.
        uses: the calls, of the transform's result or of what splits Rngs around that.
        types: what is sown.
        in_pair: the State joins the second one of a pair that the function returns.
        by_axes: StateAxes give the axes, so that the function is to become another one after this.
        options: new source text of options of the transform.
        twin: a private name for the result, beside which a function that puts back has its name.
    """

    function: ast.Lambda | ast.FunctionDef
    parameter: str
    place: int
    uses: tuple[ast.Call, ...]
    types: tuple[SownType, ...]
    in_pair: bool = False
    by_axes: bool = False
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    twin: str = ""


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
