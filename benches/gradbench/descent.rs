//! Gradient descent with a step that grows and shrinks, as `particle` and `saddle` prescribe it.

use gpu_benches::Result;

/// Where the slope or the step is this small, it ends.
pub(crate) const CLOSE: f64 = 1e-5;

/// The first factor of a step. It doubles after that many steps that went down, and halves for each that did not.
pub(crate) const FIRST_RATE: f64 = 1e-5;
pub(crate) const STEPS_OF_RATE: u32 = 10;

/// The answer to functions whose inner derivative is to be in reverse mode.
pub(crate) const NO_INNER_REVERSE_MODE: &str = "a derivative inside of another one is in forward mode alone";

/// Where `value` has a minimum.
pub(crate) fn minimum<const N: usize>(
    start: [f64; N],
    value: impl Fn([f64; N]) -> Result<f64>,
    gradient: impl Fn([f64; N]) -> Result<[f64; N]>,
) -> Result<[f64; N]> {
    let (mut x, mut rate, mut steps) = (start, FIRST_RATE, 0);
    let (mut lowest, mut slope) = (value(x)?, gradient(x)?);
    while length(slope) > CLOSE {
        if steps == STEPS_OF_RATE {
            (rate, steps) = (2.0 * rate, 0);
            continue;
        }
        let next: [f64; N] = std::array::from_fn(|i| x[i] - rate * slope[i]);
        if length(std::array::from_fn::<f64, N, _>(|i| x[i] - next[i])) <= CLOSE {
            break;
        }
        let found = value(next)?;
        if found < lowest {
            (x, lowest, slope, steps) = (next, found, gradient(next)?, steps + 1);
        } else {
            (rate, steps) = (0.5 * rate, 0);
        }
    }
    Ok(x)
}

fn length<const N: usize>(x: [f64; N]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
