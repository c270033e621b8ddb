"""One application of an nnx transform, in whatever spelling, and how its result is used."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping
from typing import Literal

from nnx_migrate.analysis.flax.transform_spec import TransformSpec
from nnx_migrate.analysis.flax.transforms import spec
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.sources.own_transforms import OwnTransform

Form = Literal["decorator", "call", "operands", "object", "reference"]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Site:
    """One application of a transform.

    Args:
        transform: its public name ("value_and_grad", "Module.eval").
        reference: the expression that names it (`nnx.value_and_grad`).
        form: "decorator" on a function; "call" with its function as an argument; "operands" for
            control flow, which is called with functions and what they are called with; "object" for
            a function or method that is given an object and transforms nothing; "reference" when
            the transform itself is a value that goes somewhere else.
        node: the whole expression: the decorator, or the call that takes the function.
        options: its keyword arguments, those of a partial and of the call that takes the function.
        complete: the options are all to be seen (no `**options`, no positional ones).
        function: the function that is transformed, as an expression, or the decorated definition.
        uses: the calls of the result that are known; together with `escapes` they are all uses.
        escapes: why not all uses of the result are to be seen; empty when they are.
        binding: the assignment that binds the result to a name, if one does.
        functions: of control flow, all functions that it is given, and
        branches: those of them that may change the
        operands: what they are called with, after so many
        leading: parameters of theirs.
        wrapper: the project's own transform that is applied, where it is one that is like this.
    """

    transform: str
    reference: ast.expr
    form: Form
    node: ast.expr
    options: Mapping[str, ast.expr]
    option_call: ast.Call | None
    complete: bool
    function: ast.expr | AnyFunction | None
    uses: tuple[ast.Call, ...] = ()
    escapes: str = ""
    binding: ast.Assign | None = None
    functions: tuple[ast.expr, ...] = ()
    branches: tuple[ast.expr, ...] = ()
    operands: tuple[ast.expr, ...] = ()
    leading: int = 0
    wrapper: OwnTransform | None = None

    @property
    def spec(self) -> TransformSpec:
        """What its transform is and does; nothing of it, where it is no transform."""
        return spec(self.transform)

    @property
    def written(self) -> str:
        """Its transform as messages name it: "nnx.jit", "acme.fancy_jit"."""
        if self.wrapper is not None:
            return self.wrapper.name
        return self.transform if self.spec.of_jax else f"nnx.{self.transform}"

    @property
    def bound_name(self) -> str | None:
        """The name that the result is bound to, if it is."""
        target = self.binding.targets[0] if self.binding is not None else None
        return target.id if isinstance(target, ast.Name) else None

    @property
    def decided(self) -> bool:
        """Whether the site already says its mode."""
        bound = self.wrapper.bound if self.wrapper is not None else frozenset[str]()
        return not bound.union(self.options).isdisjoint({"graph", "graph_updates"})
