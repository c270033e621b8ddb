"""`nnx-migrate server`: findings, rewrites and rule pages for editors, over the language server
protocol."""
