"""The files of a case are those that it imports, whatever its process imported before."""

from __future__ import annotations

from pathlib import Path

from nnx_migrate.check.cases.imported import with_own_files
from nnx_migrate.check.compare.verdicts import CaseResult
from nnx_migrate.check.jobs import Job, Side


def test_imports_are_followed_and_what_nobody_writes_counts_for_all(tmp_path: Path) -> None:
    for name, text in {
        "src/pkg/__init__.py": "",
        "src/pkg/one.py": "from . import two\nfrom ..pkg.sub import deep",
        "src/pkg/two.py": "import broken",
        "src/pkg/sub/__init__.py": "",
        "src/pkg/sub/deep.py": "def f():\n    import pkg.lazy",
        "src/pkg/lazy.py": "",
        "src/pkg/never.py": "",
        "src/pkg/plugin.py": "",
        "src/broken.py": "import (",
        "cases.py": "import pkg.two",
        "scripts/run.py": "import helper",
        "scripts/helper.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    side = Side("new", tmp_path, (tmp_path / "src", tmp_path))
    jobs = {
        "src/pkg/one.py:f#1": Job("src/pkg/one.py:f#1", "recorded", tmp_path / "r.sqlite", "1"),
        "cases.py:two": Job("cases.py:two", "function", tmp_path / "cases.py", "case_two"),
        "scripts/run.py": Job("scripts/run.py", "module", Path("scripts/run.py"), "scripts/run.py"),
    }
    pkg = {"src/pkg/__init__.py", "src/pkg/two.py", "src/broken.py"}
    one = {"src/pkg/one.py", "src/pkg/sub/__init__.py", "src/pkg/sub/deep.py", "src/pkg/lazy.py"}
    run = {"scripts/run.py", "scripts/helper.py"}
    loaded = tuple({*pkg, *one, *run, "cases.py", "src/pkg/plugin.py"})
    results = [CaseResult(name, {}, 0.0, {"new": loaded}) for name in jobs]
    found = [set(each.files["new"]) for each in with_own_files(results, jobs, (side,))]
    plugin = {"src/pkg/plugin.py"}
    assert found == [pkg | one | plugin, pkg | {"cases.py"} | plugin, run | plugin]
