"""Answers of earlier runs, by the content of all that they depend on."""
