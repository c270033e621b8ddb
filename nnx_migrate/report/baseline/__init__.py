"""Findings by names that stay when lines move, and the file of those that a project knows."""
