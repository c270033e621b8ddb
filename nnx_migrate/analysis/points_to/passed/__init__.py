"""What calls pass for parameters: which objects, and whether one of nnx is among them."""
