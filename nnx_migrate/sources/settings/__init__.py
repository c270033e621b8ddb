"""What configuration files may say: the tables as types, how they are read, and what is refused."""
