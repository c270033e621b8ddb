"""`--allow lift-rngs`: programs around what it needs, lifted with their numbers, or pinned."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import FileResult, Outcome
from nnx_migrate.core.permissions import Permission
from nnx_migrate.sources.configuration import Options
from tests.golden.migration import migrate_tree
from tests.hazards.running import migrated, outcomes_of, said_of, verdicts_of_chosen
from tests.hazards.shared_rngs import (
    DRAW,
    KEEPS,
    LINEAR,
    LISTED,
    MADE,
    MAIN,
    MODEL,
    PART,
    PROGRAM,
    THROUGH,
    Changed,
    in_front,
    kept,
)

LIFTED = {
    "as_it_is": Changed(()),
    "in_a_list": Changed(
        (
            (MADE, LISTED),
            (MODEL, THROUGH + "    x = part(x)\n        return x"),
        )
    ),
    "numbered": Changed(
        (
            (MADE, "        self.parts = [Part(rngs=rngs), Part(rngs=rngs)]"),
            (MODEL, MODEL.replace("self.two(self.one(x))", "self.parts[1](self.parts[0](x))")),
            ("self.parts = [", "self.parts = nnx.data(["),
            ("Part(rngs=rngs)]", "Part(rngs=rngs)])"),
        )
    ),
    "by_a_helper": Changed(
        (
            in_front(PART, f"    def draw(self, x):\n        return {DRAW}\n\n"),
            (f"(x) + {DRAW}", "(x) + self.draw(x)"),
        )
    ),
    "in_a_function_within": Changed(
        ((f"return self.linear(x) + {DRAW}", f"return (lambda y: y + {DRAW})(self.linear(x))"),)
    ),
    "read_where_it_is_made": Changed(
        ((f"{LINEAR}\n{KEEPS}", f"{KEEPS}\n{LINEAR.replace('=rngs', '=self.rngs')}"),)
    ),
    "kept_by_the_owner_too": Changed(
        (
            (MADE, f"{MADE}\n        self.rngs = rngs"),
            ("self.two(self.one(x))", "self.two(self.one(x)) * self.rngs.noise.normal(x.shape)"),
        )
    ),
    "two_owners": Changed(
        (
            in_front(
                "class Model",
                "class Pair(nnx.Module):\n    def __init__(self, rngs: nnx.Rngs):\n"
                f"{MADE}\n\n{MODEL}\n\n",
            ),
            (f"{MADE}\n\n{MODEL}\n\n@", f"        self.pair = Pair(rngs)\n{MADE}\n\n{MODEL}\n\n@"),
            (f"{MODEL}\n\n@", f"{MODEL.replace('self.two(', 'self.pair(')}\n\n@"),
        )
    ),
    "rematerialised_owner": Changed((in_front(MODEL, "    @nnx.remat\n"),)),
    "with_a_default": Changed(
        (
            (
                "rngs: nnx.Rngs):\n        self.linear",
                "rngs: nnx.Rngs | None = None):\n        self.linear",
            ),
        )
    ),
    "nothing_else": Changed(
        ((f"{LINEAR}\n{KEEPS}", KEEPS), (f"self.linear(x) + {DRAW}", f"x + {DRAW}"))
    ),
    "with_a_comment_above": Changed(((KEEPS, f"        # Of the model.\n{KEEPS}"),)),
    "drawn_from_in_turn": Changed(((DRAW, f"{DRAW} * self.rngs.fork().noise.normal(x.shape)"),)),
}
KEPT = {
    "made_from_it": kept(
        "other classes inherit from", in_front("@nnx.jit", "class More(Part):\n    pass\n\n")
    ),
    "made_from_another": kept(
        "Part does not inherit from nnx.Module alone",
        in_front("class Part", "class Base(nnx.Module):\n    pass\n\n"),
        ("class Part(nnx.Module)", "class Part(Base)"),
    ),
    "made_outside": kept(
        "code other than a constructor", (MAIN, f"    Part(nnx.Rngs(1))(X)\n{MAIN}")
    ),
    "named_outside": kept(
        "the code uses it beyond creating it",
        (MAIN, f"    assert not isinstance(model, Part)\n{MAIN}"),
    ),
    "called_outside": kept("may belong to a Model", (MAIN, f"    model.one(X)\n{MAIN}")),
    "asked_for": kept("reads it", (MAIN, f'    getattr(model, "one")(X)\n{MAIN}')),
    "rngs_of_the_owner_set": kept(
        "model.rngs may belong to a Model", (MAIN, f"    model.rngs = nnx.Rngs(9)\n{MAIN}")
    ),
    "traced_alone": kept(
        "is also used as a value",
        ("self.two(self.one(x))", "self.two(nnx.remat(lambda p, x: p(x))(self.one, x))"),
    ),
    "bound_to_a_name": kept(
        "is also used as a value",
        (
            "        return self.two(self.one(x))",
            "        one = self.one\n        return self.two(one(x))",
        ),
    ),
    "given_back": kept(
        "is also used as a value",
        in_front(MODEL, "    def first(self):\n        return self.one\n\n"),
    ),
    "in_a_sequence": kept(
        "it is not stored in an attribute",
        (MADE, "        self.both = nnx.Sequential(Part(rngs), Part(rngs))"),
        ("self.two(self.one(x))", "self.both(x)"),
    ),
    "beside_others": kept(
        "its container also holds other objects",
        (
            MADE,
            "        self.parts = nnx.List([Part(rngs), Part(rngs), nnx.Linear(2, 2, rngs=rngs)])",
        ),
        (MODEL, THROUGH + "    x = part(x)\n        return x"),
    ),
    "replaced": kept(
        "is also set to something else",
        (
            MADE,
            f"{MADE}\n        if len(str(rngs)) < 0:\n    {LINEAR.replace('linear', 'two')}",
        ),
    ),
    "hands_itself_on": kept(
        "passes self on",
        in_front(
            "class Part", "def noise(part, x):\n    return part.rngs.noise.normal(x.shape)\n\n"
        ),
        (DRAW, "noise(self, x)"),
    ),
    "set_anew": kept(
        "sets rngs again",
        in_front(PART, "    def again(self):\n        self.rngs = nnx.Rngs(3)\n\n"),
    ),
    "another_name": kept(
        "rngs already means something else",
        (PART, PART.replace("(self, x)", "(self, x, rngs=None)")),
    ),
    "a_property": kept(
        "is also used as a value",
        in_front(PART, "    @property\n    def key(self):\n        return self.rngs.noise()\n\n"),
        (DRAW, "jax.random.normal(self.key, x.shape)"),
    ),
    "decorated": kept("is decorated", in_front(PART, "    @nnx.remat\n")),
    "takes_all_keywords": kept(
        "takes all keywords", (PART, PART.replace("(self, x)", "(self, x, **kwargs)"))
    ),
    "a_fork_of_it": kept(
        "it does not get the Rngs",
        (MADE, f"{MADE}\n        self.three = Part(rngs.fork())"),
        ("self.two(self.one(x))", "self.three(self.two(self.one(x)))"),
    ),
    "bound_anew": kept(
        "it does not get the Rngs", (MADE, f"        rngs = nnx.Rngs(rngs.noise())\n{MADE}")
    ),
    "unpacked": kept(
        "its arguments are unpacked", ("self.one = Part(rngs)", "self.one = Part(*[rngs])")
    ),
    "published": kept("is in __all__", in_front("X = ", '__all__ = ["Part"]\n')),
    "walked_through": kept(
        "finds parts of Modules",
        (
            MAIN,
            f"    for _, part in nnx.iter_modules(model):\n        hasattr(part, 'rngs')\n{MAIN}",
        ),
    ),
    "by_its_path": kept(
        "finds parts of Modules",
        (
            "nnx.state(model, nnx.Param)",
            "nnx.state(model, nnx.PathContains('one')).to_pure_dict().keys() == 1",
        ),
    ),
    "another_rngs": kept(
        "rngs is something else", (MADE, f"{MADE}\n        self.rngs = nnx.Rngs(5)")
    ),
    "a_subclass_of_the_owner": kept(
        "other classes inherit from Model",
        in_front(
            "@nnx.jit",
            "class More(Model):\n    def __call__(self, x):\n        return self.one(x)\n\n",
        ),
    ),
    "the_rngs_goes_in_beside_it": kept(
        "passes an Rngs and an object that keeps one",
        ("def apply(model: Model, x)", "def apply(model: Model, rngs: nnx.Rngs, x)"),
        ("    model = Model(nnx.Rngs(0))", "    rngs = nnx.Rngs(0)\n    model = Model(rngs)"),
        ("apply(model, X)", "apply(model, rngs, X)"),
        ("    return found, nnx.state(model, nnx.Param)", "    return found"),
    ),
    "says_what_attributes_are": kept(
        "defines its own attribute access",
        in_front(PART, "    def __getattr__(self, name):\n        raise AttributeError(name)\n\n"),
    ),
    "with_a_comment_behind": kept("a comment belongs to", (KEEPS, f"{KEEPS}  # for noise")),
    "in_an_f_string": kept(
        "an f-string reads it",
        in_front(PART, '    def told(self):\n        return f"of {self.rngs}"\n\n'),
    ),
    "by_computed_names": kept(
        "uses getattr of its own object",
        ("self.two(self.one(x))", "self.two(getattr(self, 'o' + 'ne')(x))"),
    ),
}
PROGRAMS = LIFTED | KEPT
ALLOWED = Options(allow=frozenset({Permission.LIFT_RNGS}))


@pytest.fixture(scope="module")
def results() -> dict[str, FileResult]:
    return {name: _lifted({"main.py": case.source})["main.py"] for name, case in PROGRAMS.items()}


@pytest.fixture(scope="module")
def differences(
    request: pytest.FixtureRequest,
    results: dict[str, FileResult],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, str]:
    return verdicts_of_chosen(request, results, tmp_path_factory.mktemp("programs"))


def _lifted(files: dict[str, str]) -> dict[str, FileResult]:
    return migrate_tree({name: text.encode() for name, text in files.items()}, ALLOWED)


@pytest.mark.parametrize("name", LIFTED)
def test_is_lifted(name: str, results: dict[str, FileResult]) -> None:
    result = results[name]
    assert outcomes_of(result) == {Outcome.REWRITTEN}
    consequence = Permission.LIFT_RNGS.consequence
    assert all(consequence in finding.message for finding in result.findings)
    again = _lifted({"main.py": result.after.decode()})["main.py"]
    assert again.after == result.after


@pytest.mark.parametrize("name", KEPT)
def test_is_kept(name: str, results: dict[str, FileResult]) -> None:
    result = results[name]
    assert Outcome.REWRITTEN not in outcomes_of(result)
    assert KEPT[name].reason in said_of(result)
    assert "self.rngs = rngs" in result.after.decode().partition("class Model")[0]


@pytest.mark.parametrize("name", ["kept_by_the_owner_too", "two_owners"])
def test_is_pinned_where_nobody_asked(name: str) -> None:
    result = migrated(LIFTED[name].source)
    assert Outcome.REWRITTEN not in outcomes_of(result)
    assert f"[--allow {Permission.LIFT_RNGS}]" not in said_of(result)
    permissions = {each.permission for f in result.findings for each in f.evidence}
    assert Permission.LIFT_RNGS in permissions


@pytest.mark.runs_jax
@pytest.mark.parametrize("name", PROGRAMS)
def test_runs_as_before(name: str, differences: dict[str, str]) -> None:
    assert differences[name] == ""


TRAIN = (
    "\nfrom model import Model, X, apply\n\ndef main():\n" + PROGRAM.partition("def main():\n")[2]
)


READ = "import main\n\ndef run(model{}, x):\n    return model.two(x)\n"
MORE = "from main import Model\n\nclass More(Model):\n    pass\n"


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ("from main import Part\n", "may also use Part"),
        (READ.format(": main.Model"), "may belong to a Model"),
        (READ.format(""), "may belong to a Model"),
        (MORE, "other classes inherit from Model"),
    ],
    ids=["named", "read", "read_of_unknown", "made_from"],
)
def test_what_other_files_do_keeps_it(other: str, reason: str) -> None:
    result = _lifted({"main.py": PROGRAM, "other.py": other})["main.py"]
    assert Outcome.REWRITTEN not in outcomes_of(result)
    assert reason in said_of(result)


def test_what_another_file_gets_is_lifted_in_its_own_alone() -> None:
    files = {
        "model.py": PROGRAM.partition("def main")[0],
        "main.py": "from flax import nnx\n" + TRAIN,
    }
    results = _lifted(files)
    assert outcomes_of(results["model.py"]) == {Outcome.REWRITTEN}
    assert "this file does not show" in said_of(results["main.py"])
