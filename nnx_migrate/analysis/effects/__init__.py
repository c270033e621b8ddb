"""What functions do to objects: may-alias, mod-ref summaries, reachability."""
