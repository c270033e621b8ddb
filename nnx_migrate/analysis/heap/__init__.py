"""What objects hold: Variables, tied attributes, elements; what retains them, who reads them."""
