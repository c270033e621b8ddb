"""How a run is told: text for people, patches for git, JSON for machines."""
