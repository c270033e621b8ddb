"""Which files a run looks into: one walk, one read a file."""
