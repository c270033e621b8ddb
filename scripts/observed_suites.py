"""More projects with tests, which `observed_projects.py` measures beside those of the proof.

Each is a clone at the commit that is named: their archives, where there are any, have no tests.
"""

from __future__ import annotations

from collections.abc import Sequence

from proof_projects import FLAX_AND_JAX, TEST_SUITES, TestSuite

_ARTIFEX = next(suite for suite in TEST_SUITES if suite.name == "artifex")
_FLAXCHAT = next(suite for suite in TEST_SUITES if suite.name == "flaxchat")
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
        "artifex distributions",
        _ARTIFEX.why_a_source,
        tests=(
            "tests/artifex/generative_models/core/distributions/test_continuous_distributions.py",
        ),
        import_from=_ARTIFEX.import_from,
        needs=_ARTIFEX.needs,
    ),
    TestSuite(
        "flaxchat model",
        _FLAXCHAT.why_a_source,
        tests=("tests/test_config.py", "tests/test_model.py", "tests/test_optim.py"),
        import_from=_FLAXCHAT.import_from,
        needs=_FLAXCHAT.needs,
    ),
    TestSuite(
        "opifex",
        "its sdist has no tests; clone avitai/opifex at 9f906dc",
        tests=(
            "tests/training/multilevel/test_coarse_to_fine.py",
            "tests/uncertainty/test_transform_coverage.py",
        ),
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
        # Whole files train for minutes.
        tests=(
            "tests/models/flux1/test_flux1_precision.py::test_grads_are_fp32",
            "tests/models/tarflow/test_pipeline_integration.py::test_grads_flow_to_params",
            "tests/models/tarflow/test_structured_boundary.py::test_field_loss_finite_and_grads",
        ),
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
            "heal-swin-nnx",
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
        "energnn",
        "its sdist has no tests; clone energnn/energnn at 9750d2c",
        tests=("tests/model/unit/test_recurrent.py", "tests/trainer"),
        import_from="src",
        needs=(
            *_BARE,
            "chex",
            "cloudpickle",
            "diffrax",
            "equinox",
            "flatdict",
            "hydra-core",
            "mlflow",
            "orbax-checkpoint",
            "pandas",
            "tqdm",
        ),
    ),
    TestSuite(
        "HEAL-SWIN-nnx",
        "it has no archive with tests; clone aurelio-amerio/HEAL-SWIN-nnx at de33b81",
        tests=("tests/test_rope.py", "tests/test_shifting.py", "tests/test_windowing.py"),
        import_from="src",
        needs=(*_BARE, "einops", "healpy"),
    ),
    TestSuite(
        "flinx",
        "it has no archive with tests; clone zlynx-ai/flinx at 4cfdad6",
        # The others import trainers that the repository does not have at this commit.
        tests=("tests/test_dit.py", "tests/test_galore.py", "tests/test_peft.py"),
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
        "jaxfun",
        "it has no archive, and it needs Python 3.12; clone spectralDNS/jaxfun at 90fe8b7",
        tests=(
            "tests/pinns/test_loss.py",
            "tests/pinns/test_module.py",
            "tests/pinns/test_optimizer.py",
        ),
        import_from="src",
        needs=(
            *_BARE,
            "jaxtyping",
            "matplotlib",
            "scipy",
            "shapely",
            "sympy",
            "tqdm",
        ),
    ),
    TestSuite(
        "jax-rl-playground",
        "it has no archive with tests; clone yberreby/jax-rl-playground at 2e9c777",
        # The other four files fail under Flax 0.12.8 as they are.
        tests=(
            "tests/test_ask_tell_vmap.py",
            "src/distributions/test.py",
            "src/init/test.py",
            "src/normalize/test.py",
            "src/policy/test.py",
            "src/reinforce/test.py",
        ),
        import_from=".",
        needs=(*_BARE, "beartype", "gymnasium", "jaxtyping", "matplotlib", "optuna", "pandas"),
    ),
    TestSuite(
        "mistral-nnx",
        "it has no archive with tests; clone yiding/mistral-nnx at eb7aa57",
        tests=("test",),
        import_from="src",
        needs=(*_BARE, "jaxtyping", "orbax-checkpoint", "safetensors", "transformers"),
    ),
)
