"""What makes the page a tool for reviewing: the run, hunks that are alike, and manual pages."""
