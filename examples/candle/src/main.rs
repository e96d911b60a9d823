//! A kernel as an operation of candle: its tensors are used where they are, on the CPU and on a GPU.
//!
//! ```sh
//! cargo run --release --manifest-path examples/candle/Cargo.toml
//! cargo run --release --manifest-path examples/candle/Cargo.toml --features cuda # with nvcc
//! ```

use candle_core::{CpuStorage, Device as CandleDevice, InplaceOp2, Layout, Result as CandleResult, Tensor, bail};
use gpu_runtime::prelude::*;

/// The gate of a feed-forward layer: `x = silu(x) * gate`, which candle computes with two kernels and a tensor between them.
#[gpu_kernel]
fn gate_silu(x: &mut [f32], gate: &[f32]) {
    let i = grid_1d();
    if i < x.len() && i < gate.len() {
        x[i] = x[i] / (1.0 + (-x[i]).exp()) * gate[i];
    }
}

/// [`gate_silu`], for `x.inplace_op2(&gate, &GateSilu)`.
struct GateSilu;

impl InplaceOp2 for GateSilu {
    fn name(&self) -> &'static str {
        "gate_silu"
    }

    fn cpu_fwd(&self, x: &mut CpuStorage, of_x: &Layout, gate: &CpuStorage, of_gate: &Layout) -> CandleResult<()> {
        let (CpuStorage::F32(x), CpuStorage::F32(gate)) = (x, gate) else { bail!("gate_silu is for f32") };
        let (x, gate) = (&mut x[elements(of_x)?], &gate[elements(of_gate)?]);
        let device = Device::cpu();
        // SAFETY: both slices are borrowed for longer than the arrays live, and the kernel does not write to the gate.
        let (mut x, gate) = unsafe {
            let gate = DeviceArray::from_raw(&device, gate.as_ptr().cast_mut(), gate.len(), ());
            (DeviceArray::from_raw(&device, x.as_mut_ptr(), x.len(), ()), gate)
        };
        let len = x.len();
        gate_silu(&mut x, &gate).forall(len).map_err(candle_core::Error::wrap)
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        x: &mut candle_core::CudaStorage,
        of_x: &Layout,
        gate: &candle_core::CudaStorage,
        of_gate: &Layout,
    ) -> CandleResult<()> {
        let (at_x, at_gate) = (elements(of_x)?, elements(of_gate)?);
        let (x, gate) = (x.as_cuda_slice_mut::<f32>()?, gate.as_cuda_slice::<f32>()?);
        // Behind candle's work with the slices, and before its next.
        let launched = Device::from_cudarc(x.context()).and_then(|device| {
            device.borrow_cudarc_mut(x, |mut x| {
                device.borrow_cudarc(gate, |gate| gate_silu(x.slice_mut(at_x.clone()), gate.slice(at_gate)).forall(at_x.len()))
            })
        });
        launched.map_err(candle_core::Error::wrap)
    }
}

/// Where a tensor has its elements, if they are next to each other.
fn elements(layout: &Layout) -> CandleResult<std::ops::Range<usize>> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(start..end),
        None => bail!("gate_silu is for contiguous tensors; call `contiguous` first"),
    }
}

fn main() -> CandleResult<()> {
    let device = CandleDevice::cuda_if_available(0)?;
    let x = Tensor::arange(-500f32, 500.0, &device)?.affine(0.01, 0.0)?.reshape((10, 100))?;
    let gate = Tensor::arange(0f32, 1000.0, &device)?.affine(0.001, 0.0)?.reshape((10, 100))?;
    let expected = (x.silu()? * &gate)?;
    x.inplace_op2(&gate, &GateSilu)?;
    let difference = (&x - &expected)?.abs()?.max_all()?.to_scalar::<f32>()?;
    println!("1000 elements on {:?}: largest difference from candle's own {difference:e}", device.location());
    assert!(difference < 1e-6, "the operation and candle's own agree");

    // Some rows of a tensor are elsewhere in its memory.
    let (rows, gates) = (x.narrow(0, 3, 2)?, gate.narrow(0, 5, 2)?);
    let expected = (rows.silu()? * &gates)?;
    rows.inplace_op2(&gates, &GateSilu)?;
    let difference = (x.narrow(0, 3, 2)? - &expected)?.abs()?.max_all()?.to_scalar::<f32>()?;
    assert!(difference < 1e-6, "the same in part of a tensor");
    Ok(())
}
