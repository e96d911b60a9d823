//! The norm of rows. A warp has a row.

use gpu_runtime::Result;
use gpu_runtime::prelude::*;

const BLOCK: usize = 256;
const WARPS: usize = BLOCK / WARP_SIZE;
const EPSILON: f32 = 1e-5;
/// Elements of a row that a lane keeps in registers.
const EACH: usize = 24;
/// Rows whose part in the gradients by gain and bias a block adds.
const CHUNK: usize = 64;

/// The normalized rows, and the mean and the inverse deviation of each.
pub struct Norm<T> {
    pub out: DeviceArray<T>,
    moments: DeviceArray<Float2>,
}

#[gpu_kernel(block = BLOCK)]
fn norm_of_rows<T: Float>(x: View<f32, 2>, gain: View<f32, 1>, bias: View<f32, 1>, out: ViewMut<T, 2>, moments: &mut [Float2]) {
    let row = grid_1d() / WARP_SIZE;
    let [rows, columns] = x.shape();
    if row < rows {
        let mut own = [0.0; EACH];
        let mut sum = 0.0;
        #[unroll]
        for k in 0..EACH {
            let c = lane_id() + k * WARP_SIZE;
            if c < columns {
                own[k] = x[[row, c]];
            }
            sum += own[k];
        }
        let mean = warp_sum(sum) / columns as f32;
        let mut squares = 0.0;
        #[unroll]
        for k in 0..EACH {
            if lane_id() + k * WARP_SIZE < columns {
                own[k] -= mean;
            }
            squares += own[k] * own[k];
        }
        let inverse = 1.0 / (warp_sum(squares) / columns as f32 + EPSILON).sqrt();
        #[unroll]
        for k in 0..EACH {
            let c = lane_id() + k * WARP_SIZE;
            if c < columns {
                out[[row, c]] = (own[k] * inverse * gain[c] + bias[c]).cast::<T>();
            }
        }
        if lane_id() == 0 {
            moments[row] = Float2::new(mean, inverse);
        }
    }
}

/// The gradient by the rows, and `added`.
#[gpu_kernel(block = BLOCK)]
fn norm_back_to_rows<T: Float>(
    x: View<f32, 2>,
    gain: View<f32, 1>,
    moments: &[Float2],
    gradient: View<T, 2>,
    added: View<f32, 2>,
    by_x: ViewMut<f32, 2>,
) {
    let row = grid_1d() / WARP_SIZE;
    let [rows, columns] = x.shape();
    if row < rows {
        let Float2 { x: mean, y: inverse } = moments[row];
        let mut normed = [0.0; EACH];
        let mut slopes = [0.0; EACH];
        let (mut sum, mut product) = (0.0, 0.0);
        #[unroll]
        for k in 0..EACH {
            let c = lane_id() + k * WARP_SIZE;
            if c < columns {
                normed[k] = (x[[row, c]] - mean) * inverse;
                slopes[k] = gradient[[row, c]].cast::<f32>() * gain[c];
            }
            sum += slopes[k];
            product += slopes[k] * normed[k];
        }
        let (sum, product) = (warp_sum(sum) / columns as f32, warp_sum(product) / columns as f32);
        #[unroll]
        for k in 0..EACH {
            let c = lane_id() + k * WARP_SIZE;
            if c < columns {
                by_x[[row, c]] = added[[row, c]] + (slopes[k] - sum - normed[k] * product) * inverse;
            }
        }
    }
}

/// The gradients by gain and bias of each chunk of rows. A thread has a column.
#[gpu_kernel(block = BLOCK)]
fn norm_back_to_gain<T: Float>(
    x: View<f32, 2>,
    moments: &[Float2],
    gradient: View<T, 2>,
    by_gain: ViewMut<f32, 2>,
    by_bias: ViewMut<f32, 2>,
) {
    let (c, chunk) = grid_2d();
    let [rows, columns] = x.shape();
    if c < columns {
        let (mut of_gain, mut of_bias) = (0.0, 0.0);
        for row in chunk * CHUNK..((chunk + 1) * CHUNK).min(rows) {
            let slope = gradient[[row, c]].cast::<f32>();
            of_gain += slope * (x[[row, c]] - moments[row].x) * moments[row].y;
            of_bias += slope;
        }
        by_gain[[chunk, c]] = of_gain;
        by_bias[[chunk, c]] = of_bias;
    }
}

/// Each row less its mean, divided by its deviation, times `gain`, plus `bias`.
///
/// # Errors
///
/// As for launches.
///
/// # Panics
///
/// If a row has more elements than a warp keeps.
pub fn normalize<T: Float>(x: DeviceView<'_, f32>, gain: DeviceView<'_, f32>, bias: DeviceView<'_, f32>) -> Result<Norm<T>> {
    let (rows, device) = (x.shape()[0], x.device());
    assert!(x.shape()[1] <= EACH * WARP_SIZE, "rows have at most {} elements", EACH * WARP_SIZE);
    let (mut out, mut moments) = (device.empty(x.shape())?, device.empty(rows)?);
    norm_of_rows(x, gain, bias, &mut out, &mut moments).launch(rows.div_ceil(WARPS), BLOCK)?;
    Ok(Norm { out, moments })
}

impl<T: Float> Norm<T> {
    /// The gradients by the rows, to which `added` is added, by the gain and by the bias, from that by the normalized rows.
    ///
    /// # Errors
    ///
    /// As for launches.
    pub fn back(
        &self,
        x: DeviceView<'_, f32>,
        gain: DeviceView<'_, f32>,
        gradient: &DeviceArray<T>,
        added: DeviceView<'_, f32>,
    ) -> Result<(DeviceArray<f32>, DeviceArray<f32>, DeviceArray<f32>)> {
        let (shape, device) = (x.shape(), x.device());
        let (chunks, columns) = (shape[0].div_ceil(CHUNK), shape[1]);
        let mut by_x = device.empty(shape)?;
        norm_back_to_rows(x, gain, &self.moments, gradient, added, &mut by_x).launch(shape[0].div_ceil(WARPS), BLOCK)?;
        let (mut by_gain, mut by_bias) = (device.empty::<f32>([chunks, columns])?, device.empty::<f32>([chunks, columns])?);
        norm_back_to_gain(x, &self.moments, gradient, &mut by_gain, &mut by_bias).launch((columns.div_ceil(BLOCK), chunks), BLOCK)?;
        Ok((by_x, by_gain.sum_axis(0)?, by_bias.sum_axis(0)?))
    }
}
