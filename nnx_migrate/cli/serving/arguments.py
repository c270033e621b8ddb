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
    """Answer an editor: a language server on stdin and stdout.

    The editor starts it (docs/editors.md has Visual Studio Code, Neovim, Helix and Emacs). Findings
    of open files are diagnostics, rewrites are code actions, and hovering a finding shows the page
    of its rule. No file is written: the editor makes the edits.

    \b
    Example:
      nnx-migrate server --allow unknown-class
    """
    from nnx_migrate.cli.console import choices, errors_reported, stop

    flags = given_flags(select=select, ignore=ignore, allow=allow, config=config)
    with errors_reported():
        try:
            from nnx_migrate.server.serving import made_server
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in _EXTRA:
                raise
            stop(f"{error.name} is not installed here: pip install 'nnx-migrate[editor]'")
        made_server(choices(flags)).start_io()
