"""Patches and pull requests: a migration in parts that are reviewed on their own."""
