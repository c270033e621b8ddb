"""Meshes: where one is set for the code that runs meanwhile."""
