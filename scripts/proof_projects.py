"""The projects that `prove.py` runs before and after migration."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from pinned_sources import USERS, Pin

FLAX_AND_JAX = ("flax==0.12.8", "jax==0.10.2", "jaxlib==0.10.2", "numpy<2.5", "optax==0.2.8")


@dataclasses.dataclass(frozen=True, slots=True)
class TestSuite:
    """A project with tests of its own, taken from a folder that the user names.

    Args:
        why_a_source: why the package index is not enough; "" when it is.
        tests: what pytest is given: patterns of paths, relative to the project.
        select: the tests among these whose names have this in them; all when it is "".
        import_from: the folder on PYTHONPATH, relative to the project; nothing is built.
        needs: requirements of its environment.
        pin: the archive with its tests, when the package index has them.
    """

    # pytest would take a class of this name for a test case.
    __test__ = False

    name: str
    why_a_source: str
    tests: tuple[str, ...]
    import_from: str
    needs: tuple[str, ...]
    required: bool = True
    pin: Pin | None = None
    select: str = ""

    def found_in(self, source: Path) -> tuple[str, ...]:
        """The paths that `tests` stands for in a folder; a pattern of nothing stays as it is."""
        return tuple(
            path
            for pattern in self.tests
            for path in sorted(str(p.relative_to(source)) for p in source.glob(pattern))
            or [pattern]
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Guide:
    """A document whose code is run as a script.

    Args:
        document: the notebook, page or script, relative to its source.
        required: its failure makes the proof fail; the others are only watched, because what
            they need is in rule families that are yet to come.
        project: the project that it shows, in a folder that the user names, and which is migrated
            with it; "" for the sdist of flax 0.12.0, the last release before tree mode was there.
        import_from: the folder of the project that the document imports from.
        without_last: how many cells at its end are left away.
        instead: texts of the script with what stands in their place.
        in_float64: it computes in double precision.
    """

    name: str
    document: str
    required: bool
    project: str = ""
    import_from: str = ""
    without_last: int = 0
    instead: tuple[tuple[str, str], ...] = ()
    in_float64: bool = False


TEST_SUITES: Sequence[TestSuite] = (
    TestSuite(
        "datarax",
        "its sdist has no tests",
        tests=("tests/pipeline",),
        import_from="src",
        needs=(
            *FLAX_AND_JAX,
            "orbax-checkpoint",
            "jaxtyping",
            "grain>=0.2.18",
            "calibrax>=0.1.0",
            "psutil",
            "pyyaml",
            "tomli-w",
            "pytest",
        ),
    ),
    TestSuite(
        "flaxchat",
        "it is not on the package index",
        tests=("tests",),
        import_from=".",
        needs=(
            *FLAX_AND_JAX,
            "orbax-checkpoint",
            "tokenizers",
            "tiktoken",
            "rustbpe",
            "pyyaml",
            "filelock",
            "pyarrow",
            "pytest",
        ),
    ),
    TestSuite(
        "cax tests",
        "",
        tests=("tests",),
        import_from="src",
        needs=(*FLAX_AND_JAX, "pillow", "pytest"),
        pin=next(pin for pin in USERS if pin.name == "cax"),
    ),
    TestSuite(
        "artifex",
        "its sdist has no tests",
        tests=("tests/artifex/generative_models/training/test_trainer*.py",),
        import_from="src",
        needs=(
            *FLAX_AND_JAX,
            "orbax-checkpoint",
            "calibrax>=0.1.1",
            "dacite",
            "datarax>=0.1.4",
            "distrax",
            "grain>=0.2.18",
            "jaxtyping",
            "matplotlib",
            "pyyaml",
            "scikit-learn",
            "pytest",
        ),
    ),
    TestSuite(
        "numpyro",
        "its sdist has no tests of its contributed modules",
        tests=("test/contrib/test_module.py",),
        select="nnx",
        import_from=".",
        needs=(*FLAX_AND_JAX, "multipledispatch", "tqdm", "pytest"),
    ),
)
GUIDE_NEEDS = (*FLAX_AND_JAX, "matplotlib", "pillow")
GUIDES: Sequence[Guide] = (
    Guide("nnx_basics", "docs_nnx/nnx_basics.md", required=True),
    Guide("performance", "docs_nnx/guides/performance.md", required=True),
    Guide("07_array_leaves", "examples/nnx_toy_examples/07_array_leaves.py", required=True),
    Guide("pytree", "docs_nnx/guides/pytree.md", required=True),
    Guide("randomness", "docs_nnx/guides/randomness.md", required=True),
    Guide("surgery", "docs_nnx/guides/surgery.md", required=True),
    Guide("02_lifted_transforms", "examples/nnx_toy_examples/02_lifted_transforms.py", True),
    Guide("10_fsdp_and_optimizer", "examples/nnx_toy_examples/10_fsdp_and_optimizer.py", True),
    Guide("cax 10_elementary", "examples/10_elementary.ipynb", True, "cax", "src"),
    Guide("cax 11_life", "examples/11_life.ipynb", True, "cax", "src"),
    Guide(
        "cax 22_particle_lenia",
        "examples/22_particle_lenia.ipynb",
        True,
        "cax",
        "src",
        without_last=1,  # It draws all 8193 frames at once, for which it asks for 1.7 TB.
        # Chaotic: what two compilations round otherwise at the first step is all that is left to
        # compare after some thousands.
        instead=(("num_steps = 8_192", "num_steps = 512"),),
        in_float64=True,
    ),
)
