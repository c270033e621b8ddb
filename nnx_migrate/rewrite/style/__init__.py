"""How new code looks, where it goes, and the gate that it has to pass."""
