"""Which files of a project import which."""
