"""The command line of `nnx-migrate batch`. Importing this imports no part of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from nnx_migrate.cli.options import (
    Allow,
    Config,
    Docs,
    Exclude,
    Facts,
    FollowInstalled,
    Ignore,
    Python,
    Quiet,
    Reports,
    RevertDifferent,
    Select,
    Unpin,
    Unsafe,
    Verbose,
    Verify,
    WithoutTraceChecks,
    WithoutUnsafe,
    given_flags,
    report_files,
)
from nnx_migrate.cli.output.options import ForPeople, OutputOptions
from nnx_migrate.report.patches.split_by import SplitBy

EngineName = Literal["local", "ray"]


def _positive(value: float) -> float:
    if not value > 0:
        raise typer.BadParameter("it must be more than 0")
    return value


Roots = Annotated[
    list[Path], typer.Argument(metavar="ROOT...", exists=True, help="Folders and files.")
]
Out = Annotated[
    Path, typer.Option("--out", metavar="DIR", file_okay=False, help="The folder of the results.")
]
Write = Annotated[
    bool, typer.Option("--write", help="Also change the files. Without it, no file changes.")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Continue an interrupted run, if there is one.")
]
PatchBy = Annotated[
    SplitBy, typer.Option("--patch-by", help="What each patch of DIR/patches contains.")
]
Engine = Annotated[
    EngineName, typer.Option("--engine", help="Run on this machine, or on a Ray cluster.")
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="The address of the Ray cluster.  [default: Ray's own]",
    ),
]
CheckGpus = Annotated[
    float,
    typer.Option(
        "--check-gpus",
        metavar="N",
        min=0,
        show_default=False,
        help="With --engine ray: run --verify on a node with this many free GPUs.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", metavar="N", min=1, help="Worker processes.  [default: as many as processors]"
    ),
]
Timeout = Annotated[
    float,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        callback=_positive,
        help="Give up a file that takes longer. More than 0.",
    ),
]
Memory = Annotated[
    float,
    typer.Option(
        "--memory",
        metavar="GB",
        min=0,
        help="Give up a file whose process takes more memory. 0 means no limit.",
    ),
]
Plan = Annotated[
    bool, typer.Option("--plan", help="Collect the facts of all files for --shard, then stop.")
]
ShardOf = Annotated[
    str | None,
    typer.Option("--shard", metavar="I/N", help="Plan only this part of the files, then stop."),
]
OutputFormat = Annotated[
    ForPeople,
    typer.Option(
        "--output-format",
        envvar="NNX_MIGRATE_OUTPUT_FORMAT",
        show_envvar=False,
        help="How to print the findings, as in `apply`. findings.jsonl has all of them.",
    ),
]
Merge = Annotated[bool, typer.Option("--merge", help="Merge the plans of all shards.")]


def batch(
    context: typer.Context,
    paths: Roots,
    out: Out,
    write: Write = False,
    resume: Resume = False,
    patch_by: PatchBy = "dir",
    verify: Verify = False,
    revert_different: RevertDifferent = False,
    engine: Engine = "local",
    address: Address = None,
    check_gpus: CheckGpus = 0,
    jobs: Jobs = None,
    timeout: Timeout = 60.0,
    memory: Memory = 2.0,
    plan: Plan = False,
    shard: ShardOf = None,
    merge: Merge = False,
    select: Select = None,
    ignore: Ignore = None,
    exclude: Exclude = None,
    config: Config = None,
    docs: Docs = False,
    allow: Allow = None,
    unsafe: Unsafe = False,
    on_unsafe: WithoutUnsafe = None,
    no_trace_checks: WithoutTraceChecks = False,
    unpin: Unpin = None,
    facts: Facts = None,
    follow_installed: FollowInstalled = False,
    python: Python = None,
    output_format: OutputFormat = "full",
    reports: Reports = None,
    verbose: Verbose = False,
    quiet: Quiet = False,
) -> None:
    """Migrate large repositories, in shards or on a Ray cluster.

    DIR gets patches with pull-request texts, a page for reviewers, findings.jsonl, and a summary.
    It also keeps the answers, so that the next run plans only what changed. A file that hangs,
    crashes its process, or takes too much memory runs once more alone, and is then given up.

    \b
    Examples:
      nnx-migrate batch . --out ../campaign                      look; nothing is changed
      nnx-migrate batch . --out ../campaign --patch-by owner
      nnx-migrate batch . --out ../campaign --write --resume     change the files
      nnx-migrate batch . --out ../campaign --engine ray --address auto

    \b
    Any scheduler can run shards on machines that share the tree and DIR:
      nnx-migrate batch . --out DIR --plan                       once, to begin with
      nnx-migrate batch . --out DIR --shard 3/8                  each of 1/8 ... 8/8
      nnx-migrate batch . --out DIR --merge --write

    \b
    Exit codes:
      0  nothing is left to do, or the shard is done
      1  changes are pending (without --write), a place needs you, or a file failed
      2  the command line, the configuration, or DIR is wrong, or the tool failed
    """
    from nnx_migrate.cli.run_batch import BatchRequest, run_batch

    if sum((plan, shard is not None, merge)) > 1:
        context.fail("--plan, --shard, and --merge are separate steps; use one at a time")
    if (plan or shard is not None) and (write or verify):
        context.fail("--plan and --shard change no files; use --write with --merge")
    if (plan or shard is not None) and reports:
        context.fail("--plan and --shard write no report; use --report with --merge")
    if (verify or revert_different) and not write:
        context.fail("--verify checks what was written; add --write")
    if engine == "local" and (address is not None or check_gpus):
        context.fail("--address and --check-gpus are for --engine ray")
    flags = given_flags(
        select=select,
        ignore=ignore,
        exclude=exclude,
        config=config,
        docs=docs,
        allow=allow,
        unsafe=unsafe,
        on_unsafe=on_unsafe,
        no_trace_checks=no_trace_checks,
        unpin=unpin,
        follow_installed=follow_installed,
        python=python,
    )
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
        output=OutputOptions(output_format, verbose, quiet),
        reports=report_files(reports or ()),
        facts=facts,
    )
    context.exit(run_batch(paths, flags, request))
