"""`shared-reference`: Rngs that Modules keep and never read again, and those that stay."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import FileResult, Proof
from nnx_migrate.core.permissions import Permission
from tests.rules.checking import check_noop, check_pinned, check_transformed

RULE = "shared-reference"
ALLOWED = frozenset({Permission.DROP_RNGS})
_MODEL = """

class Model(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.one = Part(rngs)
        self.two = Part(rngs)

    def __call__(self, x):
        return self.two(self.one(x))


@nnx.jit
def forward(model: Model, x):
    return model(x)
"""
_RUN = """

def run(x):
    return forward(Model(nnx.Rngs(0)), x)
"""


def _program(
    store: str, parameter: str = "rngs: nnx.Rngs", method: str = "", rest: str = ""
) -> str:
    """A part that stores something, a model of two parts, and what else there is.

    The part is for others to use, so that no object of it may be left without its Rngs.

    Args:
        store: the body of its constructor.
        parameter: of that.
        method: another method of it.
        rest: what stands behind all.
    """
    body = "\n".join(f"        {line}" for line in store.splitlines())
    return f"""\
__all__ = ["Part"]


class Part(nnx.Module):
    def __init__(self, {parameter}):
{body}

    def __call__(self, x):
        return self.linear(x)
{method}{_MODEL}{_RUN}{rest}"""


_LINEAR = "self.linear = nnx.Linear(2, 2, rngs=rngs)"
_OWN = "self.linear = nnx.Linear(2, 2, rngs=self.rngs)"
_OR_NONE = "rngs: nnx.Rngs | None = None"
#: The parameter, what the constructor does, and what it does afterwards.
_DROPPED = {
    "never read": ("rngs: nnx.Rngs", f"self.rngs = rngs\n{_LINEAR}", _LINEAR),
    "at the end": ("rngs: nnx.Rngs", f"{_LINEAR}\nself.rngs = rngs", _LINEAR),
    "annotated": ("rngs: nnx.Rngs", f"self.rngs: nnx.Rngs = rngs\n{_LINEAR}", _LINEAR),
    "another name": ("rngs: nnx.Rngs", f"self._rng = rngs\n{_LINEAR}", _LINEAR),
    "read by the constructor": ("rngs: nnx.Rngs", f"self.rngs = rngs\n{_OWN}", _LINEAR),
    "read in a comprehension": (
        "rngs: nnx.Rngs",
        f"self.rngs = rngs\n{_LINEAR}\n"
        "self.more = nnx.List([nnx.Linear(2, 2, rngs=self.rngs) for _ in range(2)])",
        f"{_LINEAR}\nself.more = nnx.List([nnx.Linear(2, 2, rngs=rngs) for _ in range(2)])",
    ),
    "one at least": (
        _OR_NONE,
        f"self.rngs = rngs or nnx.Rngs(0)\n{_OWN}",
        f"rngs = rngs or nnx.Rngs(0)\n{_LINEAR}",
    ),
    "made before": (
        _OR_NONE,
        f"if rngs is None:\n    rngs = nnx.Rngs(0)\nself.rngs = rngs\n{_OWN}",
        f"if rngs is None:\n    rngs = nnx.Rngs(0)\n{_LINEAR}",
    ),
    "with a comment": (
        "rngs: nnx.Rngs",
        f"self.rngs = rngs  # kept\n{_LINEAR}",
        f"# kept\n{_LINEAR}",
    ),
}


@pytest.mark.parametrize("case", _DROPPED)
def test_an_rngs_that_nothing_reads_is_not_kept(case: str) -> None:
    parameter, before, after = _DROPPED[case]
    programs = _program(before, parameter), _program(after, parameter)
    check_transformed(RULE, *programs, allow=ALLOWED)
    check_pinned(RULE, programs[0], "twice")  # the path of the Rngs would leave the State


#: The parameter and what the constructor does where the attribute stays.
_STAYS = {
    "set again": f"self.rngs = rngs\nself.rngs = rngs\n{_LINEAR}",
    "read before": f"{_OWN.replace('self.rngs', 'rngs')}\nprint(self.rngs)\nself.rngs = rngs",
    "the parameter is another one afterwards": (f"self.rngs = rngs\nrngs = nnx.Rngs(1)\n{_OWN}"),
    "in a formatted text": f'self.rngs = rngs\n{_LINEAR}\nprint(f"{{self.rngs}}")',
    "beside another statement": f"self.rngs = rngs; {_LINEAR}",
    "the parameter may be none elsewhere": (
        f"self.rngs = rngs or nnx.Rngs(0)\n{_OWN}\nself.given = rngs is not None"
    ),
}


@pytest.mark.parametrize("case", _STAYS)
def test_a_constructor_that_does_more_keeps_it(case: str) -> None:
    parameter = _OR_NONE if "or nnx.Rngs" in _STAYS[case] else "rngs: nnx.Rngs"
    check_pinned(RULE, _program(_STAYS[case], parameter), "twice", ALLOWED)


#: A method that reads it, and what stands behind its class.
_READ_BY_METHODS = {
    "its own": ("\n    def draw(self):\n        return self.rngs.noise()\n", ""),
    "in a nested function": (
        "\n    def draw(self):\n        return [self.rngs() for _ in range(2)]\n",
        "",
    ),
    "of a subclass": (
        "",
        "\n\nclass More(Part):\n    def draw(self):\n        return self.rngs.noise()\n",
    ),
}


@pytest.mark.parametrize("case", _READ_BY_METHODS)
def test_an_rngs_that_a_method_reads_stays(case: str) -> None:
    method, rest = _READ_BY_METHODS[case]
    program = _program(f"self.rngs = rngs\n{_LINEAR}", method=method, rest=rest)
    check_pinned(RULE, program, "twice", ALLOWED)


#: Code that may read it, and stands behind the program.
_READ = {
    "of an object": "\n\ndef draw(part: Part):\n    return part.rngs.noise()\n",
    "of something unknown": "\n\ndef draw(part):\n    return part.rngs.noise()\n",
    "by a name": '\n\ndef draw(part: Part):\n    return getattr(part, "rngs").noise()\n',
    "by a name in a path": '\n\nPATH = ("one", "rngs", "default")\n',
    "by a path": '\n\nPATH = "one/rngs/default"\n',
    "by any name": "\n\ndef read(part: Part, name):\n    return getattr(part, name)\n",
    "by all names": "\n\ndef read(part: Part):\n    return vars(part)\n",
    "by its dictionary": "\n\ndef read(part: Part):\n    return list(part.__dict__)\n",
    "by a pattern": (
        "\n\ndef read(part: Part):\n    match part:\n"
        "        case Part(rngs=found):\n            return found\n"
    ),
    "with the whole State": "\n\ndef save(model: Model):\n    return nnx.split(model)[1]\n",
    "with all that is left": (
        "\n\ndef save(model: Model):\n    _, params, rest = nnx.split(model, nnx.Param, ...)\n"
        "    return params, rest\n"
    ),
    "by a filter": "\n\ndef save(model: Model):\n    return nnx.state(model, nnx.RngState)\n",
    "by a filter for all": (
        "\n\ndef save(model: Model):\n    return nnx.state(model, nnx.Variable)\n"
    ),
    "as a tree": "\n\ndef size(model: Model):\n    return len(jax.tree.leaves(model))\n",
    "as a tree of anything": "\n\ndef size(tree):\n    return len(jax.tree.leaves(tree))\n",
    "by another seed": "\n\ndef again(model: Model):\n    nnx.reseed(model, default=1)\n",
}


@pytest.mark.parametrize("case", _READ)
def test_what_may_read_an_rngs_is_named(case: str) -> None:
    before, after = (_program(each, rest=_READ[case]) for each in _pair())
    check_pinned(RULE, before, "twice")
    assert _assumed(check_transformed(RULE, before, after, allow=ALLOWED)) == 2


def _assumed(result: FileResult) -> int:
    """How many assumptions the first finding rests on: that the path goes, and that none reads."""
    return sum(each.proof is Proof.ASSUMED for each in result.findings[0].evidence)


#: What stands behind the program and reads nothing of it.
_HARMLESS = {
    "a docstring": '\n\ndef draw(x):\n    """Add noise.rngs/default"""\n    return x\n',
    "the attribute of another class": (
        "\n\nclass Other(nnx.Module):\n    def __init__(self, rngs: nnx.Rngs):\n"
        "        self.rngs = rngs\n\n    def draw(self):\n        return self.rngs.noise()\n"
    ),
    "a keyword": "\n\nPART = Part(rngs=nnx.Rngs(1))\n",
    "the name of a static argument": (
        "\n\ndef make(rngs):\n    return Part(rngs)\n\n\n"
        'MAKE = jax.jit(make, static_argnames=("rngs",))\n'
    ),
    "Params alone": "\n\ndef save(model: Model):\n    return nnx.state(model, nnx.Param)\n",
    "what is merged again": (
        "\n\ndef twin(model: Model):\n"
        "    graphdef, params, rest = nnx.split(model, nnx.Param, ...)\n"
        "    doubled = jax.tree.map(lambda x: x * 2, params)\n"
        "    return nnx.merge(graphdef, doubled, rest)\n"
    ),
    "numbers of a tree": (
        "\n\ndef scaled(tree):\n    return jax.tree.map(lambda x: 0.5 * x, tree)\n"
    ),
    "a name of another object": (
        "\n\nclass Config:\n    width = 2\n\n\n"
        "def read(name):\n    return getattr(Config(), name)\n"
    ),
}


@pytest.mark.parametrize("case", _HARMLESS)
def test_code_that_reads_something_else_does_not_matter(case: str) -> None:
    before, after = (_program(each, rest=_HARMLESS[case]) for each in _pair())
    assert _assumed(check_transformed(RULE, before, after, allow=ALLOWED)) == 1


def _pair() -> tuple[str, str]:
    return f"self.rngs = rngs\n{_LINEAR}", _LINEAR


def test_an_rngs_that_is_not_shared_stays() -> None:
    program = _program(f"self.rngs = rngs\n{_LINEAR}")
    check_noop(
        RULE, program.replace("        self.two = Part(rngs)\n", "").replace("self.two(", "(")
    )


def test_one_that_helps_nothing_stays() -> None:
    drawing = (
        "        self.noise = [Noise(rngs), Noise(rngs)]\n\n    def __call__(self, x):\n"
        "        return self.two"
    )
    model = _MODEL.replace("\n    def __call__(self, x):\n        return self.two", drawing)
    noise = """\
class Noise(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, x):
        return x + self.rngs.noise.normal(x.shape)


"""
    program = noise + _program(f"self.rngs = rngs\n{_LINEAR}").replace(_MODEL, model)
    check_pinned(RULE, program, "twice", ALLOWED)


def test_a_comment_keeps_it() -> None:
    silent = "self.rngs = rngs  # nnx-migrate: ignore[shared-reference]"
    check_pinned(RULE, _program(f"{silent}\n{_LINEAR}"), "twice", ALLOWED)
