"""What files import, read off their bytes, and what their modules are called."""
