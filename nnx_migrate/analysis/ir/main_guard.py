"""What a file does only where it is started: `if __name__ == "__main__":`."""

from __future__ import annotations

import ast


def is_main_guard(statement: ast.stmt) -> bool:
    """Whether a statement is `if __name__ == "__main__":`.

    Args:
        statement: of the module's body.
    """
    if not isinstance(statement, ast.If) or not isinstance(statement.test, ast.Compare):
        return False
    sides = [statement.test.left, *statement.test.comparators]
    return {ast.dump(side) for side in sides} == {
        ast.dump(ast.Name("__name__", ast.Load())),
        ast.dump(ast.Constant("__main__")),
    }
