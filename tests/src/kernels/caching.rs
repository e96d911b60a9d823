//! Loads and stores with cache hints are loads and stores, and clocks advance.

use gpu_runtime::FailureCause;
use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch, try_launch};

cases![hinted_loads_and_stores_are_loads_and_stores, hinted_accesses_are_checked, a_hinted_store_evaluates_its_index_first, clocks_advance,];

/// Each kind of load, with each kind of store.
macro_rules! hinted {
    ($($module:ident $T:ident;)*) => {
        $(pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn copies(x: &[$T], out: &mut [$T]) {
                let i = grid_1d();
                if i < x.len() {
                    out.store_cached(5 * i, x.load_cached(i));
                    out.store_global(5 * i + 1, x.load_global(i));
                    out.store_streaming(5 * i + 2, x.load_streaming(i));
                    out.store_through(5 * i + 3, x.load_last_use(i));
                    out[5 * i + 4] = x.load_again(i) + out.load_streaming(5 * i);
                }
            }
        })*

        fn hinted_loads_and_stores_are_loads_and_stores(bench: &Bench) {
            $({
                let x: Vec<$T> = (0..50u8).map(|i| i as $T).collect();
                let mut out = vec![0 as $T; 250];
                launch!(bench, $module::copies(&x, &mut out), 2, 32);
                assert_same(&out, &x.iter().flat_map(|&x| [x, x, x, x, x + x]).collect::<Vec<_>>());
            })*
        }
    };
}

hinted! {
    of_i8 i8;
    of_u16 u16;
    of_i32 i32;
    of_u64 u64;
    of_usize usize;
    of_f32 f32;
    of_f64 f64;
}

#[gpu_kernel]
pub fn beyond(x: &[f32], i: usize, j: usize, out: &mut [f32]) {
    out.store_streaming(j, x.load_streaming(i));
}

fn hinted_accesses_are_checked(bench: &Bench) {
    let x = vec![1.0, 2.0];
    let mut out = vec![0.0; 3];
    launch!(bench, beyond(&x, 1, 2, &mut out), 1, 1);
    assert_same(&out, &[0.0, 0.0, 2.0]);
    let failure = try_launch!(bench, beyond(&x, 2, 0, &mut out), 1, 1).unwrap_err();
    assert_eq!(failure.cause, FailureCause::IndexOutOfBounds { index: 2, len: 2 });
    let failure = try_launch!(bench, beyond(&x, 0, 3, &mut out), 1, 1).unwrap_err();
    assert_eq!(failure.cause, FailureCause::IndexOutOfBounds { index: 3, len: 3 });
}

#[gpu_kernel]
pub fn index_first(out: &mut [i32]) {
    let mut k = 0;
    out.store_through(
        {
            k += 1;
            k
        },
        {
            k += 1;
            k as i32
        },
    );
}

fn a_hinted_store_evaluates_its_index_first(bench: &Bench) {
    let mut out = vec![0; 3];
    launch!(bench, index_first(&mut out), 1, 1);
    assert_same(&out, &[0, 2, 0]);
}

#[gpu_kernel]
pub fn clocks(rounds: u32, out: &mut [bool], sum: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let (cycles, time) = (clock_cycles(), global_timer_ns());
        let mut total = 0.0;
        for k in 0..rounds {
            total += (k as f64).sqrt();
        }
        sum[i] = total;
        nanosleep(100);
        out[i] = clock_cycles() > cycles && global_timer_ns() >= time && time > 0;
    }
}

fn clocks_advance(bench: &Bench) {
    let (mut out, mut sum) = (vec![false; 8], vec![0.0; 8]);
    launch!(bench, clocks(1000, &mut out, &mut sum), 1, 8);
    assert_same(&out, &[true; 8]);
}
