//! Arrays and views, on every device of this machine.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::support::devices;
use gpu_runtime::prelude::*;
use gpu_runtime::support::{IntoDeviceSlice, IntoDeviceSliceMut};
use gpu_runtime::{Element, Error, MemoryAdvice, Result};

fn round_trip<T: Element + PartialEq + std::fmt::Debug>(device: &Device, values: &[T]) -> Result<()> {
    let array = device.to_device(values)?;
    assert_eq!(array.len(), values.len());
    assert_eq!(array.to_host()?, values);
    Ok(())
}

#[test]
fn every_element_type_comes_back_as_it_went() -> Result<()> {
    for device in devices("every_element_type_comes_back_as_it_went") {
        round_trip(&device, &[i8::MIN, 0, i8::MAX])?;
        round_trip(&device, &[i16::MIN, 0, i16::MAX])?;
        round_trip(&device, &[i32::MIN, 0, i32::MAX])?;
        round_trip(&device, &[i64::MIN, 0, i64::MAX])?;
        round_trip(&device, &[isize::MIN, 0, isize::MAX])?;
        round_trip(&device, &[0, u8::MAX])?;
        round_trip(&device, &[0, u16::MAX])?;
        round_trip(&device, &[0, u32::MAX])?;
        round_trip(&device, &[0, u64::MAX])?;
        round_trip(&device, &[0, usize::MAX])?;
        round_trip(&device, &[f32::MIN, -0.0, f32::INFINITY])?;
        round_trip(&device, &[f64::MIN, -0.0, f64::INFINITY])?;
        round_trip(&device, &[true, false, true])?;
    }
    Ok(())
}

#[test]
fn empty_arrays_work_everywhere() -> Result<()> {
    for device in devices("empty_arrays_work_everywhere") {
        let mut array = device.to_device::<f64>(&[])?;
        assert!(array.is_empty());
        array.copy_from_host(&[])?;
        array.copy_to_host(&mut [])?;
        assert_eq!(array.slice(..).to_host()?, []);
        let (left, right) = array.split_at_mut(0);
        assert!(left.is_empty() && right.is_empty());
        assert!(device.zeros::<bool>(0)?.is_empty());
        assert!(device.zeros_like(&array)?.is_empty());
    }
    Ok(())
}

#[test]
fn zeros_are_zero_and_likes_have_the_length() -> Result<()> {
    for device in devices("zeros_are_zero_and_likes_have_the_length") {
        // Dirty memory that an allocator may hand out again.
        drop(device.to_device(&[u8::MAX; 4096])?);
        assert!(device.zeros::<u8>(4096)?.to_host()?.iter().all(|&byte| byte == 0));
        let ones = device.to_device(&[1i32; 1000])?;
        assert_eq!(device.zeros_like(&ones)?.to_host()?, [0; 1000]);
        assert_eq!(device.empty_like(&ones)?.len(), 1000);
    }
    Ok(())
}

#[test]
fn an_unspecified_array_of_bool_holds_only_bools() -> Result<()> {
    for device in devices("an_unspecified_array_of_bool_holds_only_bools") {
        drop(device.to_device(&[u8::MAX; 4096])?);
        let flags = device.empty_like(&device.zeros::<bool>(4096)?)?.to_host()?;
        assert!(flags.iter().all(|&flag| u8::from(flag) <= 1));
    }
    Ok(())
}

#[test]
fn views_read_and_write_their_part_only() -> Result<()> {
    for device in devices("views_read_and_write_their_part_only") {
        let mut array = device.to_device(&[0, 1, 2, 3, 4, 5])?;
        assert_eq!(array.slice(2..).to_host()?, [2, 3, 4, 5]);
        assert_eq!(array.slice(..=2).slice(1..).to_host()?, [1, 2]);
        array.slice_mut(1..5).slice_mut(1..3).copy_from_host(&[20, 30])?;
        assert_eq!(array.to_host()?, [0, 1, 20, 30, 4, 5]);

        let (mut left, mut right) = array.split_at_mut(4);
        left.copy_from_host(&[9; 4])?;
        let (mut middle, _) = right.split_at_mut(1);
        middle.copy_from_host(&[7])?;
        assert_eq!(right.to_host()?, [7, 5]);
        assert_eq!(left.slice(1..3).to_host()?, [9, 9]);
        assert_eq!(array.to_host()?, [9, 9, 9, 9, 7, 5]);
    }
    Ok(())
}

#[test]
fn copies_of_different_lengths_are_refused_with_both_numbers() -> Result<()> {
    for device in devices("copies_of_different_lengths_are_refused_with_both_numbers") {
        let mut array = device.to_device(&[1, 2, 3])?;
        let error = array.copy_from_host(&[1, 2]).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { device: 3, host: 2, .. }), "{error:?}");
        let error = array.copy_to_host(&mut [0; 4]).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { device: 3, host: 4, .. }), "{error:?}");
        assert!(error.to_string().contains('3') && error.to_string().contains('4'), "{error}");
        assert_eq!(array.to_host()?, [1, 2, 3]);
    }
    Ok(())
}

/// The message of the panic that `slicing` ends in.
fn panic_message<R>(slicing: impl FnOnce() -> R) -> String {
    let panic = catch_unwind(AssertUnwindSafe(slicing)).err().expect("slicing out of range must panic");
    panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned())).unwrap()
}

#[test]
#[allow(clippy::reversed_empty_ranges)]
fn slicing_out_of_range_panics_in_the_words_of_std() -> Result<()> {
    let host = [1, 2, 3];
    let mut array = Device::cpu().to_device(&host)?;
    let ranges = [(0, 4), (4, 4), (2, 1), (5, 9)];
    for (start, end) in ranges {
        let ours = panic_message(|| array.slice(start..end).len());
        assert!(ours.contains("out of range for slice of length 3") || ours.contains("starts at 2 but ends at 1"), "{ours}");
        assert_eq!(panic_message(|| array.slice_mut(start..end).len()), ours);
    }
    assert!(panic_message(|| array.slice(..=usize::MAX).len()).contains("out of range for slice of length 3"));
    assert!(panic_message(|| array.split_at_mut(4).0.len()).contains("out of range for slice of length 3"));
    assert_eq!(array.slice(3..).len(), 0);
    Ok(())
}

#[test]
fn an_array_too_large_for_any_memory_is_an_error() {
    for device in devices("an_array_too_large_for_any_memory_is_an_error") {
        for len in [usize::MAX, usize::MAX / 8, 1 << 52] {
            let error = device.zeros::<f64>(len).unwrap_err();
            assert!(matches!(error, Error::OutOfMemory { .. }), "{len} elements: {error:?}");
        }
    }
}

/// On the CPU, a limit stands for the size of the memory: far above what the other tests of this process have.
#[test]
fn after_running_out_of_memory_everything_works() -> Result<()> {
    for device in devices("after_running_out_of_memory_everything_works") {
        let size = match device.memory_info()? {
            Some(memory) => memory.total / 4,
            None => {
                device.set_memory_limit(Some(1 << 40));
                1 << 41
            }
        };
        let x = device.to_device(&[1.5f32; 1000])?;
        let y = (x.lazy() * 2.0).collect()?;
        let mut held = Vec::new();
        let error = loop {
            match device.zeros::<u8>(size) {
                Ok(array) => held.push(array),
                Err(error) => break error,
            }
            assert!(held.len() < 5, "{device} has more memory than it has");
        };
        assert!(matches!(error, Error::OutOfMemory { bytes, .. } if bytes == size), "{device}: {error}");
        // The result of an array function has no room either.
        if let Some(large) = held.first() {
            let error = (large.lazy() + 1).collect().unwrap_err();
            assert!(matches!(error, Error::OutOfMemory { .. }), "{device}: {error}");
        }
        // What there was is as it was, and works.
        assert_eq!(y.to_host()?, [3.0; 1000]);
        assert_eq!((x.lazy() + y.lazy()).sum()?, 4500.0);
        let was_full = held.len();
        drop(held);
        for _ in 0..was_full {
            assert_eq!(device.ones::<u8>(size)?.slice(size - 1..).to_host()?, [1]);
        }
        device.set_memory_limit(None);
        device.trim_memory()?;
    }
    Ok(())
}

#[gpu_kernel]
fn increase(x: &mut [u32], by: &[u32]) {
    let i = grid_1d();
    if i < x.len() {
        x[i] += by[i % 4];
    }
}

#[test]
fn the_host_and_kernels_share_managed_and_mapped_memory() -> Result<()> {
    const LEN: usize = 100_000;
    for device in devices("the_host_and_kernels_share_managed_and_mapped_memory") {
        let stream = device.stream()?;
        let by = device.to_device(&[1u32; 4])?;
        for mut x in [device.managed::<u32>(LEN)?, device.mapped(LEN)?] {
            assert!(x.as_host_slice()?.iter().all(|&element| element == 0));
            for (i, element) in x.as_host_slice_mut()?.iter_mut().enumerate() {
                *element = i as u32;
            }
            for advice in [MemoryAdvice::PreferDevice, MemoryAdvice::AccessedByDevice, MemoryAdvice::ReadMostly, MemoryAdvice::PreferHost] {
                x.advise(advice)?;
                x.prefetch()?;
                increase(&mut x, &by).on(&stream).forall(LEN)?;
                increase(&mut x, &by).forall(LEN)?;
                x.prefetch_to_host()?;
            }
            assert!(x.as_host_slice()?.iter().enumerate().all(|(i, &element)| element == i as u32 + 8), "{device}");
            x.as_host_slice_mut()?[LEN - 1] = 0;
            assert_eq!((x.max()?, x.slice(..3).to_host()?), (LEN as u32 + 6, vec![8, 9, 10]));
            // Its failure is reported to whoever reads what it wrote.
            increase(&mut x, by.slice(..3)).on(&stream).forall(LEN)?;
            assert!(matches!(x.as_host_slice(), Err(Error::KernelFailed(_))), "{device}");
            assert!(x.as_host_slice().is_ok());
        }
    }
    Ok(())
}

#[test]
#[allow(clippy::needless_borrows_for_generic_args)]
fn kernels_accept_arrays_and_views() -> Result<()> {
    fn read<'a>(slice: impl IntoDeviceSlice<'a, i32>) -> usize {
        slice.into_device_slice().len()
    }
    fn write<'a>(slice: impl IntoDeviceSliceMut<'a, i32>) -> usize {
        slice.into_device_slice_mut().len()
    }
    let mut array = Device::cpu().to_device(&[1, 2, 3])?;
    let view = array.slice(1..);
    assert_eq!((read(&array), read(&view), read(view)), (3, 2, 2));
    assert_eq!(write(&mut array), 3);
    let mut view = array.slice_mut(..2);
    assert_eq!((read(&view), write(&mut view), write(&mut view), write(view)), (2, 2, 2, 2));
    Ok(())
}

#[test]
fn arrays_can_be_shared_and_dropped_by_other_threads() -> Result<()> {
    for device in devices("arrays_can_be_shared_and_dropped_by_other_threads") {
        let array = device.to_device(&[1, 2, 3])?;
        std::thread::scope(|scope| {
            let readers = [(); 4].map(|()| scope.spawn(|| array.to_host()));
            readers.into_iter().for_each(|reader| assert_eq!(reader.join().unwrap().unwrap(), [1, 2, 3]));
        });
        std::thread::spawn(move || drop(array)).join().unwrap();
    }
    Ok(())
}

#[test]
fn debug_shows_type_length_and_device() -> Result<()> {
    let array = Device::cpu().zeros::<f32>(3)?;
    assert_eq!(format!("{array:?}"), format!("DeviceArray<f32>(len 3 on {})", Device::cpu()));
    assert_eq!(format!("{:?}", array.slice(1..)), format!("DeviceSlice<f32>(len 2 on {})", Device::cpu()));
    Ok(())
}

#[test]
fn large_arrays_come_back_as_they_went() {
    for device in devices("large_arrays_come_back_as_they_went") {
        // Below and above the size from which copies to a GPU are cut into chunks, and of no round length.
        for len in [(8 << 20) - 1, 8 << 20, (40 << 20) + 13] {
            let host: Vec<u8> = (0..len).map(|i: usize| (i ^ (i >> 8) ^ (i >> 16)) as u8).collect();
            let mut array = device.to_device(&host).unwrap();
            assert!(array.to_host().unwrap() == host, "{len} bytes on {device}");
            let mut part = vec![0; len - 5];
            array.slice(3..len - 2).copy_to_host(&mut part).unwrap();
            assert!(part == host[3..len - 2], "a part of {len} bytes on {device}");
            array.slice_mut(7..).copy_from_host(&host[..len - 7]).unwrap();
            assert!(array.to_host().unwrap()[7..] == host[..len - 7], "{len} bytes, overwritten, on {device}");
        }
    }
}

#[test]
fn pinned_arrays_are_slices_of_any_length() {
    for device in devices("pinned_arrays_are_slices_of_any_length") {
        // The last one is copied directly, where the pipeline takes other slices of this length.
        for len in [0, 1, 1000, 3 << 20] {
            let mut host = device.pinned::<u32>(len).unwrap();
            assert!(host.len() == len && host.iter().all(|&value| value == 0));
            host.iter_mut().zip(0..).for_each(|(value, number)| *value = number);
            let x = device.to_device(&host).unwrap();
            let mut doubled = (x.lazy() * 2).collect().unwrap();
            doubled.copy_to_host(&mut host).unwrap();
            assert!(host.iter().zip(0..).all(|(&value, number)| value == 2 * number), "{device}, {len} elements");
            // A part of it, and one that reaches into other memory.
            doubled.slice_mut(len / 2..).copy_from_host(&host[..len - len / 2]).unwrap();
            assert_eq!(doubled.to_host().unwrap()[len / 2..], host[..len - len / 2], "{device}, {len} elements");
        }
        let kept = std::thread::spawn({
            let host = device.pinned::<bool>(3).unwrap();
            move || host
        })
        .join()
        .unwrap();
        assert_eq!(*kept, [false; 3]);
    }
}
