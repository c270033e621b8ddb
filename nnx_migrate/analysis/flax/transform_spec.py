"""What is to be known of a transform: the fields of an entry of the registry (`transforms.py`)."""

from __future__ import annotations

import dataclasses
from typing import Literal

from nnx_migrate.analysis.flax.model import ModeDependentFunction, mode_dependent_functions


@dataclasses.dataclass(frozen=True, slots=True)
class ControlFlow:
    """How a control-flow function is called, by places of its arguments.

    Args:
        parameters: names of its first parameters.
        functions: the functions that it calls.
        changing: those of them whose changes of the operands are kept.
        start: where the operands begin.
        leading: how many parameters the functions have in front of them.
        carried: the place of what it carries from one step to the next, if it is a loop.
        listed: its functions stand in one list.
        rebinds: a step may put other Variables of their kind into what is carried, in both modes.
    """

    parameters: tuple[str, ...]
    functions: tuple[int, ...]
    changing: tuple[int, ...]
    start: int
    leading: int = 0
    carried: int | None = None
    listed: bool = False
    rebinds: bool = False


#: What the call of a transformed function gives: what the function does, something that nothing is
#: known of, its gradient, its value and gradient, or an error and its value.
Result = Literal["own", "unknown", "gradient", "value and gradient", "error and own"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class TransformSpec:
    """One transform of flax.nnx or jax, or a function that is used like one.

    Everything that the analysis, the rewriting and the rules ask of a transform is a field here, so
    that none of them names one. `docs/developers/transforms.md` lists the answers.

    Args:
        name: its public name, as sites have it: "jit" of nnx, "jax.lax.scan" of jax.
        is_site: every use of it is looked at.
        gives_function: what a call of it gives can be called like the function that it is given.
        calls_at_once: it is given what it calls the function with, too.
        result: what a call of the transformed function gives.
        traces: the function runs on tracers, and what it does to an object that it is given passes
            the boundary of the transform by the object's Variables (tree mode) or as graph updates.
        compiles: it keeps what it compiled for the function.
        checks_trace_level: graph mode raises for an object of another trace level that it is given.
        maps_axes: it has `in_axes` and `out_axes`.
        places: it has options that say where arrays go, of these names: for inputs, for outputs.
        donates: it has options for arguments that it may overwrite, by number and by name.
        carries: what a step gives back is what the next one is given.
        iterates: it runs the function once for each element.
        differentiates: it gives derivatives of the function, for nnx by `argnums=` and a filter.
        inspects: it tells what the function would give, and leaves what it is given as it is.
        binds: arguments that follow the function are bound to it.
        splits_rngs: it splits the Rngs of an object, in place when called on one, and for a
            function on a copy.
        collects: what is sown under it is a part of the result (nnx.capture).
        names_axes: it says of Variables which axis another transform adds.
        sets_mode: it is called with a mode, and gives what is called on the function.
        has_passes: the passes are functions of their own, given by `defvjp`.
        gives_back: what the function returns comes back, with no more than a new axis in front.
        stacks: it can stand around another transform with all objects passed through both.
        keeps_keywords: what is passed by keyword reaches the function so.
        by_place: when it matters to tree mode that arguments are passed by place: never, for an
            argument without an axis ("axes"), with static_argnums ("static"), always ("keywords").
        plain_options: options that leave alone which arguments there are, and what happens to what
            the function sows.
        shared_options: of one that jax has too: options that mean the same to both.
        twin: of one of jax: the transform of nnx that is called in the same way.
        becomes: of one of jax: the transform of nnx that does the same, called in another way.
        operands: of control flow: how it is called.
        lambda_name: what a lambda is called when it has to become a definition.
        participle: what a function under it is, in names ("vmapped").
    """

    name: str
    is_site: bool = True
    gives_function: bool = True
    calls_at_once: bool = False
    result: Result = "own"
    traces: bool = False
    compiles: bool = False
    checks_trace_level: bool = False
    maps_axes: bool = False
    places: tuple[str, str] | None = None
    donates: bool = False
    carries: bool = False
    iterates: bool = False
    differentiates: bool = False
    inspects: bool = False
    binds: bool = False
    splits_rngs: bool = False
    collects: bool = False
    names_axes: bool = False
    sets_mode: bool = False
    has_passes: bool = False
    gives_back: bool = False
    stacks: bool = False
    keeps_keywords: bool = False
    by_place: Literal["never", "axes", "static", "keywords"] = "never"
    plain_options: frozenset[str] = frozenset()
    shared_options: frozenset[str] = frozenset()
    twin: str = ""
    becomes: str = ""
    operands: ControlFlow | None = None
    lambda_name: str = "fn"
    participle: str = ""

    @property
    def of_jax(self) -> bool:
        """Whether it is one of jax, by its absolute name."""
        return self.name.startswith("jax.")

    @property
    def row(self) -> ModeDependentFunction | None:
        """What flax itself says of it: its parameters, `graph=`, whether it is in `compat`."""
        return None if self.of_jax else mode_dependent_functions().get(f"flax.nnx.{self.name}")

    @property
    def carried(self) -> int | None:
        """Of control flow: the place of what it carries, if it is a loop."""
        return None if self.operands is None else self.operands.carried

    @property
    def is_loop(self) -> bool:
        """Whether it is control flow that carries something from one step to the next."""
        return self.carried is not None

    @property
    def has_value(self) -> bool:
        """Whether a derivative comes with the value of the function."""
        return self.result == "value and gradient"
