//! `#[vectorize]` and `#[reduce]`: what becomes of functions of numbers as functions of arrays, on every device that there is.
//!
//! Needs no file of the source tree: the test binary can be copied to a machine with a GPU and run there.

#[path = "array_functions/numpy.rs"]
mod numpy;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use gpu_runtime::prelude::*;
use gpu_runtime::{Error, FailureCause};
use numpy::{
    tables_of_the_book_are_numpys, tables_of_the_book_are_numpys_far_from_zero, tables_of_the_book_are_numpys_of_zeros_nan_and_extremes,
};

/// Held by the one test that uses the GPU.
static GPU: Mutex<()> = Mutex::new(());

/// The first GPU. Without one, the test says that it was skipped, or fails where `GPU_RUNTIME_REQUIRE=cuda` asks for a GPU.
fn gpu_or_skip(test: &str) -> Option<Device> {
    match Device::gpu(0) {
        Ok(device) => Some(device),
        Err(error) => {
            let required = std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|required| required.contains("cuda"));
            assert!(!required, "`{test}` needs a GPU: {error}");
            eprintln!("skipped `{test}`: {error}");
            None
        }
    }
}

macro_rules! tests {
    ($($test:ident),* $(,)?) => {
        $(mod $test {
            use super::*;

            #[test]
            fn on_the_cpu() {
                super::$test(&Device::cpu()).unwrap();
            }

            #[test]
            fn on_the_gpu() {
                if let Some(device) = gpu_or_skip(concat!(stringify!($test), "::on_the_gpu")) {
                    // A failure is reported to whoever waits first, which must be the test that made it.
                    let _alone = GPU.lock().unwrap_or_else(PoisonError::into_inner);
                    super::$test(&device).unwrap();
                }
            }
        })*
    };
}

tests![
    functions_stay_functions,
    arrays_slices_and_numbers_are_mapped,
    expressions_nest,
    shapes_broadcast,
    every_element_type_is_mapped,
    tuples_become_arrays,
    eight_arguments_are_taken,
    generic_functions_take_the_type_of_their_arrays,
    outer_products_have_both_shapes,
    repeated_indices_are_updated_each_time,
    folds_keep_the_order_of_elements,
    pairs_are_folded_from_two_arrays,
    folds_without_an_identity_say_so,
    functions_of_another_crate_are_mapped,
    functions_are_found_by_any_path,
    functions_in_functions_see_only_what_rust_shows_them,
    names_may_be_keywords_of_c,
    a_failure_names_the_function_and_the_line,
    contraction_can_be_forbidden,
    functions_that_ask_for_their_thread_are_refused,
    a_single_host_element_goes_with_a_function_that_can_fail,
    more_elements_than_32_bits_count_are_mapped,
    nothing_needs_to_be_in_scope,
    tables_of_the_book_are_numpys,
    tables_of_the_book_are_numpys_far_from_zero,
    tables_of_the_book_are_numpys_of_zeros_nan_and_extremes,
];

/// Its documentation stays its own.
#[vectorize]
fn square(x: f32) -> f32 {
    x * x
}

#[vectorize]
fn weighted(x: f32, y: f32, weight: f32) -> f32 {
    weight * square(x) + y
}

#[gpu_kernel]
fn squares(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = square(x[i]);
    }
}

fn functions_stay_functions(device: &Device) -> gpu_runtime::Result<()> {
    assert_eq!(square(3.0), 9.0);
    let x = device.to_device(&[1.0, -2.0, 0.5])?;
    let mut out = device.zeros(3)?;
    squares(&x, &mut out).forall(3)?;
    assert_eq!(out.to_host()?, [1.0, 4.0, 0.25]);
    Ok(())
}

fn arrays_slices_and_numbers_are_mapped(device: &Device) -> gpu_runtime::Result<()> {
    let host: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let x = device.to_device(&host)?;
    let expected: Vec<f32> = host.iter().map(|x| 2.0 * x * x + 1.0).collect();
    assert_eq!(weighted::map(&x, 1.0, 2.0).collect()?.to_host()?, expected);
    assert_eq!(weighted::map(&host, 1.0, 2.0).on(device).to_host()?, expected);
    assert_eq!(weighted::map(&x, &[1.0; 1000], x.slice(2..3)).to_host()?, expected);
    assert_eq!(weighted::map(3.0, 1.0, 2.0).on(device).to_host()?, [19.0]);
    let mut out = device.zeros(1000)?;
    weighted::map(x.view(), 1.0, 2.0).collect_into(&mut out)?;
    assert_eq!(out.to_host()?, expected);
    Ok(())
}

fn expressions_nest(device: &Device) -> gpu_runtime::Result<()> {
    let x = device.to_device(&[1.0, 2.0, 3.0])?;
    let squared = square::map(&x);
    #[allow(clippy::needless_borrows_for_generic_args)] // A reference must do.
    let nested = weighted::map(&squared, weighted::map(1.0, squared, &x), square::map(square::map(&x)));
    assert_eq!(nested.to_host()?, [3.0, 16.0 * 16.0 + 2.0 + 4.0, 81.0 * 81.0 + 3.0 + 9.0]);
    Ok(())
}

fn shapes_broadcast(device: &Device) -> gpu_runtime::Result<()> {
    let x = device.to_device(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?.reshape([2, 3])?;
    let column = device.to_device(&[10.0f32, 20.0])?.reshape([2, 1])?;
    let sums = added::map(&x, &column).collect()?;
    assert_eq!(sums.shape().extents(), [2, 3]);
    assert_eq!(sums.to_host()?, [11.0, 12.0, 13.0, 24.0, 25.0, 26.0]);
    assert!(matches!(added::map(&x, &[1.0; 2]).collect(), Err(Error::BroadcastMismatch { function: "added", .. })));
    Ok(())
}

/// One function for each type, which mixes it with others.
macro_rules! of_type {
    ($($T:ident),*) => {
        $(mod $T {
            use gpu_runtime::prelude::*;

            #[vectorize]
            pub(super) fn below(x: $T, limit: $T) -> bool {
                x < limit
            }

            #[vectorize]
            pub(super) fn chosen(condition: bool, x: $T, y: $T) -> $T {
                if condition { x } else { y }
            }
        })*

        fn every_element_type_is_mapped(device: &Device) -> gpu_runtime::Result<()> {
            $({
                let x = device.to_device(&[1 as $T, 5 as $T, 3 as $T])?;
                let below = $T::below::map(&x, 4 as $T);
                assert_eq!(below.to_host()?, [true, false, true]);
                assert_eq!($T::chosen::map(below.collect()?.view(), &x, 0 as $T).to_host()?, [1 as $T, 0 as $T, 3 as $T]);
                assert_eq!($T::chosen::map(below, 7 as $T, &x).to_host()?, [7 as $T, 5 as $T, 7 as $T]);
            })*
            Ok(())
        }
    };
}

of_type!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64);

#[vectorize]
fn polar(x: f64, y: f64) -> (f64, f64, bool) {
    ((x * x + y * y).sqrt(), y.atan2(x), y < 0.0)
}

fn tuples_become_arrays(device: &Device) -> gpu_runtime::Result<()> {
    let (x, y) = ([3.0, 0.0, -3.0], [4.0, 1.0, -4.0]);
    let (radius, angle, below) = polar::map(&x, &y).on(device).collect()?;
    assert_eq!(radius.to_host()?, [5.0, 1.0, 5.0]);
    assert_eq!(below.to_host()?, [false, false, true]);
    let expected: Vec<f64> = x.iter().zip(&y).map(|(x, y)| f64::atan2(*y, *x)).collect();
    assert!(angle.to_host()?.iter().zip(&expected).all(|(angle, expected)| (angle - expected).abs() < 1e-14));
    assert_eq!(polar::map(&x, &y).on(device).to_host()?.2, [false, false, true]);
    Ok(())
}

#[vectorize]
#[allow(clippy::too_many_arguments)] // As many as there can be.
fn eight(a: i32, b: i32, c: i32, d: i32, e: i64, f: i64, g: bool, h: u8) -> i64 {
    let sum = a + 10 * b + 100 * c + 1000 * d;
    sum as i64 + 10_000 * e + 100_000 * f + if g { 1_000_000 } else { 0 } + 10_000_000 * h as i64
}

fn eight_arguments_are_taken(device: &Device) -> gpu_runtime::Result<()> {
    assert_eq!(eight::map(&[1, 9], 2, &[3], 4, 5, &[6], &[true, false], 8).on(device).to_host()?, [81_654_321, 80_654_329]);
    Ok(())
}

#[vectorize]
fn added<T: Num>(a: T, b: T) -> T {
    a + b
}

#[vectorize]
fn converted<A: Num, T: Float>(x: A) -> T {
    x.cast::<T>() / T::from_f64(2.0)
}

fn generic_functions_take_the_type_of_their_arrays(device: &Device) -> gpu_runtime::Result<()> {
    let (x, n) = (device.to_device(&[0.5f32, 1.5])?, device.to_device(&[250u8, 6])?);
    assert_eq!(added::map(&x, 1.0).to_host()?, [1.5, 2.5]);
    assert_eq!(added::map(1.0, added::map(&x, &x)).to_host()?, [2.0, 4.0]);
    assert_eq!(added::map(&n, 10).to_host()?, [4, 16]);
    let halves = converted::map::<_, f64, _>(&n).collect()?;
    assert_eq!(halves.to_host()?, [125.0, 3.0]);
    assert_eq!(added::map(converted::map(&n), &x).to_host()?, [125.5, 4.5]);
    Ok(())
}

#[vectorize]
fn power(base: u64, exponent: u32) -> u64 {
    base.pow(exponent)
}

fn outer_products_have_both_shapes(device: &Device) -> gpu_runtime::Result<()> {
    let bases = device.to_device(&[2u64, 3])?;
    let exponents = device.to_device(&[0u32, 1, 2, 3, 4, 5])?.reshape([3, 2])?;
    let table = power::outer(&bases, &exponents).collect()?;
    assert_eq!(table.shape().extents(), [2, 3, 2]);
    assert_eq!(table.to_host()?, [1, 2, 4, 8, 16, 32, 1, 3, 9, 27, 81, 243]);
    assert_eq!(power::outer(&bases, 2).to_host()?, [4, 9]);
    assert_eq!(power::outer(10, &exponents).to_host()?, [1, 10, 100, 1000, 10_000, 100_000]);
    // An argument that is broadcast itself.
    let sums = added::outer(added::map(&[[1u64, 2]].concat(), &bases), power::map(&bases, 1)).collect()?;
    assert_eq!(sums.to_host()?, [5, 6, 7, 8]);
    let mismatch = power::outer(&bases, added::map(&[1, 2], &[1, 2, 3]));
    assert!(matches!(mismatch.on(device).collect(), Err(Error::BroadcastMismatch { .. })));
    let many = device.zeros::<u64>([1; 5])?;
    let error = added::outer(&many, &many).collect().unwrap_err();
    assert!(matches!(error, Error::ResultTooManyAxes { rank: 10, .. }), "{error}");
    Ok(())
}

fn repeated_indices_are_updated_each_time(device: &Device) -> gpu_runtime::Result<()> {
    let indices: Vec<u32> = (0..1000).map(|i| i % 4).collect();
    let mut counts = device.zeros::<i64>(4)?;
    added::at(&mut counts, &indices, 2)?;
    assert_eq!(counts.to_host()?, [500; 4]);
    larger::at(&mut counts, iota(4), &[1000, 1, 501, 0])?;
    assert_eq!(counts.to_host()?, [1000, 500, 501, 500]);
    Ok(())
}

#[reduce(identity = i64::MIN)]
fn larger(a: i64, b: i64) -> i64 {
    a.max(b)
}

/// `a * x + b` after `c * x + d`: associative, and not commutative.
#[reduce(identity = (1, 0))]
fn composed(a: u32, b: u32, c: u32, d: u32) -> (u32, u32) {
    (c * a, c * b + d)
}

fn folds_keep_the_order_of_elements(device: &Device) -> gpu_runtime::Result<()> {
    let x: Vec<i64> = (0..3000i64).map(|i| i * 7919 % 1000 - 500).collect();
    let running: Vec<i64> = x
        .iter()
        .scan(i64::MIN, |max, x| {
            *max = (*max).max(*x);
            Some(*max)
        })
        .collect();
    assert_eq!(larger::accumulate(&device.to_device(&x)?)?.to_host()?, running);
    assert_eq!(larger::reduce(&device.to_device(&x)?)?, running[2999]);
    assert_eq!(larger::reduce_axis(device.to_device(&x)?.reshape([2, 1500])?.view(), 1)?.to_host()?[0], running[1499]);

    let (a, b): (Vec<u32>, Vec<u32>) = (0..3000u32).map(|i| (2 * i + 1, i)).unzip();
    let (a, b) = (device.to_device(&a)?, device.to_device(&b)?);
    let mut all = (1u32, 0u32);
    let expected: Vec<(u32, u32)> = (0..3000u32)
        .map(|i| {
            all = (all.0.wrapping_mul(2 * i + 1), all.1.wrapping_mul(2 * i + 1).wrapping_add(i));
            all
        })
        .collect();
    let (slopes, offsets) = composed::accumulate((&a, &b))?;
    let result: Vec<(u32, u32)> = slopes.to_host()?.into_iter().zip(offsets.to_host()?).collect();
    assert_eq!(result, expected);
    let (slopes, offsets) = composed::accumulate_exclusive((&a, &b), 0)?;
    assert_eq!((slopes.to_host()?[0], offsets.to_host()?[0]), (1, 0));
    assert_eq!((slopes.to_host()?[2999], offsets.to_host()?[2999]), expected[2998]);
    Ok(())
}

/// The element furthest from 0, and where it is.
#[reduce]
fn furthest<T: Signed>(x: T, i: usize, y: T, j: usize) -> (T, usize) {
    if x.abs() < y.abs() { (y, j) } else { (x, i) }
}

#[vectorize]
fn numbered(x: f64, i: usize) -> (f64, usize) {
    (x, i + 1)
}

fn pairs_are_folded_from_two_arrays(device: &Device) -> gpu_runtime::Result<()> {
    let x = device.to_device(&[1.0, -2.0, 0.5, 3.0, -1.0, 2.5])?.reshape([2, 3])?;
    let (values, places) = furthest::accumulate_axis((&x, iota([2, 3])), 0)?;
    assert_eq!(values.to_host()?, [1.0, -2.0, 0.5, 3.0, -2.0, 2.5]);
    assert_eq!(places.to_host()?, [0, 1, 2, 3, 1, 5]);
    assert_eq!(furthest::reduce((&x, iota([2, 3])))?, (3.0, 3));
    // A lazy array of pairs.
    let (values, places) = furthest::accumulate(numbered::map(&x, iota([2, 3])))?;
    assert_eq!((values.to_host()?[2], places.to_host()?[2]), (-2.0, 2));
    Ok(())
}

fn folds_without_an_identity_say_so(device: &Device) -> gpu_runtime::Result<()> {
    let x = device.to_device(&[1i32, 2])?;
    assert!(matches!(furthest::reduce((x.slice(..0), iota(0))), Err(Error::EmptyReduction { function: "furthest", .. })));
    assert_eq!(larger::reduce(&[0i64; 0][..])?, i64::MIN);
    assert!(matches!(furthest::accumulate_exclusive((&x, iota(2)), 0), Err(Error::NoIdentity { function: "furthest", .. })));
    assert!(matches!(larger::accumulate_axis(&device.zeros(3)?, 1), Err(Error::AxisOutOfRange { axis: 1, .. })));
    Ok(())
}

fn functions_of_another_crate_are_mapped(device: &Device) -> gpu_runtime::Result<()> {
    let x = device.to_device(&[1, 2, 3])?;
    assert_eq!(other_crate::scaled_sum::map(&x, 100).to_host()?, [103, 106, 109]);
    assert_eq!(other_crate::total::accumulate(&x)?.to_host()?, [1, 3, 6]);
    assert_eq!(other_crate::total::accumulate(square::map(&[1.0, 2.0]).on(device))?.to_host()?, [1.0, 5.0]);
    Ok(())
}

mod inner {
    use gpu_runtime::prelude::*;
    pub(super) use other_crate::scaled_sum as renamed;

    #[vectorize]
    pub(super) fn twice(x: i32) -> i32 {
        self::renamed(x, super::doubled(x))
    }
}

#[vectorize]
fn doubled(x: i32) -> i32 {
    2 * x
}

fn functions_are_found_by_any_path(device: &Device) -> gpu_runtime::Result<()> {
    use inner::{renamed, twice as aliased};
    let x = device.to_device(&[1, 2])?;
    assert_eq!(aliased::map(&x).to_host()?, [5, 10]);
    assert_eq!(renamed::map(&x, self::inner::twice::map(&x)).to_host()?, [8, 16]);
    assert_eq!(aliased(1), 5);
    Ok(())
}

fn functions_in_functions_see_only_what_rust_shows_them(device: &Device) -> gpu_runtime::Result<()> {
    const SCALE: f32 = 3.0;

    #[vectorize]
    fn square(x: f32) -> f32 {
        SCALE * x
    }

    #[reduce(identity = -SCALE)]
    fn larger(x: f32, y: f32) -> f32 {
        x.max(y)
    }

    assert_eq!(square::map(&[1.0, 2.0]).on(device).to_host()?, [3.0, 6.0]);
    assert_eq!(larger::accumulate_exclusive(square::map(&[1.0, 2.0]).on(device), 0)?.to_host()?, [-3.0, 3.0]);
    Ok(())
}

#[allow(non_camel_case_types, non_snake_case, reason = "the names are what is tested")]
mod names {
    use gpu_runtime::prelude::*;

    #[vectorize]
    pub(super) fn register(double: i32, Function: i32, gpu_device: i32) -> i32 {
        double + Function * gpu_device
    }

    #[vectorize]
    pub(super) fn r#type(r#in: f32, map: f32) -> f32 {
        r#in - map
    }

    #[vectorize]
    pub(super) fn gr_element<A: Num, B: Float>(i: A, c: B) -> B {
        i.cast::<B>() * c
    }
}

fn names_may_be_keywords_of_c(device: &Device) -> gpu_runtime::Result<()> {
    assert_eq!(names::register::map(&[1, 2], 3, 4).on(device).to_host()?, [13, 14]);
    assert_eq!(names::r#type::map(&[1.0, 2.0], names::r#type::map(1.0, 3.0)).on(device).to_host()?, [3.0, 4.0]);
    assert_eq!(names::gr_element::map(&[1u8, 2], 0.5f32).on(device).to_host()?, [0.5, 1.0]);
    Ok(())
}

#[vectorize]
fn quotient(a: i32, b: i32) -> i32 {
    a / b
}

const QUOTIENT_LINE: u32 = line!() - 4;

fn a_failure_names_the_function_and_the_line(device: &Device) -> gpu_runtime::Result<()> {
    let a = device.to_device(&(0..2000).collect::<Vec<i32>>())?;
    let error = quotient::map(&a, added::map(&a, -7)).collect()?.to_host().expect_err("one element is divided by 0");
    let Error::KernelFailed(failure) = &error else { panic!("{error}") };
    assert_eq!(failure.cause, FailureCause::DivisionByZero);
    assert_eq!(failure.line, QUOTIENT_LINE + 1);
    assert!(failure.kernel.contains("quotient") && error.to_string().contains("element 7"), "{error}");
    // The device is as good as before.
    assert_eq!(quotient::map(&a, 2).to_host()?[9], 4);
    Ok(())
}

#[vectorize(fmad = false)]
fn uncontracted(a: f32, b: f32, c: f32) -> f32 {
    a * b + c
}

fn contraction_can_be_forbidden(device: &Device) -> gpu_runtime::Result<()> {
    let a: Vec<f32> = (0..1000).map(|i| 1.0 + i as f32 * 1.1e-7).collect();
    let expected: Vec<f32> = a.iter().map(|a| a * a + -1.0).collect();
    assert_eq!(uncontracted::map(&a, &a, -1.0).on(device).to_host()?, expected);
    Ok(())
}

/// The attributes where nothing is in scope.
mod without_a_prelude {
    #![no_implicit_prelude]

    #[::gpu_runtime::vectorize]
    pub(super) fn halved(x: f64) -> (f64, bool) {
        (x / 2.0, x > 0.0)
    }

    #[::gpu_runtime::reduce(identity = T::ONE)]
    pub(super) fn product<T: ::gpu_runtime::Num>(a: T, b: T) -> T {
        a * b
    }
}

fn nothing_needs_to_be_in_scope(device: &Device) -> gpu_runtime::Result<()> {
    let x = device.to_device(&[1.0, -2.0])?;
    assert_eq!(without_a_prelude::halved::map(&x).to_host()?, (vec![0.5, -1.0], vec![true, false]));
    assert_eq!(without_a_prelude::product::accumulate_exclusive(&x, 0)?.to_host()?, [1.0, 1.0]);
    assert_eq!(without_a_prelude::product::outer(&x, &x).to_host()?, [1.0, -2.0, -2.0, 4.0]);
    Ok(())
}

#[gpu_device]
fn place() -> usize {
    grid_1d()
}

#[vectorize]
fn placed(x: usize) -> usize {
    x + place()
}

#[gpu_device]
fn lane() -> usize {
    if lane_id() < 32 { lane_id() } else { 0 }
}

#[gpu_device]
fn lane_of_another() -> usize {
    lane()
}

#[vectorize]
fn laned(x: usize) -> usize {
    x + lane_of_another()
}

fn functions_that_ask_for_their_thread_are_refused(device: &Device) -> gpu_runtime::Result<()> {
    let x = device.to_device(&[1usize, 2])?;
    let is_refused = |name: &str, intrinsic: &str, attempt: &dyn Fn() -> gpu_runtime::Result<Vec<usize>>| {
        if device.is_gpu() {
            let error = attempt().unwrap_err();
            assert!(matches!(error, Error::NoThreads { function } if function == name), "{error}");
            assert!(error.to_string().contains("iota(n)"), "{error}");
        } else {
            let panic = catch_unwind(AssertUnwindSafe(attempt)).unwrap_err();
            let message = panic.downcast_ref::<String>().expect("a message with the name of the intrinsic");
            assert!(message.contains(&format!("`{intrinsic}()` can only be called from a kernel")), "{message}");
        }
    };
    is_refused("placed", "grid_1d", &|| placed::map(&x).to_host());
    is_refused("laned", "lane_id", &|| laned::map(&x).to_host());
    Ok(())
}

fn a_single_host_element_goes_with_a_function_that_can_fail(device: &Device) -> gpu_runtime::Result<()> {
    let host: Vec<i32> = (0..100_000).collect();
    let expected: Vec<i32> = host.iter().map(|i| i / 3).collect();
    assert_eq!(quotient::map(&host, &[3]).on(device).to_host()?, expected);
    let failed = quotient::map(&host, &[0]).on(device).to_host();
    assert!(matches!(failed, Err(Error::KernelFailed(_))), "{failed:?}");
    Ok(())
}

#[vectorize]
fn sum_of_bytes(a: u8, b: u8) -> u8 {
    a + b
}

fn more_elements_than_32_bits_count_are_mapped(device: &Device) -> gpu_runtime::Result<()> {
    // The CPU counts them in `usize` as it does fewer, and takes minutes without optimisation.
    if !device.is_gpu() && cfg!(debug_assertions) {
        eprintln!("skipped `more_elements_than_32_bits_count_are_mapped` on the CPU: it is for optimised builds");
        return Ok(());
    }
    let (rows, columns) = (65_537usize, 65_536usize);
    let row: Vec<u8> = (0..columns).map(|column| (column % 251) as u8).collect();
    let row = device.to_device(&row)?;
    let column: Vec<u8> = (0..rows).map(|row| (row % 241) as u8).collect();
    let column = device.to_device(&column)?.reshape([rows, 1])?;
    // Both repeat along the other's axis.
    let sum = sum_of_bytes::map(&column, &row).collect()?;
    assert_eq!(sum.shape(), [rows, columns]);
    // And all of it as one run of elements.
    let mut twice = sum_of_bytes::map(&sum, &sum).collect()?;
    let expected = |index: usize| (((index / columns) % 241) as u8).wrapping_add(((index % columns) % 251) as u8);
    let end = rows * columns;
    for first in [0, (1 << 31) - 500, (1 << 32) - 500, end - 1000] {
        let range = first..first + 1000;
        let found = (sum.slice(range.clone()).to_host()?, twice.slice(range.clone()).to_host()?);
        assert!(range.clone().zip(&found.0).all(|(index, &found)| found == expected(index)), "from {first}");
        assert!(range.zip(&found.1).all(|(index, &found)| found == expected(index).wrapping_mul(2)), "from {first}");
    }
    // A transposed view of it, into an existing array.
    sum_of_bytes::map(sum.view().t(), 0).collect_into(twice.view_mut().reshape([columns, rows])?)?;
    let transposed = twice.slice(end - 1000..).to_host()?;
    let at = |index: usize| expected((index % rows) * columns + index / rows);
    assert!((end - 1000..end).zip(&transposed).all(|(index, &found)| found == at(index)));
    Ok(())
}
