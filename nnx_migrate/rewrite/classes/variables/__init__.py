"""Variables that methods replace by new ones, and are to set in place."""
