"""What code stores in attributes: of objects, of classes, and what nothing stores anywhere."""
