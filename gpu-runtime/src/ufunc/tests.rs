//! Expressions of functions as `#[vectorize]` expands them, written by hand.

use super::*;
use crate::backend::cpu::{Stop, Thread};
use crate::compile::nvrtc::testing::{assert_all_compile, nvrtc_or_skip};
use crate::device::Device;
use crate::memory::Shape;
use crate::source::{Segment, SiteKind, Sites, SourceUnit};

/// `fn add(a: f32, b: f32) -> f32 { a + b }`
struct Add;

// SAFETY: the CUDA C takes two floats and returns one.
unsafe impl ArrayFunction for Add {
    type Args = (f32, f32);
    type Output = f32;
    const NAME: &'static str = "add";
    const FMAD: bool = true;

    fn source() -> &'static SourceUnit {
        static UNIT: SourceUnit = SourceUnit {
            name: "add",
            prototype: &[Segment::Text("static __device__ f32 "), Segment::OwnName, Segment::Text("(f32 a, f32 b)")],
            body: &[Segment::Text("static __device__ f32 "), Segment::OwnName, Segment::Text("(f32 a, f32 b) {\n  return a + b;\n}\n")],
            snippets: &[],
            sites: &Sites::NONE,
            several_elements: false,
        };
        &UNIT
    }

    #[inline(always)]
    fn call(_: &Thread<'_>, (a, b): (f32, f32)) -> Result<f32, Stop> {
        Ok(a + b)
    }
}

/// What `add` of these is.
type Sum<A, B> = Lazy<Apply<Add, (<A as IntoLazy<f32>>::Expression, <B as IntoLazy<f32>>::Expression)>>;

fn add<A: IntoLazy<f32>, B: IntoLazy<f32>>(a: A, b: B) -> Sum<A, B> {
    Lazy::new(Apply::new((a.into_lazy().expression, b.into_lazy().expression)))
}

/// `fn halves(x: i32) -> (i32, i32) { assert!(x % 2 == 0); (x / 2, x / 2) }`, more or less.
struct Halves;

// SAFETY: the CUDA C takes an int and returns two.
unsafe impl ArrayFunction for Halves {
    type Args = (i32,);
    type Output = (i32, f64);
    const NAME: &'static str = "halves";
    const FMAD: bool = true;

    fn source() -> &'static SourceUnit {
        static UNIT: SourceUnit = SourceUnit {
            name: "halves",
            prototype: &[Segment::Text("static __device__ gr_tuple2<i32, f64> "), Segment::OwnName, Segment::Text("(i32 x)")],
            body: &[
                Segment::Text("static __device__ gr_tuple2<i32, f64> "),
                Segment::OwnName,
                Segment::Text("(i32 x) {\n  if (x % 2 != 0) gr_panic("),
                Segment::Site(0),
                Segment::Text(", 0, 0);\n  return {x / 2, x / 2.0};\n}\n"),
            ],
            snippets: &["tuple", "panic"],
            sites: &ODD,
            several_elements: false,
        };
        &UNIT
    }

    #[inline(always)]
    fn call(thread: &Thread<'_>, (x,): (i32,)) -> Result<(i32, f64), Stop> {
        thread.in_function(&ODD).assert(x % 2 == 0, 0)?;
        Ok((x / 2, f64::from(x) / 2.0))
    }
}

static ODD: Sites = Sites::new(file!(), "1:1k0", &[SiteKind::Assert("even")]);

fn halves<A: IntoLazy<i32>>(x: A) -> Lazy<Apply<Halves, (A::Expression,)>> {
    Lazy::new(Apply::new((x.into_lazy().expression,)))
}

/// The even half of a number.
struct Half;

// SAFETY: the CUDA C takes an int and returns a float; it is not linked here.
unsafe impl ArrayFunction for Half {
    type Args = (i32,);
    type Output = f32;
    const NAME: &'static str = "half";
    const FMAD: bool = true;

    fn source() -> &'static SourceUnit {
        Add::source()
    }

    fn call(thread: &Thread<'_>, (x,): (i32,)) -> Result<f32, Stop> {
        thread.in_function(&ODD).assert(x % 2 == 0, 0)?;
        Ok((x / 2) as f32)
    }
}

fn half<A: IntoLazy<i32>>(x: A) -> Lazy<Apply<Half, (A::Expression,)>> {
    Lazy::new(Apply::new((x.into_lazy().expression,)))
}

#[test]
fn functions_of_arrays_scalars_and_functions_are_one_expression() {
    let device = Device::cpu();
    let x = device.to_device(&(0..5000).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
    let expected: Vec<f32> = (0..5000).map(|i| 2.0 * i as f32 + 1.5).collect();
    let lazy = add(&x, add(&x, 1.5));
    assert_eq!(lazy.collect().unwrap().to_host().unwrap(), expected);
    assert_eq!(lazy.to_host().unwrap(), expected);
    let mut out = device.zeros(5000).unwrap();
    lazy.collect_into(&mut out).unwrap();
    assert_eq!(out.to_host().unwrap(), expected);
    let error = lazy.collect_into(&mut device.zeros(7).unwrap()).unwrap_err().to_string();
    assert!(error.contains("`add`") && error.contains("(5000,)") && error.contains("(7,)"), "{error}");
}

#[test]
fn host_slices_are_read_where_they_are() {
    let device = Device::cpu();
    let (x, y) = (vec![1.0f32; 10], [2.0f32; 10]);
    assert_eq!(add(&x, &y).on(&device).to_host().unwrap(), [3.0; 10]);
    assert_eq!(add(&x[..0], 1.0).on(&device).to_host().unwrap(), []);
    assert_eq!(add(1.0, 2.0).on(&device).to_host().unwrap(), [3.0]);
}

#[test]
fn a_tuple_of_elements_becomes_a_tuple_of_arrays() {
    let device = Device::cpu();
    let (a, b) = halves(&[2, 4, 6]).on(&device).collect().unwrap();
    assert_eq!((a.to_host().unwrap(), b.to_host().unwrap()), (vec![1, 2, 3], vec![1.0, 2.0, 3.0]));
}

#[test]
fn a_failure_is_reported_by_whoever_waits() {
    let device = Device::cpu();
    let (a, _) = halves(&[2, 3, 6]).on(&device).collect().unwrap();
    let error = a.to_host().unwrap_err().to_string();
    assert!(error.contains("array function `halves` failed at") && error.contains("even (element 1)"), "{error}");
}

#[test]
fn every_handle_hears_of_a_failure_and_a_vec_returns_its_own() {
    let (a, b) = (Device::cpu(), Device::cpu());
    let x = a.to_device(&[1.0f32; 2]).unwrap();
    let mut out = b.zeros::<f32>(2).unwrap();
    let odd = b.to_device(&[2, 3]).unwrap();
    let lazy = add(&x, half(&odd));
    lazy.collect_into(&mut out).unwrap();
    for failed in [out.to_host().map(drop), a.synchronize()] {
        assert!(failed.unwrap_err().to_string().contains("even"));
    }
    assert!(lazy.to_host().unwrap_err().to_string().contains("even"));
    a.synchronize().unwrap();
    b.synchronize().unwrap();
}

#[test]
fn rows_repeat_and_views_of_any_strides_are_read_and_written() {
    let device = Device::cpu();
    let matrix = device.to_device(&(0..6).map(|i| i as f32).collect::<Vec<_>>()).unwrap().reshape([2, 3]).unwrap();
    let sum = add(&matrix, &[10.0, 20.0, 30.0]).collect().unwrap();
    assert_eq!((sum.shape(), sum.to_host().unwrap()), (Shape::from([2, 3]), vec![10.0, 21.0, 32.0, 13.0, 24.0, 35.0]));
    let transposed = add(matrix.view().t(), 0.0);
    assert_eq!(transposed.to_host().unwrap(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    let mut out = device.zeros::<f32>([2, 3]).unwrap();
    transposed.collect_into(out.view_mut().t()).unwrap();
    assert_eq!(out.to_host().unwrap(), matrix.to_host().unwrap());
    let mut host = vec![0.0; 6];
    transposed.collect_into(&mut host).unwrap();
    assert_eq!(host, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
}

#[test]
fn the_kernel_reads_each_array_once_and_computes_in_order() {
    let x = Device::cpu().to_device(&[1.0f32; 8]).unwrap();
    let source = add(&x, add(&x, 1.5)).cuda_source().unwrap();
    assert_eq!(source.matches("in.p0[i]").count(), 1, "{source}");
    assert_eq!(source.matches("in.p1[").count(), 0, "{source}");
    let (inner, outer) = (source.find("r0 = add(x.v0, in.p2)").unwrap(), source.find("r1 = add(x.v0, r0)").unwrap());
    assert!(inner < outer, "{source}");
}

#[test]
fn every_variant_of_the_kernels_compiles() {
    let Some(nvrtc) = nvrtc_or_skip("every_variant_of_the_kernels_compiles") else { return };
    let device = Device::cpu();
    let (x, row) = (device.to_device(&[1.0f32; 8]).unwrap(), device.to_device(&[1.0f32]).unwrap());
    let long = device.zeros::<f32>(100 * 70 * 20).unwrap().reshape([100, 70, 20]).unwrap();
    let sources = [
        add(long.view().swap_axes(1, 2), 1.0).cuda_source(),
        add(long.view().swap_axes(0, 2), add(&row, long.view().swap_axes(0, 2))).cuda_source(),
        add(iota([20, 70, 100]).cast::<f32>(), long.view().swap_axes(0, 2)).cuda_source(),
        halves(device.zeros::<i32>(2000).unwrap().reshape([40, 50]).unwrap().view().t()).cuda_source(),
        add(&x, 1.0).cuda_source(),
        add(&x, &row).cuda_source(),
        add(add(&x, &x), &[0.5; 8]).cuda_source(),
        add(&x, add(1.0, &row)).append_axes(2).cuda_source(),
        add(x.slice(..).into_lazy().append_axes(1), &[1.0; 3]).cuda_source(),
        halves(&[1, 2]).cuda_source(),
        iota([3, 4]).cuda_source(),
    ];
    let sources = sources.map(Result::unwrap);
    assert!(sources[..3].iter().all(|source| source.contains("__shared__ gr_tiles")), "transposes are read in tiles");
    assert!(!sources[3..].iter().any(|source| source.contains("__shared__ gr_tiles")));
    assert_all_compile(nvrtc, "map.cu", &sources);
    assert_all_compile(nvrtc, "structs.cu", &expressions_of_structs(&device));
    #[cfg(feature = "complex")]
    assert_all_compile(nvrtc, "complex.cu", &[every_complex_function(&device)]);
    assert!(add(&x, &row).cubin("sm_90").unwrap().starts_with(b"\x7fELF"));
    assert!(add(&x, &row).cubin("hopper").is_err());
}

#[derive(Clone, Copy, crate::DeviceType)]
#[repr(C, align(32))]
struct Interval {
    ends: [f64; 2],
    is_open: bool,
}

#[crate::vectorize]
fn widened(interval: Interval, by: f64) -> Interval {
    Interval { ends: [interval.ends[0] - by, interval.ends[1] + by], is_open: interval.is_open }
}

#[crate::vectorize]
fn hull(a: Interval, b: Interval) -> (Interval, bool) {
    let ends = [a.ends[0].min(b.ends[0]), a.ends[1].max(b.ends[1])];
    (Interval { ends, is_open: a.is_open && b.is_open }, a.is_open)
}

/// Structs as elements, read in tiles, as results, and as a value.
fn expressions_of_structs(device: &Device) -> [String; 3] {
    let unit = Interval { ends: [0.0, 1.0], is_open: true };
    let intervals = device.to_device(&vec![unit; 2000]).unwrap().reshape([40, 50]).unwrap();
    let wide = widened::map(intervals.view().t(), &[0.5; 40]);
    [wide.cuda_source(), hull::map(wide, unit).cuda_source(), widened::map(&intervals, 1.0).cuda_source()].map(Result::unwrap)
}

#[cfg(feature = "complex")]
#[crate::vectorize]
fn stretched(z: num_complex::Complex<f64>, by: f64) -> num_complex::Complex<f64> {
    z * by + z
}

/// The CUDA C of one expression that has all functions and operators of complex numbers, and one of a program.
#[cfg(feature = "complex")]
fn every_complex_function(device: &Device) -> String {
    use num_complex::Complex;
    let (z, x) = (device.zeros::<Complex<f64>>(8).unwrap(), device.zeros::<f64>(8).unwrap());
    let complex = (&z * &z - &z * &x) / (1.0 - 1.0 / &z + &x) + Complex::i() * (-z.exp().sqrt().ln().recip().powi(3)).conj();
    let rounded = z.cast::<Complex<f32>>().cast::<Complex<f64>>();
    let complex = rounded.eq(&z).ne(z.ne(Complex::i()).eq(true)).select(complex, &z);
    let real = z.abs() + z.arg() * z.re() - z.im() / z.norm_sqr();
    (2.0 * stretched::map(complex, &x) - real.cast::<Complex<f64>>()).cuda_source().unwrap()
}

#[test]
fn the_same_tree_has_one_code_and_another_tree_another() {
    fn code<E: Expression>(_: &Lazy<E>) -> std::any::TypeId {
        std::any::TypeId::of::<E::Code>()
    }
    let device = Device::cpu();
    let x = device.to_device(&[1.0f32; 8]).unwrap();
    let host = [1.0f32];
    assert_eq!(code(&add(&x, 1.0)), code(&add(&host, 2.0).on(&device)));
    assert_ne!(code(&add(&x, 1.0)), code(&add(1.0, &x)));
}

#[test]
fn the_devices_of_an_expression_are_told_with_the_places_that_say_so() {
    let device = Device::cpu();
    let (x, y) = (device.to_device(&[1.0f32]).unwrap(), device.to_device(&[2.0f32]).unwrap());
    let lazy = add(add(&x, 1.0), &y).on(&device);
    let inputs = lazy.inputs();
    let places: Vec<String> = inputs.devices().map(|(place, _)| place.to_string()).collect();
    assert_eq!(places, ["argument 1", "argument 3", "`on(…)`"]);
}

/// Rows of which some, all or none divide the runs that the CPU computes, and more elements than a worker takes at a time.
#[test]
fn rows_of_any_length_are_broadcast() -> crate::Result<()> {
    let device = Device::cpu();
    for columns in [3, 32, 100, 600, 1024, 1500] {
        let rows = 70_000 / columns;
        let (x, row) = (device.to_device(&(0..(rows * columns) as i64).collect::<Vec<_>>())?.reshape([rows, columns])?, iota(columns));
        let row = (row * row % 1009).cast::<i64>().on(&device).collect()?;
        let of_row = row.to_host()?;
        let expected: Vec<i64> = (0..rows * columns).map(|i| i as i64 + of_row[i % columns]).collect();
        let sum = &x + &row;
        assert!(sum.to_host()? == expected, "{columns}");
        assert_eq!(sum.sum()?, expected.iter().sum::<i64>(), "{columns}");
        assert_eq!(sum.max_axis(1)?.to_host()?[rows - 1], expected[(rows - 1) * columns..].iter().copied().max().unwrap(), "{columns}");
        assert_eq!(sum.t().to_host()?[rows + 1], expected[columns + 1], "{columns}");
    }
    Ok(())
}

/// Rows that are computed one by one and many at a time, of elements of several sizes, in blocks that are whole and that are not.
#[test]
fn transposes_of_any_shape_are_read_in_blocks() -> crate::Result<()> {
    let device = Device::cpu();
    for [rows, columns] in [[1, 2000], [2000, 1], [3, 3000], [3000, 3], [65, 1100], [1100, 65], [200, 513], [5000, 20], [7, 9]] {
        let x = iota([columns, rows]).on(&device).collect()?;
        let expected: Vec<usize> = (0..rows * columns).map(|i| i % columns * rows + i / columns).collect();
        // Beside an operand in C order, from the last row to the first, and as a result.
        let sum = x.view().t() + iota([rows, columns]) * 0usize;
        assert_eq!(sum.to_host()?, expected, "{rows} × {columns}");
        let reversed: Vec<usize> = expected.chunks(columns).rev().flatten().copied().collect();
        assert_eq!(lazy(x.view().t().reverse_axis(0)).to_host()?, reversed, "{rows} × {columns}");
        let mut turned = device.zeros::<usize>([rows, columns])?;
        lazy(&x).collect_into(turned.view_mut().t())?;
        assert_eq!(turned.to_host()?, expected, "{rows} × {columns}");
        assert_eq!(x.cast::<f32>().collect()?.view().t().cast::<usize>().to_host()?, expected, "{rows} × {columns}");
        let bytes: Vec<u8> = expected.iter().map(|&x| x as u8).collect();
        assert_eq!(lazy(x.cast::<u8>().collect()?.view().t()).to_host()?, bytes, "{rows} × {columns}");
    }
    Ok(())
}

/// What a kind of work runs on a GPU, and what computing it again, as it is, must give.
#[test]
fn the_kernels_of_every_kind_of_array_function_can_be_asked_for() {
    use crate::compile::used::{UsedKernel, kernels_of};
    use crate::prelude::*;

    #[guvectorize("(n)->()")]
    fn total(x: &[f32]) -> f32 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += x[i];
        }
        sum
    }

    #[gpu_kernel]
    fn doubled(x: &mut [f32]) {
        let i = grid_1d();
        if i < x.len() {
            x[i] *= 2.0;
        }
    }

    let device = Device::cpu();
    let x = device.linspace(0.0f32, 1.0, 6000).unwrap();
    let rows = device.zeros::<f32>([3, 2000]).unwrap();
    let keys = device.zeros::<u32>(6000).unwrap();
    let mut all: Vec<UsedKernel> = Vec::new();
    let mut check = |expected: &[&str], found: crate::Result<Vec<UsedKernel>>| {
        let found = found.unwrap();
        let names: Vec<&str> = found.iter().map(UsedKernel::name).collect();
        assert_eq!(names, expected);
        all.extend(found);
    };
    check(&["map_mul"], kernels_of(|| (&x * 2.0).collect()));
    check(&["map_mul"], kernels_of(|| (&x * 2.0).to_host()));
    check(&["reduce_sum"], kernels_of(|| (&x * 2.0).sum()));
    check(&["reduce_sum"], kernels_of(|| (rows.sum_axis(1), rows.sum_axis(1)).0));
    // Long columns, of which there are few: parts of them, and then their sums.
    check(&["reduce_max", "reduce_max"], kernels_of(|| (device.zeros::<f32>([1 << 20, 2])? * 2.0).max_axis(0)));
    check(&["reduce_sum", "map_div"], kernels_of(|| rows.mean_axis(0)));
    check(&["scan_sum"], kernels_of(|| x.cumsum()));
    check(&["histogram_copy"], kernels_of(|| x.histogram(10, 0.0..=1.0)));
    check(&["at_add"], kernels_of(|| crate::functions::add::at(&mut device.zeros::<f32>(10)?, &keys, &x)));
    check(&["batch_total"], kernels_of(|| total::map(&rows).collect()));
    check(&["doubled"], kernels_of(|| doubled(&mut device.zeros::<f32>(10)?).forall(10)));
    // Sorts go the way of a GPU, and give the same.
    let back = kernels_of(|| {
        assert_eq!(x.view().reverse_axis(0).sort()?.to_host()?, x.to_host()?);
        assert_eq!(x.view().reverse_axis(0).argsort()?.to_host()?[..2], [5999, 5998]);
        rows.sort_axis(1)
    });
    let names: Vec<&str> = back.as_ref().unwrap().iter().map(UsedKernel::name).collect();
    assert!(
        ["count_digits", "scatter_digits", "merge_runs", "scan_sum"].iter().all(|kernel| names.iter().any(|name| name.starts_with(kernel))),
        "{names:?}"
    );
    all.extend(back.unwrap());

    // Nothing is noted once the answer is there, also after an error.
    assert!(kernels_of(|| (&x + rows.view().slice_axis(1, ..7)).collect()).is_err());
    assert!(!crate::compile::used::is_asked());
    assert!(all[0].cubin("hopper").is_err());
    let Some(nvrtc) = nvrtc_or_skip("the_kernels_of_every_kind_of_array_function_can_be_asked_for") else { return };
    assert_all_compile(nvrtc, "used.cu", &all.iter().map(UsedKernel::cuda_source).collect::<Vec<_>>());
    assert!(all[2].cubin("sm_90").unwrap().starts_with(b"\x7fELF"));
}
