"""Writes docs/command-line.md from the commands themselves.

python scripts/command_line_page.py
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import typer
from marked_text import markdown_table, replace_marked

from nnx_migrate.cli.app import app

PAGE = Path(__file__).parents[1] / "docs" / "command-line.md"
_SCRIPT = "scripts/command_line_page.py"
_DEFAULT = re.compile(r"\s*\[default: (.*)\]$", re.DOTALL)
_OPTION = re.compile(r"(?<![\w`-])(--[a-z][\w-]*)")


def commands() -> str:
    """Every command: what it does, its arguments and its options."""
    root: Any = typer.main.get_command(app)
    own = "## `nnx-migrate`\n\n" + _options(root)
    return "\n\n".join((own, *(_command(name, each) for name, each in root.commands.items())))


def _command(name: str, command: Any) -> str:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    usage = " ".join((f"nnx-migrate {name} [OPTIONS]", *(each.metavar for each in arguments)))
    parts = [f"## `{name}`", f"```text\n{usage}\n```", *_prose(command.help)]
    if arguments:
        rows = [(f"`{each.metavar}`", *_meaning(each)) for each in arguments]
        parts.append(markdown_table(("argument", "meaning", "default"), rows))
    return "\n\n".join(filter(None, (*parts, _options(command))))


def _prose(text: str) -> Iterator[str]:
    """The paragraphs of a docstring; one behind the sign for it stays as it is laid out."""
    for paragraph in re.split(r"\n{2,}", text.replace("\b", "").strip()):
        title, _, lines = paragraph.partition("\n")
        if lines.startswith("  "):
            yield title
            yield "```text\n" + re.sub(r"^  ", "", lines, flags=re.MULTILINE).rstrip() + "\n```"
        else:
            yield _marked(paragraph.replace("\n", " "))


def _options(command: Any) -> str:
    options = [each for each in command.params if each.param_type_name == "option"]
    rows = [(_names(each), *_meaning(each)) for each in options if not each.hidden]
    return markdown_table(("option", "meaning", "default"), rows) if rows else ""


def _names(option: Any) -> str:
    value = "" if option.is_flag else f" {option.metavar or 'CHOICE'}"
    names = (*sorted(option.opts, key=len, reverse=True), *option.secondary_opts)
    return ", ".join(f"`{name}{value if name == names[0] else ''}`" for name in names)


def _choices(option: Any) -> Iterable[str]:
    return getattr(option.type, "choices", ())


def _meaning(parameter: Any) -> tuple[str, str]:
    """What a parameter means, and what it is when it is not given."""
    text = parameter.help or ""
    said = _DEFAULT.search(text)
    words = [_marked(_DEFAULT.sub("", text))]
    if choices := [f"`{each}`" for each in _choices(parameter)]:
        words.append(f"One of {', '.join(choices)}.")
    if parameter.envvar:
        words.append(f"Also read from `{parameter.envvar}`.")
    default = _marked(said[1]) if said else _default(parameter)
    return " ".join(words), "required" if parameter.required else default


def _default(parameter: Any) -> str:
    value = parameter.default
    if value is None or value is False or value == ():
        return ""
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def _marked(text: str) -> str:
    """Text with the names of options as code, in one line that a table can take."""
    parts = " ".join(text.split()).split("`")
    parts[::2] = [_OPTION.sub(r"`\1`", part) for part in parts[::2]]
    return "`".join(parts).replace("|", "\\|")


if __name__ == "__main__":
    replace_marked(PAGE, _SCRIPT, commands())
