"""How code changes: plans, edits, layout, the gate. Knows no rule."""
