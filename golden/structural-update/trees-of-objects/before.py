"""Structure that changes in Modules that come in a NamedTuple or a registered dataclass."""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx, struct


class Policy(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))
        self.calls = 0

    def __call__(self, x):
        return self.w[...] * x


class Agent(NamedTuple):
    policy: Policy
    scale: jax.Array


@struct.dataclass
class Learner:
    policy: Policy
    steps: int = struct.field(pytree_node=False, default=0)


class Actor(struct.PyTreeNode):
    policy: Policy


@dataclasses.dataclass
class Worker:
    policy: Policy
    name: str


jax.tree_util.register_dataclass(Worker, data_fields=["policy"], meta_fields=["name"])


class Batch(NamedTuple):
    x: jax.Array


@nnx.jit
def act(agent: Agent, x):
    agent.policy.calls += 1
    return agent.policy(x) * agent.scale


@nnx.jit
def act_unpacked(agent, x):
    policy, scale = agent
    policy.calls += 1
    return policy(x) * scale


@nnx.jit
def learn(learner, x):
    learner.policy.calls += 1
    return learner.policy(x)


@nnx.jit
def follow(actor: Actor, x):
    actor.policy.train(calls=7)
    return actor.policy(x)


@nnx.jit
def work(worker, x):
    worker.policy.calls += 1
    return worker.policy(x)


@nnx.jit
def only_reads(agent: Agent, batch: Batch):
    return agent.policy(batch.x)


def run(x):
    policy = Policy()
    agent = Agent(policy, jnp.ones(()))
    found = [act(agent, x), act_unpacked(agent, x), policy.calls]
    found += [learn(Learner(policy), x), work(Worker(policy, "first"), x), policy.calls]
    found += [only_reads(agent, Batch(x)), follow(Actor(policy), x)]
    return found, policy.calls
