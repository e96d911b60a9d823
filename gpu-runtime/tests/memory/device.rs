//! Finding devices.

use crate::support::{devices, gpu_or_skip};
use gpu_runtime::prelude::*;
use gpu_runtime::{
    DeviceAtomics, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut, Error, Event, Finished, Graph, Launched, PinnedVec, ToHost,
    ToItem, diagnostics,
};

#[test]
fn every_handle_to_the_cpu_is_the_same_device() {
    let (one, other) = (Device::cpu(), Device::cpu());
    assert_eq!(one, other);
    assert_eq!(one.clone(), one);
    assert!(!one.is_gpu());
    assert!(one.name().starts_with("CPU (") && one.to_string() == one.name(), "{one}");
    assert_eq!(format!("{one:?}"), format!("Device({one})"));
}

/// Threads may share all of these. What makes it right is said where each is `Send` and `Sync` by `unsafe`.
#[test]
fn what_a_program_holds_can_be_sent_and_shared() {
    fn is_shared<T: Send + Sync>() {}
    fn is_sent<T: Send>() {}
    is_shared::<(Device, Stream, Event, DeviceArray<f32>, PinnedVec<f32>)>();
    is_shared::<(
        DeviceSlice<'_, f32>,
        DeviceSliceMut<'_, f32>,
        DeviceView<'_, f32>,
        DeviceViewMut<'_, f32>,
        DeviceAtomics<'_, std::sync::atomic::AtomicU32>,
    )>();
    is_shared::<(ToHost<'_, f32>, ToItem<'_, f32>, Finished, Launched)>();
    is_shared::<(Error, gpu_runtime::KernelHandle, gpu_runtime::KernelReport, gpu_runtime::Cache, gpu_runtime::aot::Bundle)>();
    is_sent::<Graph<'_, (&DeviceArray<f32>, f32)>>();
    is_sent::<gpu_runtime::Dlpack>();
}

/// `catch_unwind` and thread pools take closures that have these.
#[test]
fn a_panic_may_pass_what_a_program_holds() {
    use std::panic::{RefUnwindSafe, UnwindSafe};

    fn survives<T: UnwindSafe + RefUnwindSafe>() {}
    survives::<(Device, Stream, Event, DeviceArray<f32>, PinnedVec<f32>, Error)>();
    survives::<(DeviceSlice<'_, f32>, DeviceView<'_, f32>)>();
}

#[test]
fn all_devices_end_with_the_cpu_and_start_with_the_best() {
    let all = Device::all();
    assert_eq!(all.last(), Some(&Device::cpu()));
    assert_eq!(all.first(), Some(&Device::best().unwrap()));
    assert!(all[..all.len() - 1].iter().all(Device::is_gpu));
}

#[test]
fn a_gpu_that_is_not_there_is_an_error_that_says_why() {
    let error = Device::gpu(1000).unwrap_err();
    let message = error.to_string();
    match error {
        Error::GpuOutOfRange { ordinal, count } => {
            assert_eq!((ordinal, count), (1000, Device::all().len() - 1));
            assert!(message.contains("no GPU 1000") && message.contains(&format!("this machine has {count}")), "{message}");
        }
        Error::DriverNotFound { searched } => {
            assert!(searched.iter().any(|name| name.contains("cuda")) && message.contains("install the NVIDIA driver"), "{message}");
        }
        Error::DriverIsStub | Error::DriverTooOld { .. } | Error::NoGpu => assert_eq!(Device::best().unwrap(), Device::cpu()),
        other => panic!("{other}"),
    }
}

#[test]
fn diagnostics_name_what_is_there_and_what_is_missing() {
    let found = diagnostics();
    let shown = found.to_string();
    assert!(shown.contains("driver: ") && shown.contains(Device::cpu().name()) && shown.contains("compiler: "), "{shown}");
    assert_eq!(found.gpus.map_or(0, |gpus| gpus.len()), Device::all().len() - 1);
}

#[test]
fn waiting_for_an_idle_device_succeeds_from_any_thread() {
    for device in devices("waiting_for_an_idle_device_succeeds_from_any_thread") {
        device.synchronize().unwrap();
        std::thread::spawn(move || device.synchronize().unwrap()).join().unwrap();
    }
}

#[test]
fn the_same_gpu_opens_once_from_every_thread() {
    let Some(gpu) = gpu_or_skip("the_same_gpu_opens_once_from_every_thread") else { return };
    let threads = [(); 4].map(|()| std::thread::spawn(|| Device::gpu(0).unwrap()));
    assert!(threads.into_iter().all(|thread| thread.join().unwrap() == gpu));
    assert_ne!(gpu, Device::cpu());
    assert!(gpu.to_string().starts_with("GPU 0 ("), "{gpu}");
    gpu.synchronize().unwrap();
}

#[test]
fn memory_that_an_array_takes_is_no_longer_free() {
    assert!(Device::cpu().memory_info().unwrap().is_none());
    let Some(gpu) = gpu_or_skip("memory_that_an_array_takes_is_no_longer_free") else { return };
    let info = || gpu.memory_info().unwrap().expect("a GPU knows its memory");
    let before = info();
    assert!(before.free <= before.total && before.total > 1 << 30, "{before:?}");
    // Large enough that no pool has it at hand.
    let array = gpu.zeros::<u8>(before.free / 2).unwrap();
    let after = info();
    assert!(after.total == before.total && after.free < before.free, "{before:?}, then {after:?}");
    drop(array);
}

#[cfg(unix)]
#[test]
fn a_fork_of_a_process_with_workers_gets_an_error_from_every_device() {
    unsafe extern "C" {
        fn fork() -> i32;
        fn alarm(seconds: u32) -> u32;
        fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
        fn _exit(status: i32) -> !;
    }
    for device in devices("a_fork_of_a_process_with_workers_gets_an_error_from_every_device") {
        let x = device.ones::<f32>(1 << 20).unwrap();
        let doubled = || (x.lazy() * 2.0).collect().map(drop);
        doubled().unwrap();
        // SAFETY: the fork uses what this thread has borrowed, and ends without running destructors of other threads' values.
        let status = unsafe {
            match fork() {
                0 => {
                    alarm(20); // instead of waiting forever
                    _exit(if matches!(doubled(), Err(Error::Forked)) { 0 } else { 1 })
                }
                child => {
                    let mut status = -1;
                    assert_eq!(waitpid(child, &mut status, 0), child);
                    status
                }
            }
        };
        assert_eq!(status, 0, "{device}");
        doubled().unwrap();
    }
}
