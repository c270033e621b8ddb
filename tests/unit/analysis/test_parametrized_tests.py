"""What tests get from their decorators is known: a model of a class that a case names."""

from __future__ import annotations

import pytest

from tests.unit.analysis.asking import effects

PROGRAM = """
from absl.testing import absltest, parameterized
from flax import nnx
import pytest

class Quiet(nnx.Module):
    def __call__(self, x):
        return x

class Counting(nnx.Module):
    def __init__(self):
        self.n = 0
    def __call__(self, x):
        self.n += 1
        return x

PAIRS = [(Quiet, 1), (USED, 2)]
CASES = ({"kind": Quiet, "size": 1}, {"kind": USED, "size": 2})

def f(m, x):
    return m(x)

class TestIt(parameterized.TestCase):
    DECORATOR
    def test_it(self, kind, size):
        return f(kind(), size)
"""
DECORATORS = [
    "@pytest.mark.parametrize('kind, size', [(Quiet, 1), (USED, 2)])",
    "@pytest.mark.parametrize('kind', [pytest.param(Quiet, id='a'), USED])",
    "@parameterized.parameters((Quiet, 1), (USED, 2))",
    "@parameterized.parameters([(Quiet, 1), (USED, 2)])",
    "@parameterized.parameters(*PAIRS)",
    "@parameterized.parameters(PAIRS)",
    "@parameterized.parameters({'kind': Quiet, 'size': 1}, {'size': 1, 'kind': USED})",
    "@parameterized.named_parameters(('a', Quiet, 1), ('b', USED, 2))",
    "@parameterized.named_parameters(dict(testcase_name='a', kind=USED, size=1))",
    "@parameterized.product(kind=[Quiet, USED], size=[1, 2])",
    "@parameterized.product([{'kind': Quiet}, {'kind': USED}], size=[1, 2])",
    "@parameterized.product(CASES)",
]


@pytest.mark.parametrize("decorator", DECORATORS)
def test_every_case_counts(decorator: str) -> None:
    text = PROGRAM.replace("DECORATOR", decorator)
    assert effects(text.replace("USED", "Quiet"), "f", "m") == set()
    assert effects(text.replace("USED", "Counting"), "f", "m") == {"structure"}
