//! The kernels that the CPU does not use, and what NVRTC says about all of them. What the functions compute is tested in
//! `tests/array_kernels.rs`, on every device.

use super::Sorting;
use super::codes::{indices, sort_by_codes};
use super::matmul::ours::{self, multiply_matrices};
use super::matmul::{MatrixElement, through};
use super::radix::{count_digits, scatter_digits};
use super::select::{count_kept, keep_elements, take_elements, take_parts};
use super::sort::{merge, merge_runs, search_elements};
use super::sparse::multiply_sparse;
use crate::Result;
use crate::compile::nvrtc::testing::{assert_compiles, nvrtc_or_skip};
use crate::device::Device;
use crate::memory::DeviceArray;
use crate::scalar::Num;
use crate::ufunc::{Elementwise, Number, iota};

#[test]
fn tiles_of_matrices_give_the_product_on_the_cpu_too() -> Result<()> {
    let device = Device::cpu();
    let numbers = |shape: [usize; 3]| ((iota(shape) * 7919) % 23).cast::<i32>().on(&device).collect();
    for [batch, rows, inner, columns] in [[1, 1, 1, 1], [2, 65, 17, 33], [1, 64, 32, 64], [3, 5, 40, 129]] {
        let (a, b): (DeviceArray<i32>, DeviceArray<i32>) = (numbers([batch, inner, rows])?, numbers([batch, inner, columns])?);
        let (a, b) = (a.view().swap_axes(1, 2), b.view());
        let mut c = device.full([batch, rows, columns], -1)?;
        // SAFETY: every element of `c` belongs to one thread of one block.
        unsafe { multiply_matrices(a, b, &mut c).launch_unchecked((columns.div_ceil(64), rows.div_ceil(64), batch), (16, 16))? };
        assert_eq!(c.to_host()?, ours::multiply(a, b)?.to_host()?, "{batch} of {rows} × {inner} × {columns}");
    }
    Ok(())
}

#[test]
fn halves_and_complex_numbers_are_multiplied_without_blas_too() -> Result<()> {
    use half::f16;
    use num_complex::Complex;

    let device = Device::cpu();
    let numbers = |shape: [usize; 3], seed| -> Result<Vec<i32>> { (((iota(shape) + seed) * 7919) % 23).cast::<i32>().on(&device).to_vec() };
    for [batch, rows, inner, columns] in [[1, 1, 1, 1], [2, 35, 17, 33], [3, 5, 40, 2]] {
        let (of_a, of_b) = (numbers([batch, inner, rows], 0)?, numbers([batch, inner, columns], 3)?);
        let halves = |host: &[i32]| host.iter().map(|&x| f16::from_f32(x as f32 / 8.0)).collect::<Vec<_>>();
        let a = device.to_device(&halves(&of_a))?.reshape([batch, inner, rows])?;
        let b = device.to_device(&halves(&of_b))?.reshape([batch, inner, columns])?;
        let a = a.view().swap_axes(1, 2);
        // The CPU has no other function for halves, so that only complex numbers are compared with BLAS.
        assert_eq!(through::multiply_as_f32(a, b.view())?.to_host()?, f16::multiply(a, b.view())?.to_host()?);

        let complex = |host: &[i32]| host.iter().map(|&x| Complex::new(f64::from(x), f64::from(7 - x))).collect::<Vec<_>>();
        let a = device.to_device(&complex(&of_a))?.reshape([batch, inner, rows])?;
        let b = device.to_device(&complex(&of_b))?.reshape([batch, inner, columns])?;
        let a = a.view().swap_axes(1, 2);
        let (found, expected) = (through::multiply_parts(a, b.view())?.to_host()?, Complex::multiply(a, b.view())?.to_host()?);
        assert!(found == expected, "{batch} of {rows} × {inner} × {columns}");
    }
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
    fn check<T: Num + Number>(len: usize, make: impl Fn(usize) -> T) -> Result<()> {
        let device = Device::cpu();
        let host: Vec<T> = (0..len).map(|i| make(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20)).collect();
        let x = device.to_device(&host)?;
        let (sorted, order) = sort_by_codes(x.slice(..), Some(indices(x.slice(..))?.slice(..))).expect("the type has codes")?;
        let (expected, of_expected) = (x.sort()?.to_host()?, x.argsort()?.to_host()?);
        let order: Vec<usize> = order.expect("there are values").to_host()?.into_iter().map(|i| i as usize).collect();
        assert_eq!(order, of_expected, "{len} of {}", std::any::type_name::<T>());
        let same = |(a, b): (&T, &T)| a == b || (a != a && b != b);
        assert!(sorted.to_host()?.iter().zip(&expected).all(same), "{len} of {}", std::any::type_name::<T>());
        let alone = sort_by_codes(x.slice(..), None).expect("the type has codes")?.0.to_host()?;
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
    check(5000, |i| f64::from(floats[i % 10]) * (i % 7) as f64)?;
    check(300, |i| i as i64 - (1 << 40))?;
    check(300, |i| i as u64)
}

#[test]
fn every_kernel_compiles() {
    let Some(nvrtc) = nvrtc_or_skip("every_kernel_compiles") else { return };
    for source in [
        multiply_matrices::cuda_source::<f32>(),
        multiply_matrices::cuda_source::<f64>(),
        multiply_matrices::cuda_source::<i8>(),
        multiply_sparse::cuda_source::<f32>(),
        multiply_sparse::cuda_source::<f64>(),
        count_kept::cuda_source(),
        keep_elements::cuda_source::<u16, false>(),
        keep_elements::cuda_source::<usize, true>(),
        take_elements::cuda_source::<u8, i8>(),
        take_parts::cuda_source::<u64, u64>(),
        merge_runs::cuda_source::<f32>(),
        merge_runs::cuda_source::<u64>(),
        search_elements::cuda_source::<i8>(),
        count_digits::cuda_source::<u32, true>(),
        count_digits::cuda_source::<u64, false>(),
        scatter_digits::cuda_source::<u32, false, true>(),
        scatter_digits::cuda_source::<u64, true, false>(),
    ] {
        assert_compiles(nvrtc, "arrays.cu", &source);
    }
}
