"""Programs with nnx transforms, drawn from a small grammar and then disfigured."""

from __future__ import annotations

import dataclasses

from hypothesis import strategies as st

NAMES = ("model", "params", "graphdef", "rest", "nondiff", "net", "é", "batch_stats")
FILTERS = ("nnx.Param", "nnx.BatchStat", "nnx.RngState", "(nnx.Param, nnx.RngKey)", "'kernel'")
LAYERS = (
    "nnx.Linear(2, 2, rngs=rngs)",
    "nnx.BatchNorm(2, rngs=rngs)",
    "nnx.Dropout(0.5, rngs=rngs)",
    "nnx.Variable(jnp.zeros(()))",
)
COMMENTS = ("", "  # why", "  # ünï", "  # nnx.grad(f)(model)")


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """A source.

    Args:
        data: the file as it is stored.
        sites: how many sites need an outcome.
    """

    data: bytes
    sites: int


@st.composite
def dictionaries(draw: st.DrawFn) -> str:
    """The filters of StateAxes."""
    filters = draw(st.lists(st.sampled_from(FILTERS), max_size=3, unique=True))
    axes = [draw(st.sampled_from(("0", "None", "1", "-1"))) for _ in (*filters, "...")]
    entries = zip((*filters, "..."), axes, strict=True)
    return "nnx.StateAxes({" + ", ".join(f"{f}: {a}" for f, a in entries) + "})"


@st.composite
def gradients(draw: st.DrawFn, name: str) -> list[str]:
    """Lines of a function with one gradient in it, in some form."""
    models = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True))
    annotation = draw(st.sampled_from((": Net", ": 'Net'", "")))
    place = draw(st.integers(0, len(models) - 1))
    wrt = draw(st.sampled_from(("", str(place), f"nnx.DiffState({place}, nnx.Param)")))
    options = f", argnums={wrt}" if wrt else ""
    aux = draw(st.booleans())
    options += ", has_aux=True" if aux else ""
    transform = draw(st.sampled_from(("nnx.grad", "nnx.value_and_grad")))
    loss = "jnp.mean(" + " + ".join(f"{m}(x)" for m in models) + ")" + (", x" if aux else "")
    parameters, arguments = ", ".join([*models, "x"]), ", ".join([*models, "x"])
    head = f"def {name}({', '.join(m + annotation for m in models)}, x):"
    form = draw(st.sampled_from(("nested", "lambda", "bound", "decorator", "one-line")))
    match form:
        case "nested":
            body = [
                f"\tdef loss_fn({parameters}):{draw(st.sampled_from(COMMENTS))}",
                *draw(st.sampled_from(([], ['\t\t"""Doc."""'], ["\t\ttext = '''a", "  b'''"]))),
                f"\t\treturn {loss}",
                f"\treturn {transform}(loss_fn{options})({arguments})",
            ]
        case "lambda":
            body = [f"\treturn {transform}(lambda {parameters}: ({loss}){options})({arguments})"]
        case "bound":
            body = [
                f"\tgrad_fn = {transform}(lambda {parameters}: ({loss}){options})",
                f"\tfor _ in range(2):{draw(st.sampled_from(COMMENTS))}",
                f"\t\tresult = grad_fn({arguments})",
                "\treturn result",
            ]
        case "decorator":
            decorator = f"@functools.partial({transform}{options})" if options else f"@{transform}"
            return [decorator + draw(st.sampled_from(COMMENTS)), head, f"\treturn {loss}"]
        case _:
            body = [
                f"\tdef loss_fn({parameters}): return {loss}",
                f"\tif x: y = 1; return {transform}(loss_fn{options})({arguments})",
            ]
    return [head, *body]


@st.composite
def maps(draw: st.DrawFn, name: str) -> list[str]:
    """Lines of a function that is mapped with a prefix filter, or scanned with metadata."""
    axes = draw(dictionaries())
    metadata = draw(st.sampled_from(("", ", transform_metadata={nnx.PARTITION_NAME: 'a'}")))
    model = draw(st.sampled_from(NAMES))
    options = f"in_axes=({axes}, 0){metadata}"
    form = draw(st.sampled_from(("decorator", "call", "named")))
    comment = draw(st.sampled_from(COMMENTS))
    head = f"def {name}({model}: Net, x):"
    if form == "decorator":
        return [f"@nnx.vmap({options}){comment}", head, f"\treturn {model}(x)"]
    function = f"lambda {model}, x: {model}(x)"
    if form == "call":
        return [head, f"\treturn nnx.vmap({function}, {options})({model}, x){comment}"]
    return [
        head,
        f"\taxes = {axes}{comment}",
        f"\tmapped = nnx.vmap({function}, in_axes=(axes, 0){metadata})",
        f"\treturn mapped({model}, x)",
    ]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A file with a Module and some functions that transform it."""
    layers = draw(st.lists(st.sampled_from(LAYERS), min_size=1, max_size=3))
    lines = [
        "import functools",
        "import jax, jax.numpy as jnp",
        "from flax import nnx",
        "",
        "class Net(nnx.Module):",
        "\tdef __init__(self, rngs: nnx.Rngs):",
        *(f"\t\tself.layer{i} = {layer}" for i, layer in enumerate(layers)),
        "\tdef __call__(self, x):",
        f"\t\treturn {' + '.join(f'self.layer{i}(x)' for i in range(len(layers)))}",
    ]
    count = draw(st.integers(1, 3))
    for number in range(count):
        name = f"function{number}"
        function = draw(st.one_of(gradients(name), maps(name)))
        lines += [*[""] * draw(st.integers(0, 2)), *function]
    indentation = draw(st.sampled_from(("    ", "  ", "\t")))
    text = "\n".join(lines).replace("\t", indentation)
    text += draw(st.sampled_from(("\n", "", "\n\n\n", "\n# the end")))
    text = text.replace("\n", draw(st.sampled_from(("\n", "\r\n", "\r"))))
    mark = draw(st.sampled_from((b"", b"\xef\xbb\xbf")))
    return Program(mark + text.encode(), count)
