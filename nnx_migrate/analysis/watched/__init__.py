"""What is known of a project while one of its files is edited, as long as no edit concerns it."""
