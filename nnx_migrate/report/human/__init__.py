"""The report that people read: causes with their code, a summary, and what to do next."""
