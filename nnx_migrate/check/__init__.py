"""Does new code compute what the old did: by running both, and by proof where that is possible."""
