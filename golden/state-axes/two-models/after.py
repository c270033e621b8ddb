import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
  def __init__(self, dout: int, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, dout, rngs=rngs)
    self.norm = nnx.BatchNorm(dout, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.drop(self.norm(self.linear(x)))


def make(n: int):
  build = nnx.vmap(
    lambda key: nnx.split(Net(3, nnx.Rngs(params=key, dropout=7)), nnx.RngState, ...),
    out_axes=(None, None, 0),
  )
  return nnx.merge(*build(jax.random.split(jax.random.key(0), n)))


def agreement(student: Net, teacher: Net, x: jax.Array):
  student_axes = nnx.StateAxes({nnx.RngState: None, ...: 0})
  teacher_axes = nnx.StateAxes({nnx.BatchStat: 0, nnx.Param: 0, ...: None})

  @nnx.compat.vmap(in_axes=(student_axes, teacher_axes, None), out_axes=(0, 1))
  @nnx.set_graph_mode(True)
  @nnx.set_graph_updates(True)
  def compare(student: Net, teacher: Net, x):
    student.eval()
    a, b = student.linear(x), teacher.linear(x)
    student.norm.mean[...] += 1.0
    return jnp.mean((a - b) ** 2), a

  return compare(student, teacher, x)
