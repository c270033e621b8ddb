"""Effects that happen only when a flag is true: a parameter, or an attribute."""
