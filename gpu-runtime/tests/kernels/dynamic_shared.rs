//! What a launch makes of the lengths of dynamic shared arrays, before anything runs.

use gpu_runtime::Error;
use gpu_runtime::prelude::*;

/// Says how long its arrays are.
#[gpu_kernel]
fn lengths(n: usize, m: u32, out: &mut [usize]) {
    let first = dynamic_shared::<u8>(n - 1);
    let second = dynamic_shared::<u64>(n / m as usize);
    if grid_1d() == 0 {
        out[0] = first.len();
        out[1] = second.len();
    }
}

fn launch(n: usize, m: u32) -> gpu_runtime::Result<Vec<usize>> {
    let mut out = Device::cpu().zeros::<usize>(2)?;
    lengths(n, m, &mut out).launch(1, 1)?;
    out.to_host()
}

#[test]
fn as_much_as_a_block_has_is_accepted() {
    assert_eq!(launch(1, 1).unwrap(), [0, 1]);
    // 7 elements of 8 bytes, and what is left of 227 KiB.
    assert_eq!(launch((227 << 10) - 64 + 1, 33_000).unwrap(), [(227 << 10) - 64, 7]);
}

#[test]
fn more_than_a_block_has_is_refused_with_both_numbers() {
    let error = launch((227 << 10) - 64 + 2, 33_000).unwrap_err();
    let Error::DynamicSharedTooLarge { kernel: "lengths", bytes, most } = error else { panic!("{error}") };
    assert_eq!((bytes, most), ((227 << 10) + 16, 227 << 10));
    let text = error.to_string();
    assert!(text.contains("`lengths`") && text.contains("232464 bytes") && text.contains("at most 232448"), "{text}");
}

#[test]
fn a_number_of_bytes_that_overflows_is_refused() {
    let error = launch(usize::MAX, 1).unwrap_err();
    assert!(matches!(error, Error::DynamicSharedTooLarge { bytes: usize::MAX, .. }), "{error}");
}

#[test]
fn a_length_below_zero_or_of_a_division_by_zero_is_refused() {
    for (n, m) in [(0, 1), (1, 0)] {
        let error = launch(n, m).unwrap_err();
        assert!(matches!(error, Error::DynamicSharedLength { kernel: "lengths" }), "{error}");
        assert!(error.to_string().contains("`lengths`"), "{error}");
    }
}

/// Reads before anything is written.
#[gpu_kernel]
fn unwritten(out: &mut [f32]) {
    let tile = dynamic_shared::<f32>(block_dim().x);
    out[grid_1d()] = tile[thread_idx().x];
}

#[test]
fn what_was_never_written_shows_in_every_block() {
    let mut out = Device::cpu().zeros::<f32>(12).unwrap();
    unwritten(&mut out).launch(3, 4).unwrap();
    assert!(out.to_host().unwrap().iter().all(|value| value.is_nan()));
}
