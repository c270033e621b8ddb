"""Which run a page shows: the command, the commit, the date, and where the code can be opened."""

from __future__ import annotations

import dataclasses
import datetime
import os
import re
import subprocess
from pathlib import Path

#: Settings of a repository run no program here.
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_REMOTE = re.compile(
    r"(?:https?://(?:[^/@\s]*@)?|ssh://(?:[\w.-]+@)?|(?:[\w.-]+@))"
    r"(?P<host>[\w.-]+)(?::\d+/|[:/])(?P<path>[\w.-]+(?:/[\w.-]+)+)/?"
)


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """A run, as the page names it.

    Args:
        command: as it was typed; "" when no command was.
        date: when it ended, in UTC.
        commit: that the repository is at; "" outside of one.
        blob: address of the files at that commit, to which a path is appended; "" when unknown.
        checkout: the way from the folder of the page to the root of the paths; None when a page
            that is opened here would not find it.
    """

    command: str = ""
    date: str = ""
    commit: str = ""
    blob: str = ""
    checkout: str | None = None


def run_of(root: Path, folder: Path, command: str, *, below: bool = True) -> Run:
    """Return what is known of a run.

    Args:
        root: absolute folder that names are shown relative to.
        folder: where the page goes.
        command: as it was typed.
        below: whether the files of the run are in the root; the commit there is theirs.
    """
    commit = _git(root, "rev-parse", "--verify", "--quiet", "HEAD") if below else ""
    prefix = _git(root, "rev-parse", "--show-prefix") if commit else ""
    remote = _git(root, "config", "--get", "remote.origin.url") if commit else ""
    blob = blob_address(remote, commit)
    return Run(
        command,
        _now().strftime("%Y-%m-%d %H:%M UTC"),
        commit,
        blob + prefix if blob else "",
        checkout=_way(folder, root),
    )


def blob_address(remote: str, commit: str) -> str:
    """Return where a forge shows the files of a commit; "" for a remote that is none.

    Args:
        remote: as `git remote get-url` has it. Names and passwords in it are left out.
        commit: the full name.
    """
    found = _REMOTE.fullmatch(remote)
    if found is None or not re.fullmatch(r"[0-9a-f]{40,64}", commit):
        return ""
    host, path = found["host"], found["path"].removesuffix(".git")
    if "bitbucket" in host:
        return ""
    between = "/-/blob/" if "gitlab" in host else "/blob/"
    return f"https://{host}/{path}{between}{commit}/"


def _way(folder: Path, root: Path) -> str | None:
    """The way up from the page to the root, which gives away no name of a folder."""
    try:
        way = os.path.relpath(root.resolve(), folder.resolve()).replace(os.sep, "/")
    except ValueError:
        return None
    return way if re.fullmatch(r"\.|\.\.(/\.\.)*(/[^/]+)?", way) else None


def _now() -> datetime.datetime:
    # As reproducible builds have it.
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch.isdigit():
        return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
    return datetime.datetime.now(datetime.UTC)


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            [*_GIT, "-C", str(folder), *arguments],
            capture_output=True,
            check=False,
            text=True,
            errors="replace",
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
