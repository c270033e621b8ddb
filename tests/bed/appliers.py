"""Where and how a transform is applied, and its result called."""

from __future__ import annotations

from tests.bed.forms import Applied

_JIT = "run = nnx.jit(step)\n"
_WRAPPER = "def run(*a, **k):\n    return jitted(*a, **k)\n"
APPLIED = (
    Applied("decorator", decorators="@nnx.jit", after="run = step\n"),
    Applied(
        "decorator of a partial", decorators="@functools.partial(nnx.jit)", after="run = step\n"
    ),
    Applied(
        "decorator with options", decorators="@nnx.jit(donate_argnums=())", after="run = step\n"
    ),
    Applied("variable", _JIT),
    Applied("at once", "", "nnx.jit(step)({a})"),
    Applied("lambda", "run = nnx.jit(lambda *a, **k: step(*a, **k))\n"),
    Applied("wrapper", f"jitted = nnx.jit(step)\n{_WRAPPER}"),
    Applied("lambda around", "jitted = nnx.jit(step)\nrun = lambda *a, **k: jitted(*a, **k)\n"),
    Applied(
        "two wrappers",
        f"jitted = nnx.jit(step)\n{_WRAPPER}def outer(*a, **k):\n    return run(*a, **k)\n",
        "outer({a})",
    ),
    Applied(
        "named wrapper",
        "jitted = nnx.jit(step)\ndef run(one, two):\n    return jitted(one, two)\n",
        exact=True,
    ),
    Applied("wraps", "run = functools.wraps(step)(nnx.jit(step))\n"),
    Applied("update_wrapper", "run = functools.update_wrapper(nnx.jit(step), step)\n"),
    Applied("list", "runs = [nnx.jit(f) for f in (step,)]\n", "runs[0]({a})"),
    Applied(
        "list, loop", "runs = []\nfor f in [step]:\n    runs.append(nnx.jit(f))\n", "runs[0]({a})"
    ),
    Applied("map", "(run,) = map(nnx.jit, [step])\n"),
    Applied("zip", "runs = {n: nnx.jit(f) for n, f in zip(['s'], [step])}\n", "runs['s']({a})"),
    Applied("enumerate", "runs = {n: nnx.jit(f) for n, f in enumerate([step])}\n", "runs[0]({a})"),
    Applied("sorted", "run = [nnx.jit(f) for f in sorted([step], key=str)][0]\n"),
    Applied("table", 'RUNS = {"s": nnx.jit(step)}\n', 'RUNS["s"]({a})'),
    Applied("registry", "RUNS = {}\nRUNS[step.__name__] = nnx.jit(step)\n", 'RUNS["step"]({a})'),
    Applied(
        "registering decorator",
        before=("RUNS = {}\ndef register(f):\n    RUNS[f.__name__] = nnx.jit(f)\n    return f\n"),
        decorators="@register",
        call='RUNS["step"]({a})',
    ),
    Applied(
        "property",
        ("class Trainer:\n    @property\n    def run(self):\n        return nnx.jit(step)\n"),
        "Trainer().run({a})",
    ),
    Applied(
        "cached property",
        (
            "class Trainer:\n    @functools.cached_property\n    def run(self):\n"
            "        return nnx.jit(step)\n"
        ),
        "Trainer().run({a})",
    ),
    Applied(
        "class attribute",
        "class Trainer:\n    run = staticmethod(nnx.jit(step))\n",
        "Trainer.run({a})",
    ),
    Applied(
        "attribute",
        (
            "class Trainer:\n    def __init__(self):\n        self.run = nnx.jit(step)\n"
            "    def fit(self, *a, **k):\n        return self.run(*a, **k)\n"
        ),
        "Trainer().fit({a})",
    ),
    Applied(
        "attribute, given",
        ("class Trainer:\n    def __init__(self, run):\n        self.run = run\n"),
        "Trainer(nnx.jit(step)).run({a})",
    ),
    Applied(
        "setattr",
        ("class Trainer:\n    pass\ntrainer = Trainer()\nsetattr(trainer, 'run', nnx.jit(step))\n"),
        "trainer.run({a})",
    ),
    Applied(
        "static method",
        (
            "class Trainer:\n    @staticmethod\n    @nnx.jit\n    def run(*a, **k):\n"
            "        return step(*a, **k)\n"
        ),
        "Trainer.run({a})",
    ),
    Applied("getattr", 'run = getattr(nnx, "jit")(step)\n'),
    Applied("getattr, loop", 'for name in ["jit"]:\n    run = getattr(nnx, name)(step)\n'),
    Applied("import_module", 'run = importlib.import_module("flax.nnx").jit(step)\n'),
    Applied("sys.modules", 'run = sys.modules["flax.nnx"].jit(step)\n'),
    Applied("__import__", 'run = __import__("flax.nnx").nnx.jit(step)\n'),
    Applied("vars", 'run = vars(nnx)["jit"](step)\n'),
    Applied("__dict__", 'run = nnx.__dict__["jit"](step)\n'),
    Applied("attrgetter", 'run = operator.attrgetter("jit")(nnx)(step)\n'),
    Applied(
        "context manager",
        (
            "@contextlib.contextmanager\ndef compiled(f):\n    yield nnx.jit(f)\n"
            "def run(*a, **k):\n    with compiled(step) as jitted:\n"
            "        return jitted(*a, **k)\n"
        ),
    ),
    Applied("map over models", _JIT, "next(map(run, *[[each] for each in ({a})]))", exact=True),
    Applied("map over two", _JIT, "next(map(run, [{1}], [{2}]))", exact=True),
    Applied("partial", _JIT, "functools.partial(run, {1})({2})", exact=True),
    Applied("compiled", _JIT, "run.lower({a}).compile()({a})", exact=True),
    Applied(
        "executor",
        (
            _JIT
            + "def submitted(*a):\n    with concurrent.futures.ThreadPoolExecutor(1) as executor:\n"
            "        return executor.submit(run, *a).result()\n"
        ),
        "submitted({a})",
        exact=True,
    ),
    Applied("MethodType", _JIT, "types.MethodType(run, {1})({2})", exact=True),
    Applied("starmap", _JIT, "next(itertools.starmap(run, [({a})]))", exact=True),
    Applied("reduce", _JIT, "functools.reduce(lambda a, m: run(m, a), [{1}], {2})", exact=True),
    Applied("callable object", method="class Step:\n", after="run = nnx.jit(Step())\n"),
    Applied("callable object, at once", method="class Step:\n", call="nnx.jit(Step())({a})"),
    Applied(
        "callable dataclass",
        method="@dataclasses.dataclass(frozen=True)\nclass Step:\n    rate: float = 1.0\n",
        after="run = nnx.jit(Step())\n",
    ),
    Applied(
        "bound method",
        (
            "class Trainer:\n    def run(self, *a, **k):\n        return step(*a, **k)\n"
            "run = nnx.jit(Trainer().run)\n"
        ),
    ),
    Applied(
        "partialmethod",
        (
            "class Trainer:\n    @staticmethod\n    def run(f, *a, **k):\n"
            "        return f(*a, **k)\n"
            "run = functools.partial(Trainer.run, nnx.jit(step))\n"
        ),
    ),
    Applied(
        "class decorator",
        (
            "def jitted(cls):\n    cls.run = staticmethod(nnx.jit(cls.run))\n    return cls\n"
            "@jitted\nclass Trainer:\n    def run(*a, **k):\n        return step(*a, **k)\n"
        ),
        "Trainer.run({a})",
    ),
    Applied("renamed", "compiled = nnx.jit\nrun = compiled(step)\n"),
    Applied("imported", "from flax.nnx import jit as compiled\nrun = compiled(step)\n"),
    Applied("choice", "compiled = nnx.jit if len('a') else jax.jit\nrun = compiled(step)\n"),
    Applied(
        "fallback",
        (
            "try:\n    compiled = nnx.jit\nexcept AttributeError:\n"
            "    compiled = jax.jit\nrun = compiled(step)\n"
        ),
    ),
    Applied(
        "own decorator",
        before="def fast(f):\n    return nnx.jit(f)\n",
        decorators="@fast",
        after="run = step\n",
    ),
    Applied(
        "own decorator, wrapping",
        before=(
            "def fast(f):\n    jitted = nnx.jit(f)\n    @functools.wraps(f)\n"
            "    def wrapper(*a, **k):\n"
            "        return jitted(*a, **k)\n    return wrapper\n"
        ),
        decorators="@fast",
        after="run = step\n",
    ),
    Applied(
        "own decorator, options",
        before=("def fast(**options):\n    return functools.partial(nnx.jit, **options)\n"),
        decorators="@fast()",
        after="run = step\n",
    ),
    Applied(
        "decorator object",
        before=(
            "class Fast:\n    def __init__(self, f):\n        self.f = nnx.jit(f)\n"
            "    def __call__(self, *a, **k):\n        return self.f(*a, **k)\n"
        ),
        decorators="@Fast",
        after="run = step\n",
    ),
    Applied(
        "given", "def apply(f, *a, **k):\n    return f(*a, **k)\n", "apply(nnx.jit(step), {a})"
    ),
    Applied("transform given", "def apply(t, f):\n    return t(f)\nrun = apply(nnx.jit, step)\n"),
    Applied("returned", "def compiled():\n    return nnx.jit(step)\n", "compiled()({a})"),
    Applied("function given", "def compiled(f):\n    return nnx.jit(f)\nrun = compiled(step)\n"),
    Applied(
        "cached factory",
        ("@functools.lru_cache(maxsize=None)\ndef compiled():\n    return nnx.jit(step)\n"),
        "compiled()({a})",
    ),
    Applied("reduced", "run = functools.reduce(lambda f, t: t(f), [nnx.jit], step)\n"),
    Applied(
        "NamedTuple",
        ("class Runs(typing.NamedTuple):\n    run: typing.Any\nruns = Runs(nnx.jit(step))\n"),
        "runs.run({a})",
    ),
    Applied(
        "dataclass",
        (
            "@dataclasses.dataclass\nclass Runs:\n    run: typing.Callable\n"
            "runs = Runs(run=nnx.jit(step))\n"
        ),
        "runs.run({a})",
    ),
    Applied(
        "SimpleNamespace", "runs = types.SimpleNamespace(run=nnx.jit(step))\n", "runs.run({a})"
    ),
    Applied(
        "default argument",
        "def go(*a, run=nnx.jit(step)):\n    return run(*a)\n",
        "go({a})",
        exact=True,
    ),
    Applied("generator", "def runs():\n    yield nnx.jit(step)\n", "next(runs())({a})"),
    Applied("walrus", "", "(run := nnx.jit(step))({a})"),
    Applied("operator.call", _JIT, "operator.call(run, {a})"),
    Applied(
        "asynchronous",
        _JIT + ("async def awaited(*a, **k):\n    return run(*a, **k)\n"),
        "asyncio.run(awaited({a}))",
    ),
    Applied(
        "global", "run = None\ndef start():\n    global run\n    run = nnx.jit(step)\nstart()\n"
    ),
    Applied("tuple of transforms", "run = (nnx.jit, nnx.remat)[0](step)\n"),
    Applied("remat", "run = nnx.remat(step)\n", exact=True),
    Applied("remat in jit", "run = nnx.jit(nnx.remat(step))\n", exact=True),
    Applied("decorators", decorators="@nnx.jit\n@nnx.remat", after="run = step\n", exact=True),
    Applied("cond", "", "nnx.cond(True, step, step, {a})", exact=True),
    Applied("switch", "", "nnx.switch(0, [step, step], {a})", exact=True),
    Applied("jax.jit", "run = jax.jit(step)\n"),
    Applied("no transform", "run = step\n"),
)
