from flax import nnx

from nets import Net, Normalizer


class Double(Normalizer):
    def __init__(self):
        super().__init__(nnx.Rngs(0))
        self.called_with = nnx.data(None)

    def __call__(self, x, get_info: bool = False):
        self.called_with = nnx.data({"x": x, "get_info": get_info})
        return x


def test_that_the_normalizer_is_called():
    double = Double()
    Net(double)(1.0)
    assert double.called_with["x"] == 1.0
