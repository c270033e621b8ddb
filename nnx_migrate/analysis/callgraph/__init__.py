"""Who calls what: call sites, call targets, methods that syntax runs."""
