"""Sown values and perturbations become results and arguments."""
