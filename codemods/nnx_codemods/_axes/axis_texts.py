"""How groups of Variables are written: as arguments, and as axes of arguments and results."""

from __future__ import annotations

import dataclasses

from nnx_codemods._axes.prefix import Element, Group
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.decisions import ArgumentSplit
from nnx_migrate.rewrite.style.naming import state_name


def argument_split(site: Site, index: int, element: Element) -> ArgumentSplit:
    """The split of an argument into its groups."""
    groups = joined(element)
    carries = site.spec.carries
    names = tuple(_group_name(group) for group in groups)
    return ArgumentSplit(
        index,
        tuple(group.filter for group in groups),
        "together",
        names,
        clone=tuple(carries and group.kind == "none" for group in groups),
        carried=tuple(carries and group.kind == "carry" for group in groups),
        # What was compiled for a function is kept by the graphdef, which it must take.
        with_graphdef=site.spec.compiles,
    )


def _group_name(group: Group) -> str:
    name = state_name(group.filter)
    if name != "selected":
        return name
    return {"none": "broadcast", "carry": "carried"}.get(group.kind, "mapped")


def filters_of_result(element: Element) -> tuple[str, ...]:
    """What a result is split by."""
    return tuple(group.filter for group in joined(element))


def joined(element: Element) -> list[Group]:
    """Neighbouring groups of one axis as one group: the first match still wins."""
    found: list[Group] = []
    for group in element.groups:
        if found and found[-1].axis == group.axis:
            before = found.pop()
            if group.filter == "...":
                found.append(dataclasses.replace(group))
                continue
            inner = before.filter[1:-1] if before.filter.startswith("(") else before.filter
            inner = inner.rstrip().removesuffix(",")
            found.append(dataclasses.replace(group, filter=f"({inner}, {group.filter})"))
        else:
            found.append(group)
    return found


def stays_whole(element: Element, scan: bool) -> bool:
    """Whether one axis stands for all groups, so that the Module can stay the argument."""
    uniform = element.uniform
    return uniform is not None and (not scan or uniform.kind == "place")


def axes_text(element: Element, scan: bool, with_graphdef: bool) -> list[str]:
    """The axes of an argument once it is split."""
    if not element.groups:
        return [element.text]
    if stays_whole(element, scan):
        assert element.uniform is not None
        return [element.uniform.axis]
    texts = [group.axis for group in joined(element)]
    return ["None", *texts] if with_graphdef else texts


def output_text(element: Element) -> str:
    """The axes of a result once it is split."""
    if not element.groups:
        return element.text
    if element.uniform is not None:
        return element.uniform.axis
    return tuple_text(["None", *(group.axis for group in joined(element))])


def tuple_text(texts: list[str]) -> str:
    """A tuple of these expressions."""
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"
