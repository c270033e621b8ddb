"""Going on with a project that has findings: what is known of it is not told again."""
