"""Objects that are made here, and objects that share nothing."""
