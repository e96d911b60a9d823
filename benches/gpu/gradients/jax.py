"""The same values and gradients in JAX, products in full `f32`: prints a name and the seconds of one step in each line."""
import os

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_default_matmul_precision", "highest")
rng = np.random.default_rng(1)


def normal(*shape):
    return jnp.asarray(rng.standard_normal(shape, dtype="float32"))


def measure_steps(name, step, state, calls=20):
    """As `measure`, of a function of its last result."""
    state = jax.block_until_ready(step(*state))
    times = []
    for _ in range(9):
        start = time.perf_counter()
        for _ in range(calls):
            state = step(*state)
        jax.block_until_ready(state)
        times.append((time.perf_counter() - start) / calls)
    print(name, sorted(times)[4], flush=True)


def descent(loss, rate):
    """The loss and the next parameters."""

    def step(_, parameters):
        value, gradients = jax.value_and_grad(loss)(parameters)
        return value, jax.tree.map(lambda p, g: p - rate * g, parameters, gradients)

    return jax.jit(step, donate_argnums=1)


x = normal(100_000_000)
chain = jax.jit(jax.grad(lambda x: jax.nn.sigmoid(x * x * 0.5 + x).sum()))
measure_steps("chain", lambda _: (chain(x),), (None,), calls=5)
del x

points = normal(100_000, 32)
signs = jnp.where(points[:, 0] > 0, 1.0, -1.0)
step = descent(lambda w: jax.nn.softplus(-(points @ w) * signs).mean(), 0.5)
measure_steps("logistic_regression", step, (0.0, jnp.zeros(32)))

rows, inputs, hidden, classes = 256, 784, 256, 10
x, labels = normal(rows, inputs), jnp.arange(rows) % classes


def network(parameters):
    w1, b1, w2, b2 = parameters
    scores = jax.nn.relu(x @ w1 + b1) @ w2 + b2
    return -jnp.take_along_axis(jax.nn.log_softmax(scores), labels[:, None], 1).mean()


parameters = (normal(inputs, hidden) * 0.05, jnp.zeros(hidden), normal(hidden, classes) * 0.1, jnp.zeros(classes))
measure_steps("network", descent(network, 0.1), (0.0, parameters))

steps, rows, units = 32, 128, 512
x = normal(steps, rows, units)


def lstm(parameters):
    w, u, b = parameters

    def cell(carry, of_input):
        state, cell = carry
        forget, enter, new, leave = jnp.split(of_input + state @ u, 4, axis=1)
        cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(enter) * jnp.tanh(new)
        return (jax.nn.sigmoid(leave) * jnp.tanh(cell), cell), None

    zeros = jnp.zeros((rows, units))
    (state, _), _ = jax.lax.scan(cell, (zeros, zeros), x @ w + b)
    return (state * state).mean()


parameters = (normal(units, 4 * units) * 0.05, normal(units, 4 * units) * 0.05, jnp.zeros(4 * units))
measure_steps("lstm", descent(lstm, 0.1), (0.0, parameters), calls=10)
