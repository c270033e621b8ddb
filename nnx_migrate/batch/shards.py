"""Parts of a run that other machines do: each plans its share of the files, knowing all of them."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from nnx_migrate.engine.plan_file import PlanTask
from nnx_migrate.sources.config_values import ConfigError

_NAME = re.compile(r"(\d+)-of-(\d+)\.json")
_MOST_NAMES = 20


@dataclasses.dataclass(frozen=True, slots=True)
class Shard:
    """One part.

    Args:
        number: 1-based.
        of: how many there are.
    """

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read "i/N".

        Raises:
            ValueError: it is not of that form, or i is not within 1 and N.
        """
        found = re.fullmatch(r"(\d+)/(\d+)", text)
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise ValueError(f"{text!r} is not a part i/N, as in 3/8")
        return cls(int(found[1]), int(found[2]))

    @property
    def stem(self) -> str:
        """The name of its files."""
        return f"{self.number}-of-{self.of}"

    def of_tasks(self, tasks: Sequence[PlanTask]) -> list[PlanTask]:
        """The files of this part: neighbours stay together, and all parts are of one size.

        Args:
            tasks: all files, in the order of what is known together.
        """
        start = (self.number - 1) * len(tasks) // self.of
        return list(tasks[start : self.number * len(tasks) // self.of])

    def begun(self, folder: Path) -> None:
        """Note that this part is not done, or not any more: nobody may read what is being written.

        Args:
            folder: of the parts; it is made.

        Raises:
            ConfigError: it cannot be written.
        """
        try:
            folder.mkdir(exist_ok=True)
            (folder / f"{self.stem}.json").unlink(missing_ok=True)
        except OSError as error:
            raise ConfigError(f"{folder}: {error.strerror}") from None

    def finished(self, folder: Path, files: int) -> None:
        """Note that this part is done.

        Args:
            folder: of the parts.
            files: how many it had.

        Raises:
            ConfigError: it cannot be written.
        """
        file = folder / f"{self.stem}.json"
        try:
            file.write_text(json.dumps({"files": files}) + "\n")
        except OSError as error:
            raise ConfigError(f"{file}: {error.strerror}") from None


def finished_shards(folder: Path) -> list[Shard]:
    """The parts of which all are done.

    Args:
        folder: of the parts.

    Raises:
        ConfigError: there are none, parts are missing, or they are of different cuts.
    """
    found = [
        Shard(int(name[1]), int(name[2]))
        for file in (folder.iterdir() if folder.is_dir() else ())
        if (name := _NAME.fullmatch(file.name))
    ]
    cuts = {shard.of for shard in found}
    if not found:
        raise ConfigError(f"no shard in {folder} is finished: first run --shard 1/N to N/N")
    if len(cuts) > 1:
        one, *_ = sorted(cuts, key=lambda of: sum(shard.of == of for shard in found))
        raise ConfigError(
            f"{folder} has shards of {' and of '.join(map(str, sorted(cuts)))}; "
            f"remove those of one, as in: rm {shlex.quote(str(folder))}/*-of-{one}[.-]*"
        )
    (of,) = cuts
    missing = sorted(set(range(1, of + 1)) - {shard.number for shard in found})
    if missing:
        names = ", ".join(f"{number}/{of}" for number in missing[:_MOST_NAMES])
        more = f" and {len(missing) - _MOST_NAMES:,} more" if len(missing) > _MOST_NAMES else ""
        raise ConfigError(f"these shards are not finished: {names}{more}; run each with --shard")
    return sorted(found, key=lambda shard: shard.number)
