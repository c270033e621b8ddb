"""What the gradient rules share."""
