"""What a check finds different is put back: files that changed together all at once, or none."""

from __future__ import annotations

from pathlib import Path

from nnx_migrate.check.verify import Change, put_back


def test_files_that_changed_together_go_back_together(tmp_path: Path) -> None:
    names = ("alone.py", "a.py", "b.py", "c.py", "d.py")
    files = {name: tmp_path / name for name in names}
    for path in files.values():
        path.write_bytes(b"new")
    pairs = {"a.py": "b.py", "b.py": "a.py", "c.py": "d.py", "d.py": "c.py"}
    changes = [
        Change(path, b"old", b"new", (files[pairs[name]],) if name in pairs else ())
        for name, path in files.items()
    ]
    files["d.py"].write_bytes(b"edited since")
    reverted, failed = put_back(changes)
    assert {path.name for path in reverted} == {"alone.py", "a.py", "b.py"}
    assert [path.read_bytes() for path in reverted] == [b"old"] * 3
    assert (files["c.py"].read_bytes(), files["d.py"].read_bytes()) == (b"new", b"edited since")
    assert failed == [
        f"{files['d.py']} could not be put back: changed while migrating",
        f"{files['c.py']}, which works with it only, was not put back",
    ]
