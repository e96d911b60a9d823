//! Products of matrices of `bf16` by a kernel with tiles, as the book writes it, against cuBLAS, which `matmul` calls.

use std::process::ExitCode;

use gpu_benches::measure::{alternate, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, by_hand::Cuda, check, gpu_benchmark};
use gpu_runtime::prelude::*;
use half::bf16;

#[gpu_kernel(block = 256)]
fn product(a: View<bf16, 2>, b: View<bf16, 2>, c: ViewMut<bf16, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 128, 256>::zeros();
    for k in 0..a.tiles(1, 64) {
        sum += a.tile::<128, 64>(i, k).dot(b.tile::<64, 256>(k, j));
    }
    c.tile_mut(i, j).store(sum.cast::<bf16>());
}

fn main() -> ExitCode {
    gpu_benchmark("tiles", run)
}

fn run(device: &Device, _: &Cuda, report: &mut Report) -> Result<()> {
    for (rows, columns, inner, bar) in [(2048, 2048, 2048, 0.85), (4096, 4096, 4096, 0.9), (8192, 8192, 8192, 0.9), (8192, 8192, 512, 0.85)]
    {
        // What is multiplied decides how much power it takes, and so the clock.
        let numbers = |seed, shape: [usize; 2]| -> Result<DeviceArray<bf16>> {
            let normal: DeviceArray<f32> = device.random(seed).normal(shape)?;
            Ok(normal.cast::<bf16>().collect()?)
        };
        let (a, b) = (numbers(1, [rows, inner])?, numbers(2, [inner, columns])?);
        let (mut by_tiles, mut by_library) = (device.zeros::<bf16>([rows, columns])?, a.matmul(&b)?);
        let grid = (columns.div_ceil(256), rows.div_ceil(128));
        let launches = (1u64 << 40).div_ceil((rows * columns * inner) as u64).clamp(5, 50) as u32;
        let (ours, library) = alternate(
            || seconds_per_call(launches, || Ok(product(&a, &b, &mut by_tiles).launch(grid, 256)?), || Ok(device.synchronize()?)),
            || {
                let multiply = || {
                    by_library = a.matmul(&b)?;
                    Ok(())
                };
                seconds_per_call(launches, multiply, || Ok(device.synchronize()?))
            },
        )?;

        let [ours_row, library_row] = [&by_tiles, &by_library].map(|product| product.view().index_axis(0, rows - 1).to_host());
        let scale = (inner as f32).sqrt();
        for (x, y) in ours_row?.into_iter().zip(library_row?) {
            check((x.to_f32() - y.to_f32()).abs() <= 0.02 * scale, "an element of a product")?;
        }
        let operations = 2.0 * (rows * columns * inner) as f64;
        report.add(Figure {
            case: format!("bf16, {rows} × {columns} × {inner}"),
            unit: "TFLOP/s",
            better: Better::More,
            ours: ours.map(|seconds| operations / seconds / 1e12),
            reference: ("cuBLAS", library.map(|seconds| operations / seconds / 1e12)),
            limit: None,
            target: Some(Target::Ratio(bar)),
        });
    }
    Ok(())
}
