"""Edits of the Modules themselves, made before any site is decided: their definitions say more."""
