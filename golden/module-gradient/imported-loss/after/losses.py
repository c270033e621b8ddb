"""Losses shared by training and evaluation."""

import jax
import optax

from nets import Net


def cross_entropy(model: Net, batch: dict[str, jax.Array]):
  logits = model(batch["image"])
  loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()
  return loss, logits
