"""Arrays of each library that is installed, on the CPU and on a GPU if there is one, where they are."""

import importlib

import gpu_example
import numpy as np
import pytest


def numpy_arrays():
    return np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32), np.from_dlpack, np.asarray


def torch_arrays(device):
    torch = importlib.import_module("torch")
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("PyTorch has no GPU")
    x = torch.arange(6, dtype=torch.float32, device=device).reshape(2, 3)
    return x, torch.ones_like(x), torch.from_dlpack, lambda array: array.cpu().numpy()


def cupy_arrays():
    cupy = importlib.import_module("cupy")
    x = cupy.arange(6, dtype=cupy.float32).reshape(2, 3)
    return x, cupy.ones_like(x), cupy.from_dlpack, cupy.asnumpy


def jax_arrays():
    jax = importlib.import_module("jax")
    x = jax.numpy.arange(6, dtype=jax.numpy.float32).reshape(2, 3)
    return x, jax.numpy.ones_like(x), jax.dlpack.from_dlpack, np.asarray


LIBRARIES = {
    "numpy": numpy_arrays,
    "torch-cpu": lambda: torch_arrays("cpu"),
    "torch-cuda": lambda: torch_arrays("cuda"),
    "cupy": cupy_arrays,
    "jax": jax_arrays,
}


def arrays(name):
    try:
        return LIBRARIES[name]()
    except ImportError as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", LIBRARIES)
def test_sum_is_a_new_array(name):
    x, y, take, to_numpy = arrays(name)
    out = take(gpu_example.add(x, y))
    assert type(out) is type(x)
    np.testing.assert_array_equal(to_numpy(out), np.arange(1, 7, dtype=np.float32).reshape(2, 3))


@pytest.mark.parametrize("name", [name for name in LIBRARIES if name != "jax"])  # whose arrays never change
def test_axpy_is_in_place_and_after_earlier_work(name):
    x, y, _, to_numpy = arrays(name)
    for step in range(1, 101):
        y += 1
        gpu_example.axpy(0.5, x, y)
        if step in (1, 100):
            expected = 1 + step + 0.5 * step * np.arange(6, dtype=np.float32).reshape(2, 3)
            np.testing.assert_array_equal(to_numpy(y), expected)


def test_mistakes_are_exceptions():
    x = np.zeros(4, np.float32)
    with pytest.raises(BufferError, match="float64, not float32"):
        gpu_example.add(x.astype(np.float64), x)
    with pytest.raises(ValueError, match="shapes"):
        gpu_example.add(x, np.zeros(5, np.float32))
    with pytest.raises(ValueError, match="overlap"):
        gpu_example.axpy(1.0, x, x)
    with pytest.raises(BufferError, match="contiguous"):
        gpu_example.add(x[::2], x[::2])
    with pytest.raises(AttributeError, match="__dlpack"):
        gpu_example.add([1.0], [2.0])


def test_an_array_is_taken_once():
    out = gpu_example.add(np.ones(2, np.float32), np.ones(2, np.float32))
    assert np.from_dlpack(out).tolist() == [2.0, 2.0]
    with pytest.raises(BufferError, match="taken"):
        np.from_dlpack(out)
    gpu_example.add(np.ones(2, np.float32), np.ones(2, np.float32)).__dlpack__()  # nobody takes the capsule
