//! From the start of a process to its first checked result: ours against the same by hand on cudarc, with empty caches and
//! with warm ones.
//!
//! Both compile with NVRTC when the caches are empty. When they are warm, we load machine code from our cache, and the
//! program by hand runs NVRTC again, whose output the driver has in its own.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, io};

use gpu_benches::measure::{Sample, alternate, repeat, seconds};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, cpu_benchmark, without_gpu};

const OURS: &str = "startup_ours";
const BY_HAND: &str = "startup_by_hand";

fn main() -> ExitCode {
    // This process only asks whether there is a GPU: a context here would make those of the programs cheaper.
    match gpu_runtime::diagnostics().gpus {
        Ok(_) => cpu_benchmark("startup", run),
        Err(error) => without_gpu("startup", &error),
    }
}

fn run(report: &mut Report) -> Result<()> {
    let programs = Programs::find()?;
    let context = repeat(|| seconds(|| programs.run(BY_HAND, &["--context-only"]).map(drop)))?;
    let from_empty = |program| {
        programs.empty_caches()?;
        seconds(|| programs.run(program, &[]).map(drop))
    };
    add(report, "empty caches", alternate(|| from_empty(OURS), || from_empty(BY_HAND))?, context);

    let from_warm = |program| seconds(|| programs.run(program, &[]).map(drop));
    add(report, "warm caches", alternate(|| from_warm(OURS), || from_warm(BY_HAND))?, context);

    if !programs.run(OURS, &["--report"])?.contains("nvrtc_loaded=false") {
        return Err("a kernel from the cache loaded NVRTC".into());
    }
    programs.remove_caches();
    Ok(())
}

fn add(report: &mut Report, case: &str, (ours, by_hand): (Sample, Sample), context: Sample) {
    let milliseconds = |sample: Sample| sample.map(|seconds| seconds * 1e3);
    report.add(Figure {
        case: case.to_owned(),
        unit: "ms",
        better: Better::Less,
        ours: milliseconds(ours),
        reference: ("cudarc", milliseconds(by_hand)),
        limit: Some(("context", context.median * 1e3)),
        target: Some(Target::Ratio(1.1)),
    });
}

/// The programs to start, and the folder of the caches that they use.
struct Programs {
    folder: PathBuf,
    caches: PathBuf,
}

impl Programs {
    /// Looks beside this program, and one folder up, where cargo puts them.
    fn find() -> Result<Self> {
        let this = env::current_exe()?;
        let folder = this.ancestors().skip(1).take(2).find(|folder| program(folder, OURS).is_file() && program(folder, BY_HAND).is_file());
        let Some(folder) = folder else {
            return Err(format!("{OURS} and {BY_HAND} are not beside {}: build them first", this.display()).into());
        };
        let caches = env::temp_dir().join(format!("gpu-benches-startup-{}", std::process::id()));
        Ok(Self { folder: folder.to_path_buf(), caches })
    }

    /// Runs one to its end, and gives what it printed.
    fn run(&self, name: &str, arguments: &[&str]) -> Result<String> {
        let output = Command::new(program(&self.folder, name))
            .args(arguments)
            .env("GPU_RUNTIME_CACHE_DIR", self.caches.join("gpu-runtime"))
            .env("CUDA_CACHE_PATH", self.caches.join("driver"))
            .output()?;
        if !output.status.success() {
            return Err(format!("{name} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Forgets what we and the driver have compiled.
    fn empty_caches(&self) -> io::Result<()> {
        self.remove_caches();
        fs::create_dir_all(&self.caches)
    }

    /// Not being able to is no failure of the benchmark.
    fn remove_caches(&self) {
        let _ = fs::remove_dir_all(&self.caches);
    }
}

fn program(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{}", env::consts::EXE_SUFFIX))
}
