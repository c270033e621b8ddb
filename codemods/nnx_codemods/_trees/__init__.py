"""Objects that are no pytrees, and containers that are."""
