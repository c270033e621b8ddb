"""What every layer speaks of: findings, places, totals, configuration."""
