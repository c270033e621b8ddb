"""Calls that sow and the pops behind them, by the shape of the code between."""
