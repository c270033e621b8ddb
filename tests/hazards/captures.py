"""Uses of captured objects that are hard to edit, each with how many of them are rewritten."""

LOOPS = {
    "comments": (
        """
        def run(model: Net, x: jax.Array):
            def body(carry):  # the carry
                # unpacked
                i, x = carry  # two
                # called
                return (  # first
                    i + 1,  # the index
                    model(x),  # the value
                    # last
                )  # back
            i, x = nnx.while_loop(  # a loop
                lambda c: c[0] < 3,  # three times
                body,  # the body
                (  # it begins
                    0,  # with zero
                    x  # and x
                )  # here
            )  # done
            return i, x  # both
        """,
        1,
    ),
    "trailing-commas": (
        """
        def run(model: Net, x: jax.Array):
            def body(carry):
                (i, x,) = carry
                return i + 1, model(x),
            out = nnx.while_loop(lambda c: c[0] < 3, body, (
                0,
                x,  # last
            ))
            return out[-1], out[-2]
        """,
        1,
    ),
    "one-line-suites": (
        """
        def run(model: Net, x: jax.Array): return nnx.fori_loop(0, 2, lambda i, x: model(x), x)
        def other(model: Net, x: jax.Array):
            def body(i, x): return model(x)
            if x is None: x = 1; y = nnx.fori_loop(0, 2, body, x); print(y)
        """,
        2,
    ),
    "semicolons": (
        """
        def run(model: Net, x: jax.Array):
            def body(c):
                i, x = c; x = model(x); return i + 1, x
            a = 1; x = nnx.while_loop(lambda c: c[0] < 3, body, (0, x)); b = 2
            return x
        """,
        1,
    ),
    "backslashes": (
        """
        def run(model: Net, x: jax.Array):
            def body(i, c):
                a, x = \\
                    c
                return a, \\
                    model(x)
            a, x = \\
                nnx.fori_loop(0, 2, body, \\
                    (0, x))
            return x
        """,
        1,
    ),
    "taken": (
        """
        def run(model: Net, x: jax.Array, carry, loop_carry, body, _):
            x = nnx.fori_loop(0, 2, lambda i, x: model(x), x)
            y, z = nnx.fori_loop(0, 2, lambda i, c: (c[0], model(c[1])), (0, x))
            return x, y, z, _, carry, loop_carry, body
        """,
        2,
    ),
    "nested-lambdas": (
        """
        def run(model: Net, x: jax.Array):
            f = lambda y: nnx.fori_loop(0, 2, lambda i, x: [model(z) for z in (x,)][0], y)
            g = lambda: [nnx.fori_loop(0, 2, lambda i, x: model(x), y) for y in (x, x)]
            return (lambda: x)(), f, g
        """,
        0,
    ),
    "in-conditions": (
        """
        def run(model: Net, x: jax.Array):
            if x is None: pass
            elif nnx.fori_loop(0, 2, lambda i, x: model(x), jnp.zeros(2)) is None: pass
            while nnx.fori_loop(0, 2, lambda i, x: model(x), jnp.zeros(2)) is None: pass
            return nnx.fori_loop(0, 2, lambda i, x: model(x), jnp.zeros(2)) if x is None else x
        """,
        3,
    ),
    "keywords": (
        """
        def run(model: Net, x: jax.Array):
            def body(state): return {'x': model(state['x'])}
            return nnx.while_loop(init_val={'x': jnp.zeros(2)}, cond_fun=lambda s: s['x'].sum() < 0,
                                  body_fun=body)['x']
        """,
        1,
    ),
    "strings": (
        """
        def run(model: Net, x: jax.Array):
            def body(i, x):
                '''Doc.

                  kept
                '''
                text = '''
            left
              in'''
                return model(x) if text else model(x)
            return nnx.fori_loop(0, 2, body, jnp.zeros(2))
        """,
        1,
    ),
    "annotations": (
        """
        def run(model: Net, x: jax.Array):
            def body(
                i: int,
                x: jax.Array,
            ) -> jax.Array:  # an array
                x = x + i
                return model(x)
            y: jax.Array = nnx.fori_loop(0, 2, body, jnp.zeros(2))
            return y
        """,
        1,
    ),
    "results": (
        """
        def run(model: Net, x: jax.Array):
            def make(): return lambda i, c: (c[0] + 1, model(c[1]))
            a = b = nnx.fori_loop(0, 2, lambda i, c: (c[0] + 1, model(c[1])), (0, jnp.zeros(2)))
            c, *d = nnx.fori_loop(0, 2, lambda i, c: (c[0] + 1, model(c[1])), (0, jnp.zeros(2)))
            x.y = nnx.fori_loop(0, 2, lambda i, c: (c[0] + 1, model(c[1])), (0, jnp.zeros(2)))
            e = nnx.fori_loop(0, 2, lambda i, c: (c[0] + 1, model(c[1])), (0, jnp.zeros(2)))
            del e
            return a, b, c, d, print(*nnx.fori_loop(0, 2, lambda i, c: c + model(c), jnp.zeros(2)))
        """,
        5,
    ),
    "walrus": (
        """
        def run(model: Net, x: jax.Array):
            def body(i, x):
                x = x + i
                return (y := model(x))
            if (z := nnx.fori_loop(0, 2, body, jnp.zeros(2))) is not None:
                return z
        """,
        1,
    ),
    "tabs": (
        """
        def run(model: Net, x: jax.Array):
        \tdef body(i, x):
        \t\treturn model(x)
        \treturn nnx.fori_loop(0, 2, body, jnp.zeros(2))
        """,
        1,
    ),
}

PASSED = {
    "comments": (
        """
        def run(model: Net, x: jax.Array):
            y = nnx.cond(  # a choice
                x.sum() > 0,  # when
                lambda x: model(x),  # then
                lambda x: x,  # else
                x,  # the operand
            )  # done
            print(y)
            @nnx.remat  # again
            def f(
                x: jax.Array,  # the input
            ) -> jax.Array:  # the output
                return model(x)  # called
            return f(
                (jnp.zeros(2))  # in parentheses
            )
        """,
        2,
    ),
    "shapes": (
        """
        def run(model: Net, x: jax.Array):
            def f(): return model(jnp.zeros(2))
            def g(
            ): return model(jnp.ones(2))
            y = nnx.cond(x.sum() > 0, f, g)
            z = nnx.switch(jnp.array(0), (lambda: model(jnp.ones(2)), lambda: jnp.ones(2),),)
            @nnx.vmap(in_axes=0)
            def h(a: jax.Array, b: jax.Array, /): return model(a) + b
            w = nnx.vmap(lambda a: model(a), in_axes=(0,))(jnp.ones((2, 2)))
            return y, z, h(jnp.ones((2, 2)), jnp.ones((2, 2)),), w
        """,
        4,
    ),
    "not-alone": (
        """
        def keep(f): return f
        def run(model: Net, x: jax.Array, *args, **kwargs):
            @keep
            @nnx.remat
            def f(x): return model(x)
            @nnx.remat
            def g(x, scale=2.0): return model(x) * scale
            @nnx.remat
            def h(*x): return model(x[0])
            @nnx.remat
            def i(x): return model(x)
            @nnx.remat
            def j(x): return model(x)
            return f(x), g(x), h(x), i(*args), j(x=x), nnx.remat(lambda x: model(x))(**kwargs)
        """,
        1,
    ),
    "under-other-names": (
        """
        def run(model: Net, x: jax.Array):
            drop = model.drop
            def f(x):
                '''Doc.'''
                return drop(model.linear(x))
            def g(x): return [drop(y) for y in (model.linear(x),)][0]
            return nnx.remat(f)(jnp.zeros(2)), nnx.cond(x.sum() > 0, g, lambda x: x, jnp.zeros(2))
        """,
        2,
    ),
    "statements": (
        """
        def run(model: Net, x: jax.Array):
            if x is None: return nnx.remat(lambda x: model(x))(jnp.zeros(2)); y = 1
            with open('f') as f, nnx.remat(lambda x: model(x))(jnp.zeros(2)): pass
            f = lambda: nnx.remat(lambda x: model(x))(jnp.zeros(2))
            x = [nnx.remat(lambda x: model(x))(jnp.zeros(2)) for _ in range(2)]
            return x, f
        """,
        3,
    ),
}

ABSTRACT = {
    "spellings": (
        """
        from jax import eval_shape as shape_of
        def run(model: Net, x: jax.Array):
            a = shape_of(model, x)
            b = jax.eval_shape((model), x)  # in parentheses
            c = jax.eval_shape(  # why
                model,
                x,  # what
            )
            return a, b, c, nnx.eval_shape(model, x), [jax.eval_shape(m, x) for m in (model,)]
        """,
        4,
    ),
    "hidden": (
        """
        def run(model: Net, x: jax.Array, *args, **kwargs):
            a = jax.eval_shape(model, *args), jax.eval_shape(model, **kwargs)
            return a, jax.eval_shape(model, x=x), jax.eval_shape(lambda: 1), map(jax.eval_shape, a)
        """,
        0,
    ),
}

SCANS_OF_JAX = {
    "spellings": (
        """
        from jax import lax
        def run(model: Net, x: jax.Array):
            def f(c, y): return model(c), y
            def g(c, y):
                y = y * 1
                return (model(c[0]), c[1]), (  # both
                    y
                )
            def h(c, _):
                c = c * 1
                return model(c), None
            a, _ = lax.scan(f, x, jnp.ones(3))
            (b, c), d = jax.lax.scan(g, (x, 0), jnp.ones(3), unroll=2)
            e = jax.lax.scan(h, x, None, length=3)[0]
            return a, b, c, d, e
        """,
        3,
    ),
    "hidden": (
        """
        def run(model: Net, x: jax.Array, *args, **kwargs):
            def f(c, y): return model(c), y
            def g(c, y): return model(c), y
            def h(c, y): return model(c), y
            a = jax.lax.scan(f, *args), jax.lax.scan(g, x, x, **kwargs)
            b = jax.lax.scan(h, x,  # from here
                             jnp.ones(3))
            return a, b, jax.lax.scan(lambda c, y: (model(c), y), x, jnp.ones(3))
        """,
        0,
    ),
    "whole": (
        """
        def run(model: Net, x: jax.Array, found: dict):
            def f(c, y): return model(c), y
            def g(c, y): return model(c), y
            def h(c, y): return model(c), y
            def i(c, y): return model(c), y
            both = jax.lax.scan(
                f, x,
                jnp.ones(3),
            )  # bound whole
            first, *rest = jax.lax.scan(g, x, jnp.ones(3))
            for key in found: found[key] = jax.lax.scan(h, x, jnp.ones(3))[-2]
            found["last"]  =  jax.lax.scan(i, x, jnp.ones(3))
            return both, first, rest, found
        """,
        4,
    ),
    "whole in other ways": (
        """
        def run(model: Net, x: jax.Array):
            def f(c, y): return model(c), y
            def g(c, y): return model(c), y
            def h(c, y): return model(c), y
            def i(c, y): return model(c), y
            def j(c, y): return model(c), y
            def k(c, y): return model(c), y
            a = b = jax.lax.scan(f, x, jnp.ones(3))
            c: tuple = jax.lax.scan(g, x, jnp.ones(3))
            d = 1; e = jax.lax.scan(h, x, jnp.ones(3))
            m = (  # in parentheses
                jax.lax.scan(i, x, jnp.ones(3))
            )
            n = \\
                jax.lax.scan(j, x, jnp.ones(3))
            return a, b, c, d, e, m, n, jax.tree.map(jnp.sum, jax.lax.scan(k, x, jnp.ones(3)))
        """,
        6,
    ),
    "in expressions": (
        """
        def run(model: Net, x: jax.Array, found: dict, text: str):
            def f(c, y): return model(c), y
            def g(c, y): return model(c), y
            def h(c, y): return model(c), y
            def i(c, y): return model(c), y
            def j(c, y): return model(c), y
            def k(c, y): return model(c), y
            found[len(found)] = jax.tree.map(  # sums
                jnp.sum, jax.lax.scan(f, x, jnp.ones(3)),  # of both
            ); found = {**found}
            all_of = [*jax.lax.scan(g, x, jnp.ones(3)), *found]
            total = x; total += sum(jax.lax.scan(h, x, jnp.ones(3)))
            print(text, "of", *(jax.lax.scan(i, x, jnp.ones(3))), sep=text.strip())
            if x is None: text = [jax.lax.scan(j, x, jnp.ones(3))]
            if (x := 2) and jax.lax.scan(k, x, jnp.ones(3)): return x
            return all_of, total
        """,
        5,
    ),
    "in expressions and hidden": (
        """
        def run(model: Net, x: jax.Array, found: list):
            def f(c, y): return model(c), y
            def g(c, y): return model(c), y
            def h(c, y): return model(c), y
            def i(c, y): return model(c), y
            def j(c, y): return model(c), y
            def k(c, y): return model(c), y
            a = found.pop(), jax.lax.scan(f, x, jnp.ones(3))
            found[0] += jax.lax.scan(g, x, jnp.ones(3))
            b = (x := x + 1), jax.lax.scan(h, x, jnp.ones(3))
            c = f"{model} {jax.lax.scan(i, x, jnp.ones(3))}"
            yield jax.lax.scan(j, x, jnp.ones(3))
            while any(jax.lax.scan(k, x, jnp.ones(3))): print(a, b, c)
        """,
        0,
    ),
}

TRANSFORMS_OF_JAX = {
    "spellings": (
        """
        import functools
        from jax import jit, lax, vmap as each
        from jax.lax import fori_loop
        def run(model: Net, x: jax.Array):
            @jit  # compiled
            def f(
                x: jax.Array,  # the input
            ):
                return model(x)  # called
            @functools.partial(jit, static_argnums=(1,))
            def g(x, n): return model(x) * n
            @functools.partial(
                jax.checkpoint,  # again
                prevent_cse=False,
            )
            def h(x): return model(x)
            a = each(lambda x: model(x))(  # mapped
                jnp.ones((2, 2))  # over these
            )
            b = fori_loop(0, 2, lambda i, x: model(x), jnp.ones(2))
            c = lax.cond(x.sum() > 0, lambda x: model(x), lambda x: x, jnp.ones(2))
            d = jax.grad(lambda x: model(x).sum(), argnums=(0,))(jnp.ones(2))
            return f(jnp.ones(2)), g(jnp.ones(2), 2), h(jnp.ones(2)), a, b, c, d
        """,
        7,
    ),
    "hidden": (
        """
        import functools
        def run(model: Net, other: Net, x: jax.Array, *args, **kwargs):
            @functools.partial(jax.jit, donate_argnums=0)
            def f(x): return model(x)
            @jax.jit
            def g(other, x): return model(x) + other.linear(x)
            @jax.jit
            def h(x): return model(x)
            i = jax.vmap(lambda x: model(x), 0, 0)
            a = jax.vmap(lambda x: model(x), spmd_axis_name="x")(jnp.ones((2, 2)))
            b = jax.lax.cond(x.sum() > 0, lambda: model(x), lambda: x, linear=None)
            c = jax.jit(lambda x: model(x))
            return f(x), g(other, x), h(*args), i(x), a, b, c, map(jax.jit, (model,))
        """,
        0,
    ),
}

MAPS_OF_JAX = {
    "spellings": (
        """
        from jax import lax
        def run(model: Net, x: jax.Array):
            def f(x):
                y = x * 1
                return (y), (  # both
                    model(x)
                )
            def g(x): return model(x) + 1  # one line
            def h(): return model(jnp.ones(2))  # nothing given
            a = lax.map(f, jnp.ones((3, 2)))
            b = jax.lax.map(g, (jnp.ones((3, 2))))
            c = jax.lax.map(lambda x: model(x), jnp.ones((3, 2)))[0]
            d = jax.eval_shape(  # abstractly
                lambda x: model(x),  # called
                jnp.ones(2),  # with this
            )
            return a, b, c, d, nnx.eval_shape(h), jax.make_jaxpr(lambda x: model(x))(jnp.ones(2))
        """,
        5,
    ),
    "hidden": (
        """
        def run(model: Net, x: jax.Array, *args, **kwargs):
            def f(x): return model(x)
            def g(x):
                if x is None: return
                return model(x)
            def h(x): return model
            a = jax.lax.map(f, x, batch_size=2), jax.lax.map(g, jnp.ones((3, 2)))
            b = jax.lax.map(lambda x: model(x), *args)
            c = nnx.eval_shape(h, x), jax.eval_shape(lambda x: model(x), *args)
            d = nnx.eval_shape(lambda x: Net(nnx.Rngs(0)), jnp.ones(2))
            return a, b, c, d, jax.lax.map(lambda x: model(x),  # here
                                           jnp.ones((3, 2)))
        """,
        0,
    ),
}

BOUND = {
    "spellings": (
        """
        import functools
        from functools import partial as bind
        def apply(model: Net, x, scale): return model(x) * scale
        def count(i, x, model: Net): return model(x) * i
        def run(model: Net, x: jax.Array):
            a = nnx.vmap(  # mapped
                model.__call__,  # the method
                in_axes=0,  # over the rows
            )(jnp.ones((2, 2)))
            b = nnx.while_loop(  # a loop
                lambda x: x.sum() < 3,  # until then
                (model.__call__),  # in parentheses
                jnp.ones(2),
            )
            c = jax.jit(bind(apply, model, scale=2.0))(jnp.ones(2))
            d = nnx.fori_loop(0, 2, functools.partial(count, model=model), jnp.ones(2))
            if x is None: e = jax.grad(lambda x: 1.0)(x); f = jax.vmap(model)(jnp.ones((2, 2)))
            g, _ = nnx.cond(x.sum() > 0, model, model.__call__, jnp.ones(2)), 1
            h = model.__call__  # under a name
            # with a comment
            i = bind(  # over
                apply, model,  # two lines
                scale=2.0)
            return a, b, c, g, nnx.jit(h)(jnp.ones(2)), nnx.remat(i)(jnp.ones(2))
        """,
        8,
    ),
    "hidden": (
        """
        import functools
        def apply(model: Net, x, scale): return model(x) * scale
        def run(model: Net, x: jax.Array, *args, **kwargs):
            a = jax.jit(model.__call__)
            b = nnx.vmap(model.__call__)(*args), nnx.remat(model.__call__)(x=x)
            c = nnx.jit(functools.partial(apply, *args, **kwargs))(x)
            d = [nnx.scan(m.__call__)(x, x) for m in (model,)]
            while nnx.scan(model.__call__)(x, x): pass
            f = g = model.__call__
            return a, b, c, d, nnx.jit(f)(x), jax.jit(model.linear)(x), g
        """,
        0,
    ),
}

STACKED = {
    "spellings": (
        """
        def run(model: Net, x: jax.Array):
            @nnx.jit  # compiled
            @nnx.vmap(  # mapped
                in_axes=(0, None),  # over the rows
            )
            def f(
                x: jax.Array,  # the input
                y,
            ): return model(x) + y
            @nnx.jit
            def g(x, y): return model(x) + y
            a = nnx.remat(  # again
                nnx.vmap(  # mapped
                    lambda x: model(x),  # called
                    in_axes=1,
                )
            )(jnp.ones((2, 2)))
            return f(jnp.ones((2, 2)), jnp.ones(2)), a, g(
                y=jnp.ones(2),  # second
                x=(jnp.ones(2)),  # first
            )
        """,
        5,
    ),
    "hidden": (
        """
        def keep(f): return f
        def run(model: Net, x: jax.Array, **kwargs):
            @nnx.jit
            @keep
            @nnx.remat
            def f(x): return model(x)
            @nnx.jit
            @nnx.scan
            def g(c, x): return model(c), x
            @nnx.jit
            @nnx.vmap
            def h(x): return model(x)
            @nnx.jit
            def i(x, y): return model(x) + y
            @nnx.jit
            def j(x, y=1): return model(x) + y
            k = keep(nnx.jit(nnx.remat(lambda x: model(x))))
            return f(x), g(x, x), h(x=x), i(x, **kwargs), j(x, y=2), k(x)
        """,
        0,
    ),
}
