"""Finds, in the source of a class, the methods that change the structure of self.

Such a method sets, creates or deletes an attribute (of self, or of a Module below it), or sows. In
tree mode what it did inside a transform is lost (a Variable updated in place is not). The search
follows calls of self's own methods, `super()`, and functions that self is handed to; it does not
follow calls of submodules, which have a table entry of their own.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

# Writing these updates the Variable itself, which every mode keeps.
_IN_PLACE = frozenset({"value", "raw_value"})
# What a caller can run on an existing instance, besides the methods with a public name.
_CALLABLE_DUNDERS = frozenset({"__call__", "__setitem__", "__delitem__", "__iadd__"})


def structural_methods(owner: type) -> frozenset[str]:
    """Names of owner's methods, inherited ones included, that change the structure of self.

    Args:
        owner: a class whose source can be read.

    Raises:
        OSError: the source of a method is not available.
    """
    names = {name for base in owner.__mro__ for name in vars(base)}
    callable_names = {n for n in names if n in _CALLABLE_DUNDERS or not n.startswith("_")}
    return frozenset(name for name in callable_names if _Search(owner).method(name))


class _Search:
    """One walk through the calls that start at one method of owner."""

    def __init__(self, owner: type) -> None:
        self._owner = owner
        self._seen: set[tuple[FunctionType, str]] = set()

    def method(self, name: str, after: type | None = None) -> bool:
        """Whether owner's method changes self; with after, the method that super() finds there."""
        mro = self._owner.__mro__
        for base in mro[mro.index(after) + 1 if after else 0 :]:
            if name in vars(base):
                function = inspect.unwrap(getattr(vars(base)[name], "__func__", vars(base)[name]))
                if not isinstance(function, FunctionType):
                    return False
                parameters = list(inspect.signature(function).parameters)
                return bool(parameters) and self._function(function, parameters[0], base)
        return False

    def _function(self, function: FunctionType, root: str, defined_in: type | None) -> bool:
        if (function, root) in self._seen:
            return False
        self._seen.add((function, root))
        tree = _syntax(function)
        roots = _names_of(root, tree)
        return any(
            self._writes(node, roots) or self._calls(node, roots, function, defined_in)
            for node in ast.walk(tree)
        )

    def _writes(self, node: ast.AST, roots: set[str]) -> bool:
        for target in _targets(node):
            if isinstance(target, ast.Attribute):
                if target.attr not in _IN_PLACE and _root_name(target) in roots:
                    return True
            elif isinstance(target, ast.Subscript):
                if _is_root(target.value, roots):
                    dunder = "__delitem__" if isinstance(node, ast.Delete) else "__setitem__"
                    if self.method(dunder):
                        return True
                elif _is_namespace(target.value, roots):
                    return True
        return False

    def _calls(
        self, node: ast.AST, roots: set[str], function: FunctionType, defined_in: type | None
    ) -> bool:
        match node:
            case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[ast.Name(id=name), *_]):
                return name in roots
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if name in roots:
                return self.method(attr)
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=attr)
            ) if defined_in:
                return self.method(attr, after=defined_in)
            case ast.Call(func=ast.Name(id=name)) if name in roots:
                return self.method("__call__")
            case ast.Call(func=ast.Name(id=name)):
                callee = function.__globals__.get(name)
                return isinstance(callee, FunctionType) and self._handed_to(callee, node, roots)
        return False

    def _handed_to(self, callee: FunctionType, call: ast.Call, roots: set[str]) -> bool:
        callee = inspect.unwrap(callee)
        if not callee.__module__.startswith("flax.nnx."):
            return False
        parameters = list(inspect.signature(callee).parameters)
        handed = [p for p, arg in zip(parameters, call.args, strict=False) if _is_root(arg, roots)]
        handed += [k.arg for k in call.keywords if k.arg and _mentions(k.value, roots)]
        return any(self._function(callee, parameter, None) for parameter in handed)


def _syntax(function: FunctionType) -> ast.AST:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except OSError:
        # collections.abc is frozen into the interpreter; its source file is there all the same.
        module = ast.parse(Path(sys.modules["_collections_abc"].__file__ or "").read_bytes())
        owner, _, name = function.__qualname__.rpartition(".")
        for node in module.body:
            if isinstance(node, ast.ClassDef) and node.name == owner:
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and method.name == name:
                        return method
        raise


def _names_of(root: str, tree: ast.AST) -> set[str]:
    """The local names for the root object, or for what iterating over it gives."""
    roots = {root}
    while True:
        found = set(roots)
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_root(value, roots):
                    found.add(name)
                case ast.For(target=target, iter=iterated) if _mentions(iterated, roots):
                    found |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
        if found == roots:
            return roots
        roots = found


def _targets(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            pass
        case ast.AugAssign(target=target) | ast.For(target=target):
            targets = [target]
        case ast.AnnAssign(target=target, value=ast.expr()):
            targets = [target]
        case _:
            return
    for target in targets:
        yield from target.elts if isinstance(target, (ast.Tuple, ast.List)) else (target,)


def _root_name(target: ast.expr) -> str | None:
    while isinstance(target, ast.Attribute):
        target = target.value
    return target.id if isinstance(target, ast.Name) else None


def _is_root(node: ast.expr, roots: set[str]) -> bool:
    match node:
        case ast.Name(id=name):
            return name in roots
        case ast.Attribute(value=ast.Name(id=name), attr="__self__"):
            return name in roots
    return False


def _is_namespace(node: ast.expr, roots: set[str]) -> bool:
    """Whether it is vars(root) or root.__dict__."""
    match node:
        case ast.Call(func=ast.Name(id="vars"), args=[argument]):
            return _is_root(argument, roots)
        case ast.Attribute(value=value, attr="__dict__"):
            return _is_root(value, roots)
    return False


def _mentions(node: ast.expr, roots: set[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in roots for n in ast.walk(node))
