"""Not written yet."""

from __future__ import annotations

from nnx_migrate.rewrite.rule import Rule

RULE = Rule("transform-metadata", frozenset(), lambda context, site: None)
