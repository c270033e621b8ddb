"""Writes the after side of golden cases with the tool, to be reviewed in the diff.

python -m tests.golden.regenerate [CASE...]
"""

from __future__ import annotations

import sys

from tests.golden.cases import all_cases
from tests.golden.migration import migrate_tree, options_for, wrong_outcomes


def main() -> int:
    """Regenerates the named cases, or all, and says what is not as expected.

    Returns:
        1 when a case failed or has other outcomes than its expect.toml says.
    """
    failed = 0
    for case in all_cases(tuple(sys.argv[1:])):
        expectation = case.expectation()
        try:
            results = migrate_tree(case.files("before"), options_for(expectation))
        except Exception as error:
            failed = 1
            print(f"{case.name}: {type(error).__name__}: {error}")
            continue
        case.write("after", {name: result.after for name, result in results.items()})
        for line in wrong_outcomes(expectation, results):
            failed = 1
            print(f"{case.name}: {line}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
