"""Where code comes from and where it goes back to: discovery, lossless text, atomic writes."""
