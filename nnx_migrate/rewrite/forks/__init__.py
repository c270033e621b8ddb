"""Modules that keep a fork of the Rngs that they are given, where that is asked for."""
