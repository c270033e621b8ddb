"""`transform-metadata`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned, check_transformed

RULE = "transform-metadata"


def test_no_metadata_of_axes_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.vmap(in_axes=(0, None))
def forward(model: nnx.Linear, x):
    return model(x)
""",
    )


def test_an_empty_one_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.vmap(transform_metadata={})
def create(rngs: nnx.Rngs):
    return nnx.Linear(2, 2, rngs=rngs)
""",
    )


def test_a_name_for_the_axis_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
@nnx.vmap(in_axes=(0, None), transform_metadata={nnx.PARTITION_NAME: "heads"})
def forward(model: nnx.Linear, x):
    return model(x)  # one head
""",
        """\
@nnx.vmap(in_axes=(0, None))
@nnx.transform_metadata(in_axes=(0, None), partition="heads")
def forward(model: nnx.Linear, x):
    return model(x)  # one head
""",
    )


def test_a_scan_over_layers_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
@nnx.scan(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry, transform_metadata={nnx.PARTITION_NAME: None})
def forward(x, layer: nnx.Linear):
    return layer(x)
""",
        """\
@nnx.scan(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)
@nnx.transform_metadata(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry, partition=None)
def forward(x, layer: nnx.Linear):
    return layer(x)
""",
    )


def test_metadata_that_is_not_to_be_seen_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def create(rngs: nnx.Rngs, metadata: dict):
    @nnx.vmap(transform_metadata=metadata)
    def init(rngs: nnx.Rngs):
        return nnx.Linear(2, 2, rngs=rngs)

    return init(rngs)
""",
        "the metadata is not written out as {nnx.PARTITION_NAME: name}",
    )
