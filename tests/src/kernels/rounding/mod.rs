//! Arithmetic that rounds in a chosen direction, against exact fractions.

mod reference;

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};
use reference::{ROWS_F32, ROWS_F64};

cases![results_are_rounded_in_every_direction, sums_of_zero_and_what_is_no_number_are_as_ever, sums_are_enclosed,];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Add,
    Sub,
    Mul,
    MulAdd,
    Div,
    Recip,
    Sqrt,
}

/// Kernels for one type. Each row of the results is nearest, up, down, to 0.
macro_rules! rounding {
    ($module:ident, $F:ident, $rows:ident) => {
        pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn sums(x: &[[$F; 3]], add: &mut [[$F; 4]], sub: &mut [[$F; 4]], mul: &mut [[$F; 4]]) {
                let i = grid_1d();
                if i < x.len() {
                    let [a, b, _] = x[i];
                    add[i] = [a.add_round_nearest(b), a.add_round_up(b), a.add_round_down(b), a.add_round_to_zero(b)];
                    sub[i] = [a.sub_round_nearest(b), a.sub_round_up(b), a.sub_round_down(b), a.sub_round_to_zero(b)];
                    mul[i] = [a.mul_round_nearest(b), a.mul_round_up(b), a.mul_round_down(b), a.mul_round_to_zero(b)];
                }
            }

            #[gpu_kernel]
            pub fn quotients(x: &[[$F; 3]], fused: &mut [[$F; 4]], div: &mut [[$F; 4]], recip: &mut [[$F; 4]], sqrt: &mut [[$F; 4]]) {
                let i = grid_1d();
                if i < x.len() {
                    let [a, b, c] = x[i];
                    fused[i] = [
                        a.mul_add_round_nearest(b, c),
                        a.mul_add_round_up(b, c),
                        a.mul_add_round_down(b, c),
                        a.mul_add_round_to_zero(b, c),
                    ];
                    div[i] = [a.div_round_nearest(b), a.div_round_up(b), a.div_round_down(b), a.div_round_to_zero(b)];
                    recip[i] = [a.recip_round_nearest(), a.recip_round_up(), a.recip_round_down(), $F::recip_round_to_zero(a)];
                    sqrt[i] = [a.sqrt_round_nearest(), a.sqrt_round_up(), a.sqrt_round_down(), a.sqrt_round_to_zero()];
                }
            }

            /// What each operation makes of `x`, in the order of [`Operation`].
            fn of(bench: &Bench, x: &Vec<[$F; 3]>) -> [Vec<[$F; 4]>; 7] {
                let zeros = vec![[0.0; 4]; x.len()];
                let [mut add, mut sub, mut mul, mut fused, mut div, mut recip, mut sqrt] = [(); 7].map(|()| zeros.clone());
                launch!(bench, sums(x, &mut add, &mut sub, &mut mul), 3, 32);
                launch!(bench, quotients(x, &mut fused, &mut div, &mut recip, &mut sqrt), 3, 32);
                [add, sub, mul, fused, div, recip, sqrt]
            }

            pub fn check_rows(bench: &Bench) {
                let x: Vec<[$F; 3]> = $rows.iter().map(|row| row.1.map(<$F>::from_bits)).collect();
                let results = of(bench, &x);
                for (i, (operation, operands, expected)) in $rows.iter().enumerate() {
                    let actual = results[*operation as usize][i].map(<$F>::to_bits);
                    assert_eq!(actual, *expected, "{operation:?} of {:?}: nearest, up, down, to 0", operands.map(<$F>::from_bits));
                }
            }

            pub fn check_special(bench: &Bench) {
                let (inf, nan) = (<$F>::INFINITY, <$F>::NAN);
                let x = vec![[1.0, -1.0, 1.0], [0.0, -0.0, 0.0], [-0.0, -0.0, -0.0], [inf, 2.0, -inf], [-1.0, 0.0, nan]];
                let [add, sub, mul, fused, div, recip, sqrt] = of(bench, &x);
                let below = [0.0, 0.0, -0.0, 0.0];
                let check = |actual: &[[$F; 4]], expected: [[$F; 4]; 5]| assert_same(actual.as_flattened(), expected.as_flattened());
                check(&add, [below, below, [-0.0; 4], [inf; 4], [-1.0; 4]]);
                check(&sub, [[2.0; 4], [0.0; 4], below, [inf; 4], [-1.0; 4]]);
                check(&mul, [[-1.0; 4], [-0.0; 4], [0.0; 4], [inf; 4], [-0.0; 4]]);
                check(&fused, [below, below, below, [nan; 4], [nan; 4]]);
                check(&div, [[-1.0; 4], [nan; 4], [nan; 4], [inf; 4], [-inf; 4]]);
                check(&recip, [[1.0; 4], [inf; 4], [-inf; 4], [0.0; 4], [-1.0; 4]]);
                check(&sqrt, [[1.0; 4], [0.0; 4], [-0.0; 4], [inf; 4], [nan; 4]]);
            }
        }
    };
}

rounding!(of_f32, f32, ROWS_F32);
rounding!(of_f64, f64, ROWS_F64);

fn results_are_rounded_in_every_direction(bench: &Bench) {
    of_f32::check_rows(bench);
    of_f64::check_rows(bench);
}

fn sums_of_zero_and_what_is_no_number_are_as_ever(bench: &Bench) {
    of_f32::check_special(bench);
    of_f64::check_special(bench);
}

macro_rules! enclosed_sum {
    ($name:ident: $T:ident) => {
        /// Bounds of the sum of the first `n` terms of 1 + 1/2² + 1/3² + ….
        #[gpu_device]
        pub fn $name(n: i32) -> ($T, $T) {
            let (mut low, mut high): ($T, $T) = (0.0, 0.0);
            for k in 1..=n {
                let k = k as $T;
                low = low.add_round_down(k.mul_round_up(k).recip_round_down());
                high = high.add_round_up(k.mul_round_down(k).recip_round_up());
            }
            (low, high)
        }
    };
}

enclosed_sum!(enclosed_in_single: f32);
enclosed_sum!(enclosed_in_double: f64);

#[gpu_kernel]
pub fn enclose(n: &[i32], single: &mut [[f32; 2]], double: &mut [[f64; 2]]) {
    let i = grid_1d();
    if i < n.len() {
        let (low, high) = enclosed_in_single(n[i]);
        single[i] = [low, high];
        let (low, high) = enclosed_in_double(n[i]);
        double[i] = [low, high];
    }
}

fn sums_are_enclosed(bench: &Bench) {
    let n = vec![1, 2, 100, 1000];
    let (mut single, mut double) = (vec![[0.0; 2]; 4], vec![[0.0; 2]; 4]);
    launch!(bench, enclose(&n, &mut single, &mut double), 1, 32);
    // The last two by mpmath, to the nearest `f64`.
    let expected = [1.0, 1.25, 1.634_983_900_184_893, 1.643_934_566_681_56];
    for (i, &sum) in expected.iter().enumerate() {
        let ([low, high], [lowest, highest]) = (single[i], double[i]);
        assert!(f64::from(low) <= sum && sum <= f64::from(high), "{low} to {high} do not enclose {sum}");
        assert!(lowest <= sum && sum <= highest, "{lowest} to {highest} do not enclose {sum}");
        // The terms of the first two are floats; the others are as far apart as rounding has moved them.
        let apart = (f64::from(high - low), highest - lowest);
        assert!(if i < 2 { apart == (0.0, 0.0) } else { 0.0 < apart.1 && apart.1 < 1e-12 && 0.0 < apart.0 && apart.0 < 4e-4 }, "{apart:?}");
    }
}
