"""The program over all files: names, occurrences, imports, the class hierarchy."""
