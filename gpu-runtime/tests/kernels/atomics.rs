//! Arrays of atomics as arguments, atomics of floats in ordinary Rust, and threads that spin on the CPU.

use std::hint::spin_loop;
use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst},
};
use std::thread;

use crate::nvrtc::has_nvrtc;
use gpu_runtime::prelude::*;
use gpu_runtime::{DeviceAtomics, Error, FailureCause};

#[gpu_kernel]
fn count(x: &[u32], counts: &[AtomicU32]) {
    let i = grid_1d();
    if i < x.len() {
        counts[x[i] as usize].fetch_add(1, Relaxed);
    }
}

/// As `count`, and what was there before is used.
#[allow(dead_code, reason = "its machine code is read")]
#[gpu_kernel]
fn count_and_tell(x: &[u32], counts: &[AtomicU32], before: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() && i < before.len() {
        before[i] = counts[x[i] as usize].fetch_add(1, Relaxed);
    }
}

/// How often the machine code of `cubin` for `sm_90` adds to global memory: without a result, `RED`, and with one, `ATOM`.
fn global_additions(cubin: &[u8]) -> (usize, usize) {
    const RED: u16 = 0x98e;
    const ATOM: u16 = 0x9a8;
    let u16_at = |at: usize| u16::from_le_bytes(cubin[at..at + 2].try_into().unwrap());
    let u64_at = |at: usize| u64::from_le_bytes(cubin[at..at + 8].try_into().unwrap()) as usize;
    // The sections of an ELF file of 64 bits: the table's offset, and the size and number of its entries.
    let (table, entry_size, entries) = (u64_at(40), usize::from(u16_at(58)), usize::from(u16_at(60)));
    let (mut red, mut atom) = (0, 0);
    for entry in (0..entries).map(|index| table + index * entry_size) {
        const EXECUTABLE: usize = 4;
        if u64_at(entry + 8) & EXECUTABLE == 0 {
            continue;
        }
        let (start, size) = (u64_at(entry + 24), u64_at(entry + 32));
        // An instruction has 16 bytes, the lowest 12 bits are its operation.
        for operation in (start..start + size).step_by(16).map(|at| u16_at(at) & 0xfff) {
            red += usize::from(operation == RED);
            atom += usize::from(operation == ATOM);
        }
    }
    (red, atom)
}

/// PTX has `atom` for both; what becomes of it is decided for machine code.
#[test]
fn a_check_that_remains_does_not_make_an_addition_wait_for_its_result() {
    if !has_nvrtc("a_check_that_remains_does_not_make_an_addition_wait_for_its_result") {
        return;
    }
    assert_eq!(global_additions(&count::handle().cubin("sm_90").unwrap()), (1, 0));
    assert_eq!(global_additions(&count_and_tell::handle().cubin("sm_90").unwrap()), (0, 1));
}

#[test]
fn an_array_of_numbers_is_lent_as_atomics() {
    let device = Device::cpu();
    let x = device.to_device(&[2u32, 0, 2, 2]).unwrap();
    let mut counts = device.zeros::<u32>(3).unwrap();
    count(&x, &mut counts).forall(4).unwrap();
    count(&x, counts.slice_mut(..)).forall(4).unwrap();
    count(&x, counts.slice_mut(..)).forall(4).unwrap();
    assert_eq!(counts.to_host().unwrap(), [3, 0, 9]);
}

#[test]
fn part_of_an_array_is_lent_while_another_part_is_read() {
    let device = Device::cpu();
    let mut all = device.to_device(&[1u32, 1, 2, 0, 0, 0]).unwrap();
    let (x, counts) = all.split_at_mut(3);
    count(&x, counts).forall(3).unwrap();
    assert_eq!(all.to_host().unwrap(), [1, 1, 2, 0, 2, 1]);
}

#[gpu_kernel]
fn add_to_both(a: &[AtomicU64], b: &[AtomicU64]) {
    a[grid_1d() % a.len()].fetch_add(1, Relaxed);
    b[0].fetch_add(100, Relaxed);
}

#[test]
fn one_array_has_two_names_as_atomics() {
    let mut array = Device::cpu().zeros::<u64>(2).unwrap();
    let atomics: DeviceAtomics<'_, AtomicU64> = array.atomics();
    assert_eq!((atomics.len(), atomics.is_empty()), (2, false));
    assert!(format!("{atomics:?}").contains("AtomicU64>(len 2 on "), "{atomics:?}");
    add_to_both(atomics, atomics).launch(2, 5).unwrap();
    assert_eq!(array.to_host().unwrap(), [1005, 5]);
}

#[test]
fn an_index_of_an_atomic_is_checked() {
    let device = Device::cpu();
    let x = device.to_device(&[0u32, 7]).unwrap();
    let mut counts = device.zeros::<u32>(3).unwrap();
    count(&x, &mut counts).launch(1, 2).unwrap();
    let Err(Error::KernelFailed(failure)) = counts.to_host() else { panic!("the index is out of bounds") };
    assert_eq!(failure.cause, FailureCause::IndexOutOfBounds { index: 7, len: 3 });
    assert_eq!(counts.to_host().unwrap(), [1, 0, 0]);
}

#[test]
fn an_empty_grid_makes_sense_for_no_atomics() {
    let device = Device::cpu();
    let x = device.zeros::<u32>(0).unwrap();
    count(&x, &mut device.zeros::<u32>(0).unwrap()).launch(0, 32).unwrap();
    assert!(matches!(count(&x, &mut device.zeros::<u32>(1).unwrap()).launch(0, 32), Err(Error::EmptyGrid { .. })));
}

#[test]
fn a_kernel_that_writes_atomics_only_may_have_any_shape() {
    let mut array = Device::cpu().zeros::<u64>(3).unwrap();
    add_to_both(array.atomics(), DeviceAtomics::clone(&Device::cpu().zeros(1).unwrap().atomics())).launch((2, 2), (3, 1, 2)).unwrap();
    assert_eq!(array.to_host().unwrap().iter().sum::<u64>(), 24);
}

#[gpu_kernel]
fn fail_while_another_spins(ready: &[AtomicBool]) {
    if thread_idx().x == 0 && block_idx().x > 0 {
        while !ready[0].load(Acquire) {
            spin_loop();
        }
    } else if thread_idx().x == 1 {
        panic!("what the others wait for never comes");
    }
}

#[test]
fn a_failure_ends_the_threads_that_spin() {
    let mut ready = Device::cpu().zeros::<bool>(1).unwrap();
    // In its own block, and in the others.
    for blocks in [2, 40] {
        fail_while_another_spins(&mut ready).launch(blocks, 2).unwrap();
        let Err(Error::KernelFailed(failure)) = ready.to_host() else { panic!("a thread fails") };
        assert!(matches!(failure.cause, FailureCause::Panic { .. }), "{failure:?}");
    }
}

#[gpu_kernel]
fn spin_in_every_dimension(turn: &[AtomicU32]) {
    let t = thread_idx();
    let own = ((t.z * 3 + t.y) * 4 + t.x) as u32;
    // Downwards: the first thread waits for all.
    while turn[0].load(Acquire) != own {
        spin_loop();
    }
    turn[0].fetch_sub(1, Release);
}

#[test]
fn every_thread_of_a_block_with_three_axes_gets_its_turn() {
    let device = Device::cpu();
    let mut turn = device.to_device(&[23u32]).unwrap();
    spin_in_every_dimension(&mut turn).launch(1, (4, 3, 2)).unwrap();
    assert_eq!(turn.to_host().unwrap(), [u32::MAX]);
}

#[test]
fn floats_are_shared_between_host_threads() {
    let (sum, most) = (AtomicF64::new(0.5), AtomicF32::default());
    thread::scope(|scope| {
        for thread in 0..4u8 {
            let (sum, most) = (&sum, &most);
            scope.spawn(move || {
                for i in 0..1000u16 {
                    sum.fetch_add(f64::from(i), AcqRel);
                    most.fetch_max(f32::from(i) + f32::from(thread) / 8.0, SeqCst);
                }
            });
        }
    });
    assert_eq!(sum.into_inner(), 4.0 * 499_500.0 + 0.5);
    assert_eq!(most.load(Relaxed), 999.375);
}

#[test]
fn floats_are_exchanged_by_their_bits() {
    let a = AtomicF32::from(-0.0);
    assert_eq!(a.compare_exchange(0.0, 1.0, AcqRel, Acquire).map_err(f32::to_bits), Err((-0.0f32).to_bits()));
    a.store(f32::NAN, Release);
    assert!(a.compare_exchange(f32::NAN, 2.0, SeqCst, SeqCst).is_ok_and(f32::is_nan));
    assert_eq!(a.fetch_compare_exchange(2.0, 3.0, AcqRel), 2.0);
    assert_eq!(a.swap(4.0, Relaxed), 3.0);
    assert_eq!(format!("{a:?}"), "4.0");
    assert_eq!((a.fetch_sub(1.5, Relaxed), a.fetch_min(f32::NAN, Relaxed), a.fetch_min(-1.0, Relaxed)), (4.0, 2.5, 2.5));
    assert_eq!(a.into_inner(), -1.0);
}
