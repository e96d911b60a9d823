//! Histograms against their definition and against NumPy, and the CUDA C of their kernels.

use super::cuda::By;
use super::cuda::tests::sources;
use super::*;
use crate::Error;
use crate::compile::nvrtc::testing::{assert_all_compile, nvrtc_or_skip};
use crate::device::Device;
use crate::source::Element;
use crate::ufunc::IntoLazy;

fn histogram<T: BinElement>(values: &[T], bins: usize, range: RangeInclusive<f64>) -> Vec<u64> {
    values.into_lazy().on(&Device::cpu()).histogram(bins, range).unwrap().to_host().unwrap()
}

/// The definition: a value is between two edges.
fn expected<T: BinElement>(values: &[T], bins: usize, range: RangeInclusive<f64>) -> Vec<u64> {
    let (first, last) = range.into_inner();
    let edge = |bin: usize| {
        let edge = if bin == bins { last } else { bin as f64 * ((last - first) / bins as f64) + first };
        if T::SINGLE { f64::from(edge as f32) } else { edge }
    };
    let mut counts = vec![0; bins];
    for value in values.iter().map(|value| value.to_f64()) {
        let is_in = |&bin: &usize| edge(bin) <= value && (value < edge(bin + 1) || bin + 1 == bins && value == edge(bins));
        if let Some(bin) = (0..bins).find(is_in) {
            counts[bin] += 1;
        }
    }
    counts
}

#[test]
fn values_on_an_edge_belong_to_the_bin_that_begins_there_and_the_last_edge_to_the_last() {
    assert_eq!(histogram(&[0.0, 0.25, 0.5, 0.75, 1.0], 4, 0.0..=1.0), [1, 1, 1, 2]);
    for bins in [1, 3, 7, 10, 49, 100, 1000] {
        let edges: Vec<f64> = (0..=bins).map(|bin| if bin == bins { 0.9 } else { bin as f64 * (0.8 / bins as f64) + 0.1 }).collect();
        let around: Vec<f64> = edges.iter().flat_map(|edge| [edge.next_down(), *edge, edge.next_up()]).collect();
        assert_eq!(histogram(&around, bins, 0.1..=0.9), expected(&around, bins, 0.1..=0.9), "{bins}");
        let single: Vec<f32> = edges.iter().map(|&edge| edge as f32).flat_map(|edge| [edge.next_down(), edge, edge.next_up()]).collect();
        assert_eq!(histogram(&single, bins, 0.1..=0.9), expected(&single, bins, 0.1..=0.9), "{bins}");
    }
}

#[test]
fn values_outside_and_nan_are_not_counted() {
    let values = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, -0.0, 2.0, 2.0f64.next_up(), -f64::MIN_POSITIVE];
    assert_eq!(histogram(&values, 2, 0.0..=2.0), [1, 1]);
}

#[test]
fn counts_are_those_of_the_definition_at_every_length() {
    for len in [0, 1, 31, 32, 33, 1023, 1024, 1025, 100_003] {
        let values: Vec<f32> = (0..len).map(|i| (i as f32 * 0.61).sin() * 3.0).collect();
        assert_eq!(histogram(&values, 10, -2.5..=2.7), expected(&values, 10, -2.5..=2.7), "{len}");
    }
}

#[test]
fn integers_are_counted_by_edges_between_them() {
    let values: Vec<i32> = (-50..50).collect();
    assert_eq!(histogram(&values, 7, -30.0..=30.0), expected(&values, 7, -30.0..=30.0));
    assert_eq!(histogram(&[0u8, 127, 128, 255], 2, 0.0..=255.0), [2, 2]);
    assert_eq!(histogram(&[i64::MIN, 0, i64::MAX], 2, -1e19..=1e19), [1, 2]);
}

#[test]
fn counts_are_numpys() {
    // np.histogram(np.round(np.sin(np.arange(1000) * 0.37) * 64) / 32, 13, (-1.9, 1.7))[0], and the same in float32: with
    // sines rounded to multiples of 1/64 so that no library's last bits matter.
    let double: Vec<f64> = (0..1000).map(|i| ((f64::from(i) * 0.37).sin() * 64.0).round() / 32.0).collect();
    let single: Vec<f32> = double.iter().map(|&value| value as f32).collect();
    const COUNTS: [u64; 13] = [97, 57, 59, 48, 48, 47, 44, 45, 41, 48, 52, 59, 71];
    assert_eq!(histogram(&double, 13, -1.9..=1.7), COUNTS);
    assert_eq!(histogram(&single, 13, -1.9..=1.7), COUNTS);
    // np.histogram(np.arange(100) * 0.1, 100, (0, 10))[0]: multiples of 0.1 next to edges that are other multiples of it.
    let tenths: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.1).collect();
    let single: Vec<f32> = (0..100).map(|i| i as f32 * 0.1).collect();
    assert_eq!(histogram(&tenths, 100, 0.0..=10.0), [1; 100]);
    assert_eq!(histogram(&single, 100, 0.0..=10.0), [1; 100]);
}

#[test]
fn a_range_of_one_value_is_widened() {
    assert_eq!(histogram(&[2.4, 2.5, 3.0, 3.5, 3.6], 2, 3.0..=3.0), [1, 2]);
}

/// Of the kernel's arithmetic, the scale overflows, the range, or an edge; and all of it fits.
#[test]
fn guesses_that_overflow_in_the_elements_precision_are_not_trusted() {
    fn is_close<T: BinElement>(bins: usize, range: RangeInclusive<f64>) -> bool {
        let binning = Bins::new::<T>(bins, range).unwrap();
        HistogramKernel::new(<Bins as Binning<T>>::BY, bins, Binning::<T>::margin(&binning)).is_close
    }
    for (bins, range) in [(2000, 0.0..=2e-36), (10, -3e38..=3e38), (1, 0.0..=1e300), (1, -1e300..=1e300), (1, 0.0..=1e-40)] {
        assert!(!is_close::<f32>(bins, range.clone()), "{bins} {range:?}");
    }
    assert!(!is_close::<f64>(1, 0.0..=f64::from_bits(1)));
    for (bins, range) in [(2000, 0.0..=2e-34), (10, -1e38..=2e38), (10, -2.5..=2.7), (1, 0.0..=3e38)] {
        assert!(is_close::<f32>(bins, range.clone()) && is_close::<f64>(bins, range.clone()), "{bins} {range:?}");
    }
}

#[test]
fn bins_that_cannot_be_are_refused_with_a_reason() {
    let reason = |bins, range| match (&[1.0f32]).into_lazy().on(&Device::cpu()).histogram(bins, range) {
        Err(Error::Bins { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    assert!(reason(0, 0.0..=1.0).contains("at least one"));
    assert!(reason(1, 1.0..=0.0).contains("greater"));
    assert!(reason(1, f64::NAN..=0.0).contains("finite"));
    assert!(reason(1, 0.0..=f64::INFINITY).contains("finite"));
    assert!(reason(2, -f64::MAX..=f64::MAX).contains("finite"));
    assert!(reason(1000, 1.0..=1.00001).contains("too few"));
}

#[test]
fn every_axis_and_stride_is_counted() {
    let values: Vec<u16> = (0..60).collect();
    let array = Device::cpu().to_device(&values).unwrap();
    let strided = array.view().slice_axis_step(0, .., -2).broadcast_to([3, 30]).unwrap();
    let counts = strided.into_lazy().bincount(60).unwrap().to_host().unwrap();
    assert_eq!(counts, (0..60).map(|i| if i % 2 == 1 { 3 } else { 0 }).collect::<Vec<u64>>());
}

#[test]
fn counts_are_the_same_for_any_number_of_workers() {
    let values: Vec<u32> = (0..300_001u32).map(|i| i.wrapping_mul(0x9E37_79B9) >> 20).collect();
    let count = || (&values).into_lazy().on(&Device::cpu()).bincount(4096).unwrap().to_host().unwrap();
    let pool = |threads| rayon_core::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let counts = pool(3).install(count);
    assert_eq!(counts, pool(1).install(count));
    assert_eq!(counts.iter().sum::<u64>(), 300_001);
}

#[test]
fn a_number_past_the_last_is_reported_with_how_many_there_are() {
    let lazy = |values: &'static [i32]| values.into_lazy().on(&Device::cpu()).bincount(3).unwrap();
    let error = lazy(&[0, 5]).to_host().unwrap_err().to_string();
    assert!(error.contains("`bincount`") && error.contains("index 5 is out of bounds for length 3"), "{error}");
    assert!(lazy(&[-1]).to_host().is_err());
    assert_eq!(lazy(&[]).to_host().unwrap(), [0; 3]);
}

#[test]
fn every_variant_of_the_kernels_compiles() {
    let Some(nvrtc) = nvrtc_or_skip("every_variant_of_the_kernels_compiles") else { return };
    fn edges<T: BinElement>(value: T) -> Vec<String> {
        sources::<bins::Histogram, _>(&(&[value; 4]).into_lazy(), <Bins as Binning<T>>::BY)
    }
    fn numbers<T: Element>(value: T) -> Vec<String> {
        sources::<bins::Bincount, _>(&(&[value; 4]).into_lazy(), By::Number)
    }
    let below = sources::<bins::Bincount, _>(&(&[1u32; 4]).into_lazy(), By::NumberBelow);
    let all = [edges(1f32), edges(1f64), edges(1i32), edges(1u8), edges(1u64), numbers(1u8), numbers(1i32), numbers(1usize), below];
    assert_all_compile(nvrtc, "histogram.cu", &all.concat());
}
