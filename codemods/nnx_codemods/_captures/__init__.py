"""What traced functions capture, and whether it can become an argument."""
