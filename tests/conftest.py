"""What holds for every test: what runs keep does not go to the folder of whoever runs the tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from nnx_migrate.sources.journal import STATE_VARIABLE


@pytest.fixture(scope="session", autouse=True)
def state_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The state folder of all commands that tests start."""
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, STATE_VARIABLE, str(folder))
        yield folder
