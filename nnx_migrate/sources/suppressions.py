"""Comments that tell the tool to leave code alone.

    loss = nnx.grad(f)(model)  # nnx-migrate: ignore[module-gradient]
    loss = nnx.grad(f)(model)  # nnx-migrate: ignore
    # nnx-migrate: skip-file

Only real comments count: the same words inside a string do nothing. A directive that silences
nothing, names no known rule or cannot be understood is a finding, because it looks like protection
and is none.
"""

from __future__ import annotations

import dataclasses
import io
import re
import tokenize
from collections.abc import Collection, Iterator

from nnx_migrate.core.findings import Finding, Outcome
from nnx_migrate.sources.python_text import readable

_MARKER = "nnx-migrate"
_DIRECTIVE = re.compile(r"#\s*nnx-migrate:\s*(?P<word>[\w-]*)\s*(?:\[(?P<rules>[^\]#]*)\])?")


@dataclasses.dataclass(frozen=True, slots=True)
class Suppression:
    """One rule (or all rules) silenced on one line.

    Args:
        line: 1-based physical line of the comment.
        column: 1-based column of the directive.
        rule: the silenced rule; None for all rules.
    """

    line: int
    column: int
    rule: str | None


@dataclasses.dataclass(frozen=True, slots=True)
class Suppressions:
    """Every directive of one file.

    Args:
        skip_file: the whole file is to be left alone.
        ignores: one entry for each rule named on each line.
        misspelt: findings about directives that could not be understood.
    """

    skip_file: bool = False
    ignores: tuple[Suppression, ...] = ()
    misspelt: tuple[Finding, ...] = ()

    def match(self, rule: str, first_line: int, last_line: int) -> Suppression | None:
        """Return the directive that silences `rule` for a site, or None.

        Args:
            rule: name of the rule that found the site.
            first_line: first physical line of the site, 1-based.
            last_line: its last physical line; a comment on any line between counts.
        """
        last_line = max(first_line, last_line)
        hits = [
            ignore
            for ignore in self.ignores
            if first_line <= ignore.line <= last_line and ignore.rule in (rule, None)
        ]
        # A directive that names the rule explains itself better than one that names none.
        return min(hits, key=lambda hit: (hit.rule is None, hit.line), default=None)

    def unused(
        self,
        used: Collection[Suppression],
        known: Collection[str] | None = None,
        active: Collection[str] | None = None,
    ) -> list[Finding]:
        """Return a finding for each directive that did nothing.

        Args:
            used: what `match` returned for the sites of this file.
            known: names of all rules there are; None when they are not known.
            active: names of the rules that ran (after --select and --ignore); None for all of them.
                An ignore for a rule that did not run is not unused.
        """
        findings = list(self.misspelt)
        for ignore in self.ignores:
            if ignore in used:
                continue
            if ignore.rule is not None and known is not None and ignore.rule not in known:
                findings.append(_finding(ignore, f"there is no rule named {ignore.rule!r}"))
            elif _ran(ignore, known, active):
                findings.append(_finding(ignore, _unused_message(ignore)))
        return sorted(findings, key=lambda finding: (finding.line, finding.column))


def parse_suppressions(text: str) -> Suppressions:
    """Find the directives among the comments of `text`.

    Args:
        text: the exact source text; a text that never mentions nnx-migrate is not tokenized. When
            it does not tokenize to its end, the directives before that place are returned.
    """
    if _MARKER not in text:
        return Suppressions()
    skip_file = False
    ignores: list[Suppression] = []
    misspelt: list[Finding] = []
    for line, start, comment in _comments(text):
        for match in _DIRECTIVE.finditer(comment):
            column = start + match.start() + 1
            word, rules = match["word"], match["rules"]
            names = [name.strip() for name in (rules or "").split(",") if name.strip()]
            if word == "skip-file":
                skip_file = True
            elif word == "ignore" and (rules is None or names):
                for name in dict.fromkeys(names) if names else (None,):
                    ignores.append(Suppression(line, column, name))
            else:
                misspelt.append(_misspelt(line, column, match[0].strip()))
    return Suppressions(skip_file, tuple(ignores), tuple(misspelt))


def _comments(text: str) -> Iterator[tuple[int, int, str]]:
    # The pure-Python tokenizer of 3.11 knows no lone "\r"; line numbers stay those of `ast`.
    unified = readable(text).replace("\r\n", "\n").replace("\r", "\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(unified).readline):
            if token.type == tokenize.COMMENT and _MARKER in token.string:
                yield token.start[0], token.start[1], token.string
    except (tokenize.TokenError, SyntaxError):
        return


def _ran(
    ignore: Suppression, known: Collection[str] | None, active: Collection[str] | None
) -> bool:
    if active is None:
        return True
    if ignore.rule is not None:
        return ignore.rule in active
    return known is None or set(known) <= set(active)


def _unused_message(ignore: Suppression) -> str:
    if ignore.rule is None:
        return "this ignore silences nothing on its line; remove it"
    return f"this ignore for {ignore.rule} silences nothing on its line; remove it"


def _finding(ignore: Suppression, message: str) -> Finding:
    return Finding("unused-ignore", ignore.line, ignore.column, Outcome.MANUAL, message)


def _misspelt(line: int, column: int, directive: str) -> Finding:
    message = (
        f"{directive!r} means nothing; write '# nnx-migrate: ignore[rule]' or "
        "'# nnx-migrate: skip-file'"
    )
    return Finding("unused-ignore", line, column, Outcome.MANUAL, message)
