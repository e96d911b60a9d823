//! The kernels that the CPU does not use, and what NVRTC says about all of them. What the functions compute is tested in
//! `tests/array_kernels.rs`, on every device.

use super::Sorting;
use super::matmul::{multiply_matrices, product_of_views};
use super::select::{filter_elements, take_elements};
use super::sort::{merge, merge_runs, search_elements};
use crate::Result;
use crate::compile::nvrtc::testing::{assert_compiles, nvrtc_or_skip};
use crate::device::Device;
use crate::memory::DeviceArray;
use crate::ufunc::{Elementwise, iota};

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
        assert_eq!(c.to_host()?, product_of_views(a, b)?.to_host()?, "{batch} of {rows} × {inner} × {columns}");
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
fn every_kernel_compiles() {
    let Some(nvrtc) = nvrtc_or_skip("every_kernel_compiles") else { return };
    for source in [
        multiply_matrices::cuda_source::<f32>(),
        multiply_matrices::cuda_source::<f64>(),
        multiply_matrices::cuda_source::<i8>(),
        filter_elements::cuda_source::<f64>(),
        filter_elements::cuda_source::<u16>(),
        take_elements::cuda_source::<f32, i8>(),
        take_elements::cuda_source::<i64, u64>(),
        merge_runs::cuda_source::<f32>(),
        merge_runs::cuda_source::<u64>(),
        search_elements::cuda_source::<i8>(),
    ] {
        assert_compiles(nvrtc, "arrays.cu", &source);
    }
}
