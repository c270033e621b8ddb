"""Which objects an expression gives: where each comes from, and which are one."""
