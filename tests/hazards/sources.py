"""Sources that are hard to edit, each with the number of sites that must get an outcome."""

from __future__ import annotations

import dataclasses
import textwrap

from tests.hazards.captures import (
    ABSTRACT,
    BOUND,
    LOOPS,
    MAPS_OF_JAX,
    PASSED,
    SCANS_OF_JAX,
    STACKED,
    TRANSFORMS_OF_JAX,
)

HEAD = """\
import jax, jax.numpy as jnp
from flax import nnx
sharded = None
odd  =  { 'a' :1 } ;  other =( 1 )\t


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.linear(x))


"""
TAIL = """\


last  =  [ 1,2 ]   # kept
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Hazard:
    """A source and what must be found in it.

    Args:
        text: the whole file.
        found: rule -> number of findings, whatever their outcome.
    """

    text: str
    found: dict[str, int]


def _make(rule: str, body: str, count: int = 1) -> Hazard:
    return Hazard(HEAD + textwrap.dedent(body).strip("\n") + "\n" + TAIL, {rule: count})


def gradient(body: str, count: int = 1) -> Hazard:
    return _make("module-gradient", body, count)


def _with_imports(imports: str, body: str, count: int = 1) -> Hazard:
    """A source with imports of its own in the place of `from flax import nnx`."""
    text = HEAD.replace("from flax import nnx\n", "from flax import nnx as _head_nnx\n")
    text = text.replace("nnx.Module", "_head_nnx.Module").replace("nnx.Rngs", "_head_nnx.Rngs")
    text = text.replace("= nnx.", "= _head_nnx.")
    head = textwrap.dedent(imports).strip("\n") + "\n"
    body = textwrap.dedent(body).strip("\n") + "\n"
    return Hazard(text + head + body + TAIL, {"module-gradient": count})


_STEP = """
def step(model: Net, x):
    def loss_fn(m):
        return jnp.mean(m(x))
    return {grad}(loss_fn)(model)
"""

GRADIENTS = {
    "comment-only-argument": gradient(
        """
        def step(model: Net):
            def loss_fn(m):
                return 0.0
            return nnx.grad(  # why
                loss_fn  # the loss
            )(  # with
                model  # the model
            )
        """
    ),
    "comment-in-empty-call": gradient(
        """
        def step(model: Net):
            return nnx.grad(
                # nothing here
            )(model)
        """
    ),
    "comments-on-every-line": gradient(
        """
        def step(  # one
            model: Net,  # two
            x,  # three
        ):  # four
            def loss_fn(  # five
                m,  # six
                y,  # seven
            ):  # eight
                # nine
                return jnp.mean(m(y))  # ten
            # eleven
            grads = nnx.grad(loss_fn)(  # twelve
                model,  # thirteen
                x,  # fourteen
            )  # fifteen
            return grads  # sixteen
        """
    ),
    "trailing-comma": gradient(
        """
        def step(model: Net, x,):
            def loss_fn(m, y,):
                return jnp.mean(m(y,),)
            return nnx.value_and_grad(loss_fn, has_aux=False,)(model, x,)
        """
    ),
    "star-arguments": gradient(
        """
        def step(model: Net, *args, **kwargs):
            def loss_fn(m, *a, **k):
                return jnp.mean(m(a[0]))
            nnx.grad(loss_fn)(*args, **kwargs)
            nnx.grad(loss_fn)(model, *args, **kwargs)
            return nnx.grad(loss_fn)(*[model, *args])
        """,
        3,
    ),
    "keyword-already-present": gradient(
        """
        def step(model: Net, x):
            def loss_fn(m, x):
                return jnp.mean(m(x))
            nnx.grad(f=loss_fn, argnums=0)(model, x)
            nnx.grad(loss_fn, argnums=0, has_aux=False, allow_int=False)(model, x=x)
            return nnx.grad(loss_fn, **{"argnums": 0})(model, x)
        """,
        3,
    ),
    "taken-names": gradient(
        """
        params = graphdef = 1
        def step(model: Net, rest, nondiff=2):
            global params
            params = [graphdef for graphdef in range(3)]
            def loss_fn(m):
                nonlocal nondiff
                nondiff = rest.params
                return jnp.mean(m(nondiff))
            return nnx.grad(loss_fn)(model)
        """
    ),
    "semicolons": gradient(
        """
        def step(model: Net, x):
            f = lambda m: jnp.mean(m(x)); g = nnx.grad(f)(model); return g
        """
    ),
    "one-line-suites": gradient(
        """
        def step(model: Net, x):
            def loss_fn(m): return jnp.mean(m(x))
            if x is None: return nnx.grad(loss_fn)(model)
            else: return nnx.value_and_grad(loss_fn)(model)
        """,
        2,
    ),
    "one-line-docstring": gradient(
        """
        def step(model: Net, x):
            def loss_fn(m): 'kept'; return jnp.mean(m(x))
            return nnx.grad(loss_fn)(model)
        """
    ),
    "one-line-decorated": gradient(
        """
        @nnx.grad
        def step(model: Net, x): return jnp.mean(model(x))
        """
    ),
    "backslashes": gradient(
        """
        def step(model: Net, x):
            def loss_fn(m): \\
                return jnp.mean(m(x))
            grads = \\
                nnx.grad(loss_fn) \\
                (model)
            return \\
                grads
        """
    ),
    "two-spaces": gradient(
        """
        class Trainer:
          def step(self, model: Net, x):
            @nnx.grad
            def loss_fn(m: Net):
              if x is None:
                return 0.0
              return jnp.mean(m(x))
            return loss_fn(model)
        """
    ),
    "tabs": gradient(
        "def step(model: Net, x):\n\tdef loss_fn(m):\n\t\treturn jnp.mean(m(x))\n"
        "\treturn nnx.grad(loss_fn)(model)\n\n\n@nnx.grad\ndef other(model: Net, x):\n\tif x:\n"
        "\t\treturn 0.0\n\treturn jnp.mean(model(x))\n",
        2,
    ),
    "precedence": gradient(
        """
        def step(model: Net, x, flag):
            def loss_fn(m):
                return jnp.mean(m(x))
            return -nnx.value_and_grad(loss_fn)(model)[0] ** 2 if flag else not loss_fn
        """
    ),
    "conditional-model": gradient(
        """
        def step(model: Net, spare: Net, x, flag):
            def loss_fn(m):
                return jnp.mean(m(x))
            return nnx.grad(loss_fn)(model if flag else spare)
        """
    ),
    "f-strings": gradient(
        """
        def step(model: Net, x):
            def loss_fn(m):
                return jnp.mean(m(x))
            print(f"é {nnx.grad(loss_fn)(model)!r:>{10}} {{}}")
            print(f'''
            {nnx.value_and_grad(loss_fn)(model)[0]}
            ''')
        """,
        2,
    ),
    "walrus": gradient(
        """
        def step(model: Net, x):
            def loss_fn(m):
                return jnp.mean(m(x))
            if (grads := nnx.grad(loss_fn)(model)) is not None:
                return grads
            return nnx.grad(loss_fn)((copy := model)), copy
        """,
        2,
    ),
    "match": gradient(
        """
        def step(model: Net, x, kind):
            def loss_fn(m):
                return jnp.mean(m(x))
            match nnx.value_and_grad(loss_fn)(model):
                case (loss, grads) if nnx.grad(loss_fn)(model):
                    return nnx.grad(loss_fn)(model)
                case _:
                    pass
        """,
        3,
    ),
    "decorators-around": gradient(
        """
        def keep(f):
            return f
        @keep  # above
        @keep
        # between
        @nnx.grad  # here
        # and between
        @keep  # below
        def step(model: Net, x):
            return jnp.mean(model(x))
        """
    ),
    "async": gradient(
        """
        async def step(model: Net, x):
            async def loss_fn(m):
                return jnp.mean(m(x))
            nnx.grad(loss_fn)(model)
            async with x as y:
                return nnx.grad(lambda m: jnp.mean(m(y)))(await model)
        """,
        2,
    ),
    "methods": gradient(
        """
        class Trainer:
            def __init__(self, model: Net):
                self.model = model
            def loss(self, model: Net, x):
                return jnp.mean(model(x))
            def step(self, x):
                return nnx.grad(self.loss)(self.model, x)
            @staticmethod
            @nnx.grad
            def static(model: Net, x):
                return jnp.mean(model(x))
            @classmethod
            def of_class(cls, model: Net, x):
                return nnx.grad(lambda m: jnp.mean(m(x)))(model)
            @property
            def prop(self):
                return nnx.grad(lambda m: jnp.mean(m(1)))(self.model)
        """,
        4,
    ),
    "lambdas-in-comprehensions": gradient(
        """
        def step(models: list[Net], x):
            [nnx.grad(lambda m: jnp.mean(m(x)))(n) for n in models]
            {i: (lambda m=m: nnx.grad(lambda k: jnp.mean(k(x)))(m)) for i, m in enumerate(models)}
            def later(n: Net = models[0], g=nnx.grad(lambda m: jnp.mean(m(x)))):
                return g(n)
            return later
        """,
        3,
    ),
    "conditional-definitions": gradient(
        """
        def step(model: Net, x, flag):
            if flag:
                def loss_fn(m):
                    return jnp.mean(m(x))
            else:
                def loss_fn(m):
                    return jnp.sum(m(x))
            return nnx.grad(loss_fn)(model)
        """
    ),
    "passed-around": gradient(
        """
        def loss_fn(model: Net, x):
            return jnp.mean(model(x))
        before = [loss_fn]
        grad_fn = nnx.grad(loss_fn)
        after = {"g": grad_fn}
        def step(model: Net, x):
            return grad_fn(model, x), map(nnx.grad, before), (nnx.grad)(loss_fn)(model, x)
        """,
        3,
    ),
    "string-annotations": gradient(
        """
        def step(model: "Net", x: "jax.Array") -> "nnx.State":
            def loss_fn(m: 'Net') -> 'jax.Array':
                return jnp.mean(m(x))
            grads: "nnx.State" = nnx.grad(loss_fn)(model)
            return grads
        """
    ),
    "headers": gradient(
        """
        def step(model: Net, x):
            def loss_fn(m):
                return jnp.mean(m(x))
            if x is None:
                pass
            elif nnx.value_and_grad(loss_fn)(model)[0] > 0:
                pass
            else:
                while nnx.value_and_grad(loss_fn)(model)[0] > 0:
                    break
                else:
                    nnx.grad(loss_fn)(model)
            for leaf in nnx.grad(loss_fn)(model):
                pass
            with open(nnx.grad(loss_fn)(model)) as f, open(f):
                pass
            assert nnx.grad(loss_fn)(model), "no"
            del x[nnx.grad(loss_fn)(model)]
            raise ValueError(nnx.grad(loss_fn)(model)) from None
        """,
        8,
    ),
    "try-finally": gradient(
        """
        def step(model: Net, x):
            def loss_fn(m):
                try:
                    return jnp.mean(m(x))
                finally:
                    pass
            try:
                return nnx.grad(loss_fn)(model)
            except* ValueError:
                pass
            finally:
                nnx.grad(loss_fn)(model)
        """,
        2,
    ),
    "nested": gradient(
        """
        def step(model: Net, x):
            def outer(m):
                def inner(k):
                    return jnp.mean(k(x))
                return jnp.mean(jax.tree.leaves(nnx.grad(inner)(m))[0])
            return nnx.grad(outer)(model), nnx.grad(nnx.grad(outer))(model)
        """,
        4,
    ),
    "strings-that-move": gradient(
        '''
        @nnx.grad
        def step(model: Net, x):
            """Doc.

            indented
              more
            """
            text = """
        left
            inner""" + f"""
          {x}
         end"""
            other = 'a\\
            b'
            return jnp.mean(model(x)) + len(text) + len(other)
        '''
    ),
    "docstring-only": gradient(
        '''
        def step(model: Net, x):
            def loss_fn(m):
                "doc"; return jnp.mean(m(x))
            def none(m):
                """Nothing."""
            return nnx.grad(loss_fn)(model), nnx.grad(none)(model)
        ''',
        2,
    ),
    "shadowed": gradient(
        """
        def step(model: Net, nnx, x):
            return nnx.grad(lambda m: m)(model)
        def local(model: Net, x):
            nnx = x
            return nnx.value_and_grad(lambda m: m)(model)
        def comprehension(model: Net, x):
            return [nnx.grad(len)(model) for nnx in x]
        """,
        0,
    ),
    "subscripted-and-compared": gradient(
        """
        def step(models: list[Net], x):
            def loss_fn(m):
                return jnp.mean(m(x))
            a, b = nnx.value_and_grad(loss_fn)(models[0])[0], nnx.grad(loss_fn)(models[-1])
            return a < nnx.value_and_grad(loss_fn)(models[1])[0] < b
        """,
        3,
    ),
    "lambda-with-comments": gradient(
        """
        def step(model: Net, x):
            return nnx.grad(
                lambda m: (
                    # first
                    jnp.mean(m(x))  # mean
                    + jnp.sum(m.linear.kernel[...])  # sum
                ),
                has_aux=False,  # none
            )(model)
        """
    ),
    "unicode-names": gradient(
        """
        def step(modèle: Net, données):
            π = "€€€"; f = lambda m: jnp.mean(m(données)); ∇ = 0 if π else 1
        """.replace("∇", "d")
        + """
            é = "ü"; g = nnx.grad(f)(modèle); return g, é
        """
    ),
    "import-flax": _with_imports("import flax", _STEP.format(grad="flax.nnx.grad")),
    "import-flax-nnx": _with_imports("import flax.nnx", _STEP.format(grad="flax.nnx.grad")),
    "import-as": _with_imports("import flax.nnx as nn", _STEP.format(grad="nn.grad")),
    "from-import-as": _with_imports("from flax.nnx import grad as g", _STEP.format(grad="g")),
    "from-star": _with_imports("from flax.nnx import *", _STEP.format(grad="grad")),
    "parenthesised-import": _with_imports(
        "from flax.nnx import (  # why\n    grad,  # this\n    Param as P,\n)",
        _STEP.format(grad="grad"),
    ),
    "type-checking": _with_imports(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from flax import nnx\n"
        "else:\n    nnx = None\n",
        _STEP.format(grad="nnx.grad"),
    ),
    "try-import": _with_imports(
        "try:\n    from flax import nnx\nexcept ImportError:\n    nnx = None\n",
        _STEP.format(grad="nnx.grad"),
    ),
    "local-import": _with_imports(
        "",
        "def step(model: Net, x):\n    from flax import nnx\n"
        "    return nnx.grad(lambda m: jnp.mean(m(x)))(model)\n",
    ),
}

_AXES = "nnx.StateAxes({nnx.Param: 0, ...: None})"
_WRT = "nnx.DiffState(0, nnx.Param)"
_PUT = "nnx.StateSharding({nnx.Param: sharded, ...: None})"
_META = "{nnx.PARTITION_NAME: 'layers'}"
#: rule -> transform, option, and its value inline.
_FILTERS = {
    "diff-state": ("grad", "argnums", _WRT),
    "state-axes": ("vmap", "in_axes", f"({_AXES}, 0)"),
    "state-sharding": ("jit", "in_shardings", f"({_PUT}, None)"),
    "transform-metadata": ("vmap", "transform_metadata", _META),
}


def _filter_hazards(rule: str) -> dict[str, Hazard]:
    transform, option, value = _FILTERS[rule]
    name = f"nnx.{transform}"
    bodies = {
        "decorator": f"""
            @{name}({option}={value})  # why
            def f(model: Net, x):
                return jnp.mean(model(x))
            """,
        "decorator-one-line": f"""
            @{name}({option}={value})
            def f(model: Net, x): return jnp.mean(model(x))
            """,
        "partial": f"""
            import functools
            @functools.partial({name}, {option}={value},)
            def f(model: Net, x):
                return jnp.mean(model(x))
            """,
        "call": f"""
            def f(model: Net, x):
                return jnp.mean(model(x))
            def run(model: Net, x):
                return {name}(f, {option}={value})(model, x)
            """,
        "curried": f"""
            def run(model: Net, x):
                return {name}({option}={value})(lambda m, y: jnp.mean(m(y)))(model, x)
            """,
        "comments": f"""
            def f(model: Net, x):
                return jnp.mean(model(x))
            def run(model: Net, x):
                return {name}(  # one
                    f,  # two
                    # three
                    {option}={value},  # four
                    # five
                )(  # six
                    model,  # seven
                    x,  # eight
                )  # nine
            """,
        "bound-in-block": f"""
            def run(model: Net, x, flag):
                if flag:
                    value = {value}
                else:
                    value = {value}
                g = {name}(lambda m, y: jnp.mean(m(y)), {option}=value)
                return g(model, x)
            """,
        "dropped-alone": f"""
            def run(model: Net, x):
                with x:
                    value = {value}  # alone
                g = {name}(lambda m, y: jnp.mean(m(y)), {option}=value)
                return g(model, x)
            """,
        "dropped-semicolon": f"""
            def run(model: Net, x):
                value = {value}; g = {name}(lambda m, y: jnp.mean(m(y)), {option}=value); \\
                h = g(model, x)
                return h
            """,
        "method": f"""
            class Holder:
                @{name}({option}={value})
                def f(self: Net, x):
                    '''Doc.'''
                    return jnp.mean(self(x))
                @staticmethod
                @{name}({option}={value})
                def s(model: Net, x):
                    return jnp.mean(model(x))
            """,
        "async-generator": f"""
            @{name}({option}={value})
            async def f(model: Net, x):
                return jnp.mean(model(x))
            @{name}({option}={value})
            def g(model: Net, x):
                yield jnp.mean(model(x))
            """,
        "strings": f"""
            @{name}({option}={value})
            def f(model: Net, x):
                \"\"\"Doc.

                  kept
                \"\"\"
                text = '''
            left
              in'''
                return jnp.mean(model(x)), text
            """,
        "taken": f"""
            graphdef = params = rest = nondiff = 1
            @{name}({option}={value})
            def f(model: Net, params, *rest, graphdef=None, **nondiff):
                return jnp.mean(model(params)), rest, graphdef, nondiff
            """,
        "star-call": f"""
            def f(model: Net, x):
                return jnp.mean(model(x))
            def run(*args, **kwargs):
                g = {name}(f, {option}={value})
                return g(*args, **kwargs), g(*args), g(**kwargs)
            """,
        "hidden": f"""
            options = dict({option}={value})
            def run(model: Net, x):
                return {name}(lambda m, y: jnp.mean(m(y)), **options)(model, x)
            """,
        "header": f"""
            def run(model: Net, x):
                if x: pass
                elif {name}(lambda m, y: jnp.mean(m(y)), {option}={value})(model, x): pass
                while {name}(lambda m, y: jnp.mean(m(y)), {option}={value})(model, x): pass
                return [{name}(lambda m, y: jnp.mean(m(y)), {option}={value})(m, x) for m in x]
            """,
        "stack": f"""
            def keep(f): return f
            @keep
            @nnx.jit  # over it
            @{name}({option}={value})
            @keep
            # directly above
            def f(model: Net, x):
                return jnp.mean(model(x))
            """,
    }
    counts = {"method": 2, "async-generator": 2, "header": 3}
    made = {key: _make(rule, body, counts.get(key, 1)) for key, body in bodies.items()}
    if rule == "diff-state":  # where the option is hidden, it is the gradient of a whole Module
        for key in ("hidden", "bound-in-block"):
            made[key] = dataclasses.replace(made[key], found={"module-gradient": 1})
    if rule == "state-axes":
        made["hidden"].found["transform-metadata"] = 1
    return made


# What is pinned by its name alone, wherever an expression can stand.
_NAMED = {
    "static-nodes": "nnx.iter_graph(model)",
    "plain-leaves": "nnx.split((model, 1))",
    "rng-split-in-place": "nnx.split_rngs(model, splits=2)",
}
_PLACES = {
    "semicolon": ("def f(model: Net, x): a = 1; b = {}; return b  # kept", 1),
    "f-string": ("def f(model: Net):\n    return f'{{{}!r:>10}}'  # kept\n", 1),
    "default": ("model = Net(nnx.Rngs(0))\ndef f(x={}, *, y=lambda: {}): return x, y\n", 2),
    "walrus": ("def f(model: Net):\n    while (a := {}) is not None:\n        yield a\n", 1),
    "lines": (
        "def f(model: Net):\n    return (\n        # above\n        {}  # beside\n    )\n",
        1,
    ),
    "local": ("def f(model: Net):\n    import flax\n    nnx = flax.nnx\n    return {}\n", 1),
    "backslash": ("def f(model: Net):\n    a = \\\n        {}\n    return a\n", 1),
    "class-body": ("class A:\n    model = Net(nnx.Rngs(0))\n    found = {}\n", 1),
}
NAMED = {
    f"{rule}-{name}": _make(rule, text.format(*[call] * count), count)
    for rule, call in _NAMED.items()
    for name, (text, count) in _PLACES.items()
}

_SOWING = """
class Sower(nnx.Module):
    def __call__(self, x):
        self.sow(nnx.Intermediate, 'h', x)
        return x
"""
_SOWN = {
    "comments-on-every-line": """
        @nnx.jit  # the transform
        # directly above
        def f(  # a
            model: Sower,  # b
            x,
        ):  # c
            return model(x)  # d
        def g(x):
            model = Sower()
            y = f(  # e
                model,  # f
                x,  # g
            )  # h
            # i

            s = nnx.pop(  # j
                model, nnx.Intermediate  # k
            )  # l
            return y, s  # m
        """,
    "tabs-and-semicolons": """
        def g(x):
        \tmodel = Sower(); f = nnx.jit(lambda m, x: m(x)) ; a = 1
        \ty = f(model, x)  # kept
        \tz = (nnx.pop(model, nnx.Intermediate), a); b = y
        \treturn y, z, b
        """,
    "on-one-line": """
        @nnx.jit
        def f(model: Sower, x): return model(x)
        def g(x): m = Sower(); y = f(m, x); s = nnx.pop(m, nnx.Intermediate); return y, s
        """,
    "blocks": """
        import contextlib
        def g(xs):
            model = Sower()
            found = []
            for x in xs:
                if x is not None:
                    with contextlib.nullcontext():
                        y = nnx.jit(lambda m, x: m(x))(model, x)
                        found.append((y, nnx.pop(model, nnx.Intermediate)))
                else: pass
            return found
        """,
    "backslash": """
        @nnx.jit
        def f(model: Sower, x): return (model(x), x)
        def g(x):
            model = Sower()
            a, \\
                b = \\
                f(model, x)
            s = \\
                nnx.pop(model, nnx.Intermediate)
            return a, b, s
        """,
    "local-import": """
        def g(x):
            import flax
            model = Sower()
            @flax.nnx.jit
            def f(model, x): return model(x)
            f(model, x)
            return flax.nnx.pop(model, flax.nnx.Intermediate)
        """,
    "module-level": """
        model = Sower()
        run = nnx.jit(
            lambda m, x: m(x),  # the function
        )
        if sharded is None:
            ys = run(model, 1.0)
            states = nnx.pop(model, nnx.Intermediate)  # last
        """,
    "async": """
        @nnx.jit
        def f(model: Sower, x): return model(x)
        async def g(x):
            model = Sower()
            async with x as z:
                y = f(model, z)
                s = nnx.pop(model, nnx.Intermediate)
            return y, s
        """,
}
_SOWN |= {
    "several-calls": """
        @nnx.jit  # the transform
        def f(  # a
            model: Sower,  # b
            x,  # c
        ) -> int:  # d
            # e
            return model(  # f
                x,  # g
            )  # h
        def g(xs):
            model = Sower()
            ys = []
            # i
            for x in xs: # j
                f(  # k
                    model,  # l
                    x  # m
                )  # n
                a = 1; y = f(model,
                             x); b = 2
                ys.append(f(model, y))  # o
            else: c, d = f(model, x)

            # p
            s = nnx.pop(  # q
                model, nnx.Intermediate  # r
            )  # s
            return s, y, ys  # t
        """,
    "several-calls-with-tabs": """
        @nnx.jit
        def f(model: Sower, x, /, *, k=None): y = 2 * model(x); return y, k
        def g(x):
        \tmodel = Sower()
        \tif x: y = f(model, x)  # kept
        \telse: y = f(model, -x, k=2)
        \tif x: z = f(model, x,)
        \treturn y, z, nnx.pop(model, nnx.Intermediate)
        """,
}
_LAYERED = """
class Layered(nnx.Module):
    def __init__(self, rngs):
        self.layers = nnx.vmap(lambda rngs: Sower())(rngs)
    def __call__(self, x):
        run = nnx.scan(lambda layer, x: layer(x), in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
        return run(self.layers, x)
"""
_LAYERS = {
    "comments": """
        def g(x):
            model = Layered(x)
            y = model(  # a
                x,  # b
            )  # c
            # d
            s = nnx.pop(model, nnx.Intermediate)  # e
            return y, s  # f
        """,
    "tabs-and-semicolons": """
        def g(x):
        \tmodel = Layered(x); a = 1
        \ty = (model)(x) ; b = 2  # kept
        \tz = (nnx.pop(model, nnx.Intermediate), a); b = y
        \treturn y, z, b
        """,
    "backslash": """
        def g(x):
            model = Layered(x)
            y = \\
                model \\
                    (x)
            s = \\
                nnx.pop(model, nnx.Intermediate)
            return y, s
        """,
    "in-expressions": """
        def g(x):
            import flax
            model = Layered(x)
            found = {
                "y": model(x=x).mean(),
                "s": flax.nnx.pop(model, flax.nnx.Intermediate),
            }
            return found, (model(x), flax.nnx.pop(model, flax.nnx.Intermediate))
        """,
    "module-level": """
        model = Layered(None)
        for i in range(3):
            if i: ys = model(i); states = nnx.pop(model, nnx.Intermediate)  # last
        """,
}
SOWN = {
    f"sown-{name}": _make("sown-intermediates", _SOWING + textwrap.dedent(body))
    for name, body in _SOWN.items()
} | {
    f"sown-layers-{name}": _make("sown-intermediates", _SOWING + _LAYERED + textwrap.dedent(body))
    for name, body in _LAYERS.items()
}
_PERTURBING = """
class Perturbing(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
    def __call__(self, x):
        return self.perturb('h', self.linear(x))
"""
_PERTURBED = {
    "comments-on-every-line": """
        def g(x):
            model = Perturbing(nnx.Rngs(0))
            def f(  # a
                m,  # b
                x,  # c
            ):  # d
                return m(  # e
                    x  # f
                ).sum()  # g
            model(  # h
                x  # i
            )  # j
            wrt = nnx.DiffState(  # k
                0, (nnx.Param, nnx.Perturbation)  # l
            )  # m
            grads = nnx.grad(  # n
                f,  # o
                argnums=wrt,  # p
            )(  # q
                model,  # r
                x,  # s
            )  # t
            # u
            p, h = nnx.state(  # v
                grads, nnx.Param, nnx.Perturbation  # w
            )  # x

            nnx.pop(model, nnx.Perturbation)  # y
            return p, h  # z
        """,
    "tabs": """
        def g(x):
        \tmodel = Perturbing(nnx.Rngs(0)); wrt = nnx.DiffState(0, nnx.Perturbation)
        \ty = model(x)  # kept
        \tv, g = nnx.value_and_grad(lambda m: m(x).sum(), argnums=wrt)(model)
        \tnnx.pop(model, nnx.Perturbation)
        \treturn y, v, g
        """,
    "blocks": """
        def g(xs):
            model = Perturbing(nnx.Rngs(0))
            for x in xs:
                if x is not None:
                    def f(model): return model(x).sum()
                    _ = \
                        model(x)
                    wrt = nnx.DiffState(0, (nnx.Param, nnx.Perturbation))
                    a = 1; grads = nnx.grad(f, argnums=wrt)(
                        model
                    )
                    nnx.pop(model, nnx.Perturbation)
                    yield grads, a
        """,
    "decorator": """
        @nnx.grad(argnums=nnx.DiffState(argnum=0, filter=nnx.Any(nnx.Param, nnx.Perturbation)))
        def f(model: Perturbing, x): return model(x).sum()  # the loss
        def g(x):
            model = Perturbing(nnx.Rngs(0))
            model(x)
            grads = f(model, x)  # both
            nnx.pop(model, nnx.Perturbation)
            return grads
        """,
    "module-level": """
        model = Perturbing(nnx.Rngs(0))
        x = jnp.ones((2, 2))
        model(x)
        found = nnx.grad(lambda m: m(x).sum(), argnums=nnx.DiffState(0, nnx.Perturbation))(model)
        nnx.pop(model, nnx.Perturbation)
        """,
}
PERTURBED = {
    f"perturbed-{name}": Hazard(
        _make("", _PERTURBING + textwrap.dedent(body)).text,
        {"sown-intermediates": 1, "module-gradient": int("nnx.Param" in body)},
    )
    for name, body in _PERTURBED.items()
}


SOURCES: dict[str, Hazard] = (
    NAMED
    | SOWN
    | PERTURBED
    | {f"module-gradient-{n}": h for n, h in GRADIENTS.items()}
    | {
        f"{rule}-{name}": hazard
        for rule in _FILTERS
        for name, hazard in _filter_hazards(rule).items()
    }
    | {
        f"captured-module-{name}": _make("captured-module", body, count)
        for name, (body, count) in (
            LOOPS
            | {f"passed-{name}": case for name, case in PASSED.items()}
            | {f"abstract-{name}": case for name, case in ABSTRACT.items()}
            | {f"lax-{name}": case for name, case in SCANS_OF_JAX.items()}
            | {f"jax-{name}": case for name, case in TRANSFORMS_OF_JAX.items()}
            | {f"map-{name}": case for name, case in MAPS_OF_JAX.items()}
            | {f"bound-{name}": case for name, case in BOUND.items()}
            | {f"stacked-{name}": case for name, case in STACKED.items()}
        ).items()
    }
)
