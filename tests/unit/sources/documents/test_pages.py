"""Blocks of Markdown and reStructuredText are found, read as one module, and written back."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.sources.documents.document import CannotPlace, Document
from nnx_migrate.sources.documents.pages import read_page
from nnx_migrate.sources.text import UndecodableSource


def read(text: str, suffix: str = "md") -> Document:
    return read_page(Path(f"page.{suffix}"), text.encode())


def codes(text: str, suffix: str = "md") -> list[str]:
    return ["|".join(block.code) for block in read(text, suffix).blocks]


def edited(text: str, old: str, new: str, suffix: str = "md") -> str:
    document = read(text, suffix)
    virtual = document.source.text
    assert virtual.count(old) == 1
    return document.with_text(virtual.replace(old, new)).decode()


FENCES = [
    ("```python\nnnx\n```\n", ["nnx"]),
    ("~~~~ py\nnnx\n~~~\n~~~~\n", []),
    ("~~~ py\nnnx\n~~~~\n", ["nnx"]),
    ("````python\nnnx\n'''\n```\n'''\n````\n", ["nnx|'''|```|'''"]),
    ("```\nnnx\n```\n", []),
    ("```bash\nnnx\n```\n```py\nnnx\n```", ["nnx"]),
    ("```{code-cell} ipython3\n:tags: [x]\n:name: y\n\nnnx\n```\n", ["|nnx"]),
    ("```{code-cell}\n---\ntags: [x]\n---\nnnx\n```\n", ["nnx"]),
    ("```{code-block} python\n:linenos:\nnnx\n```\n", ["nnx"]),
    ("```{code-block} bash\nnnx\n```\n", []),
    ("```{testcode}\nnnx\n```\n", ["nnx"]),
    ("```{.python .numberLines}\nnnx\n```\n", ["nnx"]),
    ('```python title="a.py"\nnnx\n```\n', ["nnx"]),
    ("- a\n\n  ```python\n  if nnx:\n    x\n\n  y\n  ```\n", ["if nnx:|  x||y"]),
    ("1. ```python\n   nnx\n   ```\n", ["nnx"]),
    ("> > ```python\n> > if nnx:\n> >   x\n> >\n> > y\n> > ```\n", ["if nnx:|  x||y"]),
    ("````{tab-set}\n```{tab-item} A\n```\n```python\nnnx\n```\n````\n```py\nnnx.b\n```", None),
    (":::{note}\n```python\nnnx\n```\n:::\n\n```python\nb\n```", ["nnx", "b"]),
    (":::note\n```python\nnnx\n```\n:::\n", ["nnx"]),
    ("```{eval-rst}\n.. testcode::\n\n  nnx\n```\n", ["nnx"]),
    ("```pycon\n>>> nnx\n1\n>>> b\n```\n", ["nnx", "b"]),
    ("```\n>>> nnx\n1\n```\n", ["nnx"]),
    ("```python\n>>> if nnx:\n...   b\n...\n>>> c\n2\n```\n", ["if nnx:|  b||c"]),
    ("```python\nnnx", ["nnx"]),
    ("text ```python nnx``` text\n```` ``` ````\n", []),
    ("```python\n!pip install nnx\nnnx\n```\n", ["__shell__()  #~0|nnx"]),
]


@pytest.mark.parametrize(("page", "expected"), FENCES)
def test_fences(page: str, expected: list[str] | None) -> None:
    assert codes(page) == (["nnx", "nnx.b"] if expected is None else expected)
    for end in ("\r\n", "\r"):
        assert codes(page.replace("\n", end)) == codes(page)


RST = [
    (
        ".. code-block:: python\n   :linenos:\n\n   if nnx:\n     x\n\n   y\n\ntext\n",
        "if nnx:|  x||y",
    ),
    (".. code:: python3\n\n  nnx\n", "nnx"),
    (".. testcode:: a, b\n\n  nnx\n", "nnx"),
    (".. code-block:: bash\n\n  nnx\n", None),
    (".. note::\n\n   .. testcode::\n\n      nnx\n", "nnx"),
    ("Text::\n\n  >>> if nnx:\n  ...   x\n  1\n", "if nnx:|  x"),
    (".. doctest::\n\n  >>> nnx\n  1\n", "nnx"),
    (".. codediff::\n  :title: A, B\n\n  nnx.a\n  ---\n  nnx.b\n", "nnx.a/nnx.b"),
]


@pytest.mark.parametrize(("page", "expected"), RST)
def test_directives(page: str, expected: str | None) -> None:
    assert codes(page, "rst") == (expected.split("/") if expected else [])


def test_what_stands_in_front_of_lines_is_kept() -> None:
    page = "> - x\n>\n>   ```py\n>   a = nnx\n>\n>   b = 2\n>   ```\n>   c\n"
    after = edited(page, "b = 2\n", "if a:\n  b = 3\n\n  c\n")
    new = ">   if a:\n>     b = 3\n>\n>     c\n"
    assert after == page.replace(">   b = 2\n", new)


def test_prompts_are_kept_and_made() -> None:
    page = "text::\n\n    >>> a = nnx\n    >>> a.b(\n    ...   1)\n    out\n\n    >>> d\n"
    after = edited(page, "a.b(\n  1)\n", "@x\ndef f():\n  return 1\n\na.b(\n  2)\n", "rst")
    new = "    >>> @x\n    ... def f():\n    ...   return 1\n    ...\n    >>> a.b(\n    ...   2)\n"
    assert after == page.replace("    >>> a.b(\n    ...   1)\n", new)


def test_a_value_that_is_shown_stays_the_last() -> None:
    page = "```pycon\n>>> nnx\n1\n>>> b\n```\n"
    with pytest.raises(CannotPlace, match="value shown below it"):
        edited(page, "nnx\n", "nnx\nx = 1\n")
    assert edited(page, "b\n", "b\nx = 1\n") == page.replace(">>> b\n", ">>> b\n>>> x = 1\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["\n```\n", "\n```", ""])
def test_ends_of_lines_and_of_the_file_stay(end: str, last: str) -> None:
    page = f"\ufeffé\n```py\nnnx = 1{last}".replace("\n", end)
    after = edited(page, "nnx = 1\n", "nnx = 2\nb\n")
    assert after == page.replace("nnx = 1", f"nnx = 2{end}b")


def test_blocks_that_are_no_python_are_counted_and_the_others_read() -> None:
    page = "```py\ndef nnx(\n```\n```py\na b\n```\n```py\nnnx\n```\n"
    page += "```py\nx = nnx = # nnx-migrate: ignore[unread-code]\n```\n"
    document = read(page)
    assert [(u.place.line, u.mentions_nnx, u.ignored) for u in document.unread] == [
        (2, True, False),
        (5, False, False),
        (11, True, True),
    ]
    assert len(document.blocks) == 1


def test_a_page_that_never_imports_nnx_takes_it_for_granted() -> None:
    assert read("```py\n@nnx.jit\ndef f(): ...\n```\n").prelude.startswith("from flax import nnx")
    assert "nnx" not in read("```py\nfrom flax import nnx\nnnx.jit(f)\n```\n").prelude


def test_a_page_that_is_not_utf_8_is_said() -> None:
    with pytest.raises(UndecodableSource, match="not UTF-8"):
        read_page(Path("a.md"), b"```py\nnnx\xff\n```")
