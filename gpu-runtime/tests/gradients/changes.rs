//! Products with the Hessian of array expressions, against differences of gradients.

use gpu_runtime::prelude::*;
use gpu_runtime::{Result, Shape};

use super::arrays::array_on;

/// Of a number that is computed from arrays, the gradients, and their changes along directions; none if it has no second derivatives.
pub(super) type Bend<'r> =
    dyn Fn(&[DeviceArray<f64>], &[DeviceArray<f64>]) -> Result<(Vec<DeviceArray<f64>>, Option<Vec<DeviceArray<f64>>>)> + 'r;

/// What has no second derivatives.
const STRAIGHT: [&str; 6] = ["prod", "cumprod", "solve", "inv", "det", "cholesky"];

/// The changes of gradients along directions, against central differences of the gradients.
pub(super) fn check_changes(device: &Device, name: &str, shapes: &[Shape], bend: &Bend<'_>) -> Result<()> {
    let arrays = shapes.iter().enumerate().map(|(seed, &shape)| array_on(device, shape, seed)).collect::<Result<Vec<_>>>()?;
    let directions = shapes.iter().enumerate().map(|(seed, &shape)| array_on(device, shape, seed + 20)).collect::<Result<Vec<_>>>()?;
    let Some(changes) = bend(&arrays, &directions)?.1 else {
        assert!(STRAIGHT.iter().any(|straight| name.starts_with(straight)), "{name} has no second derivative");
        return Ok(());
    };
    let gradients = |width: f64| -> Result<Vec<DeviceArray<f64>>> {
        let moved = arrays.iter().zip(&directions).map(|(array, direction)| (array + direction * width).collect());
        Ok(bend(&moved.collect::<Result<Vec<_>>>()?, &directions)?.0)
    };
    let (above, below) = (gradients(1e-5)?, gradients(-1e-5)?);
    for (number, change) in changes.iter().enumerate() {
        assert_eq!(change.shape(), shapes[number], "{name}");
        let expected = ((&above[number] - &below[number]) / 2e-5).to_host()?;
        for (i, (found, expected)) in change.to_host()?.into_iter().zip(expected).enumerate() {
            let is_near = (found - expected).abs() <= 1e-6 * (1.0 + expected.abs());
            assert!(is_near, "{name}, change of the gradient by argument {number}, element {i}: {found}, and by differences {expected}");
        }
    }
    Ok(())
}
