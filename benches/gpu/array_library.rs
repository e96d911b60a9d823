//! Functions of the array library against the best library for each: CUB, which nvcc compiles first, and CuPy.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use gpu_benches::measure::{Sample, alternate, seconds_per_call};
use gpu_benches::peer::Peer;
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, by_hand::Cuda, check, gpu_benchmark};
use gpu_runtime::functions::add;
use gpu_runtime::prelude::*;

const CALLS: u32 = 10;
/// Elements of the large arrays: 512 MiB of `f32`.
const LARGE: usize = 1 << 27;

fn main() -> ExitCode {
    gpu_benchmark("array_library", run)
}

fn run(device: &Device, _: &Cuda, report: &mut Report) -> Result<()> {
    let mut bench = Bench { device, report, cub: Cub::compile()?, cupy: Peer::measure("CuPy", include_str!("array_library.py"))? };
    bench.transposes()?;
    bench.scans()?;
    bench.sums()?;
    bench.sorts()?;
    bench.updates()?;
    bench.selections()
}

/// A reference: which work of `array_library.cu`, and what it is called.
type Reference = (i32, &'static str);
const COPY: Reference = (0, "a copy");
const SCAN: Reference = (1, "CUB DeviceScan");
const HISTOGRAM: Reference = (2, "CUB DeviceHistogram");
const SORT_PAIRS: Reference = (3, "CUB DeviceRadixSort");
const SORT_KEYS: Reference = (4, "CUB DeviceRadixSort");
const SUM: Reference = (5, "CUB DeviceReduce of the array");

struct Bench<'b> {
    device: &'b Device,
    report: &'b mut Report,
    cub: Cub,
    cupy: Peer,
}

impl Bench<'_> {
    /// Times `call` against CUB: our speed is at least `bar` times CUB's.
    fn against_cub(&mut self, case: &str, (which, name): Reference, bar: f64, mut call: impl FnMut() -> Result<()>) -> Result<()> {
        let (device, cub) = (self.device, &self.cub);
        let (ours, reference) =
            alternate(|| seconds_per_call(CALLS, &mut call, || Ok(device.synchronize()?)), || Ok(cub.seconds(which, CALLS)))?;
        let speed = |seconds: f64| 1e-3 / seconds;
        self.add(case, "calls/ms", Better::More, ours.map(speed), (name, reference.map(speed)), bar);
        Ok(())
    }

    /// Times `call` against CuPy: our time is at most `bar` times CuPy's.
    fn against_cupy(&mut self, case: &str, name: &str, bar: f64, call: impl FnMut() -> Result<()>) -> Result<()> {
        self.report.add(self.cupy.compare(self.device, case, name, (CALLS, bar), call)?);
        Ok(())
    }

    fn add(&mut self, case: &str, unit: &'static str, better: Better, ours: Sample, reference: (&'static str, Sample), bar: f64) {
        let target = Some(Target::Ratio(bar));
        self.report.add(Figure { case: case.to_owned(), unit, better, ours, reference, limit: None, target });
    }

    fn transposes(&mut self) -> Result<()> {
        for [rows, columns] in [[16_384, 8192], [8192, 16_384], [4 << 20, 32], [32, 4 << 20]] {
            let x: DeviceArray<u32> = iota([rows, columns]).cast::<u32>().on(self.device).collect()?;
            let mut out = self.device.zeros::<u32>(LARGE)?.reshape([columns, rows])?;
            self.against_cub(&format!("transpose of {rows} × {columns}"), COPY, 0.8, || Ok(lazy(x.view().t()).collect_into(&mut out)?))?;
            let expected = out.view().t().eq(&x).all()?;
            check(expected, "a transpose")?;
            let back: DeviceArray<u32> = lazy(x.view().t()).collect()?;
            let (host, found) = (x.slice(..100).to_host()?, back.to_host()?);
            check((0..100.min(columns)).all(|i| found[i * rows] == host[i]), "elements of a transpose")?;
        }
        Ok(())
    }

    fn scans(&mut self) -> Result<()> {
        let host: Vec<f32> = (0..100_000_000).map(|i| (i % 65) as f32 - 32.0).collect();
        let x = self.device.to_device(&host)?;
        let mut out = x.cumsum()?;
        self.against_cub("cumsum, 100 M f32", SCAN, 0.95, || {
            out = x.cumsum()?;
            Ok(())
        })?;
        let mut sum = 0.0;
        let expected = host.iter().map(|x| {
            sum += x;
            sum
        });
        check(out.to_host()?.into_iter().eq(expected), "a running sum")?;

        let host: Vec<f32> = (0..100_000_000usize).map(|i| (i * 7919 % 65_536) as f32 / 65_536.0).collect();
        let x = self.device.to_device(&host)?;
        let mut counts = x.histogram(256, 0.0..=1.0)?;
        self.against_cub("histogram, 256 bins, 100 M f32", HISTOGRAM, 0.9, || {
            counts = x.histogram(256, 0.0..=1.0)?;
            Ok(())
        })?;
        let mut expected = vec![0u64; 256];
        host.iter().for_each(|x| expected[(x * 256.0) as usize] += 1);
        check(counts.to_host()? == expected, "a histogram")
    }

    fn sums(&mut self) -> Result<()> {
        let [rows, columns] = [16_384, 8192];
        let x: DeviceArray<f32> = (iota([rows, columns]) % 7).cast::<f32>().on(self.device).collect()?;
        let w: DeviceArray<f32> = (iota([columns]) % 3).cast::<f32>().on(self.device).collect()?;
        let mut out = (&x * &w).sum_axis(1)?;
        self.against_cub("(x * w).sum_axis(1), 16384 × 8192", SUM, 0.9, || {
            out = (&x * &w).sum_axis(1)?;
            Ok(())
        })?;
        let sum = |row: usize| (0..columns).map(|i| ((row * columns + i) % 7 * (i % 3)) as f32).sum::<f32>();
        let found = out.to_host()?;
        check((0..rows).step_by(1000).all(|row| found[row] == sum(row)), "sums of rows")
    }

    fn sorts(&mut self) -> Result<()> {
        let host: Vec<u32> = (0..1 << 24).map(scrambled).collect();
        let values: DeviceArray<u32> = iota(host.len()).cast::<u32>().on(self.device).collect()?;
        let keys = self.device.to_device(&host)?;
        let mut sorted = keys.sort_with(&values)?;
        self.against_cub("sort of 16 M u32 pairs", SORT_PAIRS, 0.5, || {
            sorted = keys.sort_with(&values)?;
            Ok(())
        })?;
        let mut expected: Vec<u64> = host.iter().zip(0u64..).map(|(key, i)| u64::from(*key) << 32 | i).collect();
        expected.sort_unstable();
        let (found, order) = (sorted.0.to_host()?, sorted.1.to_host()?);
        let pairs = found.iter().zip(&order).map(|(key, i)| u64::from(*key) << 32 | u64::from(*i));
        check(pairs.eq(expected.iter().copied()), "a sort of pairs")?;
        let mut alone = keys.sort()?;
        self.against_cub("sort of 16 M u32", SORT_KEYS, 0.5, || {
            alone = keys.sort()?;
            Ok(())
        })?;
        check(alone.to_host()? == found, "a sort")?;
        let floats: DeviceArray<f32> = keys.cast::<f32>().collect()?;
        let mut order = floats.argsort()?;
        self.against_cub("argsort of 16 M f32", SORT_PAIRS, 0.4, || {
            order = floats.argsort()?;
            Ok(())
        })?;
        let host = floats.to_host()?;
        let order = order.to_host()?;
        check(order.windows(2).all(|pair| (host[pair[0]], pair[0]) < (host[pair[1]], pair[1])), "an argsort")
    }

    fn updates(&mut self) -> Result<()> {
        let keys: DeviceArray<i64> = ((iota([4_000_000]) * 7919) % 100).cast::<i64>().on(self.device).collect()?;
        let ones = self.device.full(4_000_000, 1.0f64)?;
        let mut sums = self.device.zeros::<f64>(100)?;
        self.against_cupy("add::at, 4 M f64, 100 keys", "scatter_add_float64", 0.5, || Ok(add::at(&mut sums, &keys, &ones)?))?;
        check(same(&sums.to_host()?), "sums of f64")?;
        let ones = self.device.full(4_000_000, 1.0f32)?;
        let mut sums = self.device.zeros::<f32>(100)?;
        self.against_cupy("add::at, 4 M f32, 100 keys", "scatter_add_float32", 0.5, || Ok(add::at(&mut sums, &keys, &ones)?))?;
        check(same(&sums.to_host()?), "sums of f32")
    }

    fn selections(&mut self) -> Result<()> {
        let numbers = |len: usize| -> Result<DeviceArray<f32>> {
            let host: Vec<f32> = (0..len as u32).map(|i| (scrambled(i) >> 8) as f32 / (1 << 24) as f32).collect();
            Ok(self.device.to_device(&host)?)
        };
        let (large, x) = (numbers(LARGE)?, numbers(1 << 24)?);
        let mask = large.lt(0.5).collect()?;
        let mut kept = large.filter(&mask)?;
        self.against_cupy("filter of 134 M f32", "filter", 0.5, || {
            kept = large.filter(&mask)?;
            Ok(())
        })?;
        let host = large.to_host()?;
        check(kept.to_host()?.into_iter().eq(host.iter().copied().filter(|x| *x < 0.5)), "a filter")?;

        let at: Vec<u32> = (0..1 << 24).map(|i| scrambled(i) % (1 << 24)).collect();
        let on_device = self.device.to_device(&at)?;
        let mut taken = x.take(&on_device)?;
        self.against_cupy("take of 16 M f32", "take", 1.0, || {
            taken = x.take(&on_device)?;
            Ok(())
        })?;
        let mut host = x.to_host()?;
        check(taken.to_host()?.into_iter().eq(at.iter().map(|&i| host[i as usize])), "a take")?;

        let mut quantile = 0.0;
        self.against_cupy("quantile of 16 M f32", "quantile", 1.0, || {
            quantile = x.quantile(0.3)?;
            Ok(())
        })?;
        host.sort_by(f32::total_cmp);
        let place = 0.3 * ((1 << 24) - 1) as f64;
        let (low, high) = (host[place as usize], host[place as usize + 1]);
        check(quantile == low + (high - low) * place.fract() as f32, "a quantile")
    }
}

/// The numbers of the benchmark in CUDA C++: `array_library.cu`.
fn scrambled(i: u32) -> u32 {
    let i = (i ^ i >> 16).wrapping_mul(0x7feb_352d);
    let i = (i ^ i >> 15).wrapping_mul(0x846c_a68b);
    i ^ i >> 16
}

/// Whether all numbers are the same, and not zero.
fn same<T: PartialEq + Default>(numbers: &[T]) -> bool {
    numbers[0] != T::default() && numbers.iter().all(|number| *number == numbers[0])
}

/// The functions of `array_library.cu`.
struct Cub(libloading::Library);

impl Cub {
    fn compile() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("gpu-benches-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let (source, library) = (folder.join("array_library.cu"), folder.join("array_library.so"));
        std::fs::write(&source, include_str!("array_library.cu"))?;
        let mut nvcc = Command::new(nvcc());
        nvcc.args(["-O3", "-arch=native", "-std=c++17", "-shared", "-Xcompiler", "-fPIC", "-o"]);
        let status = nvcc.args([&library, &source]).status().map_err(|error| format!("nvcc, which compiles CUB: {error}"))?;
        check(status.success(), "nvcc")?;
        // SAFETY: initializers of CUDA's runtime and of CUB only.
        Ok(Self(unsafe { libloading::Library::new(library)? }))
    }

    fn seconds(&self, which: i32, calls: u32) -> f64 {
        // SAFETY: the source declares it with this type.
        unsafe {
            let function: libloading::Symbol<'_, unsafe extern "C" fn(i32, i32) -> f64> =
                self.0.get(b"reference_seconds\0").expect("the library has the function");
            function(which, calls as i32)
        }
    }
}

fn nvcc() -> PathBuf {
    let folder = ["CUDA_HOME", "CUDA_PATH"].into_iter().find_map(std::env::var_os).map_or("/usr/local/cuda".into(), PathBuf::from);
    let path = folder.join("bin/nvcc");
    if path.exists() { path } else { "nvcc".into() }
}
