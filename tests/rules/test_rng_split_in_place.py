"""`rng-split-in-place`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned

RULE = "rng-split-in-place"


def test_as_a_decorator_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.split_rngs(splits=4)
@nnx.vmap
def create(rngs: nnx.Rngs):
    return nnx.Linear(2, 2, rngs=rngs)
""",
    )


def test_streams_that_split_themselves_stays() -> None:
    check_noop(
        RULE,
        """\
def split(rngs: nnx.Rngs):
    return rngs.split(2), rngs.fork()
""",
    )


def test_backups_that_are_restored_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def keys(dropout: nnx.Dropout, size: int):
    backups = nnx.split_rngs(dropout, splits=size)
    keys = jax.random.key_data(dropout.rngs.key[...])
    nnx.restore_rngs(backups)
    return keys
""",
        "it changes the object in place and returns backups",
    )


def test_streams_that_are_forked_in_place_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def keys(dropout: nnx.Dropout):
    backups = nnx.fork_rngs(dropout)
    y = dropout(jnp.ones(2))
    nnx.restore_rngs(backups)
    return y
""",
        "it changes the object in place and returns backups",
    )
