"""What is taken out of a docstring with a parameter, and what stays."""

from __future__ import annotations

import pytest

from nnx_migrate.rewrite.text.documented_parameters import without_parameter
from nnx_migrate.rewrite.text.edits import Text


def _left(docstring: str, name: str = "model") -> str:
    lines = docstring.count("\n")
    edits = without_parameter(Text(docstring), 1, lines, name)
    for edit in sorted(edits, reverse=True):
        docstring = docstring[: edit.start] + edit.replacement + docstring[edit.end :]
    return docstring


_STAYS = {
    "no section": '"""Train the model.\n\n    model: the net.\n    """\n',
    "another name": '"""T.\n\n    Args:\n        models: nets.\n        x: the batch.\n    """\n',
    "the only entry": '"""T.\n\n    Args:\n        model: the net.\n    """\n',
    "another section": (
        '"""T.\n\n    Args:\n        x: batch.\n        y: targets.\n\n    Returns:\n'
        '        model: the net.\n    """\n'
    ),
    "several in one entry": (
        '"""T.\n\n    Parameters\n    ----------\n    model, ema : Net\n        Nets.\n'
        '    x : Array\n        Batch.\n    """\n'
    ),
    "below another entry": (
        '"""T.\n\n    Args:\n        x: the batch, for\n            model: to read.\n'
        '        y: it.\n    """\n'
    ),
    "on the first line": '"""Args: model: the net."""\n',
}


@pytest.mark.parametrize("case", _STAYS)
def test_stays(case: str) -> None:
    assert _left(_STAYS[case]) == _STAYS[case]


_TAKEN_OUT = {
    "first of Google's": (
        "    Args:\n        model: the net.\n        x: the batch.\n",
        "    Args:\n        x: the batch.\n",
    ),
    "with a type and more lines": (
        "    Args:\n        x: the batch.\n        model (nnx.Module): the net,\n\n"
        "            which learns.\n\n    Returns:\n        The loss.\n",
        "    Args:\n        x: the batch.\n\n    Returns:\n        The loss.\n",
    ),
    "NumPy's": (
        "    Parameters\n    ----------\n    model : nnx.Module\n        The net.\n    x : Array\n"
        "        The batch.\n\n    Returns\n    -------\n    model\n        It.\n",
        "    Parameters\n    ----------\n    x : Array\n        The batch.\n\n"
        "    Returns\n    -------\n    model\n        It.\n",
    ),
    "last of NumPy's": (
        "    Parameters\n    ----------\n    x\n        The batch.\n    model\n        The net.\n",
        "    Parameters\n    ----------\n    x\n        The batch.\n",
    ),
    "fields": (
        "    :param x: the batch\n    :param Net model: the net,\n        which learns\n"
        "    :type model: Net\n    :returns: the model\n",
        "    :param x: the batch\n    :returns: the model\n",
    ),
}


@pytest.mark.parametrize("case", _TAKEN_OUT)
def test_taken_out(case: str) -> None:
    before, after = _TAKEN_OUT[case]
    assert _left(f'"""Train.\n\n{before}    """\n') == f'"""Train.\n\n{after}    """\n'
