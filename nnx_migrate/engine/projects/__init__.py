"""Which files of a run are known together."""
