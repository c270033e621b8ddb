"""What is stored in objects and classes by other means than their own plain assignments."""
