//! `gmm`: the logarithm of the probability of a mixture of normal distributions, as an expression of arrays.

use gpu_benches::Result;
use gpu_runtime::gradient::{Stored, grad, variable};
use gpu_runtime::prelude::*;
use serde_json::{Value, json};

use crate::input::{Input, rows_of};
use crate::protocol::{Evaluated, Runs, unknown};

/// What does not vary.
struct Data {
    /// The points, n × 1 × d.
    x: DeviceArray<f64>,
    /// For each element of a triangle, d × d, which element of `l` it is; the last one, which is 0, above the diagonal and on it.
    places: DeviceArray<u32>,
    /// Ones on the diagonal.
    diagonal: DeviceArray<f64>,
    d: usize,
    k: usize,
    /// The degrees of freedom of the prior beyond d + 1, and its precision.
    m: f64,
    gamma: f64,
    /// What no parameter changes.
    constant: f64,
}

/// The parameters of the k components: `alpha`, `mu`, `q`, and a column of `l` for each component.
type Parameters<'a> = (Stored<'a, f64>, Stored<'a, f64>, Stored<'a, f64>, Stored<'a, f64>);

fn log_sum_exp<'a>(x: &Stored<'a, f64>) -> gpu_runtime::Result<Stored<'a, f64>> {
    let highest = x.max_axis(keep_dims(1))?;
    let sums = (x - &highest).exp().sum_axis(keep_dims(1))?;
    (sums.ln() + highest).keep()
}

fn objective<'a>(data: &'a Data, (alpha, mu, q, l): Parameters<'a>) -> gpu_runtime::Result<Stored<'a, f64>> {
    let Data { d, k, m, gamma, .. } = *data;
    let n = data.x.shape()[0];
    // The triangles, k × d × d.
    let below = l.take(&data.places)?.t()?.reshape([k, d, d])?;
    let triangles = (below + q.exp().keep()?.reshape([k, d, 1])? * &data.diagonal).keep()?;
    let centred = (&data.x - mu).keep()?;
    let scaled = triangles.einsum("kij,nkj->nki", &centred)?;
    let scores = (scaled.square().sum_axis(2)? * -0.5 + q.sum_axis(1)? + &alpha).keep()?;
    let likelihood = log_sum_exp(&scores)?.sum()? - log_sum_exp(&alpha.reshape([1, k])?)?.sum()? * (n as f64);
    let prior = q.sum()? * m - triangles.square().sum()? * (0.5 * gamma * gamma);
    (likelihood + prior + data.constant).keep()
}

/// ln Γ of a multiple of 1/2.
fn ln_gamma_of_half(twice: usize) -> f64 {
    let start = if twice.is_multiple_of(2) { 0.0 } else { 0.5 * std::f64::consts::PI.ln() };
    (1..twice).filter(|x| x % 2 == twice % 2).fold(start, |sum, x| sum + (x as f64 / 2.0).ln())
}

/// The terms without parameters.
fn constant(n: usize, d: usize, k: usize, m: usize, gamma: f64) -> f64 {
    let (degrees, dims) = (d + m + 1, d as f64);
    let of_points = -(n as f64) * dims * 0.5 * (2.0 * std::f64::consts::PI).ln();
    let ln_gamma = dims * (dims - 1.0) * 0.25 * std::f64::consts::PI.ln() + (0..d).map(|i| ln_gamma_of_half(degrees - i)).sum::<f64>();
    of_points + k as f64 * (degrees as f64 * dims * (gamma / std::f64::consts::SQRT_2).ln() - ln_gamma)
}

/// The element of `l` at each place of a triangle; it fills the columns one after the other.
fn places(d: usize) -> Vec<u32> {
    let last = d * (d - 1) / 2;
    let mut places = vec![last as u32; d * d];
    let below = (0..d).flat_map(|column| (column + 1..d).map(move |row| row * d + column));
    below.enumerate().for_each(|(element, place)| places[place] = element as u32);
    places
}

pub(crate) fn evaluate(device: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
    let (n, d, k, m) = (input.count("n")?, input.count("d")?, input.count("k")?, input.count("m")?);
    let (x, gamma) = (input.matrix("x")?.0, input.number("gamma")?);
    let data = Data {
        x: device.to_device(&x)?.reshape([n, 1, d])?,
        places: device.to_device(&places(d))?,
        diagonal: device.eye(d)?,
        d,
        k,
        m: m as f64,
        gamma,
        constant: constant(n, d, k, m, gamma),
    };
    let alpha = device.to_device(&input.numbers("alpha")?)?;
    let [mu, q] = [input.matrix("mu")?.0, input.matrix("q")?.0].map(|rows| device.to_device(&rows)?.reshape([k, d]));
    let (mu, q) = (mu?, q?);
    let triangle = d * (d - 1) / 2;
    let l = device.to_device(&input.matrix("l")?.0)?.reshape([k, triangle])?;
    let l = concatenate([l.t(), device.zeros([1, k])?.view()], 0)?;
    match function {
        "objective" => {
            let parameters = (variable(&alpha), variable(&mu), variable(&q), variable(&l));
            runs.of(|| Ok(objective(&data, parameters.clone())?.value()?.to_host()?[0]))
        }
        "jacobian" => runs.of(|| {
            let (by_alpha, by_mu, by_q, by_l) = grad((&alpha, &mu, &q, &l), |parameters| objective(&data, parameters))?;
            let by_l = lazy(by_l.view().slice_axis(0, ..triangle).t()).collect()?;
            Ok(Gradients {
                alpha: by_alpha.to_host()?,
                rows: [by_mu.to_host()?, by_q.to_host()?, by_l.to_host()?],
                columns: [d, d, triangle],
            })
        }),
        _ => unknown(function),
    }
}

/// The gradients by the parameters: by `alpha`, and by the rows of `mu`, `q` and `l`.
struct Gradients {
    alpha: Vec<f64>,
    rows: [Vec<f64>; 3],
    columns: [usize; 3],
}

impl From<Gradients> for Value {
    fn from(Gradients { alpha, rows: [mu, q, l], columns: [of_mu, of_q, of_l] }: Gradients) -> Self {
        let l = if of_l == 0 { vec![Vec::<f64>::new(); alpha.len()].into() } else { rows_of(&l, of_l) };
        json!({ "alpha": alpha, "mu": rows_of(&mu, of_mu), "q": rows_of(&q, of_q), "l": l })
    }
}
