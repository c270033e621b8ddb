"""Names for what a rewrite introduces: short, telling, and never one that is already taken."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Sequence

_BY_TYPE = {
    "Param": "params",
    "LoRAParam": "lora_params",
    "BatchStat": "batch_stats",
    "Cache": "cache",
    "Intermediate": "intermediates",
    "Perturbation": "perturbations",
    "RngState": "rng_state",
    "RngKey": "rng_keys",
    "RngCount": "rng_counts",
    "OptState": "opt_state",
    "Variable": "variables",
}


def state_name(filter_text: str) -> str:
    """A name for the State that a filter selects: `nnx.Param` -> params, `...` -> rest."""
    if filter_text == "...":
        return "rest"
    last = filter_text.rpartition(".")[2].strip()
    if last in _BY_TYPE:
        return _BY_TYPE[last]
    quoted = re.fullmatch(r"""['"](\w+)['"]""", filter_text.strip())
    if quoted:
        return f"{quoted[1]}_state" if quoted[1] != "params" else "params"
    path = re.fullmatch(r"""(?:\w+\.)*PathContains\(['"](\w+)['"]\)""", filter_text.strip())
    if path and path[1].isidentifier():
        return f"{path[1]}_state"
    if re.fullmatch(r"[A-Z]\w*", last):
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", last).lower()
        plural = re.sub(r"(?<=[^aeiou])y$", "ie", words) + "s"
        plural = plural if not words.endswith("s") else words
        return f"{words}_state" if keyword.iskeyword(plural) else plural
    return "selected"


def fresh(wanted: Sequence[str], taken: Collection[str], prefix: str = "") -> list[str]:
    """Names like `wanted` that are not taken: all plain, else all with the prefix, else numbered.

    Args:
        wanted: names that belong together, so that they change together.
        taken: identifiers that must not be used.
        prefix: what tells this group from others, e.g. the name of the model.
    """
    distinct = _distinct(wanted)
    candidates = [distinct]
    if prefix:
        candidates.append([f"{prefix}_{name}" for name in distinct])
    for names in candidates:
        if not set(names) & set(taken):
            return names
    base = candidates[-1]
    number = 2
    while {f"{name}_{number}" for name in base} & set(taken):
        number += 1
    return [f"{name}_{number}" for name in base]


def _distinct(names: Sequence[str]) -> list[str]:
    result: list[str] = []
    for name in names:
        number = 2
        candidate = name
        while candidate in result:
            candidate = f"{name}{number}"
            number += 1
        result.append(candidate)
    return result


def prefix_of(expression: str) -> str:
    """An identifier that stands for an expression: `self.gen_model` -> gen_model."""
    last = re.findall(r"[A-Za-z_]\w*", expression)
    return last[-1] if last else "model"
