"""Edits to arguments: the keywords of a transform, and several arguments in the place of one."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.causes import LayoutCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.style.layout import line_after
from nnx_migrate.rewrite.text.edits import Edit


def option_edits(context: FileContext, site: Site, options: Mapping[str, str | None]) -> list[Edit]:
    """Edits that give the site's options their new source text, add or remove them.

    Raises:
        CannotEmit: an option has to be added where the transform takes none.
    """
    edits: list[Edit] = []
    # Whether a wrapper can stand without brackets is not known.
    emptied = _emptied(site, options) if site.wrapper is None else None
    if emptied is not None:
        return [Edit(context.text.span(site.reference)[1], context.text.span(emptied)[1], "")]
    added: list[str] = []
    for name, text in options.items():
        present = site.options.get(name)
        if present is None:
            if text is not None:
                added.append(f"{keyword_for(site, name)}={text}")
            continue
        keyword, call = _keyword(context, present)
        if text is not None:
            edits.append(Edit(*context.text.span(present), text))
            edits += moved_comments(context, present)
        else:
            edits.append(_removed(context, call, keyword))
    if added:
        edits.append(_added(context, site, added))
    return edits


def keyword_for(site: Site, option: str) -> str:
    """The keyword by which a site is told an option: another than its name for some wrappers.

    Raises:
        CannotEmit: the wrapper is told none, as far as its table says.
    """
    wrapper = site.wrapper
    if wrapper is None:
        return option
    keyword = wrapper.keyword(option)
    if keyword is None:
        raise CannotEmit(
            LayoutCause.TABLE_MAY_SAY.about(
                wrapper=wrapper.name, transform=wrapper.like, option=option
            )
        )
    return keyword


def _emptied(site: Site, options: Mapping[str, str | None]) -> ast.Call | None:
    """The call that is left without arguments when all its options are removed."""
    call = site.option_call
    if call is None or call.func is not site.reference or call.args or site.form != "decorator":
        return None
    gone = {name for name, text in options.items() if text is None}
    return call if call.keywords and {k.arg for k in call.keywords} <= gone else None


def moved_comments(context: FileContext, node: ast.expr) -> list[Edit]:
    """Comments inside an expression that is replaced go to the end of its last line."""
    start, end = context.text.span(node)
    comments = context.comments_between(start, end)
    if not comments:
        return []
    line = context.text.line_of(end)
    stop = line_after(context, line)
    place = context.text.line_start(line) + len(
        context.text.text[context.text.line_start(line) : stop].rstrip("\r\n")
    )
    return [Edit(place, place, "".join(f"  {comment}" for comment in comments))]


def _keyword(context: FileContext, value: ast.expr) -> tuple[ast.keyword, ast.Call]:
    keyword = context.tree.parents[value]
    assert isinstance(keyword, ast.keyword)
    call = context.tree.parents[keyword]
    assert isinstance(call, ast.Call)
    return keyword, call


def _removed(context: FileContext, call: ast.Call, keyword: ast.keyword) -> Edit:
    """Remove a keyword together with the comma that belongs to it."""
    position = call.keywords.index(keyword)
    before: list[ast.expr | ast.keyword] = [*call.args, *call.keywords[:position]]
    start, end = context.text.span(keyword)
    if before:
        previous = context.text.span(before[-1])[1]
        if not context.comments_between(previous, start):
            return Edit(previous, end, "")
        behind = re.compile(r"[ \t]*,?[ \t]*(?:\r\n|\r|\n)?").match(context.text.text, end)
        line_start = context.text.line_start(keyword.lineno)
        alone = not context.text.text[line_start:start].strip()
        return Edit(line_start if alone else start, behind.end() if behind else end, "")
    following = call.keywords[position + 1 :]
    if following:
        return Edit(start, context.text.span(following[0])[0], "")
    close = context.text.span(call)[1] - 1
    return Edit(start, close, "")


def _added(context: FileContext, site: Site, options: Sequence[str]) -> Edit:
    text = ", ".join(options)
    call = site.option_call
    if call is None and isinstance(site.node, ast.Call) and site.form == "call":
        call = site.node
    if call is None and site.wrapper is not None:
        raise CannotEmit(LayoutCause.NO_BRACKETS.about(wrapper=site.wrapper.name))
    if call is None:
        end = context.text.span(site.reference)[1]
        return Edit(end, end, f"({text})")
    if call.keywords or call.args:
        arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        last = max(arguments, key=lambda n: context.text.span(n))
        end = context.text.span(last)[1]
        if isinstance(last, ast.GeneratorExp):
            raise CannotEmit(LayoutCause.OPTION_BEHIND_GENERATOR)
        return on_lines_of_their_own(context, call, last, options) or Edit(end, end, f", {text}")
    end = context.text.span(call)[1] - 1
    return Edit(end, end, text)


def on_lines_of_their_own(
    context: FileContext, call: ast.Call, last: ast.expr | ast.keyword, options: Sequence[str]
) -> Edit | None:
    """The options in a call that is written with one argument a line."""
    start, end = context.text.span(last)
    line = context.text.line_start(context.text.line_of(start))
    close = context.text.span(call)[1] - 1
    place = context.text.line_start(context.text.line_of(close))
    behind = re.match(r"[ \t]*,[^\r\n]*", context.text.text[end:place])
    indent = context.text.text[line:start]
    alone = not indent.strip() and not context.text.text[place:close].strip()
    if alone and not context.text.text[end:place].strip():
        more = "".join(f",{context.newline}{indent}{option}" for option in options)
        return Edit(end, end, more)
    if behind is None or not alone or context.text.text[end + behind.end() : place].strip():
        return None
    lines = "".join(f"{indent}{option},{context.newline}" for option in options)
    return Edit(place, place, lines)


def in_place_of_one(context: FileContext, node: ast.expr | ast.arg, texts: Sequence[str]) -> Edit:
    """Several arguments or parameters in the place of one, each on a line if that is on its own."""
    start, end = context.text.span(node)
    line = context.text.line_start(context.text.line_of(start))
    indent = context.text.text[line:start]
    behind = context.text.text[end : line_after(context, context.text.line_of(end))]
    alone = not indent.strip() and behind.strip() == ","
    between = f",{context.newline}{indent}" if alone else ", "
    return Edit(start, end, between.join(texts))
