//! Scans against loops in Rust, and the CUDA C of their kernels.

use super::cuda::tests::sources;
use super::*;
use crate::backend::cpu::{Stop, Thread};
#[cfg(feature = "complex")]
use num_complex::Complex;

use crate::compile::nvrtc::testing::{assert_all_compile, nvrtc_or_skip};
use crate::device::Device;
use crate::source::{Element, Segment, SiteKind, Sites, SourceUnit};
use crate::ufunc::reduce::functions::{Max, Min, Prod, Sum};
use crate::ufunc::zip::zip;
use crate::ufunc::{ArrayFunction, IntoLazy};

/// Implements a function of two items, in Rust and in CUDA C.
macro_rules! function {
    ($F:ident, $Item:ty, $identity:expr, $c_type:literal, $args:ty, $c_params:literal, [$($c_body:expr),+], $sites:expr, $rust:expr) => {
        struct $F;

        // SAFETY: the CUDA C is of the same types.
        unsafe impl ArrayFunction for $F {
            type Args = $args;
            type Output = $Item;
            const NAME: &'static str = stringify!($F);
            const FMAD: bool = true;

            fn source() -> &'static SourceUnit {
                static UNIT: SourceUnit = SourceUnit {
                    name: stringify!($F),
                    prototype: &[Segment::Text(concat!("static __device__ ", $c_type, " ")), Segment::OwnName, Segment::Text($c_params)],
                    body: &[
                        Segment::Text(concat!("static __device__ ", $c_type, " ")),
                        Segment::OwnName,
                        Segment::Text(concat!($c_params, " {\n")),
                        $($c_body,)+
                        Segment::Text("}\n"),
                    ],
                    snippets: &["tuple", "panic"],
                    sites: $sites,
                    several_elements: false,
                };
                &UNIT
            }

            fn call(_: &Thread<'_>, _: $args) -> std::result::Result<$Item, Stop> {
                unreachable!("scans combine items")
            }
        }

        impl ReduceFunction for $F {
            fn identity() -> Option<$Item> {
                $identity
            }

            fn combine(thread: &Thread<'_>, a: $Item, b: $Item) -> std::result::Result<$Item, Stop> {
                let combine: fn(&Thread<'_>, $Item, $Item) -> std::result::Result<$Item, Stop> = $rust;
                combine(thread, a, b)
            }
        }
    };
}

static TOO_LARGE: Sites = Sites::new(file!(), "1:1k0", &[SiteKind::Assert("sum < 1000000")]);

function!(
    Add,
    i32,
    Some(0),
    "i32",
    (i32, i32),
    "(i32 a, i32 b)",
    [Segment::Text("  return (i32)((u32)a + (u32)b);\n")],
    &Sites::NONE,
    |_, a, b| Ok(a.wrapping_add(b))
);
function!(AddF64, f64, Some(0.0), "f64", (f64, f64), "(f64 a, f64 b)", [Segment::Text("  return a + b;\n")], &Sites::NONE, |_, a, b| Ok(
    a + b
));
function!(MaxU8, u8, None, "u8", (u8, u8), "(u8 a, u8 b)", [Segment::Text("  return a > b ? a : b;\n")], &Sites::NONE, |_, a, b| Ok(
    a.max(b)
));
function!(
    Xor,
    bool,
    Some(false),
    "bool",
    (bool, bool),
    "(bool a, bool b)",
    [Segment::Text("  return a != b;\n")],
    &Sites::NONE,
    |_, a, b| Ok(a != b)
);
function!(
    Small,
    i64,
    Some(0),
    "i64",
    (i64, i64),
    "(i64 a, i64 b)",
    [Segment::Text("  if (a + b >= 1000000) gr_panic("), Segment::Site(0), Segment::Text(", 0, 0);\n  return a + b;\n")],
    &TOO_LARGE,
    |thread, a, b| thread.in_function(&TOO_LARGE).assert(a + b < 1_000_000, 0).map(|()| a + b)
);
// x ↦ a·x + b, first one and then the other: associative, and far from commutative.
function!(
    Affine,
    (u32, u64),
    Some((1, 0)),
    "gr_tuple2<u32, u64>",
    (u32, u64, u32, u64),
    "(u32 a, u64 b, u32 c, u64 d)",
    [Segment::Text("  return {a * c, (u32)((u32)b * c + (u32)d)};\n")],
    &Sites::NONE,
    |_, (a, b), (c, d)| Ok((a.wrapping_mul(c), u64::from((b as u32).wrapping_mul(c).wrapping_add(d as u32))))
);

const LENGTHS: [usize; 10] = [0, 1, 31, 32, 33, 1023, 1024, 1025, 32_769, 100_003];

/// A scan along an axis, by its definition.
fn expected<T: Copy>(items: &[T], extents: &[usize], axis: usize, identity: Option<T>, combine: impl Fn(T, T) -> T) -> Vec<T> {
    let inners: usize = extents[axis + 1..].iter().product();
    let mut out = items.to_vec();
    for i in 0..items.len() {
        let at = i / inners % extents[axis];
        let upto = |last: usize| (1..=last).fold(items[i - at * inners], |fold, k| combine(fold, items[i - (at - k) * inners]));
        out[i] = match identity {
            None if at == 0 => items[i],
            None => combine(out[i - inners], items[i]),
            Some(identity) if at == 0 => identity,
            // Quadratic, but by no other means than the definition.
            Some(_) => upto(at - 1),
        };
    }
    out
}

fn numbers(len: usize) -> Vec<i32> {
    (0..len).map(|i| (i as i32).wrapping_mul(0x9E37_79B9_u32 as i32) ^ 77).collect()
}

#[test]
fn a_scan_is_the_running_fold_at_every_length() {
    let device = Device::cpu();
    for len in LENGTHS {
        let host = numbers(len);
        let x = device.to_device(&host).unwrap();
        let running = accumulate::<Add, _>(x.slice(..).into_lazy(), 0).unwrap().to_host().unwrap();
        assert_eq!(running, expected(&host, &[len], 0, None, i32::wrapping_add), "{len}");
        let before = accumulate_exclusive::<Add, _>(x.slice(..).into_lazy(), 0).unwrap().to_host().unwrap();
        assert_eq!(before.len(), len);
        if len > 0 {
            assert_eq!((before[0], &before[1..]), (0, &running[..len - 1]), "{len}");
        }
    }
}

#[test]
fn the_order_of_elements_is_kept() {
    let device = Device::cpu();
    for len in LENGTHS {
        let (a, b): (Vec<u32>, Vec<u64>) = (0..len).map(|i| (i as u32 * 6 + 5, i as u64 % 1000)).unzip();
        let lazy = zip((&a).into_lazy().on(&device), (&b).into_lazy());
        let (got_a, got_b) = accumulate::<Affine, _>(lazy, 0).unwrap();
        let pairs: Vec<(u32, u64)> = a.into_iter().zip(b).collect();
        let combine =
            |(a, b): (u32, u64), (c, d): (u32, u64)| (a.wrapping_mul(c), u64::from((b as u32).wrapping_mul(c).wrapping_add(d as u32)));
        let (want_a, want_b): (Vec<u32>, Vec<u64>) = expected(&pairs, &[len], 0, None, combine).into_iter().unzip();
        assert_eq!((got_a.to_host().unwrap(), got_b.to_host().unwrap()), (want_a, want_b), "{len}");
    }
}

#[test]
fn every_axis_can_be_scanned() {
    let device = Device::cpu();
    for extents in [[3, 4, 5], [2, 70, 3], [40, 1, 1000], [3, 50, 1500], [2, 40_000, 3], [1, 7, 40_000]] {
        let len = extents.iter().product();
        let host = numbers(len);
        let array = device.to_device(&host).unwrap().reshape(extents).unwrap();
        for axis in 0..3 {
            let got = accumulate::<Add, _>((&array).into_lazy(), axis).unwrap().to_host().unwrap();
            assert!(got == expected(&host, &extents, axis, None, i32::wrapping_add), "{extents:?} along {axis}");
            if len < 10_000 {
                let got = accumulate_exclusive::<Add, _>((&array).into_lazy(), axis).unwrap().to_host().unwrap();
                assert!(got == expected(&host, &extents, axis, Some(0), i32::wrapping_add), "{extents:?} along {axis}");
            }
        }
    }
}

#[test]
fn broadcast_and_reversed_inputs_are_read_by_their_strides() {
    let device = Device::cpu();
    let host = numbers(500);
    let array = device.to_device(&host).unwrap();
    let reversed = array.view().reverse_axis(0);
    let repeated = array.view().slice_axis(0, ..50).broadcast_to([30, 50]).unwrap();
    let backwards: Vec<i32> = host.iter().rev().copied().collect();
    let got = accumulate::<Add, _>(reversed.into_lazy(), 0).unwrap().to_host().unwrap();
    assert_eq!(got, expected(&backwards, &[500], 0, None, i32::wrapping_add));
    let rows: Vec<i32> = (0..1500).map(|i| host[i % 50]).collect();
    for axis in 0..2 {
        let got = accumulate::<Add, _>(repeated.into_lazy(), axis).unwrap().to_host().unwrap();
        assert_eq!(got, expected(&rows, &[30, 50], axis, None, i32::wrapping_add));
    }
}

#[test]
fn empty_axes_give_empty_arrays() {
    let device = Device::cpu();
    let none = device.zeros::<i32>([3, 0, 1 << 40]).unwrap();
    for axis in 0..3 {
        let scan = accumulate::<Add, _>((&none).into_lazy(), axis).unwrap();
        assert_eq!(scan.shape(), [3, 0, 1 << 40]);
    }
}

#[test]
fn floats_come_out_the_same_for_any_number_of_workers() {
    let host: Vec<f64> = (0..300_001).map(|i| (i as f64 * 0.37).sin() * 1e3).collect();
    let scan = || accumulate::<AddF64, _>((&host).into_lazy().on(&Device::cpu()), 0).unwrap().to_host().unwrap();
    let pool = |threads| rayon_core::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (one, three) = (pool(1).install(scan), pool(3).install(scan));
    assert!(one.iter().zip(&three).all(|(one, three)| one.to_bits() == three.to_bits()));
    let sequential = expected(&host, &[host.len()], 0, None, |a, b| a + b);
    assert!(one.iter().zip(&sequential).all(|(one, other)| (one - other).abs() < 1e-6));
}

#[test]
fn a_failure_names_the_function_and_the_check() {
    let host = vec![1i64; 2_000_000];
    let scan = accumulate::<Small, _>((&host).into_lazy().on(&Device::cpu()), 0).unwrap();
    let error = scan.to_host().unwrap_err().to_string();
    assert!(error.contains("`Small`") && error.contains("sum < 1000000"), "{error}");
}

#[test]
fn an_axis_that_is_not_there_and_a_missing_identity_are_refused() {
    let device = Device::cpu();
    let error = accumulate::<Add, _>((&[1, 2]).into_lazy().on(&device), 1).unwrap_err().to_string();
    assert!(error.contains("`Add`") && error.contains("axis 1") && error.contains("(2,)"), "{error}");
    let error = accumulate_exclusive::<MaxU8, _>((&[1, 2]).into_lazy().on(&device), 0).unwrap_err().to_string();
    assert!(error.contains("`MaxU8`") && error.contains("identity"), "{error}");
}

#[test]
#[ignore = "half a minute of NVRTC, which `.ci/run` has"]
fn every_variant_of_the_kernels_compiles() {
    let Some(nvrtc) = nvrtc_or_skip("every_variant_of_the_kernels_compiles") else { return };
    fn host<T: Element>(value: T) -> Vec<T> {
        vec![value; 6]
    }
    let (a, b) = (host(1u32), host(1u64));
    let array = Device::cpu().to_device(&a).unwrap().reshape([2, 3]).unwrap();
    let all = [
        sources::<Sum<f32>, _>(&(&host(1f32)).into_lazy()),
        sources::<Prod<i16>, _>(&(&host(1i16)).into_lazy()),
        sources::<Min<u8>, _>(&(&host(1u8)).into_lazy()),
        sources::<Max<f64>, _>(&(&host(1f64)).into_lazy()),
        sources::<Add, _>(&(&host(1i32)).into_lazy()),
        sources::<Xor, _>(&(&host(true)).into_lazy()),
        sources::<Small, _>(&(&host(1i64)).into_lazy()),
        #[cfg(feature = "complex")]
        sources::<Sum<Complex<f32>>, _>(&(&host(Complex::new(1f32, 2.0))).into_lazy()),
        #[cfg(feature = "half")]
        sources::<Min<half::f16>, _>(&(&host(half::f16::ONE)).into_lazy()),
        #[cfg(feature = "complex")]
        sources::<Prod<Complex<f64>>, _>(&(&host(Complex::new(1.0, 2.0))).into_lazy()),
        sources::<Affine, _>(&zip((&a).into_lazy(), (&b).into_lazy())),
        sources::<Affine, _>(&zip(array.view().t().into_lazy(), (&[1u64, 2]).into_lazy())),
    ];
    use crate::ufunc::reduce::tests::{Pair, Place, merged, nearest};
    let places = host(Place { at: [1.0; 3], count: 1 });
    let (keys, pairs, numbers) = (host(1f32), host(Pair { x: 1.0, n: 1 }), host(1u8));
    let of_structs =
        [sources::<merged::Function, _>(&(&places).into_lazy()), sources::<nearest::Function, _>(&(&keys, &pairs, &numbers).into_lazy())];
    assert_all_compile(nvrtc, "scan.cu", &[all.concat(), of_structs.concat()].concat());
}

#[test]
fn the_methods_scan_along_the_last_axis_or_the_one_that_is_named() {
    let array = Device::cpu().to_device(&[3.0, 1.0, 2.0, f32::NAN, 4.0, 5.0]).unwrap().reshape([2, 3]).unwrap();
    let lazy = IntoLazy::<f32>::into_lazy(&array);
    let host = |array: crate::Result<crate::DeviceArray<f32>>| array.unwrap().to_host().unwrap();
    assert_eq!(host(lazy.cumsum())[..3], [3.0, 4.0, 6.0]);
    assert_eq!(host(lazy.exclusive_sum())[..3], [0.0, 3.0, 4.0]);
    assert_eq!(host(lazy.cumprod())[..3], [3.0, 3.0, 6.0]);
    assert_eq!(host(lazy.cummin())[..3], [3.0, 1.0, 1.0]);
    assert_eq!(host(lazy.cummax())[..3], [3.0, 3.0, 3.0]);
    assert!(host(lazy.cummin())[3..].iter().chain(&host(lazy.cummax())[3..]).all(|x| x.is_nan()));
    assert_eq!(host(lazy.cumsum_axis(0))[4..], [5.0, 7.0]);
    assert_eq!(host(lazy.exclusive_sum_axis(0))[4..], [1.0, 2.0]);
    // np.cumsum(np.array(1.0)) has one axis.
    let device = Device::cpu();
    let number = IntoLazy::<f32>::into_lazy(1.0).on(&device);
    for sums in [number.cumsum(), number.cumprod(), number.cumsum_axis(0)] {
        let sums = sums.unwrap();
        assert_eq!((sums.shape(), sums.to_host().unwrap()), ([1].into(), vec![1.0]));
    }
    let error = number.cumsum_axis(1).unwrap_err().to_string();
    assert!(error.contains("`cumsum`") && error.contains("axis 1"), "{error}");
}
