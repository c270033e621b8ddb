"""What is known of something that may be of several classes: by what it has, and who has that."""

from __future__ import annotations

import pytest

from tests.unit.analysis.asking import effects, kinds

HEAD = """
import abc
from dataclasses import dataclass
from flax import nnx

@nnx.dataclass
class Images(nnx.Pytree):
    pixels: nnx.Param

@dataclass
class Labelled:
    images: Images

class Other(abc.ABC):
    pass
"""
UNION = """
def f(batch: Images | Labelled):
    out = batch.images
"""


def test_an_attribute_is_that_of_the_classes_that_have_it() -> None:
    assert kinds(HEAD + UNION, "out", "f") == {"Images"}


def test_so_it_is_beside_a_dictionary_which_has_the_method() -> None:
    source = HEAD + "def f(batch: Images | dict[str, Images]):\n    out = batch.get\n"
    assert kinds(source, "out", "f") == {"<container>.get"}


def test_an_attribute_that_no_class_has_is_not_known() -> None:
    source = HEAD + "def f(batch: Images | Other):\n    out = batch.images\n"
    assert kinds(source, "out", "f") == {"unknown"}


MAY_HAVE = {
    "a class below it stores it": """
        class Both(Images):
            def fill(self, images):
                self.images = images
    """,
    "a class below it has a base out of sight": """
        import elsewhere
        class Both(Images, elsewhere.Base):
            pass
    """,
    "other code stores it in something": "def put(batch, images):\n    batch.images = images\n",
    "other code stores it by its name": """
        def put(batch, images):
            setattr(batch, "images", images)
    """,
    "other code stores it by a name that is not in sight": """
        def put(batch, name, images):
            setattr(batch, name, images)
    """,
    "other code stores anything in an object of the class": """
        def put(batch: Images, name, images):
            setattr(batch, name, images)
    """,
    "a class below it looks attributes up itself": """
        class Deep(Images):
            def __getattr__(self, name):
                return None
    """,
    "a decorator may add it": """
        def adding(cls):
            return cls
        @adding
        class Both(Images):
            pass
    """,
}


@pytest.mark.parametrize("more", MAY_HAVE.values(), ids=MAY_HAVE.keys())
def test_it_is_not_known_where_the_other_class_may_have_it(more: str) -> None:
    lines = more.strip("\n").splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    body = "\n".join(line[indent:] for line in lines)
    assert "unknown" in kinds(f"{HEAD}{body}\n{UNION}", "out", "f")


def test_another_object_may_get_attributes_by_names_out_of_sight() -> None:
    body = "def put(layer: nnx.Linear, name):\n    setattr(layer, name, 1)\n"
    assert kinds({"main.py": HEAD + UNION, "other.py": HEAD + body}, "out", "f") == {"Images"}


SEQUENTIAL = """
from flax import nnx

class Block(nnx.Module):
    def __call__(self, x):
        return x

class Net(nnx.Module):
    def __init__(self, n):
        self.many = nnx.Sequential(*[Block() for _ in range(n)])
        self.two = nnx.Sequential(Block(), Block())

def f(net: Net):
    every = net.two.layers
    for one in net.many.layers:
        pass
    first = net.two.layers[0]
"""


@pytest.mark.parametrize(
    ("name", "expected"), [("every", "[Block]"), ("one", "Block"), ("first", "Block")]
)
def test_layers_of_a_sequential_are_a_list(name: str, expected: str) -> None:
    assert kinds(SEQUENTIAL, name, "f") == {expected}


METHODS = """
class Plain(nnx.Module):
    def __call__(self, x):
        return x

class Coded(nnx.Module):
    def encode(self, x):
        BODY
        return x

class Net(nnx.Module):
    def __init__(self, part: Coded | Plain):
        self.part = part

def f(net: Net, x):
    return net.part.encode(x)
"""


def effects_of_encoding(body: str, more: str = "") -> set[str]:
    return set(effects(HEAD + METHODS.replace("BODY", body) + more, "f", "net"))


def test_a_method_is_that_of_the_classes_that_have_it() -> None:
    assert effects_of_encoding("pass") == set()


def test_what_that_method_does_counts() -> None:
    assert "structure" in effects_of_encoding("self.seen = x")


def test_a_method_that_other_code_may_give_the_other_class_is_not_known() -> None:
    given = "\ndef put(part, name):\n    part.encode = name\n"
    by_name = "\ndef put(part: Plain, name):\n    setattr(part, name, name)\n"
    below = "\nclass Below(Plain):\n    def __getattr__(self, name): return name\n"
    for more in (given, by_name, below):
        assert "unknown" in effects_of_encoding("pass", more), more


def test_a_method_that_no_class_has_is_not_known() -> None:
    text = METHODS.replace("BODY", "pass").replace("part.encode", "part.decode")
    assert "unknown" in effects(HEAD + text, "f", "net")
