"""What `import nnx_migrate` offers: the functions that the command line itself calls.

The names are those of `nnx_migrate`; nothing here is imported before one of them is used.
"""
