"""A codemod that visits everything and changes nothing: what LibCST's own runner costs at least."""

from __future__ import annotations

from libcst.codemod import VisitorBasedCodemodCommand


class NoopCommand(VisitorBasedCodemodCommand):
    """Changes nothing."""

    DESCRIPTION = "Changes nothing."
