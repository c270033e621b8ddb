"""What code outside of the project may use: by a package's public names, and by `__all__`."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from nnx_migrate.analysis.symbols.visibility import is_visible_outside
from tests.unit.analysis.asking import analysis_of

NET = "class Net:\n    def step(self): ...\n    def _step(self): ...\n    def __call__(self): ...\n"
HIDDEN = "class _Net:\n    def step(self): ...\n"
#: Files, the module that defines it, its name there.
VISIBLE: Mapping[str, tuple[dict[str, str], str, str]] = {
    "public in a package": ({"p/__init__.py": "", "p/m.py": NET}, "p.m", "Net.step"),
    "call of an object": ({"p/__init__.py": "", "p/m.py": NET}, "p.m", "Net.__call__"),
    "in a package's file": ({"p/__init__.py": NET}, "p", "Net.step"),
    "listed": ({"m.py": NET + "__all__ = ['Net']"}, "m", "Net.step"),
    "the class itself": ({"m.py": NET + "__all__ = ['Net']"}, "m", "Net"),
    "listed with an annotation": ({"m.py": NET + "__all__: list[str] = ['Net']"}, "m", "Net"),
    "listed later": ({"m.py": NET + "__all__ = []\n__all__ += ['Net']"}, "m", "Net"),
    "extended": ({"m.py": NET + "__all__ = []\n__all__.extend(['Net'])"}, "m", "Net"),
    "appended": ({"m.py": NET + "__all__ = []\n__all__.append('Net')"}, "m", "Net"),
    "with others": ({"m.py": NET + "import n\n__all__ = ['Net', *n.__all__]"}, "m", "Net"),
    "added": ({"m.py": NET + "import n\n__all__ = ['Net'] + n.__all__"}, "m", "Net"),
    "computed": ({"m.py": NET + "__all__ = [n for n in dir() if n[0] != '_']"}, "m", "Net"),
    "underscore listed": ({"p/m.py": HIDDEN + "__all__ = ['_Net']"}, "p.m", "_Net.step"),
    "listed where it is imported": (
        {"m.py": NET, "api.py": "from m import Net\n__all__ = ['Net']"},
        "m",
        "Net.step",
    ),
    "under another name": (
        {"p/__init__.py": "from p._m import _Net as Net", "p/_m.py": HIDDEN},
        "p._m",
        "_Net.step",
    ),
    "assigned to another name": ({"p/m.py": HIDDEN + "Net = _Net"}, "p.m", "_Net.step"),
}
HIDDEN_ONES: Mapping[str, tuple[dict[str, str], str, str]] = {
    "no import can name it": ({"p/05_m.py": NET}, "p.05_m", "Net.step"),
    "no import can name its folder": ({"p-q/r/m.py": NET}, "p-q.r.m", "Net.step"),
    "in a program": ({"m.py": NET}, "m", "Net.step"),
    "imported by a program": ({"m.py": NET, "n.py": "from m import Net"}, "m", "Net.step"),
    "method with an underscore": ({"p/m.py": NET}, "p.m", "Net._step"),
    "class with an underscore": ({"p/m.py": HIDDEN}, "p.m", "_Net.step"),
    "others are listed": ({"m.py": NET + "__all__ = ['Other']"}, "m", "Net.step"),
    "used in the package": (
        {"p/__init__.py": "", "p/m.py": HIDDEN, "p/n.py": "from p.m import _Net as Net"},
        "p.m",
        "_Net.step",
    ),
    "wrapped": ({"p/m.py": HIDDEN + "net = print(_Net)"}, "p.m", "_Net.step"),
}


@pytest.mark.parametrize("case", VISIBLE)
def test_is_visible(case: str) -> None:
    files, module, path = VISIBLE[case]
    assert is_visible_outside(analysis_of(files).project, module, path)


@pytest.mark.parametrize("case", HIDDEN_ONES)
def test_is_hidden(case: str) -> None:
    files, module, path = HIDDEN_ONES[case]
    assert not is_visible_outside(analysis_of(files).project, module, path)
