//! The `f32` and `f64` of literals in CUDA C.

#![allow(dead_code, clippy::excessive_precision, clippy::approx_constant, reason = "the kernels are read, not launched")]

use gpu_runtime::__private::literal;
use gpu_runtime::prelude::*;

macro_rules! literals {
    ($($value:literal)*) => {
        #[gpu_kernel]
        fn single(out: &mut [f32]) {
            $(out[0] = $value;)*
        }

        #[gpu_kernel]
        fn double(out: &mut [f64]) {
            $(out[0] = $value;)*
        }

        const SINGLE: &[f32] = &[$($value),*];
        const DOUBLE: &[f64] = &[$($value),*];
    };
}

// Of the shortest digits of `7.038531e-26`, a compiler that reads them as a double first makes another `f32`.
literals!(0.1 0.5 1e30 1e-7 16777217.0 0.3333333333 7.038531e-26 3.4028235e38 1.1754944e-38 1e-45 1.17549429e-38 123456789.0 2.3283064e-10 1.00000017881393432617187499 8.5899346e9 0.000001 1e10 9007199254740993.0 6.0221e23 3.14159265358979);

#[test]
fn a_literal_is_written_as_a_constant_of_its_value() {
    let assigned = |source: String| -> Vec<String> {
        let values = source.lines().filter_map(|line| line.trim_start().strip_prefix("out[0ull] = "));
        values.map(|value| value.trim_end_matches(';').to_owned()).collect()
    };
    assert_eq!(assigned(single::cuda_source()), SINGLE.iter().map(|&value| literal(value)).collect::<Vec<_>>());
    assert_eq!(assigned(double::cuda_source()), DOUBLE.iter().map(|&value| literal(value)).collect::<Vec<_>>());
}
