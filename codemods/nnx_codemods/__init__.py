"""The rules: one rule, one file; its docstring is its manual page (`nnx-migrate rule NAME`)."""
