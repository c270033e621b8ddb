"""What runs have shown of the functions of a project: `nnx-migrate observe` records it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.sources.facts.observed_facts import (
    IN_FILE,
    ObservedFacts,
    SeenFile,
    SeenFunction,
    SeenPlace,
)


class Observations:
    """The facts of runs, by the modules of a project.

    Args:
        facts: what was recorded, of files that have not changed since.
        modules: those of the project. A file may be edited after its module was matched: its
            functions are known by their names, which stay.
    """

    def __init__(self, facts: ObservedFacts, modules: Mapping[str, ir.ModuleIndex]) -> None:
        self.command = " ".join(facts.command)
        modules_of = {os.path.realpath(index.path): name for name, index in modules.items()}
        found = {
            name: modules_of.get(os.path.realpath(facts.root / name), "") for name in facts.files
        }
        self._module_of = {name: module for name, module in found.items() if module}
        self._files: dict[str, SeenFile] = {
            module: facts.files[name] for name, module in self._module_of.items()
        }
        self._paths: dict[str, tuple[ir.ModuleIndex, Mapping[str, str]]] = {}

    def of(self, index: ir.ModuleIndex, function: ir.Function) -> SeenFunction | None:
        """What was seen of a function; None where it was not called.

        Args:
            index: the module that it stands in, as it is now.
            function: it.
        """
        file = self._files.get(index.module)
        if file is None:
            return None
        path = self._function_paths(index).get(function.key, "")
        return file.functions.get(path)

    def class_of(self, modules: Mapping[str, ir.ModuleIndex], seen: str) -> str | None:
        """The name in the analysis of a class that was seen; None where it is not known.

        Args:
            modules: those of the project, as they are now.
            seen: a class of the project, as facts name it.
        """
        file, _, name = seen.partition(IN_FILE)
        index = modules.get(self._module_of.get(file, ""))
        if index is None:
            return None
        keys = [key for key in index.classes if key.partition(":")[0] == name]
        return f"{index.module}:{keys[0]}" if len(keys) == 1 else None

    def function_of(
        self, modules: Mapping[str, ir.ModuleIndex], seen: str
    ) -> tuple[str, str] | None:
        """The module and the key of a function that was seen; None where it is not known.

        Args:
            modules: those of the project, as they are now.
            seen: its file and path, as facts name them.
        """
        file, _, wanted = seen.partition(IN_FILE)
        index = modules.get(self._module_of.get(file, ""))
        if index is None:
            return None
        paths = self._function_paths(index)
        key = next((key for key, path in paths.items() if path == wanted), None)
        return None if key is None else (index.module, key)

    def place(self, module: str, line: int) -> SeenPlace | None:
        """What was seen of a statement that applies a transform; None where that is not known.

        Args:
            module: that it stands in.
            line: of the file as it was when it ran.
        """
        file = self._files.get(module)
        return None if file is None else file.places.get(line)

    def ran(self, index: ir.ModuleIndex) -> bool:
        """Whether a file ran; of a notebook, whose cells are not recorded as such, it may have.

        Args:
            index: its module.
        """
        return index.module in self._files or not index.path.endswith(".py")

    def was_seen_apart(self, modules: Mapping[str, ir.ModuleIndex], class_name: str) -> bool:
        """Whether runs have shown objects of a class, and none that holds something twice.

        Args:
            modules: those of the project, as they are now.
            class_name: as the analysis names it.
        """
        module, _, key = class_name.partition(":")
        file, index = self._files.get(module), modules.get(module)
        name = key.partition(":")[0]
        seen = file and file.classes.get(name)
        if not seen or index is None:
            return False
        # Facts do not tell classes of one name in a file from each other.
        alone = sum(each.partition(":")[0] == name for each in index.classes) == 1
        return bool(alone and seen.objects and not seen.sharing)

    def _function_paths(self, index: ir.ModuleIndex) -> Mapping[str, str]:
        """The path of each function that has one for itself, by its key."""
        known = self._paths.get(index.module)
        if known is None or known[0] is not index:
            paths = {key: _path(index, function) for key, function in index.functions.items()}
            several = Counter(paths.values())
            own = {key: path for key, path in paths.items() if several[path] == 1}
            known = self._paths[index.module] = index, own
        return known[1]


def _path(index: ir.ModuleIndex, function: ir.Function) -> str:
    """The name of a function behind those of what it is defined in: `Trainer.step`, `make.step`.

    The recorder names functions so, too (`observe/instrument.py`): of classes in classes, the
    innermost.
    """
    parts = [function.name]
    if function.owner is not None:
        parts.append(function.owner.partition(":")[0])
    outer = function.parent
    while outer is not None and outer != ir.MODULE_SCOPE:
        around = index.functions[outer]
        parts.append(around.name)
        if around.owner is not None:
            parts.append(around.owner.partition(":")[0])
        outer = around.parent
    return ".".join(reversed(parts))
