"""Notebooks and pages: migrated as virtual modules, edited in place."""
