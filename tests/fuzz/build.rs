//! Writes the random kernels that the tests run.
//!
//! `GPU_FUZZ_SEED` and `GPU_FUZZ_PROGRAMS` choose others, and more.

#[path = "src/generate/mod.rs"]
mod generate;

use std::env;
use std::path::Path;

const SEED: &str = "GPU_FUZZ_SEED";
const PROGRAMS: &str = "GPU_FUZZ_PROGRAMS";

fn main() {
    println!("cargo::rerun-if-env-changed={SEED}");
    println!("cargo::rerun-if-env-changed={PROGRAMS}");
    println!("cargo::rerun-if-changed=src/generate");
    let number = |name: &str, default: u64| match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is a number, not `{text}`")),
        Err(_) => default,
    };
    let (seed, programs) = (number(SEED, 1), number(PROGRAMS, 60));
    let folder = env::var("OUT_DIR").expect("cargo names a folder");
    let generate::Programs { kernels, plain, cases } = generate::programs(seed, programs);
    for (name, text) in [("kernels.rs", kernels), ("plain.rs", plain), ("cases.rs", cases)] {
        std::fs::write(Path::new(&folder).join(name), text).expect("the folder can be written");
    }
}
