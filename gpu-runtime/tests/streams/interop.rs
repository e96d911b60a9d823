//! Memory that is shared with the crate cudarc, which has streams and an order of its own. This needs a GPU.

use cudarc::driver::{CudaSlice, CudaStream};
use gpu_runtime::{DeviceArray, Error, Result, prelude::*};
use std::sync::Arc;

use crate::support::gpu_or_skip;

const LEN: usize = 1 << 20;

#[gpu_kernel]
fn add_scaled(x: &[f64], by: f64, out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] += x[i] * by;
    }
}

/// Streams of cudarc: the default one, and later two others, which make its context order its work by events.
fn their_streams(device: &Device) -> Vec<Arc<CudaStream>> {
    let context = device.cudarc_context().unwrap();
    assert_eq!(Device::from_cudarc(&context).unwrap(), *device);
    let default = context.default_stream();
    vec![default, context.new_stream().unwrap(), context.new_stream().unwrap()]
}

fn host_of(stream: &Arc<CudaStream>, slice: &CudaSlice<f64>) -> Vec<f64> {
    stream.clone_dtoh(slice).unwrap()
}

#[test]
fn slices_of_cudarc_are_borrowed_in_order() -> Result<()> {
    let Some(device) = gpu_or_skip("slices_of_cudarc_are_borrowed_in_order") else { return Ok(()) };
    let stream = device.stream()?;
    let x = device.ones::<f64>(LEN)?;
    // Before there are other streams, and after.
    let context = device.cudarc_context()?;
    for theirs in [vec![context.default_stream()], their_streams(&device)] {
        for theirs in theirs {
            let mut slice = theirs.clone_htod(&vec![0.0f64; LEN]).unwrap();
            for round in 1..=20 {
                stream.borrow_cudarc_mut(&mut slice, |mut y| {
                    add_scaled(&x, 1.0, &mut y).forall(LEN)?;
                    add_scaled(&x, 1.0, &mut y).on(&device.stream()?).forall(LEN)
                })?;
                // On their own stream, without a wait of the host.
                let copy = theirs.clone_dtod(&slice).unwrap();
                assert_eq!(host_of(&theirs, &copy)[LEN - 1], f64::from(2 * round));
                let sum = device.borrow_cudarc(&slice, |y| y.lazy().sum())?;
                assert_eq!(sum, f64::from(2 * round) * LEN as f64);
                theirs.memset_zeros(&mut slice.slice_mut(..1)).unwrap();
                assert_eq!(device.borrow_cudarc(&slice, |y| y.slice(..1).to_host())?, [0.0]);
                device.borrow_cudarc_mut(&mut slice, |mut y| y.slice_mut(..1).copy_from_host(&[f64::from(2 * round)]))?;
            }
        }
    }
    assert!(matches!(Device::cpu().cudarc_context(), Err(Error::NotExchangeable { .. })));
    Ok(())
}

#[test]
fn arrays_are_lent_and_given_to_cudarc_in_order() -> Result<()> {
    let Some(device) = gpu_or_skip("arrays_are_lent_and_given_to_cudarc_in_order") else { return Ok(()) };
    let stream = device.stream()?;
    let x = device.ones::<f64>(LEN)?;
    for theirs in their_streams(&device) {
        let mut y = stream.zeros::<f64>(LEN)?;
        for round in 1..=20 {
            add_scaled(&x, 1.0, &mut y).forall(LEN)?;
            let host = y.with_cudarc(&theirs, |y| theirs.clone_dtoh(&y))?.unwrap();
            assert!(host.iter().all(|&element| element == f64::from(round)), "round {round}: {}", host[0]);
        }
        y.with_cudarc_mut(&theirs, |mut y| theirs.memset_zeros(&mut y))?.unwrap();
        assert_eq!(y.max()?, 0.0);

        // There and back: cudarc owns the memory, and then an array owns the slice.
        let live = device.memory()?.live;
        add_scaled(&x, 3.0, &mut y).forall(LEN)?;
        let slice = y.into_cudarc(&theirs)?;
        assert_eq!(device.memory()?.live, live - 8 * LEN);
        assert_eq!(host_of(&theirs, &slice)[LEN - 1], 3.0);
        let mut back = DeviceArray::from_cudarc(&device, slice)?;
        add_scaled(&x, 1.0, &mut back).on(&stream).forall(LEN)?;
        assert_eq!(back.to_host()?, vec![4.0; LEN]);
        assert!(matches!(back.into_cudarc(&theirs), Err(Error::NotExchangeable { .. })), "cudarc owns it already");
    }
    assert!(matches!(device.mapped::<f64>(3)?.into_cudarc(&their_streams(&device)[0]), Err(Error::NotExchangeable { .. })));
    let empty = device.zeros::<f64>(0)?.into_cudarc(&their_streams(&device)[0])?;
    assert!(empty.is_empty());
    assert_eq!(device.borrow_cudarc(&empty, |x| x.to_host())?, []);
    Ok(())
}

/// What is in memory of the GPU when everything on `stream` is done, read without a word to either side.
fn bytes_behind(stream: &CudaStream, address: *const f64) -> Vec<f64> {
    let mut host = vec![0.0f64; LEN];
    // SAFETY: there are as many elements at the address, and the copy is waited for.
    unsafe { cudarc::driver::result::memcpy_dtoh_async(&mut host, address.addr() as u64, stream.cu_stream()) }.unwrap();
    stream.synchronize().unwrap();
    host
}

#[test]
fn streams_of_cudarc_are_in_order_with_ours() -> Result<()> {
    let Some(device) = gpu_or_skip("streams_of_cudarc_are_in_order_with_ours") else { return Ok(()) };
    let (context, x) = (device.cudarc_context()?, device.ones::<f64>(LEN)?);
    for theirs in their_streams(&device) {
        let mut y = device.zeros::<f64>(LEN)?;
        let address = y.as_ptr();
        for _ in 0..20 {
            // SAFETY: there are as many bytes at the address.
            unsafe { cudarc::driver::result::memset_d8_async(address.addr() as u64, 0, 8 * LEN, theirs.cu_stream()) }.unwrap();
            device.borrow_cudarc_stream(&theirs, |stream| {
                add_scaled(&x, 1.0, &mut y).on(stream).forall(LEN)?;
                add_scaled(&x, 2.0, &mut y).on(stream).forall(LEN)
            })?;
            assert_eq!(bytes_behind(&theirs, address), vec![3.0; LEN]);
        }
        // Also if the work fails.
        let outcome = device.borrow_cudarc_stream(&theirs, |stream| {
            add_scaled(&x, 2.0, &mut y).on(stream).forall(LEN)?;
            Err::<(), _>(Error::EventsOfDifferentDevices)
        });
        assert!(outcome.is_err());
        assert_eq!(bytes_behind(&theirs, address), vec![5.0; LEN]);
    }

    let (stream, other) = (device.stream()?, device.stream()?);
    // SAFETY: nothing is captured on them.
    let (ours, others) = unsafe { (stream.cudarc_stream(&context)?, other.cudarc_stream(&context)?) };
    assert!(context.is_in_multi_stream_mode(), "cudarc orders the work of both");
    let mut y = stream.zeros::<f64>(LEN)?;
    for round in 1..=20 {
        add_scaled(&x, 1.0, &mut y).on(&stream).forall(LEN)?;
        assert_eq!(bytes_behind(&ours, y.as_ptr()), vec![f64::from(round); LEN]);
        let slice = ours.clone_htod(&vec![f64::from(round); LEN]).unwrap();
        let copy = others.clone_dtod(&slice).unwrap();
        assert_eq!(other.borrow_cudarc(&copy, |x| x.to_host())?, vec![f64::from(round); LEN]);
    }
    drop((stream, other));
    assert_eq!(host_of(&ours, &ours.clone_htod(&[1.0]).unwrap()), [1.0], "it outlives our handle");
    // SAFETY: as above.
    assert!(matches!(unsafe { Device::cpu().cudarc_stream(&context) }, Err(Error::NotExchangeable { .. })));
    Ok(())
}

#[test]
fn a_stream_whose_work_is_captured_is_refused() -> Result<()> {
    use cudarc::driver::sys::{CUgraphInstantiate_flags as Flags, CUstreamCaptureMode as Mode};
    let Some(device) = gpu_or_skip("a_stream_whose_work_is_captured_is_refused") else { return Ok(()) };
    let theirs = device.cudarc_context()?.new_stream().unwrap();
    theirs.begin_capture(Mode::CU_STREAM_CAPTURE_MODE_RELAXED).unwrap();
    let refused = device.borrow_cudarc_stream(&theirs, |_| Ok(()));
    assert!(matches!(refused, Err(Error::NotExchangeable { .. })), "{refused:?}");
    theirs.end_capture(Flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH).unwrap();
    device.borrow_cudarc_stream(&theirs, |_| Ok(()))
}
