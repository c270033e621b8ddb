"""What containers of flax hold: what they are made with, and what they get later."""
