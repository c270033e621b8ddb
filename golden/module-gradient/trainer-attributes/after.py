import jax.numpy as jnp
import optax
from flax import nnx


class Critic(nnx.Module):
	def __init__(self, rngs):
		self.fc = nnx.Linear(2, 3, rngs=rngs)
		self.norm = nnx.BatchNorm(3, rngs=rngs)
		self.dropout = nnx.Dropout(0.5, rngs=rngs)
		self.value = nnx.Linear(3, 1, rngs=rngs)

	def __call__(self, x):
		return self.value(self.dropout(self.norm(self.fc(x))))[:, 0]


class Agent:
	"""Holds the model and its optimizer, as agents do."""

	def __init__(self, seed: int):
		self.model = Critic(nnx.Rngs(seed))
		self.optimizer = nnx.Optimizer(self.model, optax.adam(1e-2), wrt=nnx.Param)
		self.steps = 0

	def _loss(self, model, x, returns):
		return jnp.mean(optax.huber_loss(model(x), returns))

	def update(self, x, returns):
		model = self.model
		graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

		def loss_of_state(params, nondiff, x, returns):
			return self._loss(nnx.merge(graphdef, params, nondiff), x, returns)

		loss, grads = nnx.value_and_grad(loss_of_state)(params, nondiff, x, returns)
		self.optimizer.update(model, grads)
		self.steps += 1
		return loss

	def update_in_place(self, x, returns):
		graphdef, params, nondiff = nnx.split(self.model, nnx.Param, ...)

		def loss_of_state(params, nondiff, x, returns):
			return self._loss(nnx.merge(graphdef, params, nondiff), x, returns)

		loss, grads = nnx.value_and_grad(loss_of_state)(params, nondiff, x, returns)
		self.optimizer.update(self.model, grads)
		return loss
