"""More projects with tests, which `observed_projects.py` measures beside those of the proof.

Each is a clone at the commit that is named: their archives, where there are any, have no tests.
"""

from __future__ import annotations

from collections.abc import Sequence

from proof_projects import FLAX_AND_JAX, TEST_SUITES, TestSuite

_ARTIFEX = next(suite for suite in TEST_SUITES if suite.name == "artifex")
_DATARAX = next(suite for suite in TEST_SUITES if suite.name == "datarax")
_BARE = (*FLAX_AND_JAX, "pytest")

MORE_SUITES: Sequence[TestSuite] = (
    TestSuite(
        "datarax operators",
        _DATARAX.why_a_source,
        tests=(
            "tests/operators/test_batch_mix_operator.py",
            "tests/operators/modality/image/test_brightness_operator.py",
            "tests/sources/test_mixed_source_get_batch_at.py",
            "tests/utils/test_external.py",
        ),
        import_from=_DATARAX.import_from,
        needs=_DATARAX.needs,
    ),
    TestSuite(
        "nmn",
        "its sdist has no tests; clone mlnomadpy/nmn at 4f0298d",
        tests=(
            "tests/test_nnx/test_basic.py",
            "tests/test_nnx/test_comprehensive.py",
            "tests/test_nnx/test_embed.py",
            "tests/test_nnx/test_yatnmn_lazy.py",
        ),
        import_from="src",
        needs=(*_BARE, "scipy"),
    ),
    TestSuite(
        "opifex",
        "its sdist has no tests; clone avitai/opifex at 9f906dc",
        tests=("tests/core/training",),
        import_from="src",
        needs=(
            *_ARTIFEX.needs,
            "avitai-artifex==0.1.3",
            "beartype",
            "blackjax",
            "diffrax",
            "optimistix",
            "psutil",
            "tensorly",
        ),
    ),
    TestSuite(
        "gensbi",
        "its wheel has no tests, and it needs Python 3.12; clone aurelio-amerio/GenSBI at 85c1f95b",
        tests=("tests/models",),
        import_from="src",
        needs=(
            "flax==0.12.8",
            "jax==0.10.2",
            "jaxlib==0.10.2",
            "numpy<2.6",
            "optax==0.2.8",
            "blackjax",
            "corner",
            "diffrax",
            "einops",
            "equinox",
            "grain",
            "healpy",
            "KDEpy",
            "matplotlib",
            "numpyro",
            "orbax-checkpoint",
            "pandas",
            "pytest",
            "pytest-mock",
            "pyyaml",
            "safetensors",
            "scikit-learn",
            "scipy",
            "seaborn",
            "tqdm",
        ),
    ),
    TestSuite(
        "HEAL-SWIN-nnx",
        "it has no archive with tests; clone aurelio-amerio/HEAL-SWIN-nnx at de33b81",
        tests=("tests/test_model.py", "tests/test_params.py"),
        import_from="src",
        needs=(*_BARE, "einops", "healpy"),
    ),
    TestSuite(
        "flinx",
        "it has no archive with tests; clone zlynx-ai/flinx at 4cfdad6",
        tests=(
            "tests/test_dit.py",
            "tests/test_dpo.py",
            "tests/test_galore.py",
            "tests/test_grpo.py",
            "tests/test_peft.py",
        ),
        import_from="src",
        needs=(
            *_BARE,
            "datasets",
            "grain",
            "huggingface_hub",
            "kagglehub",
            "orbax-checkpoint",
            "safetensors",
            "tokenizers",
            "wandb",
        ),
    ),
    TestSuite(
        "mistral-nnx",
        "it has no archive with tests; clone yiding/mistral-nnx at eb7aa57",
        tests=("test",),
        import_from="src",
        needs=(*_BARE, "jaxtyping", "orbax-checkpoint", "safetensors", "transformers"),
    ),
)
