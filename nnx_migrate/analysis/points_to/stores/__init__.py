"""What code stores in objects and containers: methods in their own, functions in what they get."""
