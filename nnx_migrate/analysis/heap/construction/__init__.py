"""How calls make objects: through which functions, and what the constructors leave out."""
