//! Products of matrices of `bf16` by kernels with tiles, as the book writes them, against cuBLAS, which `matmul` calls; and a layer, with what
//! follows the product in the same kernel, against PyTorch.

use std::process::ExitCode;

use gpu_benches::measure::{alternate, seconds_per_call};
use gpu_benches::peer::Peer;
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, by_hand::Cuda, check, gpu_benchmark};
use gpu_runtime::prelude::*;
use gpu_runtime::{Element, Precision, Shape};
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

/// Products of `bf16` whose tiles have other sizes, and whose steps in shared memory are fewer: what makes the one above fast.
macro_rules! rungs {
    ($($name:ident, $block:literal, $stages:literal, [$rows:literal, $depth:literal, $columns:literal];)*) => {$(
        #[gpu_kernel(block = $block, stages = $stages)]
        fn $name(a: View<bf16, 2>, b: View<bf16, 2>, c: ViewMut<bf16, 2>) {
            let (i, j) = (block_idx().y, block_idx().x);
            let mut sum = Tile::<f32, $rows, $columns>::zeros();
            for k in 0..a.tiles(1, $depth) {
                sum += a.tile::<$rows, $depth>(i, k).dot(b.tile::<$depth, $columns>(k, j));
            }
            c.tile_mut(i, j).store(sum.cast::<bf16>());
        }
    )*};
}
rungs! {
    of_few_threads, 64, 4, [64, 64, 64];
    of_one_stage, 256, 1, [128, 64, 128];
    of_two_stages, 256, 2, [128, 64, 128];
    of_four_stages, 256, 4, [128, 64, 128];
    of_large_tiles_in_two_stages, 256, 2, [128, 64, 256];
    of_large_tiles_in_three_stages, 256, 3, [128, 64, 256];
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

#[gpu_kernel(block = 256)]
fn product_in_tf32(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 256, 128>::zeros();
    for k in 0..a.tiles(1, 32) {
        sum += a.tile::<256, 32>(i, k).dot_tf32(b.tile::<32, 128>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

/// `a bᵀ`
#[gpu_kernel(block = 256)]
fn product_of_transposed_in_tf32(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 128, 256>::zeros();
    for k in 0..a.tiles(1, 32) {
        sum += a.tile::<128, 32>(i, k).dot_tf32(b.tile::<256, 32>(j, k).transpose());
    }
    c.tile_mut(i, j).store(sum);
}

#[gpu_kernel(block = 256)]
fn product_of_integers(a: View<i8, 2>, b: View<i8, 2>, c: ViewMut<i32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<i32, 128, 256>::zeros();
    for k in 0..a.tiles(1, 128) {
        sum += a.tile::<128, 128>(i, k).dot(b.tile::<128, 256>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

/// `a bᵀ`
#[gpu_kernel(block = 256)]
fn product_of_transposed_integers(a: View<i8, 2>, b: View<i8, 2>, c: ViewMut<i32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<i32, 128, 256>::zeros();
    for k in 0..a.tiles(1, 128) {
        sum += a.tile::<128, 128>(i, k).dot(b.tile::<256, 128>(j, k).transpose());
    }
    c.tile_mut(i, j).store(sum);
}

#[gpu_device]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh())
}

#[vectorize]
fn gelus(x: f32) -> f32 {
    gelu(x)
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
    let squares = [(2048, 2048, 2048, 0.85), (4096, 4096, 4096, 0.9), (8192, 8192, 8192, 0.9)];
    for (rows, columns, inner, bar) in squares.into_iter().chain([(8192, 8192, 512, 0.85), (8192, 3072, 768, 0.85)]) {
        let (a, b) = (numbers(device, 1, [rows, inner])?, numbers(device, 2, [inner, columns])?);
        let mut c = device.zeros::<bf16>([rows, columns])?;
        let grid = (columns.div_ceil(256), rows.div_ceil(128));
        let case = Case { name: format!("bf16, {rows} × {columns} × {inner}"), bar: Some(bar), products: rows * columns * inner };
        let by_library = case.compare(device, report, || Ok(product(&a, &b, &mut c).launch(grid, 256)?), || Ok(a.matmul(&b)?))?;
        check_difference(c.cast::<f32>() - by_library.cast::<f32>(), 0.04, inner)?;
    }
    ladder(device, report)?;
    let (a, b) = (numbers(device, 1, [16, 1024, 1024])?, numbers(device, 2, [16, 1024, 1024])?);
    let mut c = device.zeros::<bf16>([16, 1024, 1024])?;
    let case = Case { name: "bf16, 16 of 1024³".into(), bar: Some(0.85), products: 1 << 34 };
    let by_library = case.compare(device, report, || Ok(products(&a, &b, &mut c).launch((4, 8, 16), 256)?), || Ok(a.matmul(&b)?))?;
    check_difference(c.cast::<f32>() - by_library.cast::<f32>(), 0.04, 1024)?;
    in_tf32(device, report)?;
    let pytorch = Peer::measure("PyTorch", include_str!("tiles.py"))?;
    of_integers(device, &pytorch, report)?;
    layers(device, &pytorch, report)
}

fn in_tf32(device: &Device, report: &mut Report) -> Result<()> {
    let normal = |seed| -> Result<DeviceArray<f32>> { Ok(device.random(seed).normal([4096, 4096])?) };
    let (a, b) = (normal(1)?, normal(2)?);
    let mut c = device.zeros::<f32>([4096, 4096])?;
    let tf32 = Precision::Tf32;
    let case = Case { name: "TF32, 4096³".into(), bar: Some(0.9), products: 1 << 36 };
    let by_library =
        case.compare(device, report, || Ok(product_in_tf32(&a, &b, &mut c).launch((32, 16), 256)?), || Ok(a.matmul_with(&b, tf32)?))?;
    check_difference(&c - &by_library, 0.01, 4096)?;
    let case = Case { name: "TF32, 4096³, the second transposed".into(), bar: Some(0.9), products: 1 << 36 };
    let by_library = case.compare(
        device,
        report,
        || Ok(product_of_transposed_in_tf32(&a, &b, &mut c).launch((16, 32), 256)?),
        || Ok(a.matmul_with(b.view().t(), tf32)?),
    )?;
    check_difference(&c - &by_library, 0.01, 4096)
}

fn of_integers(device: &Device, pytorch: &Peer, report: &mut Report) -> Result<()> {
    let small = |seed| -> Result<DeviceArray<i8>> {
        let uniform: DeviceArray<f32> = device.random(seed).uniform([4096, 4096])?;
        Ok((uniform * 255.0 - 127.5).cast::<i8>().collect()?)
    };
    let (a, b) = (small(1)?, small(2)?);
    let mut c = device.zeros::<i32>([4096, 4096])?;
    report.add(pytorch.compare(device, "i8, 4096³", "integers_plain", (20, 1.0 / 0.85), || {
        Ok(product_of_integers(&a, &b, &mut c).launch((16, 32), 256)?)
    })?);
    // The sums of f32 are exact to some 2⁻¹³ of the largest.
    let expected = matmul(a.cast::<f32>(), b.cast::<f32>()).collect()?;
    check_difference(c.cast::<f32>() - expected, 1.0, 4096)?;
    report.add(pytorch.compare(device, "i8, 4096³, the second transposed", "integers", (20, 1.0 / 0.85), || {
        Ok(product_of_transposed_integers(&a, &b, &mut c).launch((16, 32), 256)?)
    })?);
    let expected = matmul(a.cast::<f32>(), b.view().t().cast::<f32>()).collect()?;
    check_difference(c.cast::<f32>() - expected, 1.0, 4096)
}

/// The steps from a plain product to a fast one, without a bar.
fn ladder(device: &Device, report: &mut Report) -> Result<()> {
    let (a, b) = (numbers(device, 1, [4096, 4096])?, numbers(device, 2, [4096, 4096])?);
    let mut c = device.zeros::<bf16>([4096, 4096])?;
    macro_rules! climb {
        ($($case:literal, $kernel:ident, $block:literal, [$rows:literal, $columns:literal];)*) => {$(
            let case = Case { name: $case.into(), bar: None, products: 1 << 36 };
            let launch = || Ok($kernel(&a, &b, &mut c).launch((4096 / $columns, 4096 / $rows), $block)?);
            let by_library = case.compare(device, report, launch, || Ok(a.matmul(&b)?))?;
            check_difference(c.cast::<f32>() - by_library.cast::<f32>(), 0.04, 4096)?;
        )*};
    }
    climb! {
        "64 × 64 by 64 threads, mma.sync, 4 steps", of_few_threads, 64, [64, 64];
        "128 × 128 by 256 threads, wgmma, 1 step", of_one_stage, 256, [128, 128];
        "128 × 128, 2 steps", of_two_stages, 256, [128, 128];
        "128 × 128, 4 steps", of_four_stages, 256, [128, 128];
        "128 × 256, 2 steps", of_large_tiles_in_two_stages, 256, [128, 256];
        "128 × 256, 3 steps", of_large_tiles_in_three_stages, 256, [128, 256];
    }
    Ok(())
}

/// What is multiplied decides how much power it takes, and so the clock.
fn numbers(device: &Device, seed: u64, shape: impl Into<Shape>) -> Result<DeviceArray<bf16>> {
    let normal: DeviceArray<f32> = device.random(seed).normal(shape)?;
    Ok(normal.cast::<bf16>().collect()?)
}

/// A product that is measured beside the library's.
struct Case {
    name: String,
    bar: Option<f64>,
    /// How many products of numbers it has.
    products: usize,
}

impl Case {
    /// The result of the library.
    fn compare<T: Element>(
        self,
        device: &Device,
        report: &mut Report,
        mut multiply: impl FnMut() -> Result<()>,
        mut by_library: impl FnMut() -> Result<DeviceArray<T>>,
    ) -> Result<DeviceArray<T>> {
        let operations = 2.0 * self.products as f64;
        let launches = ((1u64 << 41) as f64 / operations).clamp(5.0, 50.0) as u32;
        let mut result = by_library()?;
        let (ours, library) = alternate(
            || seconds_per_call(launches, &mut multiply, || Ok(device.synchronize()?)),
            || {
                let multiply = || {
                    result = by_library()?;
                    Ok(())
                };
                seconds_per_call(launches, multiply, || Ok(device.synchronize()?))
            },
        )?;
        report.add(Figure {
            case: self.name,
            unit: "TFLOP/s",
            better: Better::More,
            ours: ours.map(|seconds| operations / seconds / 1e12),
            reference: ("cuBLAS", library.map(|seconds| operations / seconds / 1e12)),
            limit: None,
            target: self.bar.map(Target::Ratio),
        });
        Ok(result)
    }
}

/// Sums of so many products of normal numbers differ by at most `allowed`, for each of the numbers' standard deviation.
fn check_difference(difference: impl ArrayLike<Item = f32>, allowed: f32, inner: usize) -> Result<()> {
    check(difference.lazy().abs().max()? <= allowed * (inner as f32).sqrt(), "an element of a product")
}

fn layers(device: &Device, pytorch: &Peer, report: &mut Report) -> Result<()> {
    let (a, b, bias) = (numbers(device, 1, [4096, 4096])?, numbers(device, 2, [4096, 4096])?, numbers(device, 3, 4096)?);
    let mut c = device.zeros::<bf16>([4096, 4096])?;
    report.add(pytorch.compare(device, "gelu(a b + bias) of bf16, 4096³", "layer", (20, 1.0), || {
        Ok(layer(&a, &b, &bias, &mut c).launch((16, 32), 256)?)
    })?);
    let of_columns = bias.cast::<f32>().collect()?;
    let by_library = || gelus::map(matmul(&a, &b).cast::<f32>() + &of_columns).cast::<bf16>();
    report.add(pytorch.compare(device, "the same by matmul and what follows", "layer", (20, 1.0), || {
        by_library().collect()?;
        Ok(())
    })?);
    let fused = by_library().collect()?;
    let product = matmul(&a, &b).collect()?;
    let with_residual = || (matmul(&a, &b).cast::<f32>() + product.cast::<f32>()).cast::<bf16>();
    report.add(pytorch.compare(device, "a b + c of bf16, 4096³", "residual", (20, 1.0), || {
        with_residual().collect()?;
        Ok(())
    })?);
    let difference = with_residual().cast::<f32>() - product.cast::<f32>() * 2.0;
    check(difference.abs().max()? <= 4.0, "an element of a sum")?;
    check((fused.cast::<f32>() - c.cast::<f32>()).abs().max()? <= 3.0, "an element of a layer by the library")?;
    let sums = (matmul(&a, &b).cast::<f32>() + bias.cast::<f32>()).collect()?;
    let expected = (&sums * 0.5) * (((&sums * &sums * &sums * 0.044_715 + &sums) * 0.797_884_6).tanh() + 1.0);
    check((expected - c.cast::<f32>()).abs().max()? <= 3.0, "an element of a layer")
}
