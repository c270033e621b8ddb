"""Objects that a constructor stores under two names."""
