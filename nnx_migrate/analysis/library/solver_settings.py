"""Classes of diffrax whose objects say how to solve an equation, and hold no part of a model.

What diffrax calls back (`diffrax.ODETerm(model)`, `args=model`) is none of them.
"""

from __future__ import annotations

#: What a parameter is annotated with that any of them may be passed for.
ABSTRACT_SETTINGS = frozenset(
    f"diffrax.{name}"
    for name in (
        "AbstractAdaptiveSolver",
        "AbstractAdjoint",
        "AbstractDIRK",
        "AbstractERK",
        "AbstractESDIRK",
        "AbstractImplicitSolver",
        "AbstractItoSolver",
        "AbstractRungeKutta",
        "AbstractSDIRK",
        "AbstractSolver",
        "AbstractStepSizeController",
        "AbstractStratonovichSolver",
    )
)
#: What makes one, of plain values alone.
MAKING_SETTINGS = frozenset(
    f"diffrax.{name}"
    for name in (
        "BacksolveAdjoint",
        "Bosh3",
        "ConstantStepSize",
        "DirectAdjoint",
        "Dopri5",
        "Dopri8",
        "Euler",
        "EulerHeun",
        "ForwardMode",
        "HalfSolver",
        "Heun",
        "ImplicitAdjoint",
        "ImplicitEuler",
        "ItoMilstein",
        "KenCarp3",
        "KenCarp4",
        "KenCarp5",
        "Kvaerno3",
        "Kvaerno4",
        "Kvaerno5",
        "LeapfrogMidpoint",
        "Midpoint",
        "PIDController",
        "Ralston",
        "RecursiveCheckpointAdjoint",
        "ReversibleHeun",
        "SPaRK",
        "SRA1",
        "SemiImplicitEuler",
        "ShARK",
        "Sil3",
        "SlowRK",
        "StepTo",
        "StratonovichMilstein",
        "Tsit5",
    )
)
