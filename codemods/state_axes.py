"""Not written yet."""

from __future__ import annotations

from nnx_migrate.rewrite.rule import Rule

RULE = Rule("state-axes", frozenset(), lambda context, site: None)
