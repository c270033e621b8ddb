"""What the rules over prefix filters share: groups of Variables and their axes."""
