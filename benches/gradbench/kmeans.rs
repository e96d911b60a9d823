//! `kmeans`: the cost of centres as an expression of arrays, and the step of Newton's method. The Hessian is diagonal, so its product with ones
//! is its diagonal.

use gpu_benches::Result;
use gpu_runtime::gradient::{Stored, hvp, variable};
use gpu_runtime::prelude::*;
use serde_json::Value;

use crate::input::{Input, rows_of};
use crate::protocol::{Evaluated, Runs, unknown};

/// The sum of the squares of the distances from each point to the nearest centre.
fn cost<'a>(points: &'a DeviceArray<f64>, centres: &Stored<'a, f64>) -> gpu_runtime::Result<Stored<'a, f64>> {
    let of_points = points.square().sum_axis(keep_dims(1))?;
    let of_centres = centres.square().sum_axis(1)?;
    let products = centres.matmul(points.t())?;
    (of_centres - products.t()? * 2.0 + of_points).min_axis(1)?.sum()
}

pub(crate) fn evaluate(device: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
    let ((points, of_points), (centres, of_centres)) = (input.matrix("points")?, input.matrix("centroids")?);
    let points = device.to_device(&points)?.reshape(of_points)?;
    let centres = device.to_device(&centres)?.reshape(of_centres)?;
    match function {
        "cost" => runs.of(|| Ok(cost(&points, &variable(&centres))?.value()?.to_host()?[0])),
        "dir" => {
            let ones = device.full(of_centres, 1.0)?;
            runs.of(|| {
                let (gradient, diagonal) = hvp(&centres, &ones, |centres| cost(&points, &centres))?;
                Ok(Direction { elements: (gradient / &diagonal).to_host()?, dims: of_centres[1] })
            })
        }
        _ => unknown(function),
    }
}

/// A step for each centre.
struct Direction {
    elements: Vec<f64>,
    dims: usize,
}

impl From<Direction> for Value {
    fn from(Direction { elements, dims }: Direction) -> Self {
        rows_of(&elements, dims)
    }
}
