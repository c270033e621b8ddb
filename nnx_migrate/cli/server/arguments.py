"""The command line of `nnx-migrate server`. Importing this imports no part of the engine."""

from __future__ import annotations

from nnx_migrate.cli.options import Allow, Config, Ignore, Select, given_flags

#: What `pip install 'nnx-migrate[editor]'` brings.
_EXTRA = frozenset({"pygls", "lsprotocol", "cattrs", "attrs", "attr"})


def server(
    select: Select = None,
    ignore: Ignore = None,
    allow: Allow = None,
    config: Config = None,
) -> None:
    """Start a language server for editors, on stdin and stdout.

    Your editor starts it; docs/editors.md has Visual Studio Code, Neovim, Helix, and Emacs.
    Findings in open files are diagnostics, and rewrites are code actions. Hovering over a finding
    shows the page of its rule. The server writes no file: the editor makes the edits.

    \b
    Example:
      nnx-migrate server --allow unknown-class
    """
    from nnx_migrate.cli.console import choices, errors_reported, stop
    from nnx_migrate.engine.workers import uncollected

    flags = given_flags(select=select, ignore=ignore, allow=allow, config=config)
    with errors_reported():
        try:
            from nnx_migrate.server.serving import made_server
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in _EXTRA:
                raise
            stop(f"{error.name} is not installed here: pip install 'nnx-migrate[editor]'")
        with uncollected():
            made_server(choices(flags)).start_io()
