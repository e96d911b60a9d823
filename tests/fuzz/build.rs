//! Writes the random kernels that the tests run.
//!
//! `GPU_FUZZ_SEED`, `GPU_FUZZ_PROGRAMS`, `GPU_FUZZ_TILES` and `GPU_FUZZ_GRADIENTS` choose others, and more; the last two are how many there are
//! besides, with tiles and with a gradient.

#[path = "src/generate/mod.rs"]
mod generate;

use std::env;
use std::path::Path;

const SEED: &str = "GPU_FUZZ_SEED";
const PROGRAMS: &str = "GPU_FUZZ_PROGRAMS";
const TILES: &str = "GPU_FUZZ_TILES";
const GRADIENTS: &str = "GPU_FUZZ_GRADIENTS";

fn main() {
    for variable in [SEED, PROGRAMS, TILES, GRADIENTS] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rerun-if-changed=src/generate");
    let number = |name: &str, default: u64| match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is a number, not `{text}`")),
        Err(_) => default,
    };
    let (seed, programs, tiles, gradients) = (number(SEED, 1), number(PROGRAMS, 60), number(TILES, 20), number(GRADIENTS, 1));
    let folder = env::var("OUT_DIR").expect("cargo names a folder");
    let generate::Programs { kernels, plain, cases } = generate::programs(seed, programs, tiles, gradients);
    for (name, text) in [("kernels.rs", kernels), ("plain.rs", plain), ("cases.rs", cases)] {
        std::fs::write(Path::new(&folder).join(name), text).expect("the folder can be written");
    }
}
