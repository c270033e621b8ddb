import facade
from facade import double
from mid import fwd
from nets import Net


def main():
    model = Net()
    outputs = [fwd(model, 1.0), double(model, 1.0), facade.triple(model, 1.0)]
    return outputs, model.count
