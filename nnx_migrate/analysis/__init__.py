"""What the code means: names, classes, kinds, effects, transform sites. Knows no rule."""
