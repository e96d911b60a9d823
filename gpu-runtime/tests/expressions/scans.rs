//! Scans, histograms and scattered updates: the same on every device, and in every run.

use crate::support::{bytes_of, devices, gpu_or_skip};
use gpu_runtime::__private::{
    Apply, ArrayFunction, ReduceFunction, Segment, SiteKind, Sites, SourceUnit, Stop, Thread, accumulate, accumulate_exclusive, at,
};
use gpu_runtime::IntoLazy;
use gpu_runtime::prelude::*;
use gpu_runtime::support::{BinElement, IndexElement};

/// Implements an array function as `#[vectorize]` expands it.
macro_rules! function {
    ($F:ident, ($($T:ty),*) -> $Output:ty, $c_head:literal, $c_parameters:literal, $c_body:literal, $sites:expr, $rust:expr) => {
        struct $F;

        // SAFETY: the CUDA C is of the same types.
        unsafe impl ArrayFunction for $F {
            type Args = ($($T,)*);
            type Output = $Output;
            const NAME: &'static str = stringify!($F);
            const FMAD: bool = true;

            fn source() -> &'static SourceUnit {
                const HEAD: &str = concat!("static __device__ ", $c_head, " ");
                static UNIT: SourceUnit = SourceUnit {
                    name: stringify!($F),
                    prototype: &[Segment::Text(HEAD), Segment::OwnName, Segment::Text($c_parameters)],
                    body: &[Segment::Text(HEAD), Segment::OwnName, Segment::Text($c_parameters), Segment::Template { text: $c_body, holes: &[] }],
                    snippets: &["tuple", "panic"],
                    sites: $sites,
                    several_elements: false,
                };
                &UNIT
            }

            fn call(thread: &Thread<'_>, arguments: Self::Args) -> Result<$Output, Stop> {
                let function: fn(&Thread<'_>, Self::Args) -> Result<$Output, Stop> = $rust;
                function(thread, arguments)
            }
        }
    };
}

/// Makes a function of two numbers one that folds.
macro_rules! reduction {
    ($F:ident, $T:ty, $identity:expr) => {
        impl ReduceFunction for $F {
            fn identity() -> Option<$T> {
                $identity
            }

            fn combine(thread: &Thread<'_>, a: $T, b: $T) -> Result<$T, Stop> {
                Self::call(thread, (a, b))
            }
        }
    };
}

static TOO_LARGE: Sites = Sites::new(file!(), "1:1k0", &[SiteKind::Assert("sum < 1000000")]);

function!(Add, (u64, u64) -> u64, "u64", "(u64 a, u64 b)", " {\n  return a + b;\n}\n", &Sites::NONE, |_, (a, b)| Ok(a.wrapping_add(b)));
reduction!(Add, u64, Some(0));
function!(AddSize, (usize, usize) -> usize, "usize", "(usize a, usize b)", " {\n  return a + b;\n}\n", &Sites::NONE, |_, (a, b)| Ok(a.wrapping_add(b)));
reduction!(AddSize, usize, Some(0));
function!(AddI32, (i32, i32) -> i32, "i32", "(i32 a, i32 b)", " {\n  return (i32)((u32)a + (u32)b);\n}\n", &Sites::NONE, |_, (a, b)| Ok(a.wrapping_add(b)));
reduction!(AddI32, i32, Some(0));
function!(AddF32, (f32, f32) -> f32, "f32", "(f32 a, f32 b)", " {\n  return a + b;\n}\n", &Sites::NONE, |_, (a, b)| Ok(a + b));
reduction!(AddF32, f32, Some(0.0));
function!(AddF64, (f64, f64) -> f64, "f64", "(f64 a, f64 b)", " {\n  return a + b;\n}\n", &Sites::NONE, |_, (a, b)| Ok(a + b));
reduction!(AddF64, f64, Some(0.0));
function!(Largest, (u8, u8) -> u8, "u8", "(u8 a, u8 b)", " {\n  return a < b ? b : a;\n}\n", &Sites::NONE, |_, (a, b)| Ok(a.max(b)));
reduction!(Largest, u8, None);
function!(Most, (u16, u16) -> u16, "u16", "(u16 a, u16 b)", " {\n  return a < b ? b : a;\n}\n", &Sites::NONE, |_, (a, b)| Ok(a.max(b)));
function!(Xor, (bool, bool) -> bool, "bool", "(bool a, bool b)", " {\n  return a != b;\n}\n", &Sites::NONE, |_, (a, b)| Ok(a != b));
reduction!(Xor, bool, Some(false));
function!(
    Small, (u64, u64) -> u64, "u64", "(u64 a, u64 b)",
    " {\n  if (a + b >= 1000000) gr_panic(`site 0`, 0, 0);\n  return a + b;\n}\n", &TOO_LARGE,
    |thread, (a, b)| thread.in_function(&TOO_LARGE).assert(a + b < 1_000_000, 0).map(|()| a + b)
);
reduction!(Small, u64, Some(0));
function!(
    IsOdd, (u64) -> bool, "bool", "(u64 x)", " {\n  if (x >= 1000000) gr_panic(`site 0`, 0, 0);\n  return x % 2 == 1;\n}\n", &TOO_LARGE,
    |thread, (x,)| thread.in_function(&TOO_LARGE).assert(x < 1_000_000, 0).map(|()| x % 2 == 1)
);
// x ↦ a·x + b, with 32-bit numbers: composing two is associative, and far from commutative.
function!(
    Affine, (u32, u64, u32, u64) -> (u32, u64), "gr_tuple2<u32, u64>", "(u32 a, u64 b, u32 c, u64 d)",
    " {\n  return {a * c, (u32)((u32)b * c + (u32)d)};\n}\n", &Sites::NONE, |_, (a, b, c, d)| Ok(affine((a, b), (c, d)))
);
function!(
    MakeAffine, (usize) -> (u32, u64), "gr_tuple2<u32, u64>", "(usize i)",
    " {\n  return {(u32)i * 6 + 5, i % 1000};\n}\n", &Sites::NONE, |_, (i,)| Ok(make_affine(i))
);

impl ReduceFunction for Affine {
    fn identity() -> Option<(u32, u64)> {
        Some((1, 0))
    }

    fn combine(_: &Thread<'_>, first: (u32, u64), second: (u32, u64)) -> Result<(u32, u64), Stop> {
        Ok(affine(first, second))
    }
}

fn affine((a, b): (u32, u64), (c, d): (u32, u64)) -> (u32, u64) {
    (a.wrapping_mul(c), u64::from((b as u32).wrapping_mul(c).wrapping_add(d as u32)))
}

fn make_affine(i: usize) -> (u32, u64) {
    ((i as u32).wrapping_mul(6).wrapping_add(5), i as u64 % 1000)
}

fn mixed(i: usize) -> usize {
    i.wrapping_mul(2_654_435_761) ^ 77
}

/// Every way to divide a row: by a thread, a warp, a block, and several blocks.
const LENGTHS: [usize; 16] = [0, 1, 2, 15, 16, 17, 31, 32, 33, 511, 1023, 1024, 1025, 8193, 100_003, 3_000_001];

#[test]
fn running_sums_are_exact_at_every_length() {
    for device in devices("running_sums_are_exact_at_every_length") {
        for len in LENGTHS {
            let host: Vec<u64> = (0..len).map(|i| mixed(i) as u64).collect();
            let x = device.to_device(&host).unwrap();
            let mut sum = 0u64;
            let (before, upto): (Vec<u64>, Vec<u64>) = host
                .iter()
                .map(|x| {
                    let before = sum;
                    sum = sum.wrapping_add(*x);
                    (before, sum)
                })
                .unzip();
            let got = accumulate::<Add, _>(IntoLazy::<u64>::into_lazy(&x), 0).unwrap().to_host().unwrap();
            assert!(got == upto, "{len} on {device}");
            let got = accumulate_exclusive::<Add, _>(IntoLazy::<u64>::into_lazy(&x), 0).unwrap().to_host().unwrap();
            assert!(got == before, "{len} on {device}");
        }
    }
}

#[test]
fn small_elements_are_scanned_too() {
    for device in devices("small_elements_are_scanned_too") {
        for len in LENGTHS {
            let host: Vec<u8> = (0..len).map(|i| (mixed(i) % 256 * i / len) as u8).collect();
            let mut largest = 0;
            let expected: Vec<u8> = host
                .iter()
                .map(|&x| {
                    largest = largest.max(x);
                    largest
                })
                .collect();
            let got = accumulate::<Largest, _>(IntoLazy::<u8>::into_lazy(&host).on(&device), 0).unwrap().to_host().unwrap();
            assert!(got == expected, "{len} on {device}");

            let host: Vec<bool> = (0..len).map(|i| mixed(i).is_multiple_of(3)).collect();
            let mut odd = false;
            let expected: Vec<bool> = host
                .iter()
                .map(|&x| {
                    let before = odd;
                    odd ^= x;
                    before
                })
                .collect();
            let got = accumulate_exclusive::<Xor, _>(IntoLazy::<bool>::into_lazy(&host).on(&device), 0).unwrap().to_host().unwrap();
            assert!(got == expected, "{len} on {device}");
        }
    }
}

#[test]
fn the_order_of_elements_is_kept_in_a_fused_scan_of_pairs() {
    for device in devices("the_order_of_elements_is_kept_in_a_fused_scan_of_pairs") {
        for len in LENGTHS {
            let mut all = (1, 0);
            let (want_a, want_b): (Vec<u32>, Vec<u64>) = (0..len)
                .map(|i| {
                    all = affine(all, make_affine(i));
                    all
                })
                .unzip();
            let (a, b) = accumulate::<Affine, _>(Lazy::new(Apply::<MakeAffine, _>::new((iota(len).into_inner(),))).on(&device), 0).unwrap();
            assert!(a.to_host().unwrap() == want_a && b.to_host().unwrap() == want_b, "{len} on {device}");
        }
    }
}

#[test]
fn every_axis_can_be_scanned() {
    for device in devices("every_axis_can_be_scanned") {
        for extents in [[3, 4, 5], [2, 70, 3], [40, 1, 1000], [3, 50, 1500], [2, 40_000, 3], [1, 7, 40_000], [500, 3, 600], [3, 2, 200_000]]
        {
            let len: usize = extents.iter().product();
            for axis in 0..3 {
                let inners: usize = extents[axis + 1..].iter().product();
                let mut expected: Vec<usize> = (0..len).collect();
                for i in (0..len).filter(|i| !(i / inners).is_multiple_of(extents[axis])) {
                    expected[i] = expected[i].wrapping_add(expected[i - inners]);
                }
                let got = accumulate::<AddSize, _>(iota(extents).on(&device), axis).unwrap().to_host().unwrap();
                assert!(got == expected, "{extents:?} along {axis} on {device}");
                let before: Vec<usize> =
                    (0..len).map(|i| if (i / inners).is_multiple_of(extents[axis]) { 0 } else { expected[i - inners] }).collect();
                let got = accumulate_exclusive::<AddSize, _>(iota(extents).on(&device), axis).unwrap().to_host().unwrap();
                assert!(got == before, "{extents:?} along {axis} on {device}");
            }
        }
    }
}

#[test]
fn the_methods_give_the_same_on_every_device() {
    for device in devices("the_methods_give_the_same_on_every_device") {
        // Whole numbers, whose sums are exact in any order.
        let host: Vec<f32> = (0..1_000_003).map(|i| (i % 65) as f32 - 32.0).collect();
        let lazy = IntoLazy::<f32>::into_lazy(&host).on(&device);
        let fold = |first: f32, combine: fn(f32, f32) -> f32| -> Vec<f32> {
            let mut fold = first;
            host.iter()
                .map(|x| {
                    fold = combine(fold, *x);
                    fold
                })
                .collect()
        };
        let sums = fold(0.0, |a, b| a + b);
        assert!(lazy.cumsum().unwrap().to_host().unwrap() == sums, "{device}");
        assert!(lazy.exclusive_sum().unwrap().to_host().unwrap()[1..] == sums[..sums.len() - 1], "{device}");
        assert!(lazy.cummin().unwrap().to_host().unwrap() == fold(f32::INFINITY, f32::min), "{device}");
        assert!(lazy.cummax().unwrap().to_host().unwrap() == fold(f32::NEG_INFINITY, f32::max), "{device}");
        let odd: Vec<i32> = (0..100_003).map(|i| 2 * i + 1).collect();
        let mut product = 1i32;
        let products = odd.iter().map(|x| {
            product = product.wrapping_mul(*x);
            product
        });
        let expected: Vec<i32> = products.collect();
        assert!(IntoLazy::<i32>::into_lazy(&odd).on(&device).cumprod().unwrap().to_host().unwrap() == expected, "{device}");
    }
}

#[test]
fn floats_come_out_the_same_in_every_run() {
    for device in devices("floats_come_out_the_same_in_every_run") {
        let host: Vec<f32> = (0..3_000_001).map(|i| (i as f32 * 0.37).sin()).collect();
        let x = device.to_device(&host).unwrap();
        let scan = || accumulate::<AddF32, _>(IntoLazy::<f32>::into_lazy(&x), 0).unwrap().to_host().unwrap();
        let first = scan();
        for _ in 0..10 {
            assert!(scan().iter().zip(&first).all(|(again, first)| again.to_bits() == first.to_bits()), "{device}");
        }
        let mut sum = 0.0;
        for (got, x) in first.iter().zip(&host) {
            sum += f64::from(*x);
            assert!((f64::from(*got) - sum).abs() < 1e-2, "{got} for {sum} on {device}");
        }
        let host: Vec<f64> = host.into_iter().map(f64::from).collect();
        let got = accumulate::<AddF64, _>(IntoLazy::<f64>::into_lazy(&host).on(&device), 0).unwrap().to_host().unwrap();
        assert!((got.last().unwrap() - host.iter().sum::<f64>()).abs() < 1e-9, "{device}");
    }
}

#[test]
fn a_failure_in_a_scan_is_reported_and_the_device_stays_usable() {
    for device in devices("a_failure_in_a_scan_is_reported_and_the_device_stays_usable") {
        let ones = device.to_device(&vec![1u64; 2_000_000]).unwrap();
        let scan = accumulate::<Small, _>(IntoLazy::<u64>::into_lazy(&ones), 0).unwrap();
        let error = scan.to_host().unwrap_err().to_string();
        assert!(error.contains("`Small`") && error.contains("sum < 1000000"), "{error}");
        let scan = accumulate::<Small, _>(IntoLazy::<u64>::into_lazy(ones.slice(..999_999)), 0).unwrap();
        assert_eq!(scan.to_host().unwrap().last(), Some(&999_999));
    }
}

#[test]
fn truth_values_are_zero_or_one_even_where_a_thread_failed() {
    for device in devices("truth_values_are_zero_or_one_even_where_a_thread_failed") {
        // Leaves bytes in shared memory that are no truth values.
        let noise = device.to_device(&vec![0x5a5a_5a5a_5a5a_5a5a_u64; 1 << 20]).unwrap();
        // By a warp, a block, and several blocks.
        for len in [100, 3000, 1_000_003] {
            for place in [0, len / 2, len - 1] {
                let mut host = vec![0u64; len];
                host[place] = 2_000_000;
                let bad = device.to_device(&host).unwrap();
                for exclusive in [false, true] {
                    accumulate::<Add, _>(IntoLazy::<u64>::into_lazy(&noise), 0).unwrap();
                    let odd = Lazy::new(Apply::<IsOdd, _>::new((IntoLazy::<u64>::into_lazy(&bad).into_inner(),)));
                    let flags = if exclusive { accumulate_exclusive::<Xor, _>(odd, 0) } else { accumulate::<Xor, _>(odd, 0) }.unwrap();
                    let message = flags.to_host().unwrap_err().to_string();
                    assert!(message.contains("sum < 1000000"), "{message}");
                    let flags = flags.to_host().unwrap();
                    assert!(bytes_of(&flags).iter().all(|&byte| byte <= 1), "{place} of {len} on {device}");
                }
            }
        }
    }
}

fn histogram<T: BinElement>(device: &Device, values: &[T], bins: usize, (first, last): (f64, f64)) -> Vec<u64> {
    IntoLazy::<T>::into_lazy(values).on(device).histogram(bins, first..=last).unwrap().to_host().unwrap()
}

#[test]
fn the_gpu_counts_what_the_cpu_counts() {
    let Some(gpu) = gpu_or_skip("the_gpu_counts_what_the_cpu_counts") else { return };
    fn same<T: BinElement>(gpu: &Device, values: &[T], range: (f64, f64)) {
        for bins in [1, 2, 10, 100, 256, 2048, 2049, 8192, 8193, 100_000] {
            let cpu = histogram(&Device::cpu(), values, bins, range);
            assert!(histogram(gpu, values, bins, range) == cpu, "{bins} bins of {} in {range:?}", std::any::type_name::<T>());
        }
    }
    let doubles: Vec<f64> = (0..1_000_003).map(|i| (i as f64 * 0.61).sin() * 3.0).collect();
    same(&gpu, &doubles, (-2.5, 2.7));
    same(&gpu, &doubles, (1.0, 1.01));
    let singles: Vec<f32> = doubles.iter().map(|&value| value as f32).collect();
    same(&gpu, &singles, (-2.9, 2.7));
    let far: Vec<f32> = singles.iter().map(|&value| value + 1e5).collect();
    for bins in [1, 10, 64] {
        let range = (99_998.0, 100_002.0);
        assert_eq!(histogram(&gpu, &far, bins, range), histogram(&Device::cpu(), &far, bins, range), "{bins}");
    }
    let integers: Vec<i32> = (0..1_000_003).map(|i| mixed(i) as i32).collect();
    same(&gpu, &integers, (-2e9, 2.1e9));
    same(&gpu, &integers.iter().map(|&value| value as u8).collect::<Vec<_>>(), (0.0, 255.0));
    same(&gpu, &integers.iter().map(|&value| i64::from(value) << 31).collect::<Vec<_>>(), (-4e18, 4e18));
}

/// In `f32`, the number of bins in one unit, the length of the range, or an edge.
#[test]
fn ranges_of_which_something_overflows_have_bins_everywhere() {
    for device in devices("ranges_of_which_something_overflows_have_bins_everywhere") {
        let some =
            [0.0f32, 5e-37, 1e-36, 2e-36, 3e-36, 1e-41, 1.0, 1e38, 3e38, -3e38, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let values: Vec<f32> = some.iter().cycle().take(10_000).copied().collect();
        for (bins, range) in [(2000, (0.0, 2e-36)), (10, (-3e38, 3e38)), (1, (0.0, 1e300)), (1, (-1e300, 1e300)), (1, (0.0, 1e-40))] {
            let expected = histogram(&Device::cpu(), &values, bins, range);
            assert_eq!(histogram(&device, &values, bins, range), expected, "{bins} bins in {range:?} on {device}");
        }
    }
}

#[test]
fn values_around_edges_are_in_the_same_bin_everywhere() {
    for device in devices("values_around_edges_are_in_the_same_bin_everywhere") {
        for bins in [1usize, 3, 10, 49, 1000, 5000] {
            let edges: Vec<f64> = (0..bins).map(|bin| bin as f64 * (0.8 / bins as f64) + 0.1).chain([0.9]).collect();
            let around: Vec<f64> = edges.iter().flat_map(|edge| [edge.next_down(), *edge, edge.next_up()]).collect();
            // One of the three belongs to the bin before; of the last edge, the first two to the last bin.
            let mut expected = vec![3; bins];
            expected[0] = if bins == 1 { 4 } else { 3 };
            if bins > 1 {
                expected[bins - 1] = 4;
            }
            assert_eq!(histogram(&device, &around, bins, (0.1, 0.9)), expected, "{bins} on {device}");
            let singles: Vec<f32> =
                edges.iter().map(|&edge| edge as f32).flat_map(|edge| [edge.next_down(), edge, edge.next_up()]).collect();
            assert_eq!(histogram(&device, &singles, bins, (0.1, 0.9)), expected, "{bins} on {device}");
        }
        let strange = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, -0.0, 2.0, 2.0f32.next_up(), -f32::MIN_POSITIVE];
        assert_eq!(histogram(&device, &strange, 2, (0.0, 2.0)), [1, 1], "{device}");
    }
}

fn bincount<T: IndexElement>(device: &Device, values: &[T], bins: usize) -> gpu_runtime::Result<Vec<u64>> {
    IntoLazy::<T>::into_lazy(values).on(device).bincount(bins)?.to_host()
}

#[test]
fn numbers_are_counted_and_those_past_the_last_reported() {
    for device in devices("numbers_are_counted_and_those_past_the_last_reported") {
        for bins in [1usize, 100, 5000, 20_000] {
            let values: Vec<u32> = (0..1_000_003).map(|i| (mixed(i) % bins) as u32).collect();
            let mut expected = vec![0; bins];
            values.iter().for_each(|&value| expected[value as usize] += 1);
            assert_eq!(bincount(&device, &values, bins).unwrap(), expected, "{bins} on {device}");
        }
        let error = bincount(&device, &[0i32, 7, 1], 5).unwrap_err().to_string();
        assert!(error.contains("`bincount`") && error.contains("index 7 is out of bounds for length 5"), "{error}");
        let error = bincount(&device, &[3i32; 10_000], 0).unwrap_err().to_string();
        assert!(error.contains("index 3 is out of bounds for length 0"), "{error}");
        assert_eq!(bincount::<i32>(&device, &[], 0).unwrap(), []);
        let error = bincount(&device, &[0i32, -7, 1], 5).unwrap_err().to_string();
        assert!(error.contains("-7 before it wrapped around"), "{error}");
    }
}

#[test]
fn repeated_indices_update_repeatedly() {
    for device in devices("repeated_indices_update_repeatedly") {
        let indices: Vec<u32> = (0..1_000_003).map(|i| (mixed(i) % 1009) as u32).collect();
        let lazy = || IntoLazy::<u32>::into_lazy(&indices);
        let (mut sums, mut largest, mut most, mut odd) = (vec![5i32; 1009], vec![0u8; 1009], vec![0u16; 1009], vec![false; 1009]);
        let (mut totals, mut floats) = (vec![0u64; 1009], vec![0f64; 1009]);
        let mut on_device = (
            device.to_device(&sums).unwrap(),
            device.to_device(&largest).unwrap(),
            device.to_device(&most).unwrap(),
            device.to_device(&odd).unwrap(),
            device.to_device(&totals).unwrap(),
            device.to_device(&floats).unwrap(),
        );
        let values: Vec<u64> = (0..indices.len()).map(|i| mixed(i) as u64 / 7).collect();
        let ints: Vec<i32> = values.iter().map(|&value| value as i32).collect();
        let bytes: Vec<u8> = values.iter().map(|&value| (value % 251) as u8).collect();
        let shorts: Vec<u16> = values.iter().map(|&value| (value % 65_521) as u16).collect();
        for (i, &index) in indices.iter().enumerate() {
            let index = index as usize;
            sums[index] = sums[index].wrapping_add(ints[i]);
            largest[index] = largest[index].max(bytes[i]);
            most[index] = most[index].max(shorts[i]);
            odd[index] = !odd[index];
            totals[index] = totals[index].wrapping_add(values[i]);
            floats[index] += 0.5;
        }
        at::<AddI32, _, _, _>(&mut on_device.0, lazy(), IntoLazy::<i32>::into_lazy(&ints)).unwrap();
        at::<Largest, _, _, _>(&mut on_device.1, lazy(), IntoLazy::<u8>::into_lazy(&bytes)).unwrap();
        at::<Most, _, _, _>(&mut on_device.2, lazy(), IntoLazy::<u16>::into_lazy(&shorts)).unwrap();
        at::<Xor, _, _, _>(&mut on_device.3, lazy(), true.into_lazy()).unwrap();
        at::<Add, _, _, _>(&mut on_device.4, lazy(), IntoLazy::<u64>::into_lazy(&values)).unwrap();
        at::<AddF64, _, _, _>(&mut on_device.5, lazy(), 0.5.into_lazy()).unwrap();
        assert!(on_device.0.to_host().unwrap() == sums, "{device}");
        assert!(on_device.1.to_host().unwrap() == largest, "{device}");
        assert!(on_device.2.to_host().unwrap() == most, "{device}");
        assert!(on_device.3.to_host().unwrap() == odd, "{device}");
        assert!(on_device.4.to_host().unwrap() == totals, "{device}");
        assert!(on_device.5.to_host().unwrap() == floats, "{device}");
    }
}

#[test]
fn an_index_past_the_end_is_reported_with_the_length() {
    for device in devices("an_index_past_the_end_is_reported_with_the_length") {
        let mut target = device.zeros::<f32>(3).unwrap();
        at::<AddF32, _, _, _>(&mut target, IntoLazy::<i64>::into_lazy(&[0, 3, 1]), 1.0.into_lazy()).unwrap();
        let error = target.to_host().unwrap_err().to_string();
        assert!(error.contains("`AddF32`") && error.contains("index 3 is out of bounds for length 3"), "{error}");
        device.synchronize().unwrap();
    }
}
