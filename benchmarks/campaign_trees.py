"""Makes one tree of a size and a share of files with nnx, and says what is in it (facts.json).

python -m benchmarks.campaign_trees FOLDER --files 10000 --share 0.02 [--nnx-from PATH ...]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path, PurePosixPath

from benchmarks.corpus import Pool, Source, cached, gather, thinned
from benchmarks.measure import ROOT

#: What is in the tree, beside it.
FACTS = "facts.json"


def main() -> int:
    """Writes the tree and a part of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, required=True)
    parser.add_argument("--share", type=float, required=True)
    parser.add_argument("--nnx-from", type=Path, nargs="*", default=[])
    arguments = parser.parse_args()
    # Projects are taken in this order, and those that are too large are passed over.
    small = sorted((ROOT / "golden").glob("*/*/before"))
    pool: Pool = gather([*arguments.nnx_from, *small])
    tree = pool.select(arguments.files, round(arguments.files * arguments.share))
    part = thinned(tree, max(2, len(tree) // 50))
    cached(tree, arguments.folder / "tree")
    cached(part, arguments.folder / "sampled")
    cached((Source(PurePosixPath("one.py"), b"x = 1\n"),), arguments.folder / "one")
    facts = {
        "files": len(tree),
        "nnx": sum(source.says_nnx for source in tree),
        "bytes": sum(len(source.data) for source in tree),
        "sampled": sum(len(source.data) for source in part),
    }
    (arguments.folder / FACTS).write_text(json.dumps(facts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
