"""The abstract interpreter: what an expression can evaluate to."""
