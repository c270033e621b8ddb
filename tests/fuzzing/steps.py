"""What `main` does with its models: steps of training, evaluation, loops, each of its own.

Every step adds what it sees to `out`, and leaves the models as it has changed them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from tests.fuzzing.drawing import Draw, Piece, block


@dataclasses.dataclass(frozen=True, slots=True)
class Setting:
    """What a step finds.

    Args:
        draw: the choices.
        models: names of variables of `main`, each with its class.
        optimizers: names of variables, each with the model that it is for.
    """

    draw: Draw
    models: tuple[tuple[str, str], ...]
    optimizers: tuple[tuple[str, str], ...]

    def names(self) -> dict[str, str]:
        """A model, one of its kind as its annotation says it, another one, and free names."""
        draw = self.draw
        model, kind = draw.pick(*self.models)
        other, other_kind = draw.pick(*self.models)
        return {
            "model": model,
            "Model": kind,
            "kind": draw.pick(f": {kind}", f": {kind}", f": '{kind}'", ""),
            "other": other,
            "otherkind": draw.pick(f": {other_kind}", ""),
            "f": draw.name("step"),
            "g": draw.name("inner"),
            "v": draw.name("v"),
            "w": draw.name("w"),
            "jit": draw.pick("@nnx.jit", "@nnx.jit", "@nnx.jit()", "@functools.partial(nnx.jit)"),
        }

    def trained(self) -> dict[str, str]:
        """As `names`, with an optimizer of the model."""
        names = self.names()
        optimizer, model = self.draw.pick(*self.optimizers)
        kind = dict(self.models)[model]
        names |= {"optimizer": optimizer, "model": model, "Model": kind}
        names["kind"] = self.draw.pick(f": {kind}", f": {kind}", "")
        return names


def _piece(name: str, definitions: str, lines: str, names: dict[str, str]) -> Piece:
    made = block(definitions, **names) if definitions.strip() else ()
    return Piece(name, made, block(lines, **names))


_LOSSES = (
    "jnp.mean((m(x) - y) ** 2)",
    "jnp.mean(m(x) ** 2)",
    "m(x).sum() + m(x + 1).sum()",
)


def _train(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.trained()
    names["loss"] = draw.pick(*_LOSSES)
    wrt = draw.pick("", "", "argnums=0", "argnums=nnx.DiffState(0, nnx.Param)")
    names["options"] = f", {wrt}" if wrt else ""
    names["decorator"] = draw.pick(names["jit"], names["jit"], "# not compiled")
    names["after"] = draw.pick(
        "$optimizer.update(m, grads)",
        "$optimizer.update(m, grads)",
        "grads = jax.tree.map(lambda g: g * 0.5, grads)\no.update(m, grads)",
        "loss = loss + optax.global_norm(grads)\no.update(m, grads)",
    ).replace("$optimizer", "o")
    form = draw.pick("nested", "module", "lambda", "captured", "bound", "aux")
    bodies = {
        "nested": "def loss_fn(m$kind):\n    return $loss\n"
        "loss, grads = nnx.value_and_grad(loss_fn$options)(m)",
        "module": "loss, grads = nnx.value_and_grad($g$options)(m, x, y)",
        "lambda": "loss, grads = nnx.value_and_grad(lambda m: $loss$options)(m)",
        "captured": "def loss_fn(m):\n    return $loss\n"
        "grads = nnx.grad(loss_fn$options)(m)\nloss = loss_fn(m)",
        "bound": "grad_fn = nnx.value_and_grad(lambda m, x, y: $loss$options)\n"
        "loss, grads = grad_fn(m, x, y)\nloss2, grads = grad_fn(m, x + loss, y)",
        "aux": "def loss_fn(m$kind, x):\n"
        "    pred = m(x)\n    return jnp.mean((pred - y) ** 2), pred\n"
        "(loss, pred), grads = nnx.value_and_grad(loss_fn$options, has_aux=True)(m, x)\n"
        "loss = loss + pred.sum()",
    }
    body = bodies[form]
    for name in ("loss", "options", "kind", "g"):
        body = body.replace(f"${name}", names[name]) if name != "loss" else body
    body = body.replace("$loss", names["loss"])
    names["body"] = body
    definitions = (
        """
        def $g(m$kind, x, y):
            return $loss


    """
        if form == "module"
        else ""
    )
    definitions += """
        $decorator
        def $f(m$kind, o, x, y):
            $body
            $after
            return loss
    """
    lines = draw.pick(
        "out.append($f($model, $optimizer, x, y))",
        "for i in range(2):\n    out.append($f($model, $optimizer, x + i, y))",
        "out += [$f($model, $optimizer, x, y) for _ in range(2)]",
    )
    return _piece(f"train-{form}", definitions, lines, names)


def _gradients(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.names()
    names["loss"] = draw.pick(*_LOSSES)
    names["call"] = draw.pick(
        "nnx.grad(lambda m: $loss)($model)",
        "nnx.grad($g)($model, x, y)",
        "nnx.grad($g, argnums=0)($model, x, y)",
        "nnx.grad($g, argnums=1)($model, x, y)",
        "nnx.grad($g, argnums=nnx.DiffState(0, nnx.Param))($model, x, y)",
        "nnx.grad($g, argnums=(0, 1))($model, x, y)",
        "nnx.value_and_grad($g)($model, x, y)",
        "nnx.jit(nnx.grad($g))($model, x, y)",
        "nnx.vmap(nnx.grad($g), in_axes=(None, 0, 0))($model, x, y)",
    )
    names["call"] = names["call"].replace("$loss", names["loss"])
    for name in ("model", "g"):
        names["call"] = names["call"].replace(f"${name}", names[name])
    use = draw.pick(
        "out.append($v)",
        "out.append(jax.tree.leaves($v))",
        "out.append(jax.tree.map(jnp.sum, $v))",
        "out.append(optax.global_norm($v))",
        "out.append(nnx.to_flat_state($v))"
        if "nnx.grad(lambda" in names["call"]
        else "out.append($v)",
    )
    definitions = """
        def $g(m$kind, x, y):
            return $loss
    """
    return _piece("gradients", definitions, f"$v = $call\n{use}", names)


def _two_models(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.trained()
    names["loss"] = draw.pick(
        "jnp.mean((m(x) - t(x)) ** 2)", "jnp.mean((m(x) - jax.lax.stop_gradient(t(x))) ** 2)"
    )
    names["order"] = draw.pick("m$kind, t$otherkind, x", "m, t, x")
    names["order"] = names["order"].replace("$kind", names["kind"])
    names["order"] = names["order"].replace("$otherkind", names["otherkind"])
    definitions = """
        def $g($order):
            return $loss


        $jit
        def $f(m, t, o, x):
            loss, grads = nnx.value_and_grad($g)(m, t, x)
            o.update(m, grads)
            return loss
    """
    return _piece("two-models", definitions, "out.append($f($model, $other, $optimizer, x))", names)


def _ensemble(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.names()
    names["axes"] = draw.pick("0", "0", "nnx.StateAxes({nnx.Param: 0, ...: 0})")
    use = draw.pick(
        "out.append(nnx.vmap(lambda m, x: m(x), in_axes=($axes, None))($v, x))",
        "out.append(nnx.vmap($g, in_axes=($axes, None))($v, x))",
        "out.append(nnx.vmap(nnx.grad($g), in_axes=($axes, None))($v, x))",
        "out.append(nnx.vmap(lambda m, x: nnx.grad($g)(m, x), in_axes=($axes, None))($v, x))",
    ).replace("$axes", names["axes"])
    definitions = """
        @nnx.split_rngs(splits=2)
        @nnx.vmap(in_axes=0, out_axes=$axes)
        def $f(rngs: nnx.Rngs):
            return $Model(rngs)


        def $g(m$kind, x):
            return jnp.mean(m(x) ** 2)
    """
    lines = f"$v = $f(nnx.Rngs(7))\n{use}\nout.append(nnx.state($v))"
    return _piece("ensemble", definitions, lines, names)


def _scan(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.trained()
    form = draw.pick("carry", "pair", "captured", "broadcast", "axes", "carry-alone", "argument")
    forms = {
        "carry": (
            """
            $jit
            def $f(m, o, xs, y):
                @nnx.scan
                def body(carry, x):
                    m, o = carry
                    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(m)
                    o.update(m, grads)
                    return (m, o), loss

                _, losses = body((m, o), xs)
                return losses
            """,
            "out.append($f($model, $optimizer, jnp.stack([x, x + 1]), y))",
        ),
        "pair": (
            """
            @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
            def $f(carry, x):
                m, total = carry
                y = m(x)
                return (m, total + y.sum()), y
            """,
            draw.pick(
                "($v, $w), ys = $f(($model, jnp.zeros(())), jnp.stack([x, x + 1]))\n"
                "out.append(($w, ys))",
                "($model, $w), ys = $f(($model, jnp.zeros(())), jnp.stack([x, x + 1]))\n"
                "out.append(ys)",
            ),
        ),
        "captured": (
            """
            $jit
            def $f(m$kind, xs):
                def body(total, x):
                    y = m(x)
                    return total + y.sum(), y

                return nnx.scan(body)(jnp.zeros(()), xs)
            """,
            "out.append($f($model, jnp.stack([x, x + 1])))",
        ),
        "broadcast": (
            """
            @nnx.scan(in_axes=(None, nnx.Carry, 0), out_axes=(nnx.Carry, 0))
            def $f(m$kind, total, x):
                y = m(x)
                return total + y.sum(), y
            """,
            "out.append($f($model, jnp.zeros(()), jnp.stack([x, x + 1])))",
        ),
        "axes": (
            """
            @nnx.scan(
                in_axes=(nnx.StateAxes({$filters...: None}), nnx.Carry, 0),
                out_axes=(nnx.Carry, 0),
            )
            def $f(m$kind, total, x):
                y = m(x)
                return total + y.sum(), y
            """,
            "out.append($f($model, jnp.zeros(()), jnp.stack([x, x + 1])))",
        ),
        "carry-alone": (
            """
            def $f(m$kind, x):
                y = m(x)
                return m, y.sum()
            """,
            draw.pick(
                "$v, ys = nnx.scan($f)($model, jnp.stack([x, x + 1]))\nout.append((ys, $v(x)))",
                "$model, ys = nnx.scan($f)($model, jnp.stack([x, x + 1]))\nout.append(ys)",
                "$v, ys = nnx.scan($f)($model, jnp.stack([x, x + 1]))\n"
                "out.append((ys, $v is $model))",
            ),
        ),
        "argument": (
            """
            def $f(m$kind, total, x):
                return total + m(x).sum()
            """,
            "out.append(nnx.scan($f, in_axes=(None, nnx.Carry, 0), out_axes=nnx.Carry)"
            "($model, jnp.zeros(()), jnp.stack([x, x + 1])))",
        ),
    }
    names["filters"] = draw.pick(
        "", "nnx.BatchStat: nnx.Carry, ", "(nnx.BatchStat, Count, nnx.RngCount): nnx.Carry, "
    )
    return _piece(f"scan-{form}", *forms[form], names)


def _loop(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.names()
    lines = draw.pick(
        "$v, $w = nnx.fori_loop(0, 2, lambda i, c: (c[0], c[0](c[1])), ($model, x))\n"
        "out.append($w)",
        "out.append(nnx.fori_loop(0, 2, lambda i, x: $model(x), x))",
        "$v = nnx.fori_loop(0, 2, $f, $model)\nout.append($v(x))",
        "$model = nnx.fori_loop(0, 2, $f, $model)",
        "$v = nnx.while_loop(lambda c: c[1] < 2, $g, ($model, 0, x))\nout.append($v[2])",
        "_, $v, $w = nnx.while_loop(lambda c: c[1] < 2, $g, ($model, 0, x))\nout.append($w + $v)",
        "out.append(nnx.while_loop("
        "lambda c: c[0] < 2, lambda c: (c[0] + 1, $model(c[1])), (0, x)))",
    )
    definitions = """
        def $f(i, m$kind):
            m(jnp.ones((4, 2)) * i)
            return m


        def $g(c):
            m, i, x = c
            return m, i + 1, m(x)
    """
    return _piece("loop", definitions, lines, names)


def _branch(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.names()
    lines = draw.pick(
        "out.append(nnx.cond(x.sum() > 0, $f, $g, $model, x))",
        "out.append(nnx.cond(x.sum() > 100, $f, lambda m, x: x * 2, $model, x))",
        "out.append(nnx.switch(jnp.array(1), [$f, $g], $model, x))",
        "out.append(nnx.cond(x.sum() > 0, lambda: $model(x), lambda: x))",
        "out.append(nnx.cond(x.sum() > 0, lambda m, n: m(x), lambda m, n: n(x), $model, $other))",
    )
    definitions = """
        def $f(m$kind, x):
            return m(x)


        def $g(m, x):
            m(x)
            return m(x + 1)
    """
    return _piece("branch", definitions, lines, names)


def _jitted(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.names()
    form = draw.pick(
        """
        $jit
        def $f(m$kind, x):
            return m(x)
        """,
        """
        $jit
        def $f(m$kind, x):
            y = m(x)
            return m, y
        """,
        """
        $jit
        def $f(m$kind, x):
            m.eval()
            y = m(x)
            m.train()
            return y
        """,
        """
        $jit
        def $f(m$kind, x):
            y = m(x)
            return y, nnx.state(m, nnx.Param)
        """,
        """
        $jit
        def $f(m$kind, x):
            n = nnx.clone(m)
            return n(x), n
        """,
        """
        $jit
        def $f(m$kind, x):
            g, s = nnx.split(m)
            n = nnx.merge(g, s)
            y = n(x)
            nnx.update(m, nnx.state(n))
            return y
        """,
        """
        @nnx.jit(static_argnames=("twice",))
        def $f(m$kind, x, twice=True):
            return m(m(x)) if twice else m(x)
        """,
        """
        @nnx.jit(donate_argnums=0)
        def $f(m$kind, x):
            return m(x)
        """,
    )
    lines = draw.pick(
        "out.append($f($model, x))",
        "out.append([$f($model, x + i) for i in range(2)])",
        "out.append($f(m=$model, x=x))" if "donate" not in form else "out.append($f($model, x))",
        "out.append($f($model, x))\nout.append(nnx.pop($model, nnx.Intermediate))",
        "out.append($f($model, x))\nout.append($model(x))",
    )
    return _piece("jitted", form, lines, names)


def _captured(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.names()
    lines = draw.pick(
        "out.append(nnx.jit(lambda x: $model(x))(x))",
        "@nnx.jit\ndef $f(x):\n    return $model(x)\nout.append($f(x))\nout.append($f(x + 1))",
        "$v = nnx.jit(lambda x: $model(x))\nout.append($v(x))\n$model(x)\nout.append($v(x))",
        "out.append(nnx.vmap(lambda x: $model(x))(x))",
        "out.append(jax.jit(lambda x: $model(x))(x))",
        "out.append(jax.vmap(lambda x: $model(x))(x))",
        "out.append(nnx.remat(lambda x: $model(x))(x))",
        "out.append(nnx.grad(lambda x: $model(x).sum())(x))",
        "out.append(jax.grad(lambda x: $model(x).sum())(x))",
        "$g = functools.partial(lambda m, x: m(x), $model)\nout.append(nnx.jit($g)(x))",
        "out.append(nnx.jit($model)(x))",
        "out.append(nnx.vmap($model.__call__)(x))",
    )
    return _piece("captured", "", lines, names)


def _mapped(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.names()
    form, lines = draw.pick(
        (
            """
            @nnx.vmap(in_axes=(None, 0))
            def $f(m$kind, x):
                return m(x)
            """,
            "out.append($f($model, x))",
        ),
        (
            """
            @nnx.split_rngs(splits=4)
            @nnx.vmap(in_axes=(nnx.StateAxes({nnx.RngState: 0, ...: None}), 0))
            def $f(m$kind, x):
                return m(x)
            """,
            "out.append($f($model, x))",
        ),
        (
            """
            def $f(m$kind, x):
                return m(x)
            """,
            "out.append(nnx.vmap($f, in_axes=(nnx.StateAxes({...: None}), 0))($model, x))",
        ),
        (
            """
            @nnx.vmap(in_axes=(None, 0), out_axes=0)
            def $f(m$kind, x):
                return nnx.grad(lambda m: m(x).sum())(m)
            """,
            "out.append(jax.tree.leaves($f($model, x)))",
        ),
        (
            """
            def $f(m$kind, x, scale=2.0):
                return m(x) * scale
            """,
            "out.append(nnx.vmap($f, in_axes=(None, 0, None))($model, x, 2.0))",
        ),
    )
    return _piece("mapped", form, lines, names)


def _functional(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.names()
    form, lines = draw.pick(
        (
            """
            def $f(graphdef, state, x):
                m = nnx.merge(graphdef, state)
                return m(x), nnx.state(m)
            """,
            """
            graphdef, state = nnx.split($model)
            $v, state = jax.jit(lambda state, x: $f(graphdef, state, x))(state, x)
            nnx.update($model, state)
            out.append($v)
            """,
        ),
        (
            """
            def $f(graphdef, params, rest, x):
                return jnp.mean(nnx.merge(graphdef, params, rest)(x) ** 2)
            """,
            """
            graphdef, params, rest = nnx.split($model, nnx.Param, ...)
            $v = jax.grad(lambda params: $f(graphdef, params, rest, x))(params)
            nnx.update($model, jax.tree.map(lambda p, g: p - 0.1 * g, params, $v))
            """,
        ),
        (
            """
            @jax.jit
            def $f(graphdef, state, x):
                return nnx.merge(graphdef, state)(x)
            """,
            "out.append($f(*nnx.split($model), x))",
        ),
        (
            "",
            """
            $v = nnx.clone($model)
            $v(x)
            nnx.update($model, nnx.state($v))
            """,
        ),
        (
            "",
            """
            $v = nnx.state($model, nnx.Param)
            $w = nnx.state($other, nnx.Param)
            nnx.update($model, jax.tree.map(lambda p: p * 0.9, $v))
            out.append(jax.tree.leaves($w))
            """,
        ),
        (
            """
            def $f(m$kind):
                return nnx.state(m, nnx.Param)
            """,
            "$v = nnx.eval_shape(lambda: $f($Model(nnx.Rngs(0))))\n"
            "out.append(jax.tree.map(lambda s: s.shape, $v))",
        ),
    )
    return _piece("functional", form, lines, names)


def _alias(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.names()
    form, lines = draw.pick(
        (
            """
            $jit
            def $f(a, b, x):
                return a(x) + b(x)
            """,
            draw.pick("out.append($f($model, $model, x))", "out.append($f($model, $other, x))"),
        ),
        (
            """
            $jit
            def $f(m$kind, x):
                m(x)
                return m
            """,
            draw.pick(
                "$v = $f($model, x)\nout.append($v is $model)",
                "$model = $f($model, x)\nout.append($model(x))",
                "$v = $f($model, x)\n$v.eval()\nout.append($model(x))",
            ),
        ),
        (
            """
            $jit
            def $f(ms, x):
                return [m(x) for m in ms]
            """,
            draw.pick("out.append($f([$model, $other], x))", "out.append($f(($model,), x))"),
        ),
        (
            """
            $jit
            def $f(m, part, x):
                return m(x) + sum(jnp.sum(p) for p in jax.tree.leaves(nnx.state(part, nnx.Param)))
            """,
            "out.append($f($model, nnx.Dict(m=$other), x))",
        ),
        (
            "",
            "$v = $model\n$v.eval()\nout.append($model(x))\n$v.train()",
        ),
    )
    return _piece("alias", form, lines, names)


def _metrics(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.names()
    form, lines = draw.pick(
        (
            """
            $jit
            def $f(m$kind, metrics, x):
                metrics.update(loss=jnp.mean(m(x) ** 2))
            """,
            """
            $v = nnx.MultiMetric(loss=nnx.metrics.Average("loss"))
            for i in range(2):
                $f($model, $v, x + i)
            out.append($v.compute())
            $v.reset()
            """,
        ),
        (
            """
            $jit
            def $f(m$kind, metrics: nnx.MultiMetric, x):
                metrics.reset()
                metrics.update(loss=jnp.mean(m(x) ** 2))
            """,
            """
            $v = nnx.MultiMetric(loss=nnx.metrics.Average("loss"))
            $f($model, $v, x)
            $f($model, $v, x + 1)
            out.append($v.compute())
            """,
        ),
        (
            """
            $jit
            def $f(count: Count, x):
                count[...] += x.sum()
                return count[...]
            """,
            "$v = Count(jnp.zeros(()))\nout.append([$f($v, x), $f($v, x), $v])",
        ),
        (
            "",
            "$v = Count(jnp.zeros(()))\n@nnx.jit\ndef $f(x):\n    $v[...] += x.sum()\n"
            "$f(x)\n$f(x)\nout.append($v)",
        ),
        (
            """
            $jit
            def $f(m, metric):
                metric.update(values=m(jnp.ones((4, 2))).sum())
                return metric
            """,
            "$v = $f($model, nnx.metrics.Average())\nout.append($v.compute())",
        ),
    )
    return _piece("metrics", form, lines, names)


def _random(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.names()
    form, lines = draw.pick(
        (
            """
            $jit
            def $f(rngs: nnx.Rngs):
                return jax.random.normal(rngs.params(), (2,))
            """,
            "$v = nnx.Rngs(3)\nout.append([$f($v), $f($v), $v.params()])",
        ),
        (
            """
            @nnx.split_rngs(splits=2)
            @nnx.vmap
            def $f(rngs: nnx.Rngs):
                return rngs.params.normal((2,))
            """,
            "$v = nnx.Rngs(3)\nout.append([$f($v), $f($v), $v])",
        ),
        (
            "",
            """
            $v = nnx.Rngs(3)
            with nnx.split_rngs($v, splits=2):
                out.append(nnx.vmap(lambda r: r.params.normal((2,)))($v))
            out.append($v)
            """,
        ),
        (
            "",
            """
            $v = nnx.Rngs(3)
            nnx.split_rngs($v, splits=2)
            out.append(nnx.vmap(lambda r: r.params.normal((2,)))($v))
            """,
        ),
        (
            """
            @nnx.scan(in_axes=(None, nnx.Carry), out_axes=nnx.Carry, length=2)
            def $f(rngs: nnx.Rngs, x):
                return x + rngs.noise.normal(x.shape)
            """,
            "$v = nnx.Rngs(3)\nout.append($f($v, x))\nout.append($v)",
        ),
        ("", "nnx.reseed($model, default=5, params=5)\nout.append($model(x))"),
        ("", "$v = nnx.Rngs(3).fork(split=2)\nout.append(nnx.vmap(lambda r: r.params())($v))"),
    )
    return _piece("random", form, lines, names)


def _trainer(setting: Setting) -> Piece:
    draw, names = setting.draw, setting.trained()
    names["base"] = draw.pick("", "", "(nnx.Module)")
    names["Trainer"] = draw.name("Trainer")
    form = draw.pick(
        """
        class $Trainer$base:
            def __init__(self, model$kind, optimizer):
                self.model = model
                self.optimizer = optimizer

            def run(self, x, y):
                def loss_fn(model$kind):
                    return jnp.mean((model(x) - y) ** 2)

                loss, grads = nnx.value_and_grad(loss_fn)(self.model)
                self.optimizer.update(self.model, grads)
                return loss
        """,
        """
        class $Trainer$base:
            def __init__(self, model$kind, optimizer):
                self.model = model
                self.optimizer = optimizer

            def run(self, x, y):
                @nnx.jit
                def step(model, optimizer, x):
                    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(model)
                    optimizer.update(model, grads)
                    return loss

                return step(self.model, self.optimizer, x)
        """,
        """
        class $Trainer$base:
            def __init__(self, model$kind, optimizer):
                self.model = model
                self.optimizer = optimizer
                self.step = nnx.jit(self.loss)

            @staticmethod
            def loss(model, x, y):
                return jnp.mean((model(x) - y) ** 2)

            def run(self, x, y):
                return self.step(self.model, x, y)
        """,
    )
    lines = "$v = $Trainer($model, $optimizer)\nout.append([$v.run(x, y), $v.run(x + 1, y)])"
    return _piece("trainer", form, lines, names)


def _eager(setting: Setting) -> Piece:
    lines = setting.draw.pick(
        "out.append($model(x))",
        "$model.eval()\nout.append($model(x))\n$model.train()",
        "$model.eval()",
        "out.append(nnx.view($model, only=nnx.Dropout, deterministic=True)(x))",
        "$v = nnx.clone($model)\nout.append($v(x))\nout.append($model(x))",
        "$model(x)\nout.append(nnx.pop($model, nnx.Intermediate))",
        "$model.set_attributes(deterministic=True, raise_if_not_found=False)\n"
        "out.append($model(x))",
    )
    return _piece("eager", "", lines, setting.names())


_STEPS: tuple[tuple[Callable[[Setting], Piece], float], ...] = (
    (_train, 6),
    (_gradients, 4),
    (_two_models, 2),
    (_ensemble, 2),
    (_scan, 4),
    (_loop, 2),
    (_branch, 2),
    (_jitted, 4),
    (_captured, 2),
    (_mapped, 2),
    (_functional, 2),
    (_alias, 2),
    (_metrics, 2),
    (_random, 2),
    (_trainer, 2),
    (_eager, 2),
)


def steps_of(setting: Setting, count: int) -> list[Piece]:
    """Draw steps.

    Args:
        setting: what they find.
        count: how many.
    """
    makers, weights = zip(*_STEPS, strict=True)
    return [make(setting) for make in setting.draw.some(makers, weights, count)]
