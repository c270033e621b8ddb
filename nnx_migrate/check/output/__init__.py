"""How the verdicts of a check are told: in order as they come, and summed up at the end."""
