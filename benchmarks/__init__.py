"""Measurements of nnx-migrate against its budgets; `python -m benchmarks.run --help`."""
