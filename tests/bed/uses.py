"""How a traced function calls the object that it is given."""

from __future__ import annotations

from tests.bed.forms import Use

_CALL = "def call(f, x):\n    return f(x)\n"
USES = (
    Use("call", "y = {o}(x)"),
    Use("method", "y = {o}.go(x)"),
    Use("by its class", "y = Net.go({o}, x)"),
    Use("__call__", "y = {o}.__call__(x)"),
    Use("unbound __call__", "y = Net.__call__({o}, x)"),
    Use("type", "y = type({o}).go({o}, x)"),
    Use("helper", "y = call({o}, x)", _CALL),
    Use(
        "helper of a helper",
        "y = outer({o}, x)",
        f"{_CALL}def outer(f, x):\n    return call(f, x)\n",
    ),
    Use("helper, keywords", 'y = call(**{"f": {o}, "x": x})', _CALL),
    Use("helper, unpacked", "y = call(*({o}, x))", _CALL),
    Use("helper in a table", 'y = HELPERS["call"]({o}, x)', _CALL + 'HELPERS = {"call": call}\n'),
    Use("partial", "y = functools.partial({o})(x)"),
    Use("partial of a helper", "y = functools.partial(call, {o})(x)", _CALL),
    Use("getattr", 'y = getattr({o}, "go")(x)'),
    Use("methodcaller", 'y = operator.methodcaller("go", x)({o})'),
    Use("comprehension", "y = [f(x) for f in [{o}]][0]"),
    Use("loop", "for f in ({o},):\n    y = f(x)"),
    Use("map", "y = list(map(lambda f: f(x), [{o}]))[0]"),
    Use("reduce", "y = functools.reduce(lambda a, f: f(a), [{o}], x)"),
    Use("lambda", "y = (lambda f: f(x))({o})"),
    Use("local name", "f = {o}\ny = f(x)"),
    Use("bound method", "go = {o}.go\ny = go(x)"),
    Use("nested function", "def now():\n    return {o}(x)\ny = now()"),
    Use("try", "try:\n    y = {o}(x)\nexcept ValueError:\n    y = x"),
    Use("remat", "y = jax.checkpoint(lambda x: {o}.w[...] * x)(x)\n{o}(x)"),
    Use("dict of it", 'y = dict(f={o})["f"](x)'),
    Use("match", "match {o}:\n    case f:\n        y = f(x)"),
    Use("condition", "y = {o}(x) if x is not None else x"),
    Use(
        "class",
        "y = Caller({o}).go(x)",
        (
            "class Caller:\n    def __init__(self, f):\n        self.f = f\n"
            "    def go(self, x):\n        return self.f(x)\n"
        ),
    ),
    Use("read alone", "y = {o}.w[...] * x"),
)
