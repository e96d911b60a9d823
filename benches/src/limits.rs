//! What the hardware allows, to print beside what was measured.

use cudarc::driver::sys::CUdevice_attribute as Attribute;

use crate::Result;
use crate::by_hand::Cuda;
use crate::measure::{repeat, seconds_per_call};

/// Bytes a second of a copy within the device's memory, read and written, measured on 400 MB.
pub fn copy_bandwidth(cuda: &Cuda) -> Result<f64> {
    const BYTES: usize = 400_000_000;
    let source = cuda.zeros::<u8>(BYTES)?;
    let mut target = cuda.zeros::<u8>(BYTES)?;
    let seconds = repeat(|| seconds_per_call(10, || cuda.copy(&source, &mut target), || cuda.synchronize()))?;
    Ok(2.0 * BYTES as f64 / seconds.lowest)
}

/// Seconds that the bus takes for `to` bytes to the device and `back` bytes back at the same time, all of it pinned.
pub fn bus_seconds(cuda: &Cuda, to: usize, back: usize) -> Result<f64> {
    Ok(repeat(cuda.pinned_copies(to, back)?)?.lowest)
}

/// Cycles a second of all multiprocessors together, at the highest clock.
pub fn multiprocessor_cycles(cuda: &Cuda) -> Result<f64> {
    let multiprocessors = cuda.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    let kilohertz = cuda.attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?;
    Ok(f64::from(multiprocessors) * f64::from(kilohertz) * 1e3)
}

/// `f64` operations that a multiprocessor begins in a cycle, from the throughput table of NVIDIA's programming guide.
#[must_use]
pub fn f64_lanes((major, minor): (i32, i32)) -> f64 {
    match (major, minor) {
        (9 | 10, 0) => 64.0,
        (7, 0) | (8, 0) => 32.0,
        _ => 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_centre_gpus_have_more_double_precision() {
        assert!(f64_lanes((9, 0)) > f64_lanes((8, 0)));
        assert!(f64_lanes((8, 0)) > f64_lanes((8, 9)));
    }
}
