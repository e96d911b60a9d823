//! `forall`: which launches make each thread of a GPU do several elements, and that nothing else about them changes.

use crate::support::devices;
use gpu_runtime::prelude::*;
use gpu_runtime::{Error, FailureCause, Result};

/// More than any GPU takes at a time with one element a thread, and no round number.
const MANY: usize = (1 << 22) + 77;

#[gpu_kernel]
fn add(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + y[i];
    }
}

/// Whole numbers, so that sums are exact.
fn numbers(device: &Device) -> Result<DeviceArray<f32>> {
    device.to_device(&(0..MANY).map(|i| (i % 65_536) as f32).collect::<Vec<_>>())
}

#[test]
fn a_large_launch_does_several_elements_a_thread_on_a_gpu() -> Result<()> {
    for device in devices("a_large_launch_does_several_elements_a_thread_on_a_gpu") {
        let x = numbers(&device)?;
        let mut out = device.zeros::<f32>(MANY)?;
        assert_eq!(add(&x, &x, &mut out).forall_does_several_elements(MANY)?, device.is_gpu());
        assert!(!add(&x, &x, &mut out).forall_does_several_elements(4096)?, "few elements keep a thread each");
        add(&x, &x, &mut out).forall(MANY)?;
        assert!(out.to_host()?.iter().enumerate().all(|(i, &sum)| sum == (i % 65_536 * 2) as f32));
    }
    Ok(())
}

#[test]
fn elements_need_no_alignment() -> Result<()> {
    for device in devices("elements_need_no_alignment") {
        let x = numbers(&device)?;
        let mut out = device.zeros::<f32>(MANY)?;
        let n = MANY - 3;
        let launch = add(x.slice(1..MANY - 2), x.slice(2..MANY - 1), out.slice_mut(3..));
        assert_eq!(launch.forall_does_several_elements(n)?, device.is_gpu());
        launch.forall(n)?;
        let host = out.to_host()?;
        assert_eq!(host[..3], [0.0; 3]);
        let expected = |i: usize| ((i + 1) % 65_536 + (i + 2) % 65_536) as f32;
        assert!(host[3..].iter().enumerate().all(|(i, &sum)| sum == expected(i)));
    }
    Ok(())
}

#[test]
fn a_check_that_can_fail_keeps_one_element_a_thread_and_names_it() -> Result<()> {
    for device in devices("a_check_that_can_fail_keeps_one_element_a_thread_and_names_it") {
        let x = numbers(&device)?;
        let mut out = device.zeros::<f32>(MANY)?;
        let short = x.slice(..MANY - 1);
        assert!(!add(&x, short, &mut out).forall_does_several_elements(MANY)?);
        add(&x, short, &mut out).forall(MANY)?;
        let Err(Error::KernelFailed(failure)) = device.synchronize() else { panic!("one thread reads past the end") };
        let last = MANY as u64 - 1;
        assert_eq!(failure.cause, FailureCause::IndexOutOfBounds { index: last, len: last });
        // Every other element is there: the thread that failed took none with it.
        let host = out.to_host()?;
        if device.is_gpu() {
            assert!(host[..MANY - 1].iter().enumerate().all(|(i, &sum)| sum == (i % 65_536 * 2) as f32));
        }
        assert_eq!(host[MANY - 1], 0.0);
    }
    Ok(())
}

#[gpu_kernel]
fn transpose(x: View<f32, 2>, mut out: ViewMut<f32, 2>) {
    let (column, row) = grid_2d();
    if row < x.shape()[0] && column < x.shape()[1] {
        out[[column, row]] = x[[row, column]];
    }
}

#[test]
fn forall_takes_a_number_of_threads_for_each_axis() -> Result<()> {
    for device in devices("forall_takes_a_number_of_threads_for_each_axis") {
        for [rows, columns] in [[1, 1], [3, 5], [1, 1000], [1000, 1], [33, 257], [0, 4]] {
            let x = iota([rows, columns]).cast::<f32>().on(&device).collect()?;
            let mut out = device.zeros::<f32>([columns, rows])?;
            transpose(&x, &mut out).forall((columns, rows))?;
            assert_eq!(out.to_host()?, x.view().t().to_host()?, "{rows} rows of {columns}");
        }
        let mut out = device.zeros::<f32>([2, 2])?;
        let error = transpose(&device.ones::<f32>([2, 2])?, &mut out).forall((2, -1)).unwrap_err().to_string();
        assert!(error.contains("(1, -1)"), "{error}");
        let error = add(&device.ones(4)?, &device.ones(4)?, &mut device.ones(4)?).forall((2, 2)).unwrap_err();
        assert!(matches!(error, Error::NotProvedForShape { .. }), "{error}");
    }
    Ok(())
}
