"""Functions whose interface a migration changed: judged through those that call them."""
