"""What the analysis computes with: abstract values, and the fixpoint solver."""
