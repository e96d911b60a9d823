//! More type parameters than there can be.

use gpu_runtime::prelude::*;

#[gpu_device]
fn many<A: Num, B: Num, C: Num, D: Num, E: Num>(a: A, b: B, c: C, d: D, e: E) -> A {
    a
}

fn main() {}
