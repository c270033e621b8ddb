"""Functions over Modules become functions over States."""
