//! Programs of public collections of CUDA benchmarks, written as somebody new to the crate would, without a thought of the code that
//! comes out, against the same algorithms in CUDA C with `int` indices: what programs cost that nobody tuned.

pub(crate) mod alignment;
mod all_paths;
pub(crate) mod automaton;
pub(crate) mod binomial;
mod bitonic;
pub(crate) mod blur;
pub(crate) mod convolution;
pub(crate) mod dilated_convolution;
mod edges;
pub(crate) mod epistasis;
mod fft;
pub(crate) mod finite_differences;
mod hotspot;
pub(crate) mod independent_set;
pub(crate) mod ising;
pub(crate) mod k_means;
pub(crate) mod lattice;
mod life;
mod lu;
pub(crate) mod n_body;
pub(crate) mod nearest;
pub(crate) mod padded_rows;
mod pathfinder;
pub(crate) mod patterns;
mod queens;
pub(crate) mod relax;
pub(crate) mod segments;
mod sha256;
pub(crate) mod sobol;
pub(crate) mod softmax;
pub(crate) mod spmm;
pub(crate) mod tridiagonal;
pub(crate) mod twister;

use std::process::ExitCode;

use gpu_benches::beside::{ByHand, Gpu};
use gpu_benches::report::Report;
use gpu_benches::{Result, gpu_benchmark};

/// No program takes more than this many times what CUDA C takes, and all together this many, as a geometric mean.
const WORST: f64 = 1.10;
const MEAN: f64 = 1.02;

fn main() -> ExitCode {
    gpu_benchmark("public", |device, cuda, report| {
        let mut programs = Programs { gpu: Gpu { device, cuda }, report, logarithms: Vec::new() };
        edges::run(&mut programs)?;
        relax::run(&mut programs)?;
        hotspot::run(&mut programs)?;
        patterns::run(&mut programs)?;
        queens::run(&mut programs)?;
        spmm::run(&mut programs)?;
        convolution::run(&mut programs)?;
        sobol::run(&mut programs)?;
        ising::run(&mut programs)?;
        epistasis::run(&mut programs)?;
        bitonic::run(&mut programs)?;
        fft::run(&mut programs)?;
        nearest::run(&mut programs)?;
        sha256::run(&mut programs)?;
        lu::run(&mut programs)?;
        tridiagonal::run(&mut programs)?;
        binomial::run(&mut programs)?;
        automaton::run(&mut programs)?;
        lattice::run(&mut programs)?;
        life::run(&mut programs)?;
        twister::run(&mut programs)?;
        finite_differences::run(&mut programs)?;
        pathfinder::run(&mut programs)?;
        all_paths::run(&mut programs)?;
        k_means::run(&mut programs)?;
        dilated_convolution::run(&mut programs)?;
        alignment::run(&mut programs)?;
        blur::run(&mut programs)?;
        n_body::run(&mut programs)?;
        padded_rows::run(&mut programs)?;
        segments::run(&mut programs)?;
        softmax::run(&mut programs)?;
        independent_set::run(&mut programs)?; // takes longest
        let mean = programs.logarithms.iter().sum::<f64>() / programs.logarithms.len() as f64;
        eprintln!("geometric mean of {} ratios: {:.3}, wanted at most {MEAN}", programs.logarithms.len(), mean.exp());
        Ok(())
    })
}

/// Where each program runs, and what all of them have taken.
pub(crate) struct Programs<'a> {
    gpu: Gpu<'a>,
    report: &'a mut Report,
    logarithms: Vec<f64>,
}

impl Programs<'_> {
    /// Times `calls` launches of ours against as many by hand.
    fn compare(&mut self, case: &str, calls: u32, ours: impl FnMut() -> gpu_runtime::Result<()>, by_hand: &mut ByHand) -> Result<()> {
        self.compare_all(case, calls, ours, std::slice::from_mut(by_hand))
    }

    /// The same for several launches in a row.
    fn compare_all(
        &mut self,
        case: &str,
        calls: u32,
        mut ours: impl FnMut() -> gpu_runtime::Result<()>,
        by_hand: &mut [ByHand],
    ) -> Result<()> {
        let gpu = &self.gpu;
        let figure =
            gpu.compare(case, calls, 1.0 / WORST, || Ok(ours()?), || by_hand.iter_mut().try_for_each(|kernel| gpu.launch(kernel)))?;
        self.logarithms.push(figure.ratio().ln());
        self.report.add(figure);
        Ok(())
    }
}

/// Whether all pairs agree to a relative error of `tolerance`.
fn all_close(found: &[f32], expected: &[f32], tolerance: f32) -> bool {
    found.len() == expected.len() && found.iter().zip(expected).all(|(f, e)| (f - e).abs() <= tolerance * e.abs().max(1.0))
}
