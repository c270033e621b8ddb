"""Who does the work: supervised processes here, or nodes of a cluster."""
