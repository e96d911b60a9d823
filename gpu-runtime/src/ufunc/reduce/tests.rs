//! How reductions are computed, and the kernels' text. What they compute is tested in `tests/expressions/reductions.rs`, on every device.

use super::functions::{Any, ArgMax, Max, Min, Sum};
use super::methods::{Pairs, counts, means};
use super::*;
use crate::compile::nvrtc::testing::{assert_all_compile, nvrtc_or_skip};
use crate::compile::{Architecture, Options};
use crate::device::Device;
use crate::memory::DeviceArray;
use crate::source::Element;
use crate::ufunc::cuda::Purpose;
use crate::ufunc::expression::{ArrayInput, IndexInput};
use crate::ufunc::formula::Folding;
use crate::ufunc::{Apply, ArrayLike, Code, IntoLazy as _, Lazy, lazy};

#[test]
fn the_number_of_workers_does_not_change_a_float_sum() {
    let x: Vec<f32> = (0..1_000_003).map(|i| (i as f32 * 0.618_034).fract() - 0.3).collect();
    let sums = |workers: usize| {
        let pool = rayon_core::ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
        pool.install(|| {
            let x = Device::cpu().to_device(&x).unwrap();
            let square = x.slice(..1_000_000).view().reshape([1000, 1000]).unwrap();
            let bits = |sums: Vec<f32>| sums.into_iter().map(f32::to_bits).collect::<Vec<_>>();
            let along = |axis| bits(lazy(square).sum_axis(axis).unwrap().to_host().unwrap());
            (x.lazy().sum().unwrap().to_bits(), along(0), along(1))
        })
    };
    let one = sums(1);
    for workers in [2, 3, 8] {
        assert!(sums(workers) == one, "with {workers} workers");
    }
}

fn code_of<E: Expression>(_: &Lazy<E>) -> std::marker::PhantomData<E::Code> {
    std::marker::PhantomData
}

/// Every kernel of a reduction of `lazy`.
fn sources<F: ReduceFunction, E: Expression<Item = F::Output>>(lazy: &Lazy<E>) -> Vec<String> {
    let inputs = lazy.inputs();
    let shape = lazy.shape().unwrap();
    let plan = Plan::of(shape, &inputs.list, &[]);
    fn write<F: ReduceFunction, C: Code<Item = F::Output>>(
        _: std::marker::PhantomData<C>,
        plan: &Plan,
        inputs: &[crate::ufunc::input::Input<'_>],
    ) -> Vec<String> {
        [Purpose::ReduceAll, Purpose::ReduceRows, Purpose::ReduceColumns, Purpose::ReduceEach]
            .map(|purpose| cuda::source(Folding::of::<C, F>(), purpose, plan, inputs))
            .into()
    }
    write::<F, _>(code_of(lazy), &plan, &inputs.list)
}

/// A struct, whose name is up to each program: three components of a vector, with its length in another type.
#[derive(Clone, Copy, crate::DeviceType)]
#[repr(C)]
pub(in crate::ufunc) struct Place {
    pub(in crate::ufunc) at: [f64; 3],
    pub(in crate::ufunc) count: u32,
}

#[crate::reduce(identity = Place { at: [0.0; 3], count: 0 })]
pub(in crate::ufunc) fn merged(a: Place, b: Place) -> Place {
    let mut sum = Place { at: a.at, count: a.count + b.count };
    for k in 0..3 {
        sum.at[k] += b.at[k];
    }
    sum
}

/// A component of every kind.
#[crate::reduce]
pub(in crate::ufunc) fn nearest(a: f32, p: Pair, i: u8, b: f32, q: Pair, j: u8) -> (f32, Pair, u8) {
    if b < a { (b, q, j) } else { (a, p, i) }
}

#[derive(Clone, Copy, crate::DeviceType)]
#[repr(C)]
pub(in crate::ufunc) struct Pair {
    pub(in crate::ufunc) x: f32,
    pub(in crate::ufunc) n: u8,
}

fn array<T: Element>(array: &DeviceArray<T>) -> Lazy<ArrayInput<'_, T>> {
    array.lazy()
}

fn pairs<T: Number>(array: &DeviceArray<T>) -> Lazy<Pairs<T, ArrayInput<'_, T>>> {
    Lazy::new(Apply::new((array.lazy().expression, IndexInput::along([2, array.len()].into(), 1))))
}

#[test]
#[ignore = "half a minute of NVRTC, which `.ci/run` has"]
fn every_variant_of_the_kernels_compiles() {
    let Some(nvrtc) = nvrtc_or_skip("every_variant_of_the_kernels_compiles") else { return };
    let device = Device::cpu();
    fn numbers<T: Number>(device: &Device, sources: &mut Vec<String>) {
        let x = device.zeros::<T>(8).unwrap();
        sources.extend(super::tests::sources::<Sum<T::Sum>, _>(&T::widened(array(&x))));
        sources.extend(super::tests::sources::<Min<T>, _>(&array(&x)).drain(..1));
        sources.extend(super::tests::sources::<ArgMax<T>, _>(&pairs(&x)));
        sources.extend(super::tests::sources::<Sum<_>, _>(&means(T::widened(array(&x)))).drain(..1));
    }
    let mut all = Vec::new();
    numbers::<f32>(&device, &mut all);
    numbers::<f64>(&device, &mut all);
    numbers::<i32>(&device, &mut all);
    numbers::<u8>(&device, &mut all);
    numbers::<i64>(&device, &mut all);
    #[cfg(feature = "half")]
    {
        numbers::<half::f16>(&device, &mut all);
        numbers::<half::bf16>(&device, &mut all);
    }
    let flags = device.zeros::<bool>(8).unwrap();
    all.extend(sources::<Any<bool>, _>(&array(&flags)));
    all.extend(sources::<Sum<usize>, _>(&counts(array(&flags))).drain(..1));
    let x = device.zeros::<f32>(12).unwrap().reshape([3, 4]).unwrap();
    #[cfg(feature = "complex")]
    all.extend(sources::<Sum<num_complex::Complex<f64>>, _>(&means(array(&device.zeros::<num_complex::Complex<f64>>(8).unwrap()))));
    let (places, pairs) = (device.zeros::<Place>(8).unwrap(), device.zeros::<Pair>(8).unwrap());
    all.extend(sources::<merged::Function, _>(&array(&places)));
    let (keys, numbers) = (device.zeros::<f32>(8).unwrap(), device.zeros::<u8>(8).unwrap());
    let tuples: Lazy<_> = (&keys, &pairs, &numbers).into_lazy();
    all.extend(sources::<nearest::Function, _>(&tuples));
    all.extend(sources::<Max<f32>, _>(&lazy(x.view().t().slice_axis(0, 1..))));
    assert_all_compile(nvrtc, "reduce.cu", &all);
}

#[test]
#[ignore = "half a minute of NVRTC, which `.ci/run` has"]
fn the_items_of_a_thread_stay_in_registers() {
    let Some(nvrtc) = nvrtc_or_skip("the_items_of_a_thread_stay_in_registers") else { return };
    let device = Device::cpu();
    let (x, y) = (device.zeros::<f64>(8).unwrap(), device.zeros::<u8>(8).unwrap());
    let all = [sources::<Sum<f64>, _>(&array(&x)), sources::<ArgMax<f64>, _>(&pairs(&x)), sources::<Sum<u8>, _>(&array(&y))];
    for source in all.into_iter().flatten() {
        let compiled = nvrtc.compile("reduce.cu", &source, Architecture { major: 9, minor: 0 }.into(), &Options::DEFAULT).unwrap();
        let ptx = compiled.ptx().unwrap();
        assert!(!ptx.contains(".local"), "arrays of a thread went to memory:\n{source}\n{ptx}");
    }
}

#[test]
fn the_expression_is_part_of_the_kernel() {
    let device = Device::cpu();
    let flags = device.zeros::<bool>(8).unwrap();
    let source = &sources::<Sum<usize>, _>(&counts(array(&flags)))[0];
    assert!(source.contains("in.p0[i]") && source.contains("reduce_sum(const gr_inputs in, const gr_partition part)"), "{source}");
    assert_eq!(source.matches("__global__").count(), 1);
}
