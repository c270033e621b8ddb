"""The text of a pull request for one part of a migration."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from nnx_migrate.core.findings import Outcome
from nnx_migrate.core.permissions import Permission
from nnx_migrate.report.capped import CappedPage
from nnx_migrate.report.levels import Level, Report, Told
from nnx_migrate.report.manuals import section_of, summary_of
from nnx_migrate.report.markdown import by_cause
from nnx_migrate.report.markdown_text import code
from nnx_migrate.report.patches.parts import Part

_SHOWN_PATHS = 5


def title_of(part: Part) -> str:
    """One line of plain text for a list of pull requests."""
    return f"Move to NNX tree mode: {', '.join(part.key)}"


def by_file(items: Iterable[Told]) -> dict[int, list[Told]]:
    """What is told of each file, by the identity of its result."""
    found: dict[int, list[Told]] = {}
    for item in items:
        found.setdefault(id(item.result), []).append(item)
    return found


def pull_request(
    part: Part,
    patch: str,
    needs: Sequence[str],
    report: Report,
    items: Mapping[int, Sequence[Told]],
) -> str:
    """Return the text of a pull request.

    Args:
        part: what it makes.
        patch: file name of its patch.
        needs: file names of the patches that go before it.
        report: the run.
        items: what is told of each file.
    """
    mine, left = _findings(part, items)
    page = CappedPage("\n".join(_head(part, patch, needs, mine)) + "\n")
    page.add_list(
        "## Left for you\n\nThese places in the same files are in no patch.",
        by_cause(left, report),
    )
    page.add_list(
        f"<details><summary>What is changed: {len(mine):,}, by cause</summary>",
        by_cause(mine, report),
        "</details>",
    )
    return page.text


def _assumed(mine: Sequence[Told]) -> Iterator[str]:
    """What somebody has allowed to be assumed, and what follows where it is not so."""
    findings = [item.finding for item in mine if item.finding.rests_on_permission]
    found = Counter(
        name for finding in findings for name in {each.permission for each in finding.evidence}
    )
    names = [permission for permission in Permission if found[permission]]
    if not names:
        return
    yield ""
    yield "## Assumptions that you allowed"
    for name in names:
        yield ""
        places = f"{found[name]:,} place{'' if found[name] == 1 else 's'}"
        told = f"{name.assumed}. If that is wrong: {name.consequence}"
        yield f"- {code(name)} ({places}): {told}."


def _example(rule: str) -> Iterator[str]:
    """A change of the rule, as its manual page shows it."""
    code_of = {title: section_of(rule, title) for title in ("Before", "After")}
    if not all(code_of.values()):
        return
    yield ""
    yield "<details><summary>Before and after, by example</summary>"
    for title, text in code_of.items():
        # Manual pages are Markdown, in which indented lines are code.
        yield from ("", f"{title}:", "", f"    {text}")
    yield ""
    yield "</details>"


def _findings(part: Part, items: Mapping[int, Sequence[Told]]) -> tuple[list[Told], list[Told]]:
    """What the part is for, and what a person has to do in its files."""
    mine: list[Told] = []
    left: list[Told] = []
    for _, file in sorted(part.files.items()):
        wanted = file.findings()
        for item in items.get(id(file.result), ()):
            if item.level is Level.ERROR:
                left.append(item)
            elif item.place in wanted:
                mine.append(item)
    return mine, left


def _head(part: Part, patch: str, needs: Sequence[str], mine: Sequence[Told]) -> Iterator[str]:
    names = ", ".join(map(code, part.key))
    yield f"# Move to NNX tree mode: {names}"
    yield ""
    yield (
        "Flax NNX will make tree mode its default. With this patch, the program works as before, "
        "so you can merge it now. With all patches of the series, and the places left for you, "
        "it also works under the upcoming default."
    )
    if needs:
        yield ""
        yield f"Apply it after {', '.join(map(code, needs))}."
    yield ""
    yield "## What and why"
    counts = Counter((item.finding.rule, item.finding.outcome) for item in mine)
    for rule in sorted({rule for rule, _ in counts}):
        numbers = (f"{counts[rule, o]:,} {o}" for o in Outcome if counts[rule, o])
        yield ""
        yield f"{code(rule)} ({', '.join(numbers)}): {summary_of(rule)}"
        yield ""
        # Its readers have no page of ours at hand.
        yield section_of(rule, "Why it matters")
        yield from _example(rule)
    if any(item.finding.outcome is Outcome.REWRITTEN_CHECKED for item in mine):
        yield ""
        yield (
            "`rewritten-checked`: some code that runs there is unknown, so the new code checks "
            "the assumption when JAX traces it, and raises if it fails."
        )
    if any(item.finding.outcome is Outcome.PINNED_MID for item in mine):
        yield ""
        yield (
            "`pinned-mid`: only shared objects need graph mode, so it stays without graph "
            "updates (`graph=True, graph_updates=False`)."
        )
    if any(item.finding.outcome is Outcome.PINNED for item in mine):
        yield ""
        yield (
            "`pinned`: it stays in graph mode, visibly, and works as before when the default "
            "changes."
        )
    yield from _assumed(mine)
    yield ""
    yield "## How to check"
    yield ""
    yield "```console"
    yield f"git apply {shlex.quote(patch)}"
    yield "nnx-migrate check git:HEAD . -- pytest  # runs old and new code side by side"
    yield "```"
    yield ""
    files = len(part.files)
    shown = ", ".join(code(name) for name in list(part.files)[:_SHOWN_PATHS])
    more = f" and {files - _SHOWN_PATHS:,} more" if files > _SHOWN_PATHS else ""
    yield f"Files: {shown}{more}."
