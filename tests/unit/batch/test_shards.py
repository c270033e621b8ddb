"""Parts of a run, and what is said when they do not fit together."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from nnx_migrate.batch.shards import Shard, finished_shards
from nnx_migrate.engine.plan_file import PlanTask
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.configuration import Options


def done(folder: Path, *names: str) -> None:
    for name in names:
        shard = Shard.parse(name)
        shard.begun(folder)
        for part in (f"{shard.stem}.sqlite", f"{shard.stem}-index.sqlite"):
            (folder / part).touch()
        shard.finished(folder, 1)


def test_shards_of_two_cuts_are_told_with_what_to_type(tmp_path: Path) -> None:
    folder = tmp_path / "the shards"
    done(folder, "1/5", "2/5", "7/50")
    with pytest.raises(ConfigError, match="has shards of 5 and of 50; remove those of one") as met:
        finished_shards(folder)
    typed = str(met.value).partition(" as in: ")[2]
    subprocess.run(typed, shell=True, check=True)
    assert sorted(path.name for path in folder.iterdir() if path.suffix == ".json") == [
        "1-of-5.json",
        "2-of-5.json",
    ]
    with pytest.raises(ConfigError, match="these shards are not finished: 3/5, 4/5, 5/5"):
        finished_shards(folder)
    done(folder, "7/50")
    (folder / "1-of-5.json").unlink()
    (folder / "2-of-5.json").unlink()
    with pytest.raises(ConfigError, match=r"20/50, 21/50 and 29 more; run each with --shard"):
        finished_shards(folder)


def test_there_may_be_more_shards_than_files() -> None:
    tasks = [PlanTask(Path(name), b"", Options()) for name in "abc"]
    found = [task for number in range(1, 51) for task in Shard(number, 50).of_tasks(tasks)]
    assert found == tasks


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is finished: first run --shard 1/N to N/N"):
        finished_shards(tmp_path / "shards")
    (tmp_path / "shards").touch()
    with pytest.raises(ConfigError, match="shards: File exists"):
        Shard(1, 2).begun(tmp_path / "shards")
    with pytest.raises(ConfigError, match=r"1-of-2\.json: Not a directory"):
        Shard(1, 2).finished(tmp_path / "shards", 1)
