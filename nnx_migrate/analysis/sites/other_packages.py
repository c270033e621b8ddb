"""Calls of packages that are not part of the project, whose code may call functions of nnx."""

from __future__ import annotations

import ast

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.sites.tree import Tree
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.sources.imports.namespace_portions import LIBRARIES, STANDARD

#: Packages of this field that are given objects and call nothing of nnx on them.
_WITHOUT_NNX = LIBRARIES | frozenset(
    {
        "array_api_compat",
        "array_api_extra",
        "array_api_strict",
        "beartype",
        "cloudpickle",
        "cutlass",
        "cv2",
        "dargs",
        "datasets",
        "dill",
        "etils",
        "fire",
        "fsspec",
        "h5py",
        "huggingface_hub",
        "hydra",
        "imageio",
        "jaxlib",
        "jaxtyping",
        "joblib",
        "loguru",
        "ml_collections",
        "mlflow",
        "msgpack",
        "networkx",
        "numba",
        "omegaconf",
        "orjson",
        "packaging",
        "paddle",
        "pyarrow",
        "pydantic",
        "pytest",
        "requests",
        "rich",
        "safetensors",
        "seaborn",
        "skimage",
        "sparse",
        "sympy",
        "tensorboardX",
        "tensorstore",
        "torchvision",
        "transformers",
        "treescope",
        "typeguard",
        "tyro",
        "yaml",
    }
)


#: Makes what writes down whatever it is told, in any package.
_MAKES_LOGGERS = frozenset({"getLogger", "get_logger"})
_LOGS = frozenset({"critical", "debug", "error", "exception", "info", "log", "warn", "warning"})


def other_package(project: Project, dotted: str | None) -> str:
    """The package that a dotted name is of, where its code is not looked at; "" for others."""
    head = (dotted or "").partition(".")[0]
    if not head.isidentifier() or head in STANDARD or head in _WITHOUT_NNX:
        return ""
    return "" if head in project.packages else head


def package_called(tree: Tree, func: ast.expr, around: frozenset[ast.expr] = frozenset()) -> str:
    """Such a package, of a function of it or a method of what a call of it gives; else ""."""
    dotted = tree.dotted(func)
    if dotted is not None or func in around or not isinstance(func, ast.Attribute):
        return other_package(tree.project, dotted)
    made = func.value
    if isinstance(made, ast.Name):
        assigned = tree.assigned_value(tree.scope(made), made.id)
        made = assigned[0] if assigned is not None else made
    if not isinstance(made, ast.Call):
        return ""
    if func.attr in _LOGS and ir.last_name(lower_expr(made.func)) in _MAKES_LOGGERS:
        return ""
    return package_called(tree, made.func, around | {func})


def names_of_others(project: Project, module: str) -> frozenset[str]:
    """The names in a file that stand for something of such packages."""
    return frozenset(
        name
        for function in project.modules[module].functions.values()
        for name, values in function.bindings.items()
        if any(
            isinstance(value, ir.ImportRef) and other_package(project, value.target)
            for value in values
        )
    )


def calls_others(project: Project, module: str) -> bool:
    """Whether a file may give such a package an object; a cheap check before it is parsed."""
    index = project.modules[module]
    heads = {target.partition(".")[0] for target in index.imports}
    if "flax" not in heads and heads.isdisjoint(project.packages):
        return False  # it has no objects
    names = names_of_others(project, module)
    return bool(names) and any(
        root.id in names
        for function in index.functions.values()
        for call in function.calls
        for given in (call.func, *call.args[:1])  # the latter of a partial
        if (root := ir.root_name(given)) is not None
    )
