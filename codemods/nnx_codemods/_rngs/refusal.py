"""Why an Rngs stays where it is."""

from __future__ import annotations

from nnx_migrate.rewrite.model.decisions import NotRewritten


class NotLifted(NotRewritten):
    """What is missing for the parts of a Module to be handed their Rngs."""
