//! `ba`: the errors of observations of points by cameras, and their sparse Jacobian, by a function of numbers.

use gpu_benches::Result;
use gpu_runtime::prelude::*;
use serde_json::{Value, json};

use crate::input::Input;
use crate::protocol::{Evaluated, Runs, unknown};

/// How many numbers a camera has: its rotation (3), its centre (3), its focal length, its principal point (2), its distortion (2).
const OF_CAMERA: usize = 11;

/// How many numbers an error depends on: those of the camera, of the point, and a weight.
const OF_ERROR: usize = OF_CAMERA + 3 + 1;

const BLOCK: usize = 128;

/// The weighted distance, along an axis of the image, between a point as the camera shows it and where it was observed.
#[gpu_device(grad)]
fn error(camera: [f64; 11], point: [f64; 3], weight: f64, observed: f64, axis: u32) -> f64 {
    let x = point[0] - camera[3];
    let y = point[1] - camera[4];
    let z = point[2] - camera[5];
    let square = camera[0] * camera[0] + camera[1] * camera[1] + camera[2] * camera[2];
    let mut turned = [x, y, z];
    if square != 0.0 {
        // Rodrigues's formula.
        let angle = square.sqrt();
        let (sine, cosine) = (angle.sin(), angle.cos());
        let (a, b, c) = (camera[0] / angle, camera[1] / angle, camera[2] / angle);
        let along = (a * x + b * y + c * z) * (1.0 - cosine);
        turned[0] = x * cosine + (b * z - c * y) * sine + a * along;
        turned[1] = y * cosine + (c * x - a * z) * sine + b * along;
        turned[2] = z * cosine + (a * y - b * x) * sine + c * along;
    } else {
        turned[0] = x + (camera[1] * z - camera[2] * y);
        turned[1] = y + (camera[2] * x - camera[0] * z);
        turned[2] = z + (camera[0] * y - camera[1] * x);
    }
    let (u, v) = (turned[0] / turned[2], turned[1] / turned[2]);
    let radius = u * u + v * v;
    let distortion = 1.0 + camera[9] * radius + camera[10] * radius * radius;
    let (along, centre) = if axis == 0 { (u, camera[7]) } else { (v, camera[8]) };
    weight * (along * distortion * camera[6] + centre - observed)
}

#[vectorize(grad)]
fn error_of_weight(weight: f64) -> f64 {
    1.0 - weight * weight
}

/// Two errors for each observation, of a camera and a point.
#[gpu_kernel]
fn errors(cameras: &[[f64; 11]], points: &[[f64; 3]], weights: &[f64], observed: &[f64], pairs: &[[u32; 2]], out: &mut [f64]) {
    let row = grid_1d();
    if row >= out.len() {
        return;
    }
    let pair: [u32; 2] = pairs[row / 2];
    let axis = (row % 2) as u32;
    out[row] = error(cameras[pair[0] as usize], points[pair[1] as usize], weights[row / 2], observed[row], axis);
}

/// The derivatives of the errors, with their columns in the Jacobian: those of all cameras, of all points, and of the weights.
#[gpu_kernel]
fn jacobian(
    cameras: &[[f64; 11]],
    points: &[[f64; 3]],
    weights: &[f64],
    observed: &[f64],
    pairs: &[[u32; 2]],
    values: &mut [[f64; 15]],
    columns: &mut [[u32; 15]],
) {
    let row = grid_1d();
    if row >= values.len() || row >= columns.len() {
        return;
    }
    let pair: [u32; 2] = pairs[row / 2];
    let (camera, point) = (pair[0] as usize, pair[1] as usize);
    let (by_camera, by_point, by_weight, _): ([f64; 11], [f64; 3], f64, f64) =
        error::grad(cameras[camera], points[point], weights[row / 2], observed[row], (row % 2) as u32);
    for i in 0..11 {
        values[row][i] = by_camera[i];
        columns[row][i] = (11 * camera + i) as u32;
    }
    let start = 11 * cameras.len();
    for i in 0..3 {
        values[row][11 + i] = by_point[i];
        columns[row][11 + i] = (start + 3 * point + i) as u32;
    }
    values[row][14] = by_weight;
    columns[row][14] = (start + 3 * points.len() + row / 2) as u32;
}

/// The cameras, points and observations, of which all are the same in this evaluation.
struct Scene {
    cameras: DeviceArray<[f64; 11]>,
    points: DeviceArray<[f64; 3]>,
    weights: DeviceArray<f64>,
    observed: DeviceArray<f64>,
    pairs: DeviceArray<[u32; 2]>,
}

impl Scene {
    fn read(device: &Device, input: &Input<'_>) -> Result<Self> {
        let [n, m, p] = [input.count("n")?, input.count("m")?, input.count("p")?];
        let of_input = |name| -> Result<Vec<f64>> { input.numbers(name) };
        let wrong = |_| "a camera has 11 numbers, a point 3, and an observation 2";
        let camera: [f64; OF_CAMERA] = of_input("cam")?.try_into().map_err(wrong)?;
        let point: [f64; 3] = of_input("x")?.try_into().map_err(wrong)?;
        let observed: [f64; 2] = of_input("feat")?.try_into().map_err(wrong)?;
        let pairs: Vec<[u32; 2]> = (0..p).map(|i| [(i % n) as u32, (i % m) as u32]).collect();
        Ok(Self {
            cameras: device.to_device(&vec![camera; n])?,
            points: device.to_device(&vec![point; m])?,
            weights: device.full(p, input.number("w")?)?,
            observed: device.to_device(&vec![observed; p].concat())?,
            pairs: device.to_device(&pairs)?,
        })
    }
}

pub(crate) fn evaluate(device: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
    let Scene { cameras, points, weights, observed, pairs } = Scene::read(device, input)?;
    let p = weights.len();
    let blocks = (2 * p).div_ceil(BLOCK);
    match function {
        "objective" => {
            let mut of_points = device.zeros::<f64>(2 * p)?;
            runs.of(|| {
                errors(&cameras, &points, &weights, &observed, &pairs, &mut of_points).launch(blocks, BLOCK)?;
                let of_weights = error_of_weight::map(&weights).collect()?;
                Ok(json!({
                    "reproj_error": { "elements": of_points.slice(..2).to_host()?, "repeated": p },
                    "w_err": { "element": of_weights.slice(..1).to_host()?[0], "repeated": p },
                }))
            })
        }
        "jacobian" => {
            let (mut values, mut columns) = (device.zeros::<[f64; OF_ERROR]>(2 * p)?, device.zeros::<[u32; OF_ERROR]>(2 * p)?);
            let of_others = (OF_CAMERA * cameras.len() + 3 * points.len()) as u32;
            runs.of(|| {
                jacobian(&cameras, &points, &weights, &observed, &pairs, &mut values, &mut columns).launch(blocks, BLOCK)?;
                // One more row for each weight, with one element.
                let values_of_weights = error_of_weight::grad::map(&weights).collect()?;
                let columns_of_weights = (iota(p).cast::<u32>() + of_others).on(device).collect()?;
                let rows = iota(3 * p + 1).cast::<u32>();
                let starts = rows.min_with(2 * p as u32) * OF_ERROR as u32 + (rows - rows.min_with(2 * p as u32));
                let starts = starts.on(device).collect()?;
                Ok(json!({
                    "rows": ends(&starts.slice(..starts.len().min(2 * OF_ERROR)).to_host()?, &starts)?,
                    "cols": ends(&columns.slice(..2).to_host()?.concat(), &columns_of_weights)?,
                    "vals": ends(&values.slice(..2).to_host()?.concat(), &values_of_weights)?,
                }))
            })
        }
        _ => unknown(function),
    }
}

/// What is reported of a list: its beginning, and its last element.
fn ends<T: Copy + Into<Value> + DeviceType>(beginning: &[T], end: &DeviceArray<T>) -> Result<Vec<T>> {
    Ok([beginning, &end.slice(end.len() - 1..).to_host()?].concat())
}
