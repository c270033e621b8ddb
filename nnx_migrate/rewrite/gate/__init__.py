"""The gate that a rewritten file has to pass before it may replace the old one."""
