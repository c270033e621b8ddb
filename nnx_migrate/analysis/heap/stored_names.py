"""The attributes that the code of a class stores in its objects."""

from __future__ import annotations

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.passed_on import writes_in
from nnx_migrate.analysis.symbols.program import Project


def stored_names(project: Project, module: str, record: ir.Class) -> list[str]:
    """Those that it names, in the order in which it does."""
    names = [*record.attributes, *record.annotations]
    for _, function in project.methods_of(module, record.key):
        if not function.parameters:
            continue
        own = ir.Name(function.parameters[0].name)
        names += [
            write.target.name
            for write in writes_in(function)
            if isinstance(write.target, ir.Attribute) and write.target.base == own
        ]
    return list(dict.fromkeys(names))


def has_computed_names(project: Project, module: str, record: ir.Class) -> bool:
    """Whether it sets attributes under names that it computes."""
    return any(
        function.parameters and _sets_computed(function, function.parameters[0].name)
        for _, function in project.methods_of(module, record.key)
    )


def _sets_computed(function: ir.Function, own: str) -> bool:
    itself = ir.Name(own)
    if ir.Attribute(itself, "__dict__") in function.reads:
        return True
    for call in function.calls:
        match call:
            case ir.Call(func=ir.Name(id="setattr"), args=(first, ir.Constant(text=name), _)):
                if first == itself and not name:
                    return True
            case ir.Call(func=ir.Name(id="setattr" | "vars"), args=(first, *_)):
                if first == itself:
                    return True
            case ir.Call(func=ir.Attribute(name="__setattr__" | "set_attributes")):
                return True
            case ir.Call(func=ir.Attribute(base=ir.Attribute(base=first, name="__dict__"))):
                if first == itself:
                    return True
    return False
