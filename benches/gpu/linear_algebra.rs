//! Products of matrices, decompositions and Fourier transforms by NVIDIA's libraries, against CuPy, which calls the same libraries.

use std::process::ExitCode;

use gpu_benches::peer::Peer;
use gpu_benches::report::Report;
use gpu_benches::{Result, by_hand::Cuda, check, gpu_benchmark};
use gpu_runtime::prelude::*;
use half::bf16;
use num_complex::Complex;

fn main() -> ExitCode {
    gpu_benchmark("linear_algebra", run)
}

fn run(device: &Device, _: &Cuda, report: &mut Report) -> Result<()> {
    let mut bench = Bench { device, report, cupy: Peer::measure("CuPy", include_str!("linear_algebra.py"))? };
    bench.products()?;
    bench.transforms()?;
    bench.decompositions()
}

struct Bench<'b> {
    device: &'b Device,
    report: &'b mut Report,
    cupy: Peer,
}

impl Bench<'_> {
    /// Times `call` against CuPy: our time is at most `bar` times CuPy's.
    fn against_cupy(&mut self, case: &str, name: &str, times: (u32, f64), call: impl FnMut() -> Result<()>) -> Result<()> {
        self.report.add(self.cupy.compare(self.device, case, name, times, call)?);
        Ok(())
    }

    fn products(&mut self) -> Result<()> {
        let device = self.device;
        // Small whole numbers, whose products are exact in any order of additions.
        let numbers = |n: usize, seed: usize| ((iota([n, n]) + seed) * 7919 % 5).cast::<f32>().on(device).collect();
        for n in [4096, 1024] {
            let (a, b): (DeviceArray<f32>, DeviceArray<f32>) = (numbers(n, 1)?, numbers(n, 2)?);
            let mut c = a.matmul(&b)?;
            self.against_cupy(&format!("matmul of f32, {n}³"), &format!("matmul_f32_{n}"), (20, 1.0 / 0.98), || {
                c = a.matmul(&b)?;
                Ok(())
            })?;
            let expected = a.view().index_axis(0, 3).dot(b.view().index_axis(1, 5))?;
            check(c.view().index_axis(0, 3).index_axis(0, 5).to_host()? == [expected], "an element of a product")?;
        }
        let (a, b): (DeviceArray<bf16>, DeviceArray<bf16>) =
            (numbers(4096, 1)?.cast::<bf16>().collect()?, numbers(4096, 2)?.cast::<bf16>().collect()?);
        let mut c = a.matmul(&b)?;
        self.against_cupy("matmul of bf16, 4096³ (PyTorch)", "matmul_bf16_4096", (50, 1.0 / 0.98), || {
            c = a.matmul(&b)?;
            Ok(())
        })?;
        let x: DeviceArray<f32> = (iota([64, 256, 256]) % 5).cast::<f32>().on(device).collect()?;
        let mut c = x.matmul(x.view().swap_axes(1, 2))?;
        self.against_cupy("matmul of f32, 64 × 256³, one transposed", "matmul_batch", (20, 1.0 / 0.98), || {
            c = x.matmul(x.view().swap_axes(1, 2))?;
            Ok(())
        })
    }

    fn transforms(&mut self) -> Result<()> {
        for (name, shape) in [("fft_1m", [1, 1 << 20]), ("fft_batch", [65_536, 1024])] {
            let host: Vec<Complex<f32>> = (0..shape[0] * shape[1]).map(|i| Complex::new((i % 7) as f32, (i % 3) as f32)).collect();
            let x = self.device.to_device(&host)?.reshape(shape)?;
            let mut spectrum = x.fft()?;
            self.against_cupy(&format!("fft of {} × {} complex f32", shape[0], shape[1]), name, (50, 1.0 / 0.98), || {
                spectrum = x.fft()?;
                Ok(())
            })?;
            let sum: Complex<f32> = host[..shape[1]].iter().sum();
            check((spectrum.slice(..1).to_host()?[0] - sum).norm() < 1e-3 * sum.norm(), "a transform")?;
        }
        let x: DeviceArray<f32> = (iota([65_536, 1024]) % 7).cast::<f32>().on(self.device).collect()?;
        let mut spectrum = x.rfft()?;
        self.against_cupy("rfft of 65536 × 1024 f32", "rfft_batch", (50, 1.0 / 0.98), || {
            spectrum = x.rfft()?;
            Ok(())
        })
    }

    fn decompositions(&mut self) -> Result<()> {
        let n = 1000;
        let a: DeviceArray<f64> = self.device.random(1).uniform([n, n])?;
        let a = (a + self.device.eye::<f64>(n)? * 100.0).collect()?;
        let b: DeviceArray<f64> = self.device.random(2).uniform(n)?;
        let mut x = a.solve(&b)?;
        self.against_cupy("solve of 1000² f64", "solve", (5, 1.02), || {
            x = a.solve(&b)?;
            Ok(())
        })?;
        check((a.matmul(&x)? - &b).abs().max()? < 1e-9, "a solution")?;
        let symmetric = (&a + a.view().t()).collect()?;
        self.against_cupy("eigh of 1000² f64", "eigh", (3, 1.02), || {
            symmetric.eigh()?;
            Ok(())
        })?;
        self.against_cupy("svd of 1000² f64", "svd", (1, 1.02), || {
            a.svd()?;
            Ok(())
        })?;
        self.against_cupy("qr of 1000² f64", "qr", (3, 1.02), || {
            a.qr()?;
            Ok(())
        })
    }
}
