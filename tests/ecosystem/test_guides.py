"""Notebooks and guides as scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from guides import script_of

MYST = """---
jupytext:
  formats: ipynb,md:myst
---
# Title
```{code-cell} ipython3
:tags: [skip-execution]
:name: first

# ! pip install -U flax
%matplotlib inline
x = 7 %2
```
```python
not_a_cell = True
```
````{code-cell}
y = '''
```
'''
````
"""


def test_code_cells_of_a_guide_in_order_without_options_and_magics(tmp_path: Path) -> None:
    page = tmp_path / "guide.md"
    page.write_text(MYST)
    script = script_of(page)
    assert script == (
        "# ! pip install -U flax\npass  # %matplotlib inline\nx = 7 %2\n\ny = '''\n```\n'''\n"
    )
    names: dict[str, object] = {}
    exec(script, names)
    assert (names["x"], names["y"]) == (1, "\n```\n")


def test_code_cells_of_a_notebook(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# not code"]},
        {"cell_type": "code", "source": ["a = 1\n", "if a:\n", "  !ls\n", "  b = 2"]},
        {"cell_type": "code", "source": "%%bash\nrm -r x\n"},
        {"cell_type": "code", "source": "c = a + b"},
    ]
    notebook = tmp_path / "guide.ipynb"
    notebook.write_text(json.dumps({"cells": cells}))
    names: dict[str, object] = {}
    exec(script_of(notebook), names)
    assert names["c"] == 3


def test_the_last_cells_can_be_left_away(tmp_path: Path) -> None:
    page = tmp_path / "guide.md"
    page.write_text("".join(f"```{{code-cell}}\n{name} = 1\n```\n" for name in "abc"))
    assert script_of(page, without_last=2) == "a = 1\n"
    with pytest.raises(ValueError, match="no code cell"):
        script_of(page, without_last=3)


def test_a_page_without_code_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "words.md"
    page.write_text("# only words\n")
    with pytest.raises(ValueError, match="no code cell"):
        script_of(page)
