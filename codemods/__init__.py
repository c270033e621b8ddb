"""The rules: one rule, one file; a rule's docstring is its manual page (`nnx-migrate rule NAME`)."""
