"""The command line of `nnx-migrate batch`. Importing this imports no part of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from nnx_migrate.cli.apply import names_of
from nnx_migrate.cli.guidance import complete_rule

if TYPE_CHECKING:
    from nnx_migrate.report.patches.parts import SplitBy

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.argument("paths", metavar="ROOT...", nargs=-1, required=True, type=click.Path(exists=True))
@click.option("--out", metavar="DIR", required=True, type=_FOLDER, help="Where results are kept.")
@click.option("--write", is_flag=True, help="Change the files, too; without it none is touched.")
@click.option("--resume", is_flag=True, help="Go on with a run that was interrupted, if one was.")
@click.option(
    "--patch-by",
    type=click.Choice(["rule", "file", "owner", "dir"]),
    default="dir",
    show_default=True,
    help="What goes into one patch of DIR/patches.",
)
@click.option(
    "--verify",
    is_flag=True,
    help="With --write: then run what [tool.nnx-migrate.check] names on old and new code.",
)
@click.option("--revert-different", is_flag=True, help="With --verify: put back files that differ.")
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Processes of this machine, or of a Ray cluster.",
)
@click.option("--address", metavar="HOST:PORT", help="Of the Ray cluster.  [default: Ray's own]")
@click.option(
    "--check-gpus",
    metavar="N",
    type=click.FloatRange(min=0),
    default=0,
    help="With --engine ray: --verify runs where so many GPUs are free.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Worker processes.  [default: as many as processors]",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="What one file may take before it is given up.",
)
@click.option(
    "--memory",
    metavar="GB",
    type=click.FloatRange(min=0),
    default=2.0,
    show_default=True,
    help="What a process may take before its file is given up; 0 for any.",
)
@click.option("--plan", is_flag=True, help="Take the facts of all files for --shard, and stop.")
@click.option("--shard", metavar="I/N", help="Plan only this part of the files, and stop.")
@click.option("--merge", is_flag=True, help="Put together what all shards have planned.")
@click.option(
    "--select", metavar="RULE", multiple=True, shell_complete=complete_rule, help="As for apply."
)
@click.option(
    "--ignore", metavar="RULE", multiple=True, shell_complete=complete_rule, help="As for apply."
)
@click.option("--docs", is_flag=True, help="Look into documents and doctests, too.")
@click.option("--unsafe", is_flag=True, help="Apply rewrites that rest on an assumption too.")
@click.option("--on-unsafe", type=click.Choice(["pin", "leave"]), help="As for apply.")
@click.pass_context
def batch(
    context: click.Context,
    paths: Sequence[str],
    out: Path,
    write: bool,
    resume: bool,
    patch_by: SplitBy,
    verify: bool,
    revert_different: bool,
    engine: Literal["local", "ray"],
    address: str | None,
    check_gpus: float,
    jobs: int | None,
    timeout: float,
    memory: float,
    plan: bool,
    shard: str | None,
    merge: bool,
    select: Sequence[str],
    ignore: Sequence[str],
    docs: bool,
    unsafe: bool,
    on_unsafe: str | None,
) -> None:
    """Migrate large repositories: supervised, resumable, in shards, or on a Ray cluster.

    DIR gets patches with the texts of pull requests, a page for reviewers, findings.jsonl and a
    summary, and keeps what is known, so that the next run does only what has changed. A file that
    hangs, crashes its process or takes too much memory is tried once more alone, then given up.

    \b
    Examples:
      nnx-migrate batch . --out ../campaign                      look; nothing is changed
      nnx-migrate batch . --out ../campaign --patch-by owner
      nnx-migrate batch . --out ../campaign --write --resume     change the files
      nnx-migrate batch . --out ../campaign --engine ray --address auto

    \b
    Any scheduler can do parts on machines that share the tree and DIR:
      nnx-migrate batch . --out DIR --plan                       once, to begin with
      nnx-migrate batch . --out DIR --shard 3/8                  each of 1/8 ... 8/8
      nnx-migrate batch . --out DIR --merge --write

    \b
    Exit codes:
      0  nothing is left to do, or the part of a shard is done
      1  changes are pending (without --write), a place is left for you, a file could not be done
      2  the command line, the configuration or DIR cannot be used, or a bug was met
    """
    from nnx_migrate.cli.run_batch import BatchRequest, run_batch

    if sum((plan, shard is not None, merge)) > 1:
        context.fail("--plan, --shard and --merge are steps of one campaign: run one after another")
    if (plan or shard is not None) and (write or verify):
        context.fail("--plan and --shard change no files: --merge --write does")
    if (verify or revert_different) and not write:
        context.fail("--verify looks at what was written: add --write")
    if engine == "local" and (address is not None or check_gpus):
        context.fail("--address and --check-gpus are for --engine ray")
    flags: dict[str, Any] = {
        "select": names_of(select),
        "ignore": names_of(ignore),
        "docs": True if docs else None,
        "unsafe": True if unsafe else None,
        "on_unsafe": on_unsafe,
    }
    given = {key: value for key, value in flags.items() if value is not None}
    request = BatchRequest(
        out=out,
        write=write,
        resume=resume,
        patch_by=patch_by,
        verify=verify or revert_different,
        revert=revert_different,
        engine=engine,
        address=address,
        check_gpus=check_gpus,
        jobs=jobs,
        timeout=timeout,
        memory=memory,
        plan=plan,
        shard=shard,
        merge=merge,
    )
    context.exit(run_batch([Path(path) for path in paths], given, request))
