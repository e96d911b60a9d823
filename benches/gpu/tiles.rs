//! Products of matrices of `bf16` by kernels with tiles, as the book writes them, against cuBLAS, which `matmul` calls; and a layer, with what
//! follows the product in the same kernel, against PyTorch.

use std::process::ExitCode;

use gpu_benches::measure::{alternate, seconds_per_call};
use gpu_benches::peer::Peer;
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, by_hand::Cuda, check, gpu_benchmark};
use gpu_runtime::Shape;
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

#[gpu_kernel(block = 256)]
fn products(a: View<bf16, 3>, b: View<bf16, 3>, c: ViewMut<bf16, 3>) {
    let (matrix, i, j) = (block_idx().z, block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 128, 256>::zeros();
    for k in 0..a.tiles(2, 64) {
        sum += a.tile::<128, 64>(matrix, i, k).dot(b.tile::<64, 256>(matrix, k, j));
    }
    c.tile_mut(matrix, i, j).store(sum.cast::<bf16>());
}

#[gpu_device]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh())
}

/// `gelu(a b + bias)`
#[gpu_kernel(block = 256)]
fn layer(a: View<bf16, 2>, b: View<bf16, 2>, bias: &[bf16], c: ViewMut<bf16, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 128, 256>::zeros();
    for k in 0..a.tiles(1, 64) {
        sum += a.tile::<128, 64>(i, k).dot(b.tile::<64, 256>(k, j));
    }
    let sum = sum.map_at(|_, column, x| {
        let k = j * 256 + column;
        gelu(x + if k < bias.len() { bias[k].to_f32() } else { 0.0 })
    });
    c.tile_mut(i, j).store(sum.cast::<bf16>());
}

fn main() -> ExitCode {
    gpu_benchmark("tiles", run)
}

fn run(device: &Device, _: &Cuda, report: &mut Report) -> Result<()> {
    for (rows, columns, inner, bar) in [(2048, 2048, 2048, 0.85), (4096, 4096, 4096, 0.9), (8192, 8192, 8192, 0.9), (8192, 8192, 512, 0.85)]
    {
        let (a, b) = (numbers(device, 1, [rows, inner])?, numbers(device, 2, [inner, columns])?);
        let mut c = device.zeros::<bf16>([rows, columns])?;
        let grid = (columns.div_ceil(256), rows.div_ceil(128));
        compare(
            (format!("bf16, {rows} × {columns} × {inner}"), bar),
            [&a, &b],
            &mut c,
            |c| Ok(product(&a, &b, c).launch(grid, 256)?),
            report,
        )?;
    }
    let (a, b) = (numbers(device, 1, [16, 1024, 1024])?, numbers(device, 2, [16, 1024, 1024])?);
    let mut c = device.zeros::<bf16>([16, 1024, 1024])?;
    compare(("bf16, 16 of 1024³".into(), 0.85), [&a, &b], &mut c, |c| Ok(products(&a, &b, c).launch((4, 8, 16), 256)?), report)?;
    layers(device, report)
}

/// What is multiplied decides how much power it takes, and so the clock.
fn numbers(device: &Device, seed: u64, shape: impl Into<Shape>) -> Result<DeviceArray<bf16>> {
    let normal: DeviceArray<f32> = device.random(seed).normal(shape)?;
    Ok(normal.cast::<bf16>().collect()?)
}

/// Measures what stores a product in `c` beside the library's product.
fn compare(
    (case, bar): (String, f64),
    [a, b]: [&DeviceArray<bf16>; 2],
    c: &mut DeviceArray<bf16>,
    mut multiply: impl FnMut(&mut DeviceArray<bf16>) -> Result<()>,
    report: &mut Report,
) -> Result<()> {
    let (device, inner) = (c.device().clone(), a.shape()[a.shape().rank() - 1]);
    let operations = 2.0 * (c.len() * inner) as f64;
    let launches = ((1u64 << 41) as f64 / operations).clamp(5.0, 50.0) as u32;
    let mut by_library = a.matmul(b)?;
    let (ours, library) = alternate(
        || seconds_per_call(launches, || multiply(c), || Ok(device.synchronize()?)),
        || {
            let multiply = || {
                by_library = a.matmul(b)?;
                Ok(())
            };
            seconds_per_call(launches, multiply, || Ok(device.synchronize()?))
        },
    )?;
    let difference = (c.cast::<f32>() - by_library.cast::<f32>()).abs().max()?;
    check(difference <= 0.04 * (inner as f32).sqrt(), "an element of a product")?;
    report.add(Figure {
        case,
        unit: "TFLOP/s",
        better: Better::More,
        ours: ours.map(|seconds| operations / seconds / 1e12),
        reference: ("cuBLAS", library.map(|seconds| operations / seconds / 1e12)),
        limit: None,
        target: Some(Target::Ratio(bar)),
    });
    Ok(())
}

fn layers(device: &Device, report: &mut Report) -> Result<()> {
    let pytorch = Peer::measure("PyTorch", include_str!("tiles.py"))?;
    let (a, b, bias) = (numbers(device, 1, [4096, 4096])?, numbers(device, 2, [4096, 4096])?, numbers(device, 3, 4096)?);
    let mut c = device.zeros::<bf16>([4096, 4096])?;
    report.add(pytorch.compare(device, "gelu(a b + bias) of bf16, 4096³", "layer", (20, 1.0), || {
        Ok(layer(&a, &b, &bias, &mut c).launch((16, 32), 256)?)
    })?);
    let sums = (matmul(&a, &b).cast::<f32>() + bias.cast::<f32>()).collect()?;
    let expected = (&sums * 0.5) * (((&sums * &sums * &sums * 0.044_715 + &sums) * 0.797_884_6).tanh() + 1.0);
    check((expected - c.cast::<f32>()).abs().max()? <= 3.0, "an element of a layer")
}
