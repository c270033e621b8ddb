"""An Rngs that several objects keep."""
