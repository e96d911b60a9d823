//! The kernels of generalized functions. What they compute is tested on every device in `tests/expressions/generalized.rs`.

use crate::compile::nvrtc::testing::{assert_all_compile, nvrtc_or_skip};
use crate::prelude::*;

/// A core array of each kind, and an extent.
#[guvectorize("(m,n),(n)->(m)")]
fn matvec(a: &[f32], x: &[f32], out: &mut [f32], n: usize) {
    for i in 0..out.len() {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[i * n + k] * x[k];
        }
        out[i] = sum;
    }
}

/// What is passed and returned by value.
#[guvectorize("(),()->()")]
fn is_below(x: i8, bound: i8) -> bool {
    x < bound
}

/// Outputs that are returned, around one that is written.
#[guvectorize("(n),(n)->(),(n),()")]
fn choose(x: &[u64], chosen: &[bool], out: &mut [bool]) -> (usize, u64) {
    let mut count = 0;
    let mut sum = 0;
    for i in 0..x.len() {
        out[i] = !chosen[i];
        if chosen[i] {
            count += 1;
            sum += x[i];
        }
    }
    (count, sum)
}

/// Elements whose types only rustc knows.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair {
    wide: f64,
    narrow: u8,
}

#[guvectorize("(n),()->(n),()")]
fn pairs<T: Num>(x: &[Pair], other: Pair, out: &mut [Pair], n: usize) -> T {
    for i in 0..n {
        out[i] = Pair { wide: x[i].wide + other.wide, narrow: x[i].narrow };
    }
    T::ONE
}

#[guvectorize("(n),()->(n)")]
fn powers<T: Float>(x: &[T], exponent: T, out: &mut [T]) {
    for i in 0..out.len() {
        out[i] = x[i].powf(exponent);
    }
}

#[test]
fn a_kernel_calls_the_function_once_a_thread() {
    let device = Device::cpu();
    let source = matvec::map(device.zeros::<f32>([2, 3]).unwrap(), device.zeros::<f32>([5, 3]).unwrap()).cuda_source().unwrap();
    let kernel = source.split_once("struct gr_operands").unwrap().1;
    for line in [
        "  const f32* p0;",
        "  f32* p2;",
        "  u64 d1;  // n",
        "  matvec(in.p0 + 0, (usize)(in.d0 * in.d1), in.p1 + gr_offset(c, in.s1), (usize)(in.d1), in.p2 + gr_offset(c, in.s2), (usize)(in.d0), (usize)in.d1);",
    ] {
        assert!(kernel.lines().any(|found| found == line), "{line} is missing in\n{kernel}");
    }
    let source = choose::map(&[1, 2], &[true, false]).cuda_source().unwrap();
    for line in ["  *(in.p2 + i) = r._0;", "  *(in.p4 + i) = r._1;"] {
        assert!(source.lines().any(|found| found == line.replace(" + i", " + 0")), "{line} is missing in\n{source}");
    }
}

#[test]
fn arguments_that_do_not_fit_have_no_kernel() {
    let error = matvec::map(&[1.0], &[1.0]).cuda_source().unwrap_err();
    assert!(error.to_string().contains("needs at least 2 axes"), "{error}");
}

#[test]
fn every_variant_of_the_kernels_compiles() {
    let Some(nvrtc) = nvrtc_or_skip("every_variant_of_the_kernels_compiles") else { return };
    let device = Device::cpu();
    let matrices = device.zeros::<f32>([10, 1, 2, 3]).unwrap();
    let vectors = device.zeros::<f32>([4, 3]).unwrap();
    let numbers = device.zeros::<u64>([3, 5]).unwrap();
    let pair = Pair { wide: 1.0, narrow: 2 };
    #[cfg(feature = "half")]
    let of_halves = Some(powers::map(&[half::f16::ONE; 3], half::f16::ONE).cuda_source());
    #[cfg(not(feature = "half"))]
    let of_halves = None;
    let sources = [
        pairs::map::<u16>(&[pair; 3], pair).cuda_source(),
        powers::map(device.zeros::<f64>([2, 3]).unwrap(), &[1.0, 2.0]).cuda_source(),
        // One call; one array for all calls; strides of every kind; arguments that must be copied.
        matvec::map(matrices.view().index_axis(0, 0).index_axis(0, 0), vectors.view().index_axis(0, 0)).cuda_source(),
        matvec::map(&matrices, &[1.0, 2.0, 3.0]).cuda_source(),
        matvec::map(&matrices, &vectors).cuda_source(),
        matvec::map(matrices.view().reverse_axis(0).swap_axes(2, 3), vectors.view().slice_axis(1, ..2)).cuda_source(),
        is_below::map(&[1, 2, 3], 2).cuda_source(),
        choose::map(&numbers, &[true; 5]).cuda_source(),
        choose::map(numbers.view().reverse_axis(0), &[true; 5]).cuda_source(),
    ];
    let sources: Vec<String> = sources.into_iter().chain(of_halves).map(Result::unwrap).collect();
    assert_all_compile(nvrtc, "batch.cu", &sources);
    assert!(choose::map(&numbers, &[true; 5]).cubin("sm_90").unwrap().starts_with(b"\x7fELF"));
}
