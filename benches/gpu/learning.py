"""The steps of two examples in CuPy, timed by `measure` of `peer.py`: prints a name and the seconds of one step in each line."""
import cupy

n, features = 100_000, 32
x = cupy.random.standard_normal((n, features), dtype="float32")
y = (cupy.random.random(n, dtype="float32") < 0.5).astype("float32")
w = cupy.zeros(features, dtype="float32")


def logistic_step():
    global w
    scores = x @ w
    loss = (cupy.maximum(scores, 0) - scores * y + cupy.log1p(cupy.exp(-cupy.abs(scores)))).mean()
    errors = 1 / (1 + cupy.exp(-scores)) - y
    w = w - (4 / n) * (x.T @ errors)
    return float(loss)


measure("logistic_regression", logistic_step)

n, axes, clusters = 200_000, 4, 16
points = cupy.random.standard_normal((n, axes), dtype="float32")
centres = points[:clusters].copy()


def k_means_step():
    global centres
    nearest = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(2).argmin(1)
    counts = cupy.bincount(nearest, minlength=clusters)
    sums = [cupy.bincount(nearest, weights=points[:, axis], minlength=clusters) for axis in range(axes)]
    centres = (cupy.stack(sums, 1) / counts[:, None]).astype("float32")


measure("k_means", k_means_step)
