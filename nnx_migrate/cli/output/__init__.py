"""What a run tells: to its streams, and into files."""
