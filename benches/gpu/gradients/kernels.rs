//! The gradients of kernels: beside the kernel itself, and beside an adjoint by hand in CUDA C.

use gpu_benches::beside::{ByHand, Gpu, noise};
use gpu_benches::measure::{alternate, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

const BLOCK: usize = 256;

#[gpu_kernel(grad)]
fn rows(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = grid_1d();
    if row < y.len() {
        let mut sum = 0.0;
        for k in starts[row] as usize..starts[row + 1] as usize {
            sum += values[k] * x[columns[k] as usize];
        }
        y[row] = sum;
    }
}

#[gpu_kernel(grad)]
fn stencil(x: &[f32], y: &mut [f32]) {
    let i = grid_1d();
    if i < y.len() && i + 2 < x.len() {
        let value = 0.25 * x[i] + 0.5 * x[i + 1] + 0.25 * x[i + 2];
        y[i] = value * value;
    }
}

#[gpu_kernel(grad)]
fn bodies(x: &[f32], y: &[f32], fx: &mut [f32], fy: &mut [f32]) {
    let i = grid_1d();
    if i >= fx.len() || i >= fy.len() {
        return;
    }
    let (own_x, own_y) = (x[i], y[i]);
    let mut force_x = 0.0;
    let mut force_y = 0.0;
    for j in 0..x.len() {
        let dx = x[j] - own_x;
        let dy = y[j] - own_y;
        let r2 = dx * dx + dy * dy + 0.01;
        let scale = 1.0 / (r2 * r2.sqrt());
        force_x += dx * scale;
        force_y += dy * scale;
    }
    fx[i] = force_x;
    fy[i] = force_y;
}

pub(crate) fn run(gpu: &Gpu<'_>, report: &mut Report) -> Result<()> {
    sparse_rows(gpu, report)?;
    stencils(gpu, report)?;
    forces(gpu, report)
}

/// Times the gradient beside an adjoint by hand, at most 1 × its time, and beside the kernel, at most 3 ×.
fn add(
    gpu: &Gpu<'_>,
    report: &mut Report,
    case: &str,
    calls: u32,
    mut gradient: impl FnMut() -> Result<()>,
    by_hand: &mut ByHand,
    mut kernel: impl FnMut() -> Result<()>,
) -> Result<()> {
    report.add(gpu.compare(case, calls, 1.0, &mut gradient, || gpu.launch(by_hand))?);
    let wait = || Ok(gpu.device.synchronize()?);
    let (ours, of_kernel) = alternate(|| seconds_per_call(calls, &mut gradient, wait), || seconds_per_call(calls, &mut kernel, wait))?;
    let ms = |seconds: f64| seconds * 1e3;
    report.add(Figure {
        case: format!("{case}, and the kernel"),
        unit: "ms",
        better: Better::Less,
        ours: ours.map(ms),
        reference: ("the kernel", of_kernel.map(ms)),
        limit: None,
        target: Some(Target::Ratio(3.0)),
    });
    Ok(())
}

/// Both were added to as often, from zero.
fn check_sums(name: &str, ours: &DeviceArray<f32>, by_hand: &[f32], tolerance: f32) -> Result<()> {
    let ours = ours.to_host()?;
    let largest = by_hand.iter().fold(0.0f32, |largest, x| largest.max(x.abs()));
    check(largest > 0.0 && ours.iter().zip(by_hand).all(|(x, y)| (x - y).abs() <= tolerance * largest), name)
}

fn random_numbers(len: usize, seed: u64) -> Vec<f32> {
    let mut random = noise(seed);
    (0..len).map(|_| (random() % 1000) as f32 / 1000.0).collect()
}

fn sparse_rows(gpu: &Gpu<'_>, report: &mut Report) -> Result<()> {
    const ROWS: usize = 1 << 20;
    const REACH: u32 = 1000;
    let mut random = noise(4);
    let (mut host_starts, mut host_columns) = (vec![0u32], Vec::new());
    for row in 0..ROWS as u32 {
        let first = row.saturating_sub(REACH).min(ROWS as u32 - 2 * REACH);
        host_columns.extend((0..16 + random() % 33).map(|_| first + random() % (2 * REACH)));
        host_starts.push(host_columns.len() as u32);
    }
    let (host_values, host_x, host_d) = (random_numbers(host_columns.len(), 5), random_numbers(ROWS, 6), random_numbers(ROWS, 7));
    let (starts, columns) = (gpu.device.to_device(&host_starts)?, gpu.device.to_device(&host_columns)?);
    let (values, x, d_y) = (gpu.device.to_device(&host_values)?, gpu.device.to_device(&host_x)?, gpu.device.to_device(&host_d)?);
    let mut y = gpu.device.zeros::<f32>(ROWS)?;
    let (mut d_values, mut d_x) = (gpu.device.zeros::<f32>(host_values.len())?, gpu.device.zeros::<f32>(ROWS)?);

    let (hand_starts, hand_columns) = (gpu.cuda.upload(&host_starts)?, gpu.cuda.upload(&host_columns)?);
    let (hand_values, hand_x, hand_d) = (gpu.cuda.upload(&host_values)?, gpu.cuda.upload(&host_x)?, gpu.cuda.upload(&host_d)?);
    let (hand_d_values, hand_d_x) = (gpu.cuda.zeros::<f32>(host_values.len())?, gpu.cuda.zeros::<f32>(ROWS)?);
    let arrays = [
        hand_starts.address(),
        hand_columns.address(),
        hand_values.address(),
        hand_x.address(),
        hand_d.address(),
        hand_d_values.address(),
        hand_d_x.address(),
        ROWS as u64,
    ];
    let mut by_hand = gpu.by_hand(include_str!("kernels.cu"), "rows_adjoint", [(ROWS / BLOCK) as u32, 1], [BLOCK as u32, 1], &arrays)?;
    rows::grad(&starts, &columns, &values, &x, &d_y, &mut d_values, &mut d_x).launch(ROWS / BLOCK, BLOCK)?;
    gpu.launch(&mut by_hand)?;
    let mut result = vec![0.0; ROWS];
    gpu.cuda.synchronize()?;
    gpu.cuda.download(&hand_d_x, 0, &mut result)?;
    check_sums("the gradient of a sparse product by the vector", &d_x, &result, 1e-5)?;
    add(
        gpu,
        report,
        "sparse rows",
        20,
        || Ok(rows::grad(&starts, &columns, &values, &x, &d_y, &mut d_values, &mut d_x).launch(ROWS / BLOCK, BLOCK)?),
        &mut by_hand,
        || Ok(rows(&starts, &columns, &values, &x, &mut y).launch(ROWS / BLOCK, BLOCK)?),
    )
}

fn stencils(gpu: &Gpu<'_>, report: &mut Report) -> Result<()> {
    const LEN: usize = 64 << 20;
    let (host_x, host_d) = (random_numbers(LEN, 1), random_numbers(LEN, 2));
    let (x, d_y) = (gpu.device.to_device(&host_x)?, gpu.device.to_device(&host_d)?);
    let (mut y, mut d_x) = (gpu.device.zeros::<f32>(LEN)?, gpu.device.zeros::<f32>(LEN)?);
    let (hand_x, hand_d, hand_d_x) = (gpu.cuda.upload(&host_x)?, gpu.cuda.upload(&host_d)?, gpu.cuda.zeros::<f32>(LEN)?);
    let arrays = [hand_x.address(), hand_d.address(), hand_d_x.address(), LEN as u64];
    let mut by_hand = gpu.by_hand(include_str!("kernels.cu"), "stencil_adjoint", [(LEN / BLOCK) as u32, 1], [BLOCK as u32, 1], &arrays)?;
    stencil::grad(&x, &d_y, &mut d_x).launch(LEN / BLOCK, BLOCK)?;
    gpu.launch(&mut by_hand)?;
    let mut result = vec![0.0; LEN];
    gpu.cuda.synchronize()?;
    gpu.cuda.download(&hand_d_x, 0, &mut result)?;
    check_sums("the gradient of a stencil", &d_x, &result, 1e-5)?;
    add(
        gpu,
        report,
        "stencil of three points",
        20,
        || Ok(stencil::grad(&x, &d_y, &mut d_x).launch(LEN / BLOCK, BLOCK)?),
        &mut by_hand,
        || Ok(stencil(&x, &mut y).launch(LEN / BLOCK, BLOCK)?),
    )
}

fn forces(gpu: &Gpu<'_>, report: &mut Report) -> Result<()> {
    const LEN: usize = 1 << 15;
    let [host_x, host_y, host_dfx, host_dfy] = [1, 2, 3, 4].map(|seed| random_numbers(LEN, seed));
    let (x, y) = (gpu.device.to_device(&host_x)?, gpu.device.to_device(&host_y)?);
    let (d_fx, d_fy) = (gpu.device.to_device(&host_dfx)?, gpu.device.to_device(&host_dfy)?);
    let (mut fx, mut fy) = (gpu.device.zeros::<f32>(LEN)?, gpu.device.zeros::<f32>(LEN)?);
    let (mut d_x, mut d_y) = (gpu.device.zeros::<f32>(LEN)?, gpu.device.zeros::<f32>(LEN)?);
    let hand = [&host_x, &host_y, &host_dfx, &host_dfy].map(|array| gpu.cuda.upload(array));
    let [hand_x, hand_y, hand_dfx, hand_dfy] = hand;
    let (hand_d_x, hand_d_y) = (gpu.cuda.zeros::<f32>(LEN)?, gpu.cuda.zeros::<f32>(LEN)?);
    let arrays = [
        hand_x?.address(),
        hand_y?.address(),
        hand_dfx?.address(),
        hand_dfy?.address(),
        hand_d_x.address(),
        hand_d_y.address(),
        LEN as u64,
    ];
    let mut by_hand = gpu.by_hand(include_str!("kernels.cu"), "bodies_adjoint", [(LEN / BLOCK) as u32, 1], [BLOCK as u32, 1], &arrays)?;
    bodies::grad(&x, &y, &d_fx, &d_fy, &mut d_x, &mut d_y).launch(LEN / BLOCK, BLOCK)?;
    gpu.launch(&mut by_hand)?;
    let mut result = vec![0.0; LEN];
    gpu.cuda.synchronize()?;
    gpu.cuda.download(&hand_d_x, 0, &mut result)?;
    check_sums("the gradient of forces", &d_x, &result, 1e-3)?;
    add(
        gpu,
        report,
        "forces between 32,768 bodies",
        5,
        || Ok(bodies::grad(&x, &y, &d_fx, &d_fy, &mut d_x, &mut d_y).launch(LEN / BLOCK, BLOCK)?),
        &mut by_hand,
        || Ok(bodies(&x, &y, &mut fx, &mut fy).launch(LEN / BLOCK, BLOCK)?),
    )
}
