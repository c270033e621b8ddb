"""What to do next after a command line that cannot be obeyed, and what may be typed at its end."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

# Typer has no public name for what all errors of a command line are.
from typer._click.exceptions import (
    BadParameter,
    ClickException,
    NoArgsIsHelpError,
    NoSuchOption,
    UsageError,
)
from typer._click.types import FloatRange, IntRange
from typer.core import TyperGroup

#: What is said of a run that Ctrl-C has ended.
INTERRUPTED = "interrupted; each file is either unchanged or finished"
#: What does in one command what an option of another does.
_INSTEAD = {
    ("batch", "--html"): "batch always writes the page for reviewers, into the folder of --out",
    ("batch", "--check"): "without --write, batch changes no file, and exits with 1 if any would",
    ("batch", "--dry-run"): "without --write, batch changes no file",
    ("batch", "--patch"): "batch always writes patches, into the folder of --out; see --patch-by",
    ("apply", "--out"): "to write a page for reviewers, use --html DIR; for a patch, --patch FILE",
    ("apply", "--write"): "apply writes files unless you say --dry-run or --check",
}


@contextlib.contextmanager
def ends_told() -> Iterator[None]:
    """Say why a command line ends before its command does, in the form of all our errors.

    Typer would say nothing of Ctrl-C, as at the first imports of a command, and of wrong use in a
    form of its own.
    """
    try:
        yield
    except KeyboardInterrupt:
        _stop(INTERRUPTED)
    except NoArgsIsHelpError:
        raise
    except NoSuchOption as error:
        _stop(_option_meant(error))
    except ClickException as error:
        message = _number_meant(error) or _lower(error.format_message().rstrip("."))
        # A question says already what to type.
        _stop(message if message.endswith("?") else f"{message}{_where_help_is(error)}")


def _option_meant(error: NoSuchOption) -> str:
    """What to type in place of an option that a command doesn't have."""
    name, ctx = error.option_name, error.ctx
    told = f"no such option: {name}"
    if ctx is not None and (instead := _INSTEAD.get((ctx.info_name or "", name))):
        return f"{told}; {instead}"
    near = [each for each in error.possibilities or () if each != "--help"]
    if near:
        return f"{told}; did you mean {' or '.join(near)}?"
    return f"{told}{_where_help_is(error)}"


def _number_meant(error: ClickException) -> str:
    """What an option takes that was given no number, or too small a one; "" for other errors."""
    if not isinstance(error, BadParameter) or error.param is None:
        return ""
    match error.param.type:
        case IntRange(min=least):
            number = "a whole number"
        case FloatRange(min=least):
            number = "a number"
        case _:
            return ""
    return f"{max(error.param.opts, key=len)} takes {number} of {least:g} or more"


def _stop(message: str) -> NoReturn:
    from nnx_migrate.report.terminal import shown

    print(f"nnx-migrate: error: {shown(message)}", file=sys.stderr)
    sys.exit(2)


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def _where_help_is(error: ClickException) -> str:
    if not isinstance(error, UsageError) or error.ctx is None:
        return ""
    return f"; see {error.ctx.command_path} --help"


class Commands(TyperGroup):
    """The commands; a path or `help` in their place is answered by the line that was meant."""

    def make_context(self, *args: Any, **more: Any) -> Any:
        """Read the command line."""
        with ends_told():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with ends_told():
            return super().invoke(ctx)

    def list_commands(self, ctx: Any) -> list[str]:
        """In alphabetical order."""
        return sorted(super().list_commands(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None:
            if os.path.exists(name):
                _stop(
                    f"{name!r} is not a command; did you mean: nnx-migrate apply {name} --dry-run"
                )
            if name == "help":
                _stop("for help: nnx-migrate --help, or nnx-migrate apply --help")
        return super().resolve_command(ctx, args)


def complete_rule(incomplete: str) -> list[str]:
    """The rules that a name, or the last one of a list with commas, may become."""
    from nnx_migrate.rewrite.model.registry import rule_entries

    return _completed(incomplete, rule_entries())


def complete_permission(incomplete: str) -> list[str]:
    """The same of what may be assumed."""
    from nnx_migrate.core.permissions import Permission

    return _completed(incomplete, [permission.value for permission in Permission])


def _completed(incomplete: str, names: Iterable[str]) -> list[str]:
    head, comma, begun = incomplete.rpartition(",")
    given = set(head.split(","))
    return [
        f"{head}{comma}{name}"
        for name in sorted(names)
        if name.startswith(begun) and name not in given
    ]
