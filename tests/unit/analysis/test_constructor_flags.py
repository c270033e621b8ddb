"""Effects that hang on an attribute: dropped where constructors settle that it is false."""

from __future__ import annotations

import pytest

from tests.unit.analysis.asking import effects

PROGRAM = """
from flax import nnx

class Layer(nnx.Module):
    DECLARED
    def __init__(self, rngs, sow=False, WORD=None):
        self.linear = nnx.MultiHeadAttention(2, 4, decode=False, rngs=rngs)
        self.sow_it = sow
        LAYER
    def __call__(self, x):
        return self.body(x)
    def body(self, x):
        if BEFORE and self.sow_it:
            self.sow(nnx.Intermediate, "w", x)
        return self.linear(x, sow_weights=self.sow_it)
    METHOD

class Wide(Layer):
    WIDE

class Other(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
    def __call__(self, x):
        return self.linear(x)

class Encoder(nnx.Module):
    def __init__(self, rngs, sow=False, asked=False, given=None):
        self.asked = asked
        self.sow_layers = sow
        ENCODER
        self.layers = nnx.List([])
        for i in range(2):
            self.layers.append(Layer(rngs, sow=SOW))
        MORE
    def __call__(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x)
        return self.first(x)

class Net(nnx.Module):
    def __init__(self, rngs, given: Encoder | None = None):
        self.encoder = ENCODED
    def __call__(self, x):
        return self.encoder(x)

class Below(Net):
    BELOW

def f(m: Net, x):
    return m(x)

def elsewhere(m: Net, layer: Layer, e: Encoder, rngs, name):
    ELSEWHERE
"""
DEFAULTS = {
    "DECLARED": "sow_it: bool",
    "WORD": "word",
    "LAYER": "pass",
    "BEFORE": "x is not None",
    "METHOD": "pass",
    "WIDE": "pass",
    "ENCODER": "self.first = Layer(rngs)",
    "SOW": "self.sow_layers",
    "MORE": "pass",
    "ENCODED": "Encoder(rngs)",
    "BELOW": "pass",
    "ELSEWHERE": "return Encoder(rngs, sow=True), Layer(rngs, True)",
}
NEVER = {
    "as it is": {},
    "said": {"ENCODED": "Encoder(rngs, sow=False)"},
    "by a parameter": {"SOW": "sow"},
    "by a subclass that takes the same": {"ENCODER": "self.first = Wide(rngs, sow=None)"},
    "always": {"LAYER": "pass", "SOW": "False"},
    "annotated": {"ENCODED": "Encoder(rngs)", "ENCODER": "self.first: Layer = Layer(rngs)"},
    "by a name": {"ENCODER": "first = Layer(rngs); self.first = first"},
    "in a list of a name": {
        "MORE": "layers = []; layers.append(Layer(rngs)); self.layers = nnx.List(layers)"
    },
    "in a comprehension": {"MORE": "self.layers = nnx.List([Layer(rngs) for _ in range(2)])"},
    "beside another class": {"MORE": "self.layers.append(Other(rngs))"},
    "beside what setattr names": {
        "METHOD": "def on(self, n):\n        setattr(self, f'layer_{n}', True)"
    },
    "one of two": {"ENCODER": "self.first = Layer(rngs) if rngs else Layer(rngs, sow=False)"},
}
MAY_HAPPEN = {
    "true": {"ENCODED": "Encoder(rngs, sow=True)"},
    "true below": {"ENCODER": "self.first = Layer(rngs, True)"},
    "unknown": {"ENCODED": "Encoder(rngs, sow=given)"},
    "by place": {"ENCODED": "Encoder(rngs, given)"},
    "hidden": {"ENCODED": "Encoder(rngs, **given)"},
    "starred": {"ENCODED": "Encoder(*given)"},
    "another attribute": {"SOW": "self.asked", "ENCODED": "Encoder(rngs, asked=True)"},
    "computed": {"SOW": "not self.sow_layers"},
    "handed in": {"ENCODED": "given"},
    "handed in, or made": {"ENCODED": "given or Encoder(rngs)"},
    "true in one of two": {"ENCODER": "self.first = Layer(rngs) if rngs else Layer(rngs, sow=1)"},
    "in a list": {"MORE": "self.layers.append(Layer(rngs, sow=True))"},
    "extended": {"MORE": "self.layers.extend([Layer(rngs, sow=True)])"},
    "added": {"MORE": "self.layers += [Layer(rngs, sow=True)]"},
    "inserted": {"MORE": "self.layers.insert(0, Layer(rngs, sow=True))"},
    "put into a list": {"MORE": "self.layers[0] = Layer(rngs, sow=True)"},
    "by another name of the list": {"MORE": "known = self.layers; known.append(Layer(rngs, True))"},
    "a list that is handed in": {"MORE": "self.layers = nnx.List(given)"},
    "made by a call": {"ENCODER": "self.first = (lambda: Layer(rngs, sow=True))()"},
    "set again": {"LAYER": "self.sow_it = word"},
    "set in a method": {"METHOD": "def on(self):\n        self.sow_it = True"},
    "set by a computed name": {"METHOD": "def on(self, n):\n        setattr(self, n, True)"},
    "set by the beginning of a name": {
        "METHOD": "def on(self, n):\n        setattr(self, f'sow_{n}', True)"
    },
    "set by its dictionary": {"METHOD": "def on(self, n):\n        self.__dict__.update(n)"},
    "a property": {"METHOD": "@property\n    def sow_it(self): return True"},
    "rebound": {"LAYER": "sow = True\n        self.sow_it = sow"},
    "set below": {
        "WIDE": "def __init__(self, rngs):\n        super().__init__(rngs)\n"
        "        self.sow_it = True",
        "ENCODER": "self.first = Wide(rngs)",
    },
    "a constructor below": {
        "WIDE": "def __init__(self, rngs):\n        super().__init__(rngs, sow=True)",
        "ENCODER": "self.first = Wide(rngs)",
    },
    "stored by a class below": {
        "BELOW": "def __init__(self, rngs):\n        super().__init__(rngs)\n"
        "        self.encoder = Encoder(rngs, sow=True)"
    },
    "set from outside": {"ELSEWHERE": "layer.sow_it = True"},
    "set from outside by an expression": {"ELSEWHERE": "layer.sow_it = name"},
    "set by setattr": {"ELSEWHERE": "setattr(layer, 'sow_it', True)"},
    "set by keyword": {"ELSEWHERE": "m.set_attributes(sow_it=True)"},
    "set by keywords": {"ELSEWHERE": "m.set_attributes(**name)"},
    "replaced from outside": {"ELSEWHERE": "m.encoder = Encoder(rngs, sow=True)"},
    "put in from outside": {"ELSEWHERE": "e.layers.append(Layer(rngs, sow=True))"},
    "put in by another name": {
        "ELSEWHERE": "known = e.layers\n    known.append(Layer(rngs, sow=True))"
    },
}


def program(changes: dict[str, str]) -> str:
    text = PROGRAM
    for name, value in {**DEFAULTS, **changes}.items():
        text = text.replace(name, value)
    return text


@pytest.mark.parametrize("case", NEVER)
def test_what_no_constructor_asks_for_does_not_happen(case: str) -> None:
    assert "structure" not in effects(program(NEVER[case]), "f", "m")


@pytest.mark.parametrize("case", MAY_HAPPEN)
def test_what_an_object_may_be_asked_for_is_kept(case: str) -> None:
    assert "structure" in effects(program(MAY_HAPPEN[case]), "f", "m")


def test_an_object_that_code_elsewhere_makes_may_do_it() -> None:
    text = program({}).replace("def f(m: Net, x)", "def f(m: Encoder, x)")
    assert "structure" in effects(text, "f", "m")
