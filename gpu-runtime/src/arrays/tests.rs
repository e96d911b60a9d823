//! The kernels that the CPU does not use, and what NVRTC says about all of them. What the functions compute is tested in
//! `tests/array_kernels.rs`, on every device.

use super::codes::sort_by_codes;
use super::fourier::ours::{transform_rows_f32, transform_rows_f64};
use super::groups::find_bins;
use super::label::{begin_runs, number_elements, unite_neighbours};
use super::linalg::batch::{eliminate, factor};
use super::matmul::ours::{self, multiply_matrices};
use super::matmul::tiles::{multiply_in_parts, multiply_tiles};
use super::matmul::{MatrixElement, halves, tf32, through};
use super::put::put_last;
use super::radix::{Carried, count_digits, scatter_digits};
use super::recursive::{carry_states, end_chunks, filter_chunks};
use super::sample::sample_elements;
use super::search::search_elements;
use super::select::{count_kept, keep_elements, take_along, take_elements, take_parts};
use super::sort::{merge, merge_runs};
use super::sparse::{add_rows, find_rows, multiply_sparse, sum_runs};
use super::{
    Filters, Groups, LinearAlgebra, Matrices, Normalizations, Pad, Products, Repetitions, Selections, Sets, Sorting, Statistics, matmul,
};
use crate::compile::nvrtc::testing::{assert_all_compile, nvrtc_or_skip};
use crate::compile::used::{UsedKernel, kernels_of};
use crate::device::Device;
use crate::functions;
use crate::memory::{DeviceArray, MAX_RANK};
use crate::scalar::Num;
use crate::ufunc::{Elementwise, Reductions, concatenate, iota, lazy};
use crate::{Error, Result};

#[test]
fn tiles_of_matrices_give_the_product_on_the_cpu_too() -> Result<()> {
    let device = Device::cpu();
    let numbers = |shape: [usize; 3]| ((iota(shape) * 7919) % 23).cast::<i32>().on(&device).collect();
    for [batch, rows, inner, columns] in [[1, 1, 1, 1], [3, 165, 17, 33], [1, 64, 32, 64], [3, 5, 40, 129]] {
        let (a, b): (DeviceArray<i32>, DeviceArray<i32>) = (numbers([batch, inner, rows])?, numbers([batch, inner, columns])?);
        let (a, b) = (a.view().swap_axes(1, 2), b.view());
        // As much as a launch can have, and in several launches.
        for most in [65_535, 2] {
            let mut c = device.full([batch, rows, columns], -1)?;
            ours::launch(a, b, &mut c, most)?;
            assert_eq!(c.to_host()?, ours::multiply(a, b)?.to_host()?, "{batch} of {rows} × {inner} × {columns}, {most} a launch");
        }
    }
    Ok(())
}

#[test]
fn large_tiles_give_the_product_on_the_cpu_too() -> Result<()> {
    let device = Device::cpu();
    let numbers = |shape: [usize; 3]| ((iota(shape) * 7919) % 23).cast::<f32>().on(&device).collect();
    // Operands where they are, by either axis, and copied ones; in parts, of which the last is short or empty; matrices that are the same for all.
    for ([of_a, of_b, rows, inner, columns], parts) in
        [([2, 2, 258, 16, 8], 1), ([1, 1, 136, 40, 260], 2), ([1, 1, 130, 37, 65], 3), ([2, 2, 64, 9, 132], 4), ([1, 3, 3, 52, 4], 2)]
    {
        let batch = of_a.max(of_b);
        let (a, b): (DeviceArray<f32>, DeviceArray<f32>) = (numbers([of_a, rows, inner])?, numbers([of_b, inner, columns])?);
        let (turned_a, turned_b) = (lazy(a.view().swap_axes(1, 2)).collect()?, lazy(b.view().swap_axes(1, 2)).collect()?);
        let expected = ours::multiply(a.view().broadcast_to([batch, rows, inner])?, b.view().broadcast_to([batch, inner, columns])?)?;
        // As much as a launch can have, and in several launches.
        for (a, most) in [(a.view(), 65_535), (turned_a.view().swap_axes(1, 2), parts)] {
            for b in [b.view(), turned_b.view().swap_axes(1, 2)] {
                let (a, b) = (a.broadcast_to([batch, rows, inner])?, b.broadcast_to([batch, inner, columns])?);
                let found = multiply_in_parts(a, b, parts, most)?;
                assert_eq!(found.shape(), expected.shape());
                assert!(found.to_host()? == expected.to_host()?, "{batch} of {rows} × {inner} × {columns} in {parts}, {most} a launch");
            }
        }
    }
    Ok(())
}

#[test]
fn a_product_in_an_expression_is_computed_once_when_it_is_used() -> Result<()> {
    let device = Device::cpu();
    let (a, b) = (device.to_device(&[1, 2, 3, 4])?.reshape([2, 2])?, device.to_device(&[1, 0, 2, 1])?.reshape([2, 2])?);
    let bias = device.to_device(&[10, 20])?;
    let product = matmul(&a, &b);
    assert_eq!((&product + &bias).to_host()?, [15, 22, 21, 24]);
    assert_eq!((&product * &product).sum_axis(0)?.to_host()?, [25 + 121, 4 + 16]);
    assert_eq!(matmul(&a + 1, product.t()).shape()?, [2, 2]);

    let row = device.to_device(&[1, 2, 3])?;
    let error = (matmul(&a, &row) + &bias).collect().unwrap_err();
    let (error, expected) = (error.to_string(), a.matmul(&row).unwrap_err().to_string());
    assert_eq!(error.split_once(": shapes").unwrap().1, expected.split_once(": shapes").unwrap().1);
    // It is an error each time.
    let refused = matmul(&a, &row);
    assert!(refused.shape().is_err() && refused.sum().is_err());
    Ok(())
}

/// The speed of the kernel depends on it.
#[test]
fn a_thread_keeps_the_sums_of_its_tile_in_registers() -> Result<()> {
    if nvrtc_or_skip("a_thread_keeps_the_sums_of_its_tile_in_registers").is_none() {
        return Ok(());
    }
    // A data race would be accesses that nothing merges.
    let source = multiply_tiles::cuda_source();
    let (_, kernel) = source.split_once("__global__").expect("a kernel");
    assert!(!kernel.contains("gr_racing"), "{kernel}");
    let report = multiply_tiles::report(&Device::cpu())?;
    for variant in &report.variants {
        let attributes = variant.attributes;
        // Matrices of 2³¹ quadruples take a program of their own, in which two words may be in local memory.
        let most = if variant.name == "proved" { 8 } else { 0 };
        assert!(attributes.local_bytes <= most && attributes.registers <= 128, "{report}");
    }
    Ok(())
}

#[test]
fn halves_and_complex_numbers_are_multiplied_without_blas_too() -> Result<()> {
    use half::f16;
    use num_complex::Complex;

    let device = Device::cpu();
    let numbers =
        |shape: [usize; 3], seed| -> Result<Vec<i32>> { (((iota(shape) + seed) * 7919) % 23).cast::<i32>().on(&device).to_host() };
    for [batch, rows, inner, columns] in [[1, 1, 1, 1], [2, 35, 17, 33], [3, 5, 40, 2], [2, 130, 72, 264], [2, 2180, 3, 5]] {
        let (of_a, of_b) = (numbers([batch, inner, rows], 0)?, numbers([batch, inner, columns], 3)?);
        let halves = |host: &[i32]| host.iter().map(|&x| f16::from_f32(x as f32 / 8.0)).collect::<Vec<_>>();
        let a = device.to_device(&halves(&of_a))?.reshape([batch, inner, rows])?;
        let b = device.to_device(&halves(&of_b))?.reshape([batch, inner, columns])?;
        let a = a.view().swap_axes(1, 2);
        // The CPU has no other function for halves, so that only complex numbers are compared with BLAS.
        // SAFETY: both have three axes, whose extents go together.
        let expected = unsafe { f16::multiply(a, b.view())? };
        assert_eq!(through::multiply_as_f32(a, b.view())?.to_host()?, expected.to_host()?);
        // The sums are exact, in any order.
        assert_eq!(halves::multiply_in_tiles(a, b.view())?.to_host()?, expected.to_host()?);

        let complex = |host: &[i32]| host.iter().map(|&x| Complex::new(f64::from(x), f64::from(7 - x))).collect::<Vec<_>>();
        let a = device.to_device(&complex(&of_a))?.reshape([batch, inner, rows])?;
        let b = device.to_device(&complex(&of_b))?.reshape([batch, inner, columns])?;
        let a = a.view().swap_axes(1, 2);
        // SAFETY: as above.
        let expected = unsafe { Complex::multiply(a, b.view())? };
        let (found, expected) = (through::multiply_parts(a, b.view())?.to_host()?, expected.to_host()?);
        assert!(found == expected, "{batch} of {rows} × {inner} × {columns}");
    }
    Ok(())
}

/// On a GPU too, by tensor cores: the numbers have few bits, and their sums are exact.
#[test]
fn products_in_tf32_are_those_of_f32_if_numbers_have_few_bits() -> Result<()> {
    let device = Device::best()?;
    for [batch, rows, inner, columns] in [[1, 1, 1, 1], [2, 35, 17, 33], [2, 130, 72, 264], [2, 2180, 3, 5]] {
        let numbers = |shape: [usize; 3], seed| ((((iota(shape) + seed) * 7919) % 23).cast::<f32>() - 11.0).on(&device).collect();
        let (a, b): (DeviceArray<f32>, DeviceArray<f32>) = (numbers([batch, inner, rows], 0)?, numbers([batch, inner, columns], 3)?);
        let (a, b) = (a.view().swap_axes(1, 2), b.view());
        assert_eq!(tf32::multiply_in_tiles(a, b)?.to_host()?, ours::multiply(a, b)?.to_host()?);
        let b: DeviceArray<f32> = crate::ufunc::lazy(b.swap_axes(1, 2)).collect()?;
        assert_eq!(
            tf32::multiply_in_tiles(a, b.view().swap_axes(1, 2))?.to_host()?,
            ours::multiply(a, b.view().swap_axes(1, 2))?.to_host()?
        );
    }
    Ok(())
}

/// Lengths that are no multiples of a tile's, several heads of queries for one of keys, columns that are padded; with and without a mask.
#[test]
fn attention_in_tiles_is_that_by_matrices() -> Result<()> {
    use super::attention::halves::Attend;
    use super::attention::{Heads, Mask};
    use half::bf16;

    let device = Device::cpu();
    let numbers = |shape: [usize; 3]| -> Result<DeviceArray<bf16>> {
        (((iota(shape) * 7919) % 23).cast::<f32>() / 8.0 - 1.0).cast::<bf16>().on(&device).collect()
    };
    for [heads, groups, rows, positions, size, columns] in
        [[1, 1, 1, 1, 1, 1], [2, 1, 130, 200, 40, 24], [2, 2, 150, 70, 128, 128], [1, 1, 3, 65, 130, 256]]
    {
        let (q, k, v) = (numbers([heads, rows, size])?, numbers([groups, positions, size])?, numbers([groups, positions, columns])?);
        for mask in [Mask::Full, Mask::Causal, Mask::CausalFrom(3), Mask::CausalFrom(usize::MAX)] {
            let heads = Heads { queries: q.view(), keys: k.view(), values: v.view(), mask };
            let (found, expected) = (bf16::attend_in_tiles(heads)?, q.attention(&k, &v, mask)?);
            let difference = functions::abs::map(found.cast::<f32>() - expected.cast::<f32>()).max()?;
            assert!(difference < 0.03, "{rows} × {positions} × {size}, {mask:?}: {difference}");
        }
    }
    // Scores of -inf in a whole tile: positions that are hidden by a column of their own.
    let hidden = iota([200, 1]).lt(150).select(f32::NEG_INFINITY, 0.0f32).cast::<bf16>().on(&device).collect()?;
    let (ones, k) = (device.full([1, 130, 1], bf16::ONE)?, concatenate([&hidden, &device.zeros([200, 1])?], 1)?.reshape([1, 200, 2])?);
    let (q, v) = (concatenate([&ones, &ones], 2)?, numbers([1, 200, 8])?);
    let heads = Heads { queries: q.view(), keys: k.view(), values: v.view(), mask: Mask::Full };
    let (found, expected) = (bf16::attend_in_tiles(heads)?, v.view().part((.., 150.., ..)).cast::<f32>().mean_axis(1)?);
    let difference = functions::abs::map(found.cast::<f32>() - expected).max()?;
    assert!(difference < 0.03, "{difference}");
    let Some(nvrtc) = nvrtc_or_skip("attention_in_tiles_is_that_by_matrices") else { return Ok(()) };
    let used = kernels_of(|| {
        for size in [64, 128, 256] {
            let x = numbers([1, 128, size])?;
            bf16::attend_in_tiles(Heads { queries: x.view(), keys: x.view(), values: x.view(), mask: Mask::Causal })?;
        }
        Ok(())
    })?;
    let sources: Vec<_> = used.iter().filter(|kernel| kernel.name().contains("attend")).map(UsedKernel::cuda_source).collect();
    assert_eq!(sources.len(), 3);
    assert_all_compile(nvrtc, "attention.cu", &sources);
    Ok(())
}

#[test]
fn runs_are_merged_as_std_sorts_on_the_cpu_too() -> Result<()> {
    let device = Device::cpu();
    for [rows, len] in [[1, 1], [1, 2], [3, 5], [2, 64], [5, 1000], [0, 3], [3, 0]] {
        let x: DeviceArray<i32> = ((iota([rows, len]) * 7919) % 23).cast::<i32>().on(&device).collect()?;
        let (expected, order) = (x.sort()?, x.argsort()?);
        let (merged, indices) = merge(x, len)?;
        assert_eq!(merged.to_host()?, expected.to_host()?, "{rows} × {len}");
        assert_eq!(indices.to_host()?, order.to_host()?, "{rows} × {len}");
    }
    Ok(())
}

#[test]
fn digits_sort_as_std_does_on_the_cpu_too() -> Result<()> {
    fn check<T: Num>(len: usize, make: impl Fn(usize) -> T) -> Result<()> {
        let device = Device::cpu();
        let host: Vec<T> = (0..len).map(|i| make(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20)).collect();
        let x = device.to_device(&host)?;
        let (sorted, order) = sort_by_codes(x.slice(..), Carried::Indices).expect("the type has codes")?;
        let (expected, of_expected) = (x.sort()?.to_host()?, x.argsort()?.to_host()?);
        let order: Vec<usize> = order.expect("there are values").to_host()?.into_iter().map(|i| i as usize).collect();
        assert_eq!(order, of_expected, "{len} of {}", std::any::type_name::<T>());
        let same = |(a, b): (&T, &T)| a == b || (a != a && b != b);
        assert!(sorted.to_host()?.iter().zip(&expected).all(same), "{len} of {}", std::any::type_name::<T>());
        let alone = sort_by_codes(x.slice(..), Carried::Nothing).expect("the type has codes")?.0.to_host()?;
        assert!(alone.iter().zip(&expected).all(same), "{len} of {}", std::any::type_name::<T>());
        Ok(())
    }
    for len in [0, 1, 2, 33, 4096, 9001] {
        check(len, |i| i as i32 - 1000)?;
        check(len, |i| i as u8)?;
        check(len, |i| i as i16)?;
    }
    let floats = [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0, -1.0, 1e-40, -3e38];
    check(5000, |i| floats[i % 10])?;
    check(5000, |i| half::f16::from_f32(floats[i % 10]))?;
    check(5000, |i| half::bf16::from_bits(i as u16))?;
    check(5000, |i| f64::from(floats[i % 10]) * (i % 7) as f64)?;
    check(300, |i| i as i64 - (1 << 40))?;
    check(300, |i| i as u64)
}

#[test]
fn warps_keep_what_loops_keep_on_the_cpu_too() -> Result<()> {
    let device = Device::cpu();
    // Less than a tile, one, some, and more than a worker takes at a time.
    for len in [0usize, 1, 31, 4096, 4097, 9001, 70_000] {
        for (case, is_kept) in [("all", (|_| true) as fn(usize) -> bool), ("none", |_| false), ("some", |i| (i * 7919) % 23 < 9)] {
            let host: Vec<u16> = (0..len).map(|i| i as u16).collect();
            let (x, mask) = (device.to_device(&host)?, device.to_device(&(0..len).map(is_kept).collect::<Vec<_>>())?);
            let kept = || -> Result<_> { Ok((x.filter(&mask)?.to_host()?, mask.nonzero()?.to_host()?)) };
            let expected: Vec<usize> = (0..len).filter(|&i| is_kept(i)).collect();
            let expected = (expected.iter().map(|&i| i as u16).collect::<Vec<_>>(), expected);
            assert!(kept()? == expected, "{case} of {len}");
            let mut by_kernels = None;
            let used = kernels_of(|| {
                by_kernels = Some(kept()?);
                Ok(())
            })?;
            assert!(by_kernels == Some(expected), "{case} of {len}");
            assert_eq!(used.iter().any(|kernel| kernel.name().contains("count_kept")), len > 0, "{case} of {len}");
        }
    }
    Ok(())
}

#[test]
fn every_kernel_compiles() {
    let Some(nvrtc) = nvrtc_or_skip("every_kernel_compiles") else { return };
    let sources = [
        multiply_matrices::cuda_source::<f32>(),
        multiply_tiles::cuda_source(),
        transform_rows_f32::cuda_source(),
        transform_rows_f64::cuda_source(),
        eliminate::cuda_source::<f32>(),
        factor::cuda_source::<f64>(),
        multiply_matrices::cuda_source::<f64>(),
        multiply_matrices::cuda_source::<i8>(),
        multiply_sparse::cuda_source::<f32>(),
        multiply_sparse::cuda_source::<f64>(),
        sum_runs::cuda_source::<f64>(),
        add_rows::cuda_source::<f32>(),
        find_rows::cuda_source(),
        count_kept::cuda_source(),
        keep_elements::cuda_source::<u16, false>(),
        keep_elements::cuda_source::<usize, true>(),
        take_elements::cuda_source::<u8, i8>(),
        find_bins::cuda_source::<f32>(),
        take_parts::cuda_source::<u64, u64>(),
        take_along::cuda_source::<u32, i64>(),
        merge_runs::cuda_source::<f32>(),
        merge_runs::cuda_source::<u64>(),
        search_elements::cuda_source::<i8, false>(),
        search_elements::cuda_source::<f32, true>(),
        put_last::cuda_source::<u32, i64>(),
        count_digits::cuda_source::<u32, true>(),
        count_digits::cuda_source::<u64, false>(),
        scatter_digits::cuda_source::<u32, false, true, 16, 8192>(),
        scatter_digits::cuda_source::<u64, true, false, 8, 4096>(),
        begin_runs::cuda_source(),
        unite_neighbours::cuda_source(),
        number_elements::cuda_source(),
        sample_elements::cuda_source::<f32, f32, 2>(),
        sample_elements::cuda_source::<f64, f32, 6>(),
        end_chunks::cuda_source::<f32>(),
        carry_states::cuda_source::<f64>(),
        filter_chunks::cuda_source::<f32>(),
    ];
    assert_all_compile(nvrtc, "arrays.cu", &sources);
}

/// What some functions compute in between, element by element.
#[test]
fn the_kernels_inside_functions_compile() -> Result<()> {
    let mut x = Device::cpu().linspace(0.0f32, 1.0, 24)?.reshape([4, 6])?;
    let indices = x.argsort()?;
    let used = kernels_of(|| {
        x.median_axis(0)?;
        x.corrcoef()?;
        x.take_along_axis(&indices, 1)?;
        x.pinv()?;
        x.part((.., ..4)).expm()?;
        x.take_nd([lazy(&[3, 0]), lazy(&[5, 1])])?;
        x.sum_by_axis(lazy(&[1, 0, 1, 0]), 2, 0)?;
        x.gaussian_filter(0.5, Pad::Reflect)?;
        let mut rng = x.device().random(1);
        rng.exponential::<f32>(3)?;
        rng.beta::<f64>(0.5, 2.0, 3)?;
        rng.poisson(4.0, 3)?;
        rng.binomial(20, 0.3, 3)?;
        x.put(&indices, 1.0)
    })?;
    let is_used = |name: &&str| used.iter().any(|kernel| kernel.name().contains(name));
    let names =
        ["between", "correlation", "take_along", "map_mul", "at_maximum", "put_last", "weighted", "place_along", "poisson", "binomial"];
    assert!(names.iter().all(is_used), "{:?}", used.iter().map(UsedKernel::name).collect::<Vec<_>>());
    let Some(nvrtc) = nvrtc_or_skip("the_kernels_inside_functions_compile") else { return Ok(()) };
    assert_all_compile(nvrtc, "inside.cu", &used.iter().map(UsedKernel::cuda_source).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn sets_take_arrays_of_any_shape_and_numbers() -> Result<()> {
    let device = Device::cpu();
    let (x, square) = (device.to_device(&[4, 1, 2])?, device.to_device(&[4, 9, 2, 0])?.reshape([2, 2])?);
    assert_eq!(x.isin(&square)?.to_host()?, [true, false, true]);
    assert_eq!(square.isin(lazy(2))?.to_host()?, [false, false, true, false]);
    assert_eq!(x.isin(device.zeros::<i32>([0, 3])?.view())?.to_host()?, [false; 3]);
    assert_eq!(x.intersection(&square)?.to_host()?, [2, 4]);
    assert_eq!(lazy(&[9, 4]).intersection(&square)?.to_host()?, [4, 9]);
    Ok(())
}

#[test]
fn logarithms_of_probabilities_keep_their_digits_beside_large_scores() -> Result<()> {
    let device = Device::cpu();
    for large in [1e4f32, -1e6, 3e38] {
        let scores = device.to_device(&[large, large])?.reshape([1, 2])?;
        let expected = -std::f32::consts::LN_2;
        assert_eq!(scores.log_softmax(1)?.to_host()?, [expected; 2], "{large}");
        assert_eq!(scores.cross_entropy(&device.to_device(&[1u32])?)?, -expected, "{large}");
        // The rows of more axes, and a single one.
        let pairs = device.to_device(&[large; 12])?.reshape([2, 3, 2])?;
        assert_eq!(pairs.cross_entropy(&device.zeros::<u32>([2, 3])?)?, -expected, "{large}");
        assert_eq!(pairs.view().index_axis(0, 0).index_axis(0, 0).cross_entropy(&device.zeros::<u32>([])?)?, -expected, "{large}");
        let error = pairs.cross_entropy(&device.zeros::<u32>(2)?).unwrap_err().to_string();
        assert!(error.contains("a row for each label"), "{error}");
    }
    let infinite = device.to_device(&[f32::NEG_INFINITY, 0.0])?.reshape([1, 2])?;
    assert_eq!(infinite.log_softmax(1)?.to_host()?, [f32::NEG_INFINITY, 0.0]);
    Ok(())
}

#[test]
fn a_mean_may_be_large_beside_the_deviation() -> Result<()> {
    let x = Device::cpu().to_device(&[16_777_216.0f32, 16_777_218.0])?;
    assert_eq!(x.layer_norm(0, 0.0)?.to_host()?, [-1.0, 1.0]);
    Ok(())
}

/// What `f16` would be: 70,000 is infinite, and 2049 is 2048.
#[cfg(feature = "half")]
#[test]
fn sums_of_short_floats_are_rounded_once() -> Result<()> {
    use super::{CsrMatrix, Signals};
    use half::f16;

    fn short<const N: usize>(numbers: [f64; N]) -> [f16; N] {
        numbers.map(f16::from_f64)
    }
    let device = Device::cpu();
    let one = f16::from_f64(1.0);
    let zeros = device.zeros::<f16>([1, 70_000])?;
    let logarithm = 70_000f64.ln();
    assert_eq!(zeros.softmax(1)?.to_host()?[..2], short([1.0 / 70_000.0; 2]));
    assert_eq!(zeros.log_softmax(1)?.to_host()?[..2], short([-logarithm; 2]));
    assert_eq!(zeros.log_sum_exp_axis(1)?.to_host()?, short([logarithm]));
    assert_eq!(zeros.cross_entropy(&device.zeros::<u32>(1)?)?, f16::from_f64(logarithm));
    let near = device.to_device(&short([1024.0, 1025.0]))?;
    assert_eq!(near.layer_norm(0, f16::ZERO)?.to_host()?, short([-1.0, 1.0]));

    let ones = device.full(4096, one)?;
    assert_eq!(ones.convolve(&ones)?.get(4095)?, f16::from_f64(4096.0));
    // 1.5 · 2047 is no `f16`.
    let (x, weights) = (device.to_device(&short([2047.0, 1.0]))?, device.to_device(&short([1.5, 0.5]))?);
    assert_eq!(x.correlate_axis(&weights, 0, Pad::Edge)?.get(1)?, f16::from_f64(3071.0));
    let reversed = device.to_device(&short([0.5, 1.5]))?.reshape([1, 2])?;
    assert_eq!(x.reshape([1, 2])?.convolve2d(&reversed)?.to_host()?[1], f16::from_f64(3071.0));

    let places = device.zeros::<u32>(4096)?;
    let sum = short([4096.0]);
    assert_eq!(CsrMatrix::from_coo([1, 1], &places, &places, &ones)?.values().to_host()?, sum);
    let starts = device.to_device(&[0u32, 4096])?;
    let several = CsrMatrix::new([1, 1], starts, places, device.full(4096, one)?)?;
    assert_eq!(several.to_dense()?.to_host()?, sum);
    assert_eq!(several.matmul(&device.full(1, one)?)?.to_host()?, sum);
    assert_eq!((several.sum_axis(0)?.to_host()?, several.sum_axis(1)?.to_host()?), (sum.to_vec(), sum.to_vec()));
    let column = CsrMatrix::from_dense(device.full([4096, 1], one)?.view())?;
    let row = CsrMatrix::from_dense(device.full([1, 4096], one)?.view())?;
    assert_eq!(row.matmul_sparse(&column)?.values().to_host()?, sum);
    Ok(())
}

/// Each element of a vector is 1 / ε times the one after it.
#[cfg(all(feature = "complex", feature = "linalg"))]
#[test]
fn defective_matrices_have_eigenvectors() -> Result<()> {
    let n = 24_usize;
    for reach in [1, n] {
        let a: Vec<f64> = (0..n * n).map(|at| f64::from(u8::from((1..=reach).contains(&(at % n).wrapping_sub(at / n))))).collect();
        let (values, vectors) = Device::cpu().to_device(&a)?.reshape([n, n])?.eig()?;
        let (values, vectors) = (values.to_host()?, vectors.to_host()?);
        for column in 0..n {
            let vector: Vec<_> = (0..n).map(|row| vectors[row * n + column]).collect();
            let length = vector.iter().map(num_complex::Complex::norm_sqr).sum::<f64>().sqrt();
            assert!((length - 1.0).abs() < 1e-12, "{length}");
            for row in 0..n {
                let product: num_complex::Complex<f64> = (0..n).map(|k| vector[k] * a[row * n + k]).sum();
                assert!((product - vector[row] * values[column]).norm() < 1e-12, "{row}, {column}");
            }
        }
    }
    Ok(())
}

#[test]
fn what_does_not_fit_is_an_error_of_the_call() -> Result<()> {
    let device = Device::cpu();
    let cube = device.zeros::<f32>([2, 3, 3])?;
    assert!(matches!(cube.trace(), Err(Error::UnsuitableMatrix { .. })));
    assert!(matches!(device.zeros::<u8>([1; MAX_RANK])?.one_hot::<f32>(2), Err(Error::ResultTooManyAxes { .. })));
    let x = device.full([1; MAX_RANK], 1.0f32)?;
    for error in [x.correlate_axis(lazy(&[1.0]), 0, Pad::Edge), x.gaussian_filter(1.0, Pad::Edge), x.median_filter(1, Pad::Edge)] {
        assert!(matches!(error, Err(Error::ResultTooManyAxes { .. })), "{error:?}");
    }
    let x = device.full([1; MAX_RANK - 1], 1.0f32)?;
    assert_eq!(x.gaussian_filter(1.0, Pad::Edge)?.shape(), [1; MAX_RANK - 1]);
    let vast = |shape: [usize; 4]| device.zeros::<f32>(1)?.view().broadcast_to(shape)?.matmul(device.zeros::<f32>([1, 1])?.view());
    assert!(matches!(vast([usize::MAX / 8, 1, 1, 1]), Err(Error::OutOfMemory { .. } | Error::TooManyElements { .. })));
    let counts = |counts: [i32; 3]| lazy(&[1, 2, 3]).on(&device).repeat_by(lazy(&counts), 0)?.to_host();
    assert_eq!(counts([2, 0, 1])?, [1, 1, 3]);
    assert!(counts([2, -1, 1]).unwrap_err().to_string().contains("a count is negative"));
    let half = u64::MAX / 2 + 1;
    let vast = lazy(&[1, 2, 3]).on(&device).repeat_by(lazy(&[half, half, 1]), 0).unwrap_err().to_string();
    assert!(vast.contains("a count is more than memory holds"), "{vast}");
    for sigma in [1e12, 4.6e18, f64::INFINITY, 0.0] {
        let payload = std::panic::catch_unwind(|| lazy(&[1.0]).gaussian_filter(sigma, Pad::Edge)).unwrap_err();
        assert!(payload.downcast::<String>().unwrap().contains("is positive and at most 1e9"), "{sigma}");
    }
    Ok(())
}

#[test]
fn triangles_have_diagonals_of_any_number() -> Result<()> {
    let x = Device::cpu().ones::<i32>([2, 3])?;
    for (k, upper, lower) in [(0, 5, 3), (1, 3, 5), (isize::MAX, 0, 6), (isize::MIN, 6, 0), (2, 1, 6), (-1, 6, 1)] {
        assert_eq!((x.triu(k)?.sum()?, x.tril(k)?.sum()?), (upper, lower), "{k}");
    }
    Ok(())
}
