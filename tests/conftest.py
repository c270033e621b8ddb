"""What holds for every test: what runs keep does not go to the folder of whoever runs the tests."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from nnx_migrate.engine.cache.user_cache import CACHE_VARIABLE
from nnx_migrate.sources.journal import STATE_VARIABLE

#: The tests of the review page need the extra `browser`; CI has it.
collect_ignore = [] if importlib.util.find_spec("playwright") else ["browser"]
_ALL_RUN_JAX = re.compile(r"^pytestmark = pytest\.mark\.runs_jax$", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what would be imported, jax with it, and then deselected as a whole."""
    if "not runs_jax" not in config.option.markexpr or collection_path.suffix != ".py":
        return None
    return _ALL_RUN_JAX.search(collection_path.read_text(encoding="utf-8")) is not None or None


@pytest.fixture(scope="session", autouse=True)
def state_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The state folder of all commands that tests start; these find out all anew."""
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, STATE_VARIABLE, str(folder))
        patch.setitem(os.environ, CACHE_VARIABLE, os.devnull)
        yield folder
