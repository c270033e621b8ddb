"""The import graph of a project."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Project

#: Words of files that may bring in other files than those that they import.
_AT_RUN_TIME = frozenset(
    {"__import__", "cloudpickle", "dill", "entry_points", "eval", "exec", "get_class", "importlib"}
    | {"import_module", "instantiate", "joblib", "locate", "pickle", "pkgutil", "runpy", "run_path"}
    | {"__ipython__", "get_ipython", "pytest_plugins", "run_line_magic"}
)
#: Those of files that may run any other file as a module of theirs.
_LOADING = frozenset(
    {"__import__", "exec", "import_module", "run_module", "run_path", "spec_from_file_location"}
)
#: Those of files that may run code of others which they find by a name.
_BY_NAME = _LOADING | {
    *("entry_points", "get_class", "importlib", "instantiate", "locate", "pkgutil"),
    "pytest_plugins",
}
#: Those of files that may write whole objects, for other programs to read.
_STORING_OBJECTS = frozenset({"Pickler", "cloudpickle", "dill", "dump", "dumps", "joblib"})


# Names are few, and say the same for ever.
@functools.cache
def is_test_file(module: str) -> bool:
    """Whether a module is a file that pytest collects tests from by its name."""
    stem = module.rpartition(".")[2]
    return stem.startswith("test_") or stem.endswith("_test")


def is_conftest(module: str) -> bool:
    """Whether a module is a file of fixtures, which tests get without an import."""
    return module.rpartition(".")[2] == "conftest"


def is_of_flax(module: str) -> bool:
    """Whether a module is a file of flax itself, which imports nothing of other projects."""
    return module.partition(".")[0] == "flax"


def is_packaged(record: ir.ModuleIndex) -> bool:
    """Whether a module is a package, or in one, so that code of other projects may import it.

    No import statement can name a file like `05_vae.py`.
    """
    within = record.is_package or "." in record.module
    return within and all(part.isidentifier() for part in record.module.split("."))


def reachable(start: str, after: Callable[[str], Iterable[str]]) -> frozenset[str]:
    """All nodes of a graph that can be reached from one of them, itself included."""
    found = {start}
    pending = [start]
    while pending:
        new = set(after(pending.pop())) - found
        found |= new
        pending += new
    return frozenset(found)


class ImportFinder:
    """Follows the imports between the files of a project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._known: dict[str, frozenset[str]] = {}
        self._known_directly: dict[str, tuple[str, ...]] = {}
        self._importing: dict[str, frozenset[str]] = {}
        self._programs: dict[str, frozenset[str] | None] = {}
        self._meeting: dict[tuple[str, str], bool] = {}
        self._open: dict[str, bool] = {}
        self._said: dict[tuple[str, frozenset[str]], bool] = {}

    def of(self, module: str) -> frozenset[str]:
        """The modules that a module imports, directly or through others, itself included."""
        if module not in self._known:
            self._known[module] = reachable(module, self._direct)
        return self._known[module]

    def importers(self, module: str, words: Collection[str] = ()) -> Iterator[ir.ModuleIndex]:
        """The other modules that import a module, directly or through others.

        Args:
            words: of which they must have one in them; empty when it does not matter.
        """
        for other in self.project.modules.values():
            named = not words or any(word in other.words for word in words)
            if named and other.module != module and module in self.of(other.module):
                yield other

    def in_one_program(self, one: str, other: str) -> bool:
        """Whether some file imports both, directly or through others, or is one of them.

        Imports at run time (`importlib`) are not followed.
        """
        return not self._all_importing(one).isdisjoint(self._all_importing(other))

    def may_meet(self, module: str, other: str) -> bool:
        """Whether an object whose class another file defines may come to code of a module.

        What a test file makes stays in the programs that import it: other tests that run in one
        process with it have objects of their own. So it is with a notebook, unless the code of the
        module runs in programs that may import more at run time.
        """
        key = module, other
        if key not in self._meeting:
            document = bool(self.project.modules[other].stands)
            alone = is_test_file(other) or (document and not self._runs_in_open_program(module))
            self._meeting[key] = not alone or self.in_one_program(module, other)
        return self._meeting[key]

    def may_set(self, module: str, other: str) -> bool:
        """Whether what another file does to objects may be done to those of a module.

        A file that is written to be started (`if __name__ == "__main__":`) does that where it runs,
        and in the programs that import it, unless objects go from there to others as files.
        """
        alone = (
            self.project.modules[other].is_started
            and not self._is_said_beside(module, _BY_NAME)
            and not self._is_said_beside(other, _STORING_OBJECTS)
        )
        return self.in_one_program(module, other) if alone else self.may_meet(module, other)

    def _is_said_beside(self, module: str, words: frozenset[str]) -> bool:
        """Whether a file that may run in one program with a module has one of these words."""
        key = module, words
        if key not in self._said:
            running = self._all_importing(module)
            if any(map(is_test_file, running)):
                running = running.union(self._conftests)
            beside = {each for one in running for each in self.of(one)}
            self._said[key] = any(self.project.modules[each].says(words) for each in beside)
        return self._said[key]

    def _runs_in_open_program(self, module: str) -> bool:
        """Whether some program that runs a module may import more than is seen."""
        if module not in self._open:
            running = self._all_importing(module)
            self._open[module] = any(self.program_of(each) is None for each in running)
        return self._open[module]

    def program_of(self, module: str) -> frozenset[str] | None:
        """The modules that run where a module does that is only started, as a notebook is.

        These are the module itself, all that it imports, directly or through others, and the
        packages around them; None where one of them may import more at run time.
        """
        if module not in self._programs:
            found = reachable(module, self._run_by_import)
            open_ended = any(map(self._may_import_more, found))
            self._programs[module] = None if open_ended else found
        return self._programs[module]

    def runs_beside(self, module: str) -> Collection[str]:
        """The modules that may run in one program with a module: all where that is not known.

        A program is a notebook or page, or a file of no package that no other file imports.
        """
        program = self.program_of(module) if self._is_program(module) else None
        return self.project.modules.keys() if program is None else program

    def program_alone(self, module: str) -> frozenset[str] | None:
        """The modules of the one program that runs a module; None where others may, too."""
        if not self._is_program(module):
            return None
        program = self.program_of(module)
        loaded = not self.project.modules[module].stands and not self._loading <= {module}
        return None if loaded else program

    @functools.cached_property
    def _loading(self) -> frozenset[str]:
        """The files that may run others by their paths or names."""
        return frozenset(
            module
            for module, record in self.project.modules.items()
            if not _LOADING.isdisjoint(record.words) and not is_of_flax(module)
        )

    def _is_program(self, module: str) -> bool:
        record = self.project.modules[module]
        if record.stands:
            return True
        if is_conftest(module):
            return False
        offers = is_packaged(record) or record.exports
        return not offers and self._all_importing(module) == {module}

    def _may_import_more(self, module: str) -> bool:
        """Whether a file imports by a name that is made at run time, or one that is not followed
        here and yet may be that of a file in sight."""
        if is_of_flax(module):
            return False
        index = self.project.modules[module]
        heads = {target.partition(".")[0] for target in index.imports}
        return not (
            _AT_RUN_TIME.isdisjoint((*index.words, *heads)) and heads.isdisjoint(self._inner_names)
        )

    @functools.cached_property
    def _inner_names(self) -> frozenset[str]:
        """Names of packages and modules by which no import of the project begins."""
        names = {part for module in self.project.modules for part in module.split(".")[1:]}
        return frozenset(names - {module.partition(".")[0] for module in self.project.modules})

    def _run_by_import(self, module: str) -> Iterator[str]:
        yield from self._direct(module)
        if is_test_file(module):
            yield from self._conftests
        for target in (module, *self.project.modules[module].imports):
            while target := target.rpartition(".")[0]:
                if target in self.project.modules:
                    yield target

    def _all_importing(self, module: str) -> frozenset[str]:
        if module not in self._importing:
            self._importing[module] = reachable(module, lambda name: self._direct_importers[name])
        return self._importing[module]

    @functools.cached_property
    def _direct_importers(self) -> Mapping[str, set[str]]:
        found: dict[str, set[str]] = {module: set() for module in self.project.modules}
        for module in self.project.modules:
            for target in self._direct(module):
                found[target].add(module)
        for conftest in self._conftests:  # what it imports runs in one process with each test
            found[conftest].update(filter(is_test_file, self.project.modules))
        return found

    @functools.cached_property
    def _conftests(self) -> tuple[str, ...]:
        return tuple(filter(is_conftest, self.project.modules))

    def _direct(self, module: str) -> tuple[str, ...]:
        # Of each module all that it leads to is gathered, so each is met from many.
        if module not in self._known_directly:
            self._known_directly[module] = tuple(dict.fromkeys(self._find_direct(module)))
        return self._known_directly[module]

    def _find_direct(self, module: str) -> Iterator[str]:
        for target in self.project.modules[module].imports:
            while target:
                if target in self.project.modules:
                    yield target
                    break
                target = target.rpartition(".")[0]
