"""Which branches cases take: of Python, and of conditions inside traced code."""
