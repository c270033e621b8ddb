"""What a log is told of a long run."""

from __future__ import annotations

import pytest

from nnx_migrate.batch.progress import LogLines, duration


def test_a_log_gets_a_line_now_and_then_with_rate_and_time_left() -> None:
    lines: list[str] = []
    now = [0.0]
    progress = LogLines(lines.append, lambda: now[0])
    for done in range(1, 402):
        now[0] += 0.125
        progress("planning", done, 1000)
    for done in range(1, 202):
        now[0] += 0.125
        progress("reading", done, 0)
    assert lines == [
        "nnx-migrate: planning 121 of 1,000 files, 8/s, 2 min left\n",
        "nnx-migrate: planning 241 of 1,000 files, 8/s, 2 min left\n",
        "nnx-migrate: planning 361 of 1,000 files, 8/s, 80 s left\n",
        "nnx-migrate: reading 121 files, 8/s\n",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (89, "89 s"), (90, "2 min"), (5400, "1 h 30 min")]
)
def test_a_time_as_people_say_it(seconds: float, text: str) -> None:
    assert duration(seconds) == text
