"""The migration as commands of LibCST: `libcst.tool codemod -x nnx_migrate.cli.codemod.MigrateNnx`.

`MigrateNnx` applies all rules, and there is a command for each of them: `StateAxes` for
`state-axes`, and so for rules that are installed from elsewhere. The work is that of
`nnx-migrate apply`, for one file at a time: facts are taken from the project around it, which is
read anew for each file, and what has to change in several files at once is pinned. Where files
change, `apply` is the faster way, and can be undone; this is for those who run codemods by LibCST.
"""

from __future__ import annotations

import argparse
import functools
from pathlib import Path
from typing import ClassVar

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext, SkipFile

from nnx_migrate.api.choices import Choices
from nnx_migrate.api.migrating import migrate_text
from nnx_migrate.cli.options import OnUnsafe
from nnx_migrate.core.findings import FileStatus, Outcome
from nnx_migrate.rewrite.model.registry import RuleEntry, rule_entries

_TOLD = frozenset({Outcome.PINNED, Outcome.PINNED_MID, Outcome.MANUAL})


class MigrateNnx(CodemodCommand):
    """Move graph-mode Flax NNX code to tree mode.

    Args:
        context: what LibCST says of the file.
        unsafe: apply rewrites that rest on an assumption, too.
        on_unsafe: what to do without: pin or leave.
    """

    DESCRIPTION = "Move graph-mode Flax NNX code to tree mode; nnx-migrate apply does it faster."
    RULE: ClassVar[str | None] = None

    def __init__(
        self, context: CodemodContext, unsafe: bool = False, on_unsafe: OnUnsafe | None = None
    ) -> None:
        super().__init__(context)
        choices = Choices()
        if self.RULE is not None:
            choices["select"] = [self.RULE]
        if unsafe:
            choices["unsafe"] = True
        if on_unsafe is not None:
            choices["on_unsafe"] = on_unsafe
        self._choices = choices

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """The options of the command, with those of LibCST."""
        arg_parser.add_argument(
            "--unsafe", action="store_true", help="Apply rewrites that rest on an assumption too."
        )
        arg_parser.add_argument(
            "--on-unsafe", choices=["pin", "leave"], help="Without --unsafe, what to do instead."
        )

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """What becomes of a file; each pin and each place for a person is a warning.

        Args:
            tree: of the file.

        Raises:
            SkipFile: the file cannot be done; the text says why.
            ConfigError: the configuration cannot be obeyed.
        """
        path = Path(self.context.filename or "stdin.py").resolve()
        result = migrate_text(tree.bytes, path, **self._choices)
        for finding in result.findings:
            if finding.outcome in _TOLD:
                place = f"{finding.line}:{finding.column}"
                self.warn(f"{path}:{place}: {finding.rule}: {finding.outcome}: {finding.message}")
        if result.status in {FileStatus.FAILED, FileStatus.REVERTED}:
            raise SkipFile(result.reason)
        return cst.parse_module(result.after) if result.status is FileStatus.CHANGED else tree


def __getattr__(name: str) -> type[MigrateNnx]:
    """The command for one rule, by the rule's name in capitals ("StateAxes")."""
    for entry in rule_entries().values():
        if name == _class_name(entry.name):
            return _command_of(entry)
    raise AttributeError(f"there is no rule named {name}; to list the rules: nnx-migrate rule")


def __dir__() -> list[str]:
    return [*globals(), *(_class_name(name) for name in rule_entries())]


@functools.cache  # a class has to be the same when a process reads what another one has pickled
def _command_of(entry: RuleEntry) -> type[MigrateNnx]:
    summary = entry.manual().splitlines()[0]
    fields = {"DESCRIPTION": summary, "RULE": entry.name, "__doc__": summary}
    return type(_class_name(entry.name), (MigrateNnx,), {**fields, "__module__": __name__})


def _class_name(rule: str) -> str:
    return "".join(word.capitalize() for word in rule.split("-"))
