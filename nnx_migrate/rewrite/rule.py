"""What a rule is: a name, the transforms it looks at, and a decision at each of their sites."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from nnx_migrate.facts.sites import Site
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.plan import Decision


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """A codemod. The docstring of the module that makes it is its manual page.

    Args:
        name: named after what is found, not after what is done ("state-axes").
        transforms: public names of the transforms whose sites it wants to see.
        decide: the decision at a site; None when the site is not its concern.
    """

    name: str
    transforms: frozenset[str]
    decide: Callable[[FileContext, Site], Decision | None]
