//! The ways to compute an array function.

use std::hint::black_box;

use gpu_runtime::Result;
use gpu_runtime::prelude::*;

/// The arguments a, b and c of a function, on the host.
type Slices<'a> = [&'a [f32]; 3];
/// Computes the first so many elements of a function, waits for them, and returns them if they are wanted.
type Call<'a> = dyn FnMut(&Function, usize, bool) -> Result<Vec<f32>> + 'a;

/// An array function of up to three arrays, written for each way.
pub(crate) struct Function {
    pub(crate) formula: &'static str,
    pub(crate) in_a_loop: fn(Slices<'_>, &mut [f32]),
    pub(crate) on_arrays: fn([DeviceSlice<'_, f32>; 3], DeviceSliceMut<'_, f32>) -> Result<()>,
    pub(crate) from_host: fn(Slices<'_>, &Device) -> Result<Vec<f32>>,
}

/// A way to compute a function.
pub(crate) struct Way<'a> {
    pub(crate) name: &'static str,
    pub(crate) call: Box<Call<'a>>,
}

/// Arguments of that length: a and c in [0, 1), and b in [10, 11), so that b² − 4ac is positive.
pub(crate) fn inputs(len: usize) -> [Vec<f32>; 3] {
    let spread = |factor: usize, from: f32| (0..len).map(|i| from + (i * factor % 10_007) as f32 / 10_007.0).collect();
    [spread(7919, 0.0), spread(104_729, 10.0), spread(1_299_709, 0.0)]
}

fn first(inputs: &[Vec<f32>; 3], len: usize) -> Slices<'_> {
    inputs.each_ref().map(|array| &array[..len])
}

/// A loop on one core, into an existing array.
pub(crate) fn in_a_loop<'a>(name: &'static str, inputs: &'a [Vec<f32>; 3]) -> Way<'a> {
    // Not zeros: the system hands out their pages on first use, which is work of another kind.
    let mut out = vec![f32::NAN; inputs[0].len()];
    let call = move |function: &Function, len: usize, wanted: bool| {
        (function.in_a_loop)(black_box(first(inputs, len)), &mut out[..len]);
        let out = black_box(&out);
        Ok(if wanted { out[..len].to_vec() } else { Vec::new() })
    };
    Way { name, call: Box::new(call) }
}

/// On a device, from its arrays into an existing one.
pub(crate) fn on_arrays<'a>(name: &'static str, device: &'a Device, inputs: &[Vec<f32>; 3]) -> Result<Way<'a>> {
    let mut out = device.zeros(inputs[0].len())?;
    let [a, b, c] = inputs.each_ref().map(|array| device.to_device(array));
    let inputs = [a?, b?, c?];
    let call = move |function: &Function, len: usize, wanted: bool| {
        (function.on_arrays)(inputs.each_ref().map(|array| array.slice(..len)), out.slice_mut(..len))?;
        device.synchronize()?;
        if wanted { out.slice(..len).to_host() } else { Ok(Vec::new()) }
    };
    Ok(Way { name, call: Box::new(call) })
}

/// On a device, from host arrays to a new `Vec`.
pub(crate) fn from_host<'a>(name: &'static str, device: &'a Device, inputs: &'a [Vec<f32>; 3]) -> Way<'a> {
    Way { name, call: Box::new(move |function, len, _| (function.from_host)(first(inputs, len), device)) }
}

/// The first index at which two arrays of one length are further apart than rounding explains. NaN is apart from everything.
pub(crate) fn first_difference(expected: &[f32], found: &[f32]) -> Option<usize> {
    let close = |(expected, found): (&f32, &f32)| (expected - found).abs() <= 1e-6 * expected.abs();
    expected.iter().zip(found).position(|pair| !close(pair))
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn wrong_numbers_and_nan_differ_and_rounding_does_not() {
        assert_eq!(first_difference(&[1.0, 11.0], &[1.0, 11.000_001]), None);
        assert_eq!(first_difference(&[1.0, 11.0], &[1.0, 11.1]), Some(1));
        assert_eq!(first_difference(&[1.0, 11.0], &[f32::NAN, 11.0]), Some(0));
    }
}
