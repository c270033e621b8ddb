"""The rules, each by itself, on small programs: noops first."""
