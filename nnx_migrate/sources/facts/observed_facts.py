"""What runs of a program have shown of its functions: the file that `nnx-migrate observe` writes.

    {
      "version": 1,
      "root": "..",                              # from the folder of this file
      "command": ["pytest", "tests"],
      "files": {
        "src/train.py": {
          "sha256": "...",                       # with another content, its facts are dropped
          "functions": {
            "Trainer.step": {
              "calls": 214,
              "tests": ["tests/test_train.py::test_step"],
              "parameters": {"model": ["src/model.py::Net"], "x": ["array"]},
              "sows": [true, false],             # which calls of `sow` in it ran, from the top
              "changes": [["n replaced"], []],   # what its lines did to attributes, from the top
              "closed_over": {"loss": ["src/loss.py::mse()"]},
              "objects": {"model": {"looks": 3, ...}},
              "around": ["graph mode", "graph updates", "no mesh"]
            }
          },
          "classes": {"Net": {"objects": 3, "sharing": 0}},
          "places": {                            # lines that apply transforms
            "17": {"ran": true, "around": ["graph mode", "graph updates", "mesh"]}
          }
        }
      }
    }

Names, types and places stand in it, and no values. A type is a class of the project
(`FILE::CLASS`), one of a library (`flax.nnx.Linear`), a function of the project (`FILE::PATH()`) or
a method that is bound to an object (`FILE::PATH(self)`), or a sort: `array`, `plain`, `none`, `on`
and `off` (of a flag, whether it was set), `default` (0, "" and the like, where nobody passes more),
`other`. Of `**more` the names are told that it took: `keyword mask`. What lists, tuples and
dictionaries hold is told behind `in `, once for each of them that the thing lies in: `in in array`.
Of a class of Modules is told how many objects were looked at, and how many of them held something
in two places. A line that writes attributes of a parameter made, replaced or deleted them (`n
made`); of another object the name stands alone; a constructor tells of none. `objects` is told in
`seen_objects.py`. What is not there was not looked for.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

from nnx_migrate.sources.facts.seen_objects import SeenObject, seen_object

VERSION = 1
#: Sorts of values that are no objects of a class that matters.
ARRAY, PLAIN, NONE, OTHER = "array", "plain", "none", "other"
#: What a parameter is when nobody passes it, where that is a number or a text that counts as false.
DEFAULT = "default"
#: A flag that is set, and one that is not.
ON, OFF = "on", "off"
#: In front of the name of a keyword.
KEYWORD = "keyword "
#: What a statement does to an attribute.
SETS, DELETES = "set", "delete"
#: What a function ran under.
MESH, NO_MESH = "mesh", "no mesh"
GRAPH, TREE = "graph mode", "tree mode"
UPDATES, NO_UPDATES = "graph updates", "no graph updates"
#: Where pytest says which test is running.
RUNNING_TEST = "PYTEST_CURRENT_TEST"
#: Between the file of a class and its name.
IN_FILE = "::"
#: Behind the path of a function, and of a method that is bound.
FUNCTION, BOUND = "()", "(self)"
#: In front of what a container holds.
IN_CONTAINER = "in "
#: Methods of Modules of which is told whether a call of them ran, and functions like them.
SOWING = frozenset({"sow", "perturb"})
WRITING = frozenset({"setattr", "delattr"})


class FactsError(ValueError):
    """A file of facts that cannot be used; the text names it, and what to do."""


@dataclasses.dataclass(frozen=True, slots=True)
class SeenFunction:
    """What was seen of one function.

    Args:
        calls: how many there were; of a function that is traced, how often it was.
        tests: those of pytest that it was called in.
        parameters: by name, every type that was passed, sorted.
        sows: of each call of `sow`, `perturb`, `setattr` or `delattr` in it, in the order of the
            file, whether it ran.
        changes: of each of its lines that writes attributes, from the top, what it did to them;
            nothing where it never ran.
        closed_over: what the names were that it reads from functions around it.
        objects: by parameter, what calls did to the objects that it got.
        around: modes and meshes that it ran under.
    """

    calls: int
    tests: tuple[str, ...]
    parameters: Mapping[str, tuple[str, ...]]
    sows: tuple[bool, ...] = ()
    changes: tuple[tuple[str, ...], ...] = ()
    closed_over: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    objects: Mapping[str, SeenObject] = dataclasses.field(default_factory=dict)
    around: tuple[str, ...] = ()

    def told(self, looks: int | None = None) -> str:
        """How often it was seen, in words.

        Args:
            looks: in how many of its calls, where that is not all of them.
        """
        among = f"{looks} of " if looks is not None and looks < self.calls else ""
        calls = f"{among}{self.calls} call{'s' * (self.calls != 1)}"
        if not self.tests:
            return calls
        return f"{calls} of {len(self.tests)} test{'s' * (len(self.tests) != 1)}"

    def joined(self, other: SeenFunction) -> SeenFunction:
        """What two runs have shown together."""
        objects = dict(self.objects)
        for name, seen in other.objects.items():
            objects[name] = objects[name].joined(seen) if name in objects else seen
        return SeenFunction(
            self.calls + other.calls,
            tuple(sorted({*self.tests, *other.tests})),
            _joined_types(self.parameters, other.parameters),
            tuple(map(any, zip_longest(self.sows, other.sows, fillvalue=False))),
            tuple(
                tuple(sorted({*one, *two}))
                for one, two in zip_longest(self.changes, other.changes, fillvalue=())
            ),
            _joined_types(self.closed_over, other.closed_over),
            objects,
            tuple(sorted({*self.around, *other.around})),
        )


def _joined_types(
    one: Mapping[str, tuple[str, ...]], two: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    names = sorted({*one, *two})
    return {name: tuple(sorted({*one.get(name, ()), *two.get(name, ())})) for name in names}


@dataclasses.dataclass(frozen=True, slots=True)
class SeenClass:
    """What was seen of the Modules of a class.

    Args:
        objects: how often one was looked at.
        sharing: how often it held something in two places.
    """

    objects: int
    sharing: int

    def joined(self, other: SeenClass) -> SeenClass:
        """What two runs have shown together."""
        return SeenClass(self.objects + other.objects, self.sharing + other.sharing)


@dataclasses.dataclass(frozen=True, slots=True)
class SeenPlace:
    """What was seen of a line that applies a transform.

    Args:
        ran: whether it did.
        around: modes and meshes that it ran under.
    """

    ran: bool
    around: tuple[str, ...] = ()

    def joined(self, other: SeenPlace) -> SeenPlace:
        """What two runs have shown together."""
        return SeenPlace(self.ran or other.ran, self._around(other))

    def also(self, other: SeenPlace) -> SeenPlace:
        """Of two parts of a line, where it counts as run only if both are."""
        return SeenPlace(self.ran and other.ran, self._around(other))

    def _around(self, other: SeenPlace) -> tuple[str, ...]:
        return tuple(sorted({*self.around, *other.around}))


@dataclasses.dataclass(frozen=True, slots=True)
class SeenFile:
    """What was seen of the functions and classes of one file.

    Args:
        sha256: of the bytes that ran.
        functions: by their names, as `function_path` gives them.
        classes: by their names.
        places: the lines that apply transforms, outside of lambdas and decorators.
    """

    sha256: str
    functions: Mapping[str, SeenFunction]
    classes: Mapping[str, SeenClass] = dataclasses.field(default_factory=dict)
    places: Mapping[int, SeenPlace] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, eq=False)
class ObservedFacts:
    """The facts of the runs of one tree.

    Args:
        root: the folder that the names of files start from.
        command: what ran last.
        files: by name from the root, with "/".
    """

    root: Path
    command: tuple[str, ...]
    files: Mapping[str, SeenFile]

    def current(self) -> tuple[ObservedFacts, tuple[str, ...]]:
        """The facts of files that are still what ran, and the names of the others."""
        changed = tuple(
            name for name, file in self.files.items() if digest(self.root / name) != file.sha256
        )
        files = {name: file for name, file in self.files.items() if name not in changed}
        return dataclasses.replace(self, files=files), changed

    def digest(self) -> str:
        """The same text for the same facts of the same tree."""
        return hashlib.sha256(facts_text(self, str(self.root)).encode()).hexdigest()

    def joined(self, other: ObservedFacts) -> ObservedFacts:
        """These and what a later run of the same tree has shown."""
        files = dict(self.files)
        for name, file in other.files.items():
            before = files.get(name)
            if before is not None and before.sha256 == file.sha256:
                functions = dict(before.functions)
                for path, seen in file.functions.items():
                    functions[path] = functions[path].joined(seen) if path in functions else seen
                classes = dict(before.classes)
                for each, kind in file.classes.items():
                    classes[each] = classes[each].joined(kind) if each in classes else kind
                places = dict(before.places)
                for line, place in file.places.items():
                    places[line] = places[line].joined(place) if line in places else place
                file = SeenFile(file.sha256, functions, classes, places)
            files[name] = file
        return ObservedFacts(other.root, other.command, files)


def digest(file: Path) -> str:
    """The sha256 of a file; "" where there is none."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


def read_facts(file: Path) -> ObservedFacts:
    """Read what `write_facts` wrote.

    Raises:
        FactsError: there is no such file, or it is none of facts.
    """
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        return _parsed(data, file)
    except OSError as error:
        raise FactsError(
            f"{file}: {error.strerror}; `nnx-migrate observe --out {file} -- COMMAND` makes it"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FactsError(
            f"{file} has facts of another version; record them again with"
            f" `nnx-migrate observe --out {file} -- COMMAND`"
        ) from None


def _parsed(data: Any, file: Path) -> ObservedFacts:
    if data["version"] != VERSION:
        raise ValueError
    files = {
        str(name): SeenFile(
            str(each["sha256"]),
            {str(path): seen_function(seen) for path, seen in each["functions"].items()},
            {
                str(kind): SeenClass(int(seen["objects"]), int(seen["sharing"]))
                for kind, seen in each.get("classes", {}).items()
            },
            {
                int(line): SeenPlace(bool(seen["ran"]), tuple(map(str, seen["around"])))
                for line, seen in each.get("places", {}).items()
            },
        )
        for name, each in data["files"].items()
    }
    root = (file.resolve().parent / data["root"]).resolve()
    return ObservedFacts(root, tuple(map(str, data["command"])), files)


def seen_function(data: Any) -> SeenFunction:
    """Read what a file of facts says of a function.

    Args:
        data: by the names of `SeenFunction`; what it does not need may be missing.
    """
    return SeenFunction(
        int(data["calls"]),
        tuple(map(str, data["tests"])),
        _types(data["parameters"]),
        tuple(map(bool, data.get("sows", ()))),
        tuple(tuple(map(str, each)) for each in data.get("changes", ())),
        _types(data.get("closed_over", {})),
        {str(name): seen_object(each) for name, each in data.get("objects", {}).items()},
        tuple(map(str, data.get("around", ()))),
    )


def _types(data: Any) -> dict[str, tuple[str, ...]]:
    return {str(name): tuple(map(str, types)) for name, types in data.items()}


def _as_json(seen: SeenFunction) -> dict[str, Any]:
    """What a file of facts says of a function, without what was not seen."""
    needed = {
        "calls": seen.calls,
        "tests": list(seen.tests),
        "parameters": {name: list(types) for name, types in seen.parameters.items()},
    }
    more = {
        "sows": list(seen.sows),
        "changes": list(map(list, seen.changes)),
        "closed_over": {name: list(types) for name, types in seen.closed_over.items()},
        "objects": {name: each.as_json() for name, each in sorted(seen.objects.items())},
        "around": list(seen.around),
    }
    return needed | {name: each for name, each in more.items() if each}


def _places_as_json(places: Mapping[int, SeenPlace]) -> dict[str, Any]:
    return {
        str(line): {"ran": seen.ran, "around": list(seen.around)}
        for line, seen in sorted(places.items())
    }


def facts_text(facts: ObservedFacts, root: str) -> str:
    """The text of a file of facts.

    Args:
        facts: what it is to hold.
        root: the way to their root from the folder of the file.
    """
    files = {
        name: {
            "sha256": file.sha256,
            "functions": {path: _as_json(seen) for path, seen in sorted(file.functions.items())},
            "classes": {
                name: dataclasses.asdict(seen) for name, seen in sorted(file.classes.items())
            },
            **({"places": _places_as_json(file.places)} if file.places else {}),
        }
        for name, file in sorted(facts.files.items())
    }
    data = {"version": VERSION, "root": root, "command": list(facts.command), "files": files}
    return json.dumps(data, indent=1) + "\n"
