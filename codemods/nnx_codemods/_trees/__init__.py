"""Objects that tree mode does not take, because they are no pytrees."""
