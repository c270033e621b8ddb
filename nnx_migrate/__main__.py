"""`python -m nnx_migrate` is the command line, where no script is installed on the path."""

from nnx_migrate.cli.app import main

if __name__ == "__main__":
    main()
