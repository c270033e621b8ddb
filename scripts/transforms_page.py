"""Writes the tables of docs/developers/transforms.md from the registry of transforms.

python scripts/transforms_page.py            # writes them
python scripts/transforms_page.py --print    # prints the page as it is to be
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from nnx_migrate.analysis.flax.transform_spec import TransformSpec
from nnx_migrate.analysis.flax.transforms import SPECS

PAGE = Path(__file__).parents[1] / "docs" / "developers" / "transforms.md"
_TABLE = re.compile(r"(<!-- (nnx|jax|options) -->\n).*?(?=<!-- end -->)", re.DOTALL)
_FLAGS = [each.name for each in dataclasses.fields(TransformSpec) if each.type == "bool"]


def page(text: str) -> str:
    """The text of the page with its tables as the registry has them."""
    tables = {
        "nnx": _flags([known for known in SPECS.values() if not known.of_jax]),
        "jax": _flags([known for known in SPECS.values() if known.of_jax]),
        "options": _options(),
    }
    return _TABLE.sub(lambda found: f"{found[1]}\n{tables[found[2]]}\n", text)


def _flags(specs: Sequence[TransformSpec]) -> str:
    """What holds of each, as one line a property: a table of 30 columns is read by nobody."""
    rows = [(name, [known.name for known in specs if getattr(known, name)]) for name in _FLAGS]
    for kind in ("own", "gradient", "value and gradient", "error and own", "unknown"):
        given = [k.name for k in specs if k.gives_function and k.result == kind]
        rows.append((f"result: {kind}", given))
    for way in ("axes", "static", "keywords"):
        rows.append((f"by_place: {way}", [known.name for known in specs if known.by_place == way]))
    compat = [known.name for known in specs if known.row is not None and known.row.in_compat]
    graph = [k.name for k in specs if k.row is not None and k.row.has_graph_parameter]
    rows += [("in `nnx.compat`", compat), ("takes `graph=`", graph)]
    lines = [f"| {name} | {', '.join(held)} |" for name, held in rows if held]
    return "\n".join(["| property | holds of |", "|---|---|", *lines, ""])


def _options() -> str:
    """What has words of its own."""
    lines = ["| transform | is like | options | functions and operands |", "|---|---|---|---|"]
    for known in SPECS.values():
        like = known.twin or (f"{known.becomes}, called otherwise" if known.becomes else "")
        options = sorted({*known.plain_options, *known.shared_options, *(known.places or ())})
        flow = known.operands
        called = "" if flow is None else f"functions {flow.functions}, operands from {flow.start}"
        if like or options or called:
            named = ", ".join(options)
            lines.append(f"| {known.name} | {like} | {named} | {called} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    made = page(PAGE.read_text(encoding="utf-8"))
    if "--print" in sys.argv:
        sys.stdout.write(made)
    else:
        PAGE.write_text(made, encoding="utf-8")
