//! Attention by a kernel with tiles, as the book writes it, and by the library, against PyTorch's FlashAttention: `bf16`, 16 heads of 128, 16,384
//! positions in all.

use std::process::ExitCode;

use gpu_benches::peer::Peer;
use gpu_benches::report::Report;
use gpu_benches::{Result, by_hand::Cuda, check, gpu_benchmark};
use gpu_runtime::prelude::*;
use half::bf16;

/// Each position of a head attends to all positions, or to itself and those before it. The length is a multiple of 128.
#[gpu_kernel(block = 256)]
fn attention<const CAUSAL: bool>(q: View<bf16, 3>, keys: View<bf16, 3>, v: View<bf16, 3>, scale: f32, out: ViewMut<bf16, 3>) {
    // The longest rows first, so that no block is left alone with them.
    let (head, i) = (block_idx().x, grid_dim().y - 1 - block_idx().y);
    let query = q.tile::<128, 128>(head, i, 0);
    let mut largest = Column::<f32, 128>::splat(f32::NEG_INFINITY);
    let mut total = Column::<f32, 128>::zeros();
    let mut sum = Tile::<f32, 128, 128>::zeros();
    let end = if CAUSAL { i + 1 } else { keys.tiles(1, 128) };
    for j in 0..end {
        let scores = query.dot(keys.tile::<128, 128>(head, j, 0).transpose());
        let scores = scores.map_at(|row, column, x| if !CAUSAL || j < i || column <= row { x } else { f32::NEG_INFINITY });
        let larger = largest.zip(scores.row_max(), |a, b| a.max(b));
        let shift = larger * scale;
        let weights = (scores * scale - shift).map(|x| x.fast_exp2());
        let kept = (largest * scale - shift).map(|x| x.fast_exp2());
        total = total * kept + weights.row_sum();
        sum *= kept;
        sum += weights.cast::<bf16>().dot(v.tile::<128, 128>(head, j, 0));
        largest = larger;
    }
    out.tile_mut(head, i, 0).store((sum * total.map(|x| 1.0 / x)).cast::<bf16>());
}

fn main() -> ExitCode {
    gpu_benchmark("attention", run)
}

fn run(device: &Device, _: &Cuda, report: &mut Report) -> Result<()> {
    let pytorch = Peer::measure("PyTorch", include_str!("attention.py"))?;
    for length in [1024, 4096, 16384] {
        let heads = 16 * 16384 / length;
        let numbers =
            |seed| -> Result<DeviceArray<bf16>> { Ok(device.random(seed).normal::<f32>([heads, length, 128])?.cast::<bf16>().collect()?) };
        let (q, k, v) = (numbers(1)?, numbers(2)?, numbers(3)?);
        let mut out = device.zeros::<bf16>([heads, length, 128])?;
        let scale = std::f32::consts::LOG2_E / 128f32.sqrt();
        let grid = (heads, length / 128);
        for causal in [false, true] {
            let call = || -> Result<()> {
                match causal {
                    true => attention::<true>(&q, &k, &v, scale, &mut out).launch(grid, 256)?,
                    false => attention::<false>(&q, &k, &v, scale, &mut out).launch(grid, 256)?,
                }
                Ok(())
            };
            let case = format!("attention, {length} positions{}", if causal { ", causal" } else { "" });
            let work = format!("{length}_{}", if causal { "True" } else { "False" });
            report.add(pytorch.compare(device, &case, &work, (20, 1.0), call)?);
            let (mask, mut of_library) = (if causal { Mask::Causal } else { Mask::Full }, None);
            report.add(pytorch.compare(device, &format!("{case}, of the library"), &work, (20, 1.0), || {
                of_library = Some(q.attention(&k, &v, mask)?);
                Ok(())
            })?);

            let expected = exact(&q, &k, &v, causal)?;
            for found in [&out, of_library.as_ref().expect("it ran")] {
                for (x, y) in found.view().part((0, 0, ..)).to_host()?.into_iter().zip(&expected) {
                    check((x.to_f32() - y).abs() <= 0.02, "an element of attention")?;
                }
            }
        }
    }
    Ok(())
}

/// What the first position of the first head gets.
fn exact(q: &DeviceArray<bf16>, k: &DeviceArray<bf16>, v: &DeviceArray<bf16>, causal: bool) -> Result<Vec<f32>> {
    let end = if causal { 1 } else { q.shape()[1] as isize };
    let query = q.view().part((0, 0, ..)).cast::<f32>().collect()?;
    let keys = k.view().part((0, ..end, ..)).cast::<f32>().collect()?;
    let values = v.view().part((0, ..end, ..)).cast::<f32>().collect()?;
    let weights = ((&keys * &query).sum_axis(1)? * (1.0 / 128f32.sqrt())).softmax(0)?;
    Ok((values * weights.view().insert_axis(1)).sum_axis(0)?.to_host()?)
}
