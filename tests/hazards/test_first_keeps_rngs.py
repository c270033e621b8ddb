"""Parts that share an Rngs, of which the first keeps it: programs around what that needs."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import FileResult, Outcome
from tests.hazards.running import (
    migrated,
    migrated_files,
    outcomes_of,
    said_of,
    verdicts_of_chosen,
)
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
from tests.hazards.test_lifted_rngs import KEPT as NOT_ALL_IN_SIGHT

#: The whole State, by which all paths are compared.
WHOLE = ("nnx.state(model, nnx.Param)", "nnx.state(model)")
IN_A_LIST = (MADE, LISTED), (MODEL, THROUGH + "    x = part(x)\n        return x")
APPENDED = (
    "        self.parts = nnx.List([])\n"
    "        for _ in range(3):\n            self.parts.append(Part(rngs))"
)
CALLED = "self.two(self.one(x))"
KEEPS_FIRST = {
    "as_it_is": Changed((WHOLE,)),
    "in_a_list": Changed((WHOLE, *IN_A_LIST)),
    "in_a_list_of_several_lines": Changed(
        (
            WHOLE,
            *IN_A_LIST,
            (LISTED, LISTED.replace("(", "(\n            ", 1) + "  # two"),
        )
    ),
    "in_an_empty_list": Changed((WHOLE, *IN_A_LIST, ("range(2)", "range(0)"))),
    "appended": Changed((WHOLE, *IN_A_LIST, (LISTED, APPENDED))),
    "numbered": Changed(
        (
            WHOLE,
            (MADE, "        self.parts = nnx.data([Part(rngs=rngs), Part(rngs=rngs)])"),
            (MODEL, MODEL.replace(CALLED, "self.parts[1](self.parts[0](x))")),
        )
    ),
    "a_list_behind_the_first": Changed(
        (
            WHOLE,
            (MADE, f"        self.first = Part(rngs)\n{LISTED}"),
            (MODEL, THROUGH + "    x = part(self.first(x))\n        return x"),
        )
    ),
    "named_in_another_order": Changed(
        (WHOLE, (MADE, MADE.replace("self.one", "self.zero")), (CALLED, "self.two(self.zero(x))"))
    ),
    "by_a_helper": Changed(
        (
            WHOLE,
            in_front(PART, f"    def draw(self, x):\n        return {DRAW}\n\n"),
            (f"(x) + {DRAW}", "(x) + self.draw(x)"),
        )
    ),
    "in_a_function_within": Changed(
        (WHOLE, (f"return self.linear(x) + {DRAW}", f"return (lambda y: y + {DRAW})(x)"))
    ),
    "read_where_it_is_made": Changed(
        (WHOLE, (f"{LINEAR}\n{KEEPS}", f"{KEEPS}\n{LINEAR.replace('=rngs', '=self.rngs')}"))
    ),
    "never_read_again": Changed((WHOLE, (f"self.linear(x) + {DRAW}", "self.linear(x)"))),
    "with_a_comment_behind": Changed((WHOLE, (KEEPS, f"{KEEPS}  # for noise"))),
    "in_its_own_name": Changed(
        (WHOLE, (KEEPS, "        self._rngs = rngs"), (DRAW, DRAW.replace(".rngs", "._rngs")))
    ),
    "with_a_text_for_a_type": Changed(
        (
            WHOLE,
            ("rngs: nnx.Rngs):\n        self.linear", 'rngs: "nnx.Rngs"):\n        self.linear'),
        )
    ),
    "with_a_default": Changed(
        (
            WHOLE,
            (
                "rngs: nnx.Rngs):\n        self.linear",
                "rngs: nnx.Rngs | None = None):\n        self.linear",
            ),
        )
    ),
    "called_where_it_is_made": Changed(
        (WHOLE, (MADE, f"{MADE}\n        self.shape = self.two(X).shape"))
    ),
    "under_a_gradient_alone": Changed(
        (
            ("@nnx.jit\ndef apply(model: Model, x):\n    return model(x)", ""),
            ("[apply(model, X) for _ in range(2)]", "nnx.grad(lambda m: m(X).mean())(model)"),
        )
    ),
    "arrays_through_jax": Changed(
        (
            WHOLE,
            (
                "    return found,",
                "    found = jax.tree.map(jax.jit(jnp.sum), found)\n    return found,",
            ),
        )
    ),
}
#: What is in the way of any other place for the Rngs is in the way here, too; but for this.
ALSO_LIFTED = {"with_a_comment_behind", "another_rngs"}
NO_FIRST = {
    "kept_by_the_owner_too": kept(
        "Model keeps it too",
        (MADE, f"{MADE}\n        self.rngs = rngs"),
        (CALLED, f"{CALLED} * self.rngs.noise.normal(x.shape)"),
    ),
    "silenced": kept(
        "a comment keeps Part as it is",
        (KEEPS, f"{KEEPS}  # nnx-migrate: ignore[shared-reference]"),
    ),
    "a_list_that_may_be_empty_first": kept(
        "the list a may be empty",
        (MADE, f"{MADE}\n        self.a = nnx.List([Part(rngs) for _ in range(2)])"),
        (CALLED, f"self.a[0]({CALLED})"),
    ),
    "made_in_a_branch": kept(
        "the constructor creates two in a branch",
        (
            MADE,
            "        self.one = Part(rngs)\n        if rngs:\n            self.two = Part(rngs)",
        ),
    ),
    "made_twice": kept(
        "several statements create what two holds", (MADE, f"{MADE}\n        self.two = Part(rngs)")
    ),
    "a_part_of_another": kept(
        "Model is itself a part of another object",
        in_front(
            "@nnx.jit",
            "class Outer(nnx.Module):\n    def __init__(self, rngs: nnx.Rngs):\n"
            "        self.a = Model(rngs)\n        self.b = Model(rngs)\n\n"
            "    def __call__(self, x):\n        return self.b(self.a(x))\n\n",
        ),
        ("def apply(model: Model", "def apply(model: Outer"),
        ("model = Model(", "model = Outer("),
    ),
    "two_owners": kept(
        "several classes create a Part",
        in_front(
            "class Model",
            "class Pair(nnx.Module):\n    def __init__(self, rngs: nnx.Rngs):\n"
            f"{MADE}\n\n{MODEL}\n\n",
        ),
        (f"{MADE}\n\n{MODEL}\n\n@", f"        self.pair = Pair(rngs)\n{MADE}\n\n{MODEL}\n\n@"),
        (f"{MODEL}\n\n@", f"{MODEL.replace('self.two(', 'self.pair(')}\n\n@"),
    ),
    "two_classes": kept(
        "several classes keep it",
        in_front(
            "class Model",
            PROGRAM[PROGRAM.index("class Part") : PROGRAM.index("class Model")].replace(
                "Part", "Other"
            ),
        ),
        ("self.two = Part", "self.two = Other"),
    ),
    "under_jit_of_jax": kept(
        "may get an object that holds them", (MAIN, f"    jax.jit(lambda m: m(X))(model)\n{MAIN}")
    ),
    "its_leaves": kept(
        "may get an object that holds them",
        (MAIN, f"    print(len(jax.tree.leaves(model)))\n{MAIN}"),
    ),
    "its_leaves_unseen": kept(
        "may get an object that holds them",
        in_front("def main", "def size(tree):\n    return len(jax.tree.leaves(tree))\n\n"),
        (MAIN, f"    print(globals()['size'](model))\n{MAIN}"),
    ),
    "a_copy_unseen": kept(
        "may get an object that holds them",
        in_front("def main", "def doubled(tree):\n    return jax.tree.map(lambda x: x, tree)\n\n"),
        (MAIN, f"    model = {{'copy': doubled}}[str('copy')](model)\n{MAIN}"),
    ),
    "under_jit_of_jax_unseen": kept(
        "may get an object that holds them",
        in_front("def main", "@jax.jit\ndef evaluate(model, x):\n    return model(x)\n\n"),
        (MAIN, f"    evaluate({{1: model}}.pop(1), X)\n{MAIN}"),
    ),
}
KEPT = NO_FIRST | {n: case for n, case in NOT_ALL_IN_SIGHT.items() if n not in ALSO_LIFTED}
PROGRAMS = KEEPS_FIRST | NO_FIRST


@pytest.fixture(scope="module")
def results() -> dict[str, FileResult]:
    return {name: migrated(case.source) for name, case in (KEEPS_FIRST | KEPT).items()}


@pytest.fixture(scope="module")
def differences(
    request: pytest.FixtureRequest,
    results: dict[str, FileResult],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, str]:
    run = {name: results[name] for name in PROGRAMS}
    return verdicts_of_chosen(request, run, tmp_path_factory.mktemp("programs"))


@pytest.mark.parametrize("name", KEPT)
def test_is_kept(name: str, results: dict[str, FileResult]) -> None:
    result = results[name]
    assert Outcome.REWRITTEN not in outcomes_of(result)
    assert KEPT[name].reason in said_of(result)
    assert " del " not in result.after.decode()


@pytest.mark.parametrize("name", KEEPS_FIRST)
def test_is_kept_by_the_first(name: str, results: dict[str, FileResult]) -> None:
    result = results[name]
    assert Outcome.REWRITTEN in outcomes_of(result), said_of(result)
    assert outcomes_of(result).isdisjoint({Outcome.PINNED, Outcome.PINNED_MID})
    again = migrated(result.after)
    assert again.after == result.after


@pytest.mark.runs_jax
@pytest.mark.parametrize("name", PROGRAMS)
def test_runs_as_before(name: str, differences: dict[str, str]) -> None:
    assert differences[name] == ""


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ("from main import Part\n", "may also use Part"),
        ("import main\n\ndef run(model: main.Model, x):\n    return model.two(x)\n", "may belong"),
        (
            "import jax, main\n\ndef run(model: main.Model):\n    jax.tree.leaves(model)\n",
            "may get an object",
        ),
    ],
    ids=["named", "read", "taken_apart"],
)
def test_what_other_files_do_keeps_it(other: str, reason: str) -> None:
    result = migrated_files({"main.py": PROGRAM, "other.py": other})["main.py"]
    assert Outcome.REWRITTEN not in outcomes_of(result)
    assert reason in said_of(result)
