//! Products of matrices and Fourier transforms on a GPU without cuBLAS and cuFFT: by our own kernels, against CuPy, which calls them.

use std::process::ExitCode;

use gpu_benches::peer::Peer;
use gpu_benches::report::Report;
use gpu_benches::{Result, by_hand::Cuda, check, gpu_benchmark};
use gpu_runtime::prelude::*;
use num_complex::Complex;

fn main() -> ExitCode {
    for library in ["GPU_RUNTIME_CUBLAS", "GPU_RUNTIME_CUFFT"] {
        // SAFETY: this is the only thread.
        unsafe { std::env::set_var(library, "/is/not/installed") };
    }
    gpu_benchmark("own_kernels", run)
}

fn run(device: &Device, _: &Cuda, report: &mut Report) -> Result<()> {
    let cupy = Peer::measure("CuPy", include_str!("linear_algebra.py"))?;
    // Small whole numbers, whose sums are exact in any order.
    let numbers = |shape: [usize; 3], seed: usize| ((iota(shape) + seed) * 7919 % 5).cast::<f32>().on(device).collect();
    for (work, [batch, n], bar) in
        [("matmul_f32_4096", [1, 4096], 1.25), ("matmul_f32_1024", [1, 1024], 1.25), ("matmul_batch", [64, 256], 1.25)]
    {
        let (a, b): (DeviceArray<f32>, DeviceArray<f32>) = (numbers([batch, n, n], 1)?, numbers([batch, n, n], 2)?);
        let mut c = a.matmul(&b)?;
        report.add(cupy.compare(device, &format!("matmul of f32, {batch} × {n}³"), work, (20, bar), || {
            c = a.matmul(&b)?;
            Ok(())
        })?);
        let row =
            |array: &DeviceArray<f32>| -> Result<Vec<f32>> { Ok(array.view().index_axis(0, batch - 1).index_axis(0, n - 1).to_host()?) };
        let (row_of_a, all_of_b) = (row(&a)?, b.view().index_axis(0, batch - 1).to_host()?);
        let element = |column: usize| -> f32 { row_of_a.iter().enumerate().map(|(k, x)| x * all_of_b[k * n + column]).sum() };
        check(row(&c)? == (0..n).map(element).collect::<Vec<_>>(), "a row of a product")?;
    }
    let shape = [65_536, 1024];
    let host: Vec<Complex<f32>> = (0..shape[0] * shape[1]).map(|i| Complex::new((i % 7) as f32, (i % 3) as f32)).collect();
    let x = device.to_device(&host)?.reshape(shape)?;
    let mut spectrum = x.fft()?;
    report.add(cupy.compare(device, "fft of 65536 × 1024 complex f32", "fft_batch", (50, 1.0 / 0.6), || {
        spectrum = x.fft()?;
        Ok(())
    })?);
    let furthest = spectrum.ifft()?.to_host()?.iter().zip(&host).map(|(x, y)| (x - y).norm()).fold(0.0, f32::max);
    check(furthest < 1e-4, "a transform and back")
}
