"""Language models whose output layer is the embedding, if the configuration says so."""

import dataclasses

import jax
import jax.numpy as jnp
from flax import nnx


@dataclasses.dataclass(frozen=True)
class Config:
    vocab: int = 5
    dim: int = 4
    tie_word_embeddings: bool = False
    head: str = "own"


class Decoder(nnx.Module):
    def __init__(self, config: Config, rngs: nnx.Rngs):
        self.embed = nnx.Embed(config.vocab, config.dim, rngs=rngs)
        self.norm = nnx.LayerNorm(config.dim, rngs=rngs)
        if not config.tie_word_embeddings:
            self.lm_head = nnx.Param(nnx.initializers.normal()(rngs(), (config.vocab, config.dim)))

    def __getattr__(self, name):
        # Tree mode does not allow one object in two attributes.
        # one matrix for both ends
        if name == "lm_head":
            return self.embed.embedding
        return super().__getattribute__(name)

    def __call__(self, tokens):
        return self.norm(self.embed(tokens))


class Tagger(nnx.Module):
    def __init__(self, config: Config, rngs: nnx.Rngs):
        self.body = Decoder(config, rngs)
        if not config.tie_word_embeddings:
            self.embed = nnx.Embed(config.vocab, config.dim, rngs=rngs)
        else:
            self.embed = Decoder(config, rngs)
        if config.head is None:
            raise ValueError("no head")
        elif config.head == "tied":
            pass
        elif config.head == "own":
            self.head = nnx.Linear(config.dim, config.vocab, rngs=rngs)
        else:
            self.head = nnx.Embed(config.vocab, config.dim, rngs=rngs)

    def __getattr__(self, name):
        # Tree mode does not allow one object in two attributes.
        # reads tokens again
        if name == "head":
            return self.body
        return super().__getattribute__(name)

    def __call__(self, tokens):
        x = self.body(tokens)
        return self.head(x if isinstance(self.head, nnx.Linear) else tokens)


class Scorer(nnx.Module):
    def __init__(self, dim: int, *, own: bool, rngs: nnx.Rngs):
        self.inner = nnx.Linear(dim, dim, rngs=rngs)
        if own:
            self.outer = nnx.Linear(dim, dim, rngs=rngs)

    def __getattr__(self, name):
        # Tree mode does not allow one object in two attributes.
        if name == "outer":
            return self.inner
        return super().__getattribute__(name)

    def __call__(self, x):
        return self.outer(self.inner(x))


class Pair(nnx.Module):
    def __init__(self, dims: int | tuple[int, int], share: bool = False, *, rngs: nnx.Rngs):
        if isinstance(dims, int):
            self.left = nnx.Linear(dims, 2, rngs=rngs)
            if not share:
                self.right = nnx.Linear(dims, 2, rngs=rngs)
        else:
            # Both ends have dimensions of their own
            self.left = nnx.Linear(dims[0], 2, rngs=rngs)
            if not share:
                self.right = nnx.Linear(dims[1], 2, rngs=rngs)

    def __getattr__(self, name):
        # Tree mode does not allow one object in two attributes.
        if name == "right":
            return self.left
        return super().__getattribute__(name)

    def __call__(self, x):
        return self.left(x) + self.right(x)


@nnx.jit
def logits(model: Decoder, tokens):
    return model(tokens) @ model.lm_head[...].T


@nnx.jit
def tags(model: Tagger, tokens):
    return model(tokens)


@nnx.jit
def scores(model: Scorer, x):
    return model(x)


@nnx.jit
def pairs(model: Pair, x):
    return model(x)


def run(tokens):
    found = []
    for tied in (False, True):
        config = Config(tie_word_embeddings=tied, head="tied" if tied else "own")
        model = Decoder(config, nnx.Rngs(0))
        found += [logits(model, tokens), model, hasattr(model, "lm_head"), hasattr(model, "other")]
        tagger = Tagger(config, nnx.Rngs(1))
        scorer = Scorer(4, own=tied, rngs=nnx.Rngs(2))
        found += [tags(tagger, tokens), tagger, scores(scorer, jnp.ones((1, 4))), scorer]
        for dims in (4, (4, 4)):
            pair = Pair(dims, tied, rngs=nnx.Rngs(3))
            found += [pairs(pair, jnp.ones((1, 4))), pair]
        model.lm_head[...] = jnp.ones_like(model.lm_head[...])
        found += [logits(model, tokens), [path for path, _ in nnx.to_flat_state(nnx.state(model))]]
    return found
