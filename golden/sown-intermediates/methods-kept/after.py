"""Methods that sow whose calls are not all known, or may run others."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        x = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", x)
        return x

    @nnx.jit
    def _overridden_and_pop(self, x: jax.Array):
        return self(x), nnx.clone(nnx.pop(self, nnx.Intermediate))

    def overridden(self, x: jax.Array):
        result, sown = self._overridden_and_pop(x)
        nnx.update(self, sown)
        return result

    @nnx.jit
    def _handed_on_and_pop(self, x: jax.Array):
        return self(x), nnx.clone(nnx.pop(self, nnx.Intermediate))

    def handed_on(self, x: jax.Array):
        result, sown = self._handed_on_and_pop(x)
        nnx.update(self, sown)
        return result

    @nnx.jit
    def _by_name_and_pop(self, x: jax.Array):
        return self(x), nnx.clone(nnx.pop(self, nnx.Intermediate))

    def by_name(self, x: jax.Array):
        result, sown = self._by_name_and_pop(x)
        nnx.update(self, sown)
        return result

    @nnx.jit
    def _not_popped_and_pop(self, x: jax.Array):
        return self(x), nnx.clone(nnx.pop(self, nnx.Intermediate))

    def not_popped(self, x: jax.Array):
        result, sown = self._not_popped_and_pop(x)
        nnx.update(self, sown)
        return result


class Doubled(Net):
    def overridden(self, x: jax.Array):
        return 2 * x


def look(net: Net, x: jax.Array):
    y = net.overridden(x)
    return y, nnx.pop(net, nnx.Intermediate)


def main(x: jax.Array):
    found = [look(Net(nnx.Rngs(0)), x), look(Doubled(nnx.Rngs(1)), x)]

    net = Net(nnx.Rngs(2))
    y = net.handed_on(x)
    found.append((y, nnx.pop(net, nnx.Intermediate)))
    found.append(list(map(net.handed_on, [x])))
    found.append((y, nnx.pop(net, nnx.Intermediate)))

    net = Net(nnx.Rngs(3))
    y = net.by_name(x)
    found.append((y, nnx.pop(net, nnx.Intermediate)))
    for name in ("by_name", "linear"):
        y = getattr(net, name)(x)
    found.append((y, nnx.pop(net, nnx.Intermediate)))

    net = Net(nnx.Rngs(4))
    y = net.not_popped(x)
    found.append((y, nnx.pop(net, nnx.Intermediate)))
    y = net.not_popped(jnp.ones(2))
    return found, y
