"""Migrating large repositories: supervised processes, a memory of what is done, shards, clusters.

`campaign` is the run. It takes the steps of `apply` (`reading`, `planning`, `finishing`) and gives
them processes that may hang or die (`supervised`, `cluster`), what is known already (`memory`), and
a plan that is on disk before the first file is written (`plan_on_disk`).
"""
