"""Why what is sown, or perturbed, does not become a result."""

from __future__ import annotations

from nnx_migrate.rewrite.model.decisions import NotRewritten


class NotCaptured(NotRewritten):
    """What is missing for what a function sows to become a result."""
