//! Reductions on the CPU of what only this crate can make, and the kernels' text. Everything else is in `tests/reductions.rs`,
//! on every device.

use super::functions::{Any, ArgMax, Indexed, Max, Min, Sum};
use super::*;
use crate::compile::nvrtc::testing::nvrtc_or_skip;
use crate::compile::{Architecture, Options};
use crate::device::Device;
use crate::memory::{DeviceArray, Element, Layout};
use crate::ufunc::cuda::Purpose;
use crate::ufunc::expression::{ArrayInput, HostInput, IndexInput};
use crate::ufunc::{Apply, Code, Lazy};

/// A view of host memory, on the CPU.
fn view<'a, T: Element>(elements: &'a [T], first: usize, shape: impl Into<Shape>, strides: &[isize]) -> Lazy<HostInput<'a, T>> {
    let layout = Layout::new(shape.into(), strides);
    let span = layout.span();
    assert!(first as isize + span.start >= 0 && first as isize + span.end <= elements.len() as isize);
    // SAFETY: the span lies in the slice.
    Lazy::new(unsafe { HostInput::new(elements[first..].as_ptr(), layout) })
}

/// The elements of a view of three axes, by the definition.
fn elements_of(elements: &[i64], first: usize, [a, b, c]: [usize; 3], strides: [isize; 3]) -> Vec<Vec<Vec<i64>>> {
    let at = |i: usize, j: usize, k: usize| first as isize + i as isize * strides[0] + j as isize * strides[1] + k as isize * strides[2];
    (0..a).map(|i| (0..b).map(|j| (0..c).map(|k| elements[at(i, j, k) as usize]).collect()).collect()).collect()
}

/// Where the first element is that equals `wanted`.
fn first_of(elements: &[i64], wanted: Option<&i64>) -> usize {
    elements.iter().position(|element| Some(element) == wanted).expect("it is one of the elements")
}

#[test]
fn views_of_any_layout_are_reduced_along_every_axis() {
    let device = Device::cpu();
    let memory: Vec<i64> = (0..400_000).map(|i: i64| i * i % 10_007 - 5000).collect();
    let cases: [(usize, [usize; 3], [isize; 3]); 9] = [
        (0, [2, 3, 4], [12, 4, 1]),
        // Transposed, reversed, every other one, repeated.
        (0, [4, 3, 2], [1, 4, 12]),
        (23, [2, 3, 4], [-12, -4, -1]),
        (0, [5, 7, 1025], [20_000, 2050, 2]),
        (0, [3, 1500, 3], [0, 3, 1]),
        (0, [3, 5, 700], [0, 0, 1]),
        // Long in each direction.
        (0, [100_003, 1, 2], [2, 0, 1]),
        (0, [2, 50_001, 3], [150_003, 3, 1]),
        (7, [1, 3, 100_003], [0, 100_003, 1]),
    ];
    for (first, shape, strides) in cases {
        let expected = elements_of(&memory, first, shape, strides);
        let [a, b, c] = shape;
        let lazy = view(&memory, first, shape, &strides).on(&device);
        let all: Vec<i64> = expected.iter().flatten().flatten().copied().collect();
        assert_eq!(lazy.sum().unwrap(), all.iter().sum::<i64>(), "{shape:?}");
        assert_eq!(lazy.max().unwrap(), *all.iter().max().unwrap(), "{shape:?}");
        assert_eq!(lazy.argmin().unwrap(), first_of(&all, all.iter().min()), "{shape:?}");

        let along_0 = |j: usize, k: usize| (0..a).map(move |i| (i, j, k));
        let along_1 = |i: usize, k: usize| (0..b).map(move |j| (i, j, k));
        let along_2 = |i: usize, j: usize| (0..c).map(move |k| (i, j, k));
        let mut lines: [Vec<Vec<i64>>; 3] = Default::default();
        let at = |(i, j, k): (usize, usize, usize)| expected[i][j][k];
        for (first, second) in (0..b).flat_map(|j| (0..c).map(move |k| (j, k))) {
            lines[0].push(along_0(first, second).map(at).collect());
        }
        for (first, second) in (0..a).flat_map(|i| (0..c).map(move |k| (i, k))) {
            lines[1].push(along_1(first, second).map(at).collect());
        }
        for (first, second) in (0..a).flat_map(|i| (0..b).map(move |j| (i, j))) {
            lines[2].push(along_2(first, second).map(at).collect());
        }
        for (axis, lines) in lines.iter().enumerate() {
            let sums: Vec<i64> = lines.iter().map(|line| line.iter().sum()).collect();
            assert_eq!(lazy.sum_axis(axis).unwrap().to_host().unwrap(), sums, "{shape:?} along {axis}");
            let firsts: Vec<usize> = lines.iter().map(|line| first_of(line, line.iter().max())).collect();
            assert_eq!(lazy.argmax_axis(axis).unwrap().to_host().unwrap(), firsts, "{shape:?} along {axis}");
        }
    }
}

#[test]
fn the_number_of_workers_does_not_change_a_float_sum() {
    let x: Vec<f32> = (0..1_000_003).map(|i| (i as f32 * 0.618_034).fract() - 0.3).collect();
    let sums = |workers: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
        let device = Device::cpu();
        pool.install(|| {
            let columns = view(&x, 0, [1000, 1000], &[1000, 1]).on(&device);
            let bits = |sums: Vec<f32>| sums.into_iter().map(f32::to_bits).collect::<Vec<_>>();
            let all = view(&x, 0, [x.len()], &[1]).on(&device).sum().unwrap().to_bits();
            (all, bits(columns.sum_axis(0).unwrap().to_host().unwrap()), bits(columns.sum_axis(1).unwrap().to_host().unwrap()))
        })
    };
    let one = sums(1);
    for workers in [2, 3, 8] {
        assert!(sums(workers) == one, "with {workers} workers");
    }
}

#[test]
fn partial_sums_are_as_accurate_as_pairwise_summation() {
    let x = vec![0.1f32; 10_000_000];
    let exact = f64::from(0.1f32) * x.len() as f64;
    let sum = f64::from(view(&x, 0, [x.len()], &[1]).on(&Device::cpu()).sum().unwrap());
    assert!((sum - exact).abs() / exact < 1e-6, "{sum} is far from {exact}");
}

fn code_of<E: Expression>(_: &Lazy<E>) -> std::marker::PhantomData<E::Code> {
    std::marker::PhantomData
}

/// Every kernel of a reduction of `lazy`.
fn sources<F: ReduceFunction, E: Expression<Item = F::Output>>(lazy: &Lazy<E>) -> Vec<String> {
    let inputs = lazy.inputs();
    let shape = lazy.shape().unwrap();
    let plan = Plan::new(shape, inputs.list.iter().map(|input| &input.layout));
    fn write<F: ReduceFunction, C: Code<Item = F::Output>>(
        _: std::marker::PhantomData<C>,
        plan: &Plan,
        inputs: &[crate::ufunc::input::Input<'_>],
    ) -> Vec<String> {
        [Purpose::ReduceAll, Purpose::ReduceRows, Purpose::ReduceColumns].map(|purpose| cuda::source::<F, C>(purpose, plan, inputs)).into()
    }
    write::<F, _>(code_of(lazy), &plan, &inputs.list)
}

fn array<T: Element>(array: &DeviceArray<T>) -> Lazy<ArrayInput<'_, T>> {
    array.lazy()
}

fn pairs<T: Number>(array: &DeviceArray<T>) -> Lazy<Apply<Indexed<T>, (ArrayInput<'_, T>, IndexInput)>> {
    Lazy::new(Apply::new((array.lazy().expression, IndexInput::along([2, array.len()].into(), 1))))
}

#[test]
fn the_kernels_of_every_form_compile() {
    let Some(nvrtc) = nvrtc_or_skip("the_kernels_of_every_form_compile") else { return };
    let device = Device::cpu();
    fn numbers<T: Number>(device: &Device, sources: &mut Vec<String>) {
        let x = device.zeros::<T>(8).unwrap();
        sources.extend(super::tests::sources::<Sum<T>, _>(&array(&x)));
        sources.extend(super::tests::sources::<Min<T>, _>(&array(&x)).drain(..1));
        sources.extend(super::tests::sources::<ArgMax<T>, _>(&pairs(&x)));
        sources.extend(super::tests::sources::<Sum<T::Mean>, _>(&array(&x).apply_to_mean()).drain(..1));
    }
    let mut all = Vec::new();
    numbers::<f32>(&device, &mut all);
    numbers::<f64>(&device, &mut all);
    numbers::<i32>(&device, &mut all);
    numbers::<u8>(&device, &mut all);
    numbers::<i64>(&device, &mut all);
    let flags = device.zeros::<bool>(8).unwrap();
    all.extend(sources::<Any<bool>, _>(&array(&flags)));
    all.extend(sources::<Sum<usize>, _>(&array(&flags).apply_to_count()).drain(..1));
    let host = [1.0f32; 64];
    all.extend(sources::<Max<f32>, _>(&view(&host, 0, [3, 4], &[1, 7])));
    for source in all {
        if let Err(error) = nvrtc.compile("reduce.cu", &source, Architecture { major: 9, minor: 0 }, &Options { fmad: true }) {
            panic!("{error}\n{error:?}\n{source}");
        }
    }
}

#[test]
fn the_items_of_a_thread_stay_in_registers() {
    let Some(nvrtc) = nvrtc_or_skip("the_items_of_a_thread_stay_in_registers") else { return };
    let device = Device::cpu();
    let (x, y) = (device.zeros::<f64>(8).unwrap(), device.zeros::<u8>(8).unwrap());
    let all = [sources::<Sum<f64>, _>(&array(&x)), sources::<ArgMax<f64>, _>(&pairs(&x)), sources::<Sum<u8>, _>(&array(&y))];
    for source in all.into_iter().flatten() {
        let compiled = nvrtc.compile("reduce.cu", &source, Architecture { major: 9, minor: 0 }, &Options { fmad: true }).unwrap();
        let ptx = compiled.ptx().unwrap();
        assert!(!ptx.contains(".local"), "arrays of a thread went to memory:\n{source}\n{ptx}");
    }
}

#[test]
fn the_expression_is_part_of_the_kernel() {
    let device = Device::cpu();
    let flags = device.zeros::<bool>(8).unwrap();
    let source = &sources::<Sum<usize>, _>(&array(&flags).apply_to_count())[0];
    assert!(source.contains("in.p0[i]") && source.contains("reduce_sum(const gr_inputs in, const gr_partition part)"), "{source}");
    assert_eq!(source.matches("__global__").count(), 1);
}
