"""What a migration may be split by; apart from the splitting, which the command line spares."""

from typing import Literal

SplitBy = Literal["rule", "file", "owner", "dir"]
