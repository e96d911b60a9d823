//! `lstm`: the loss of a network with memory, whose matrices are diagonal, as expressions of arrays.

use gpu_benches::Result;
use gpu_runtime::gradient::{Stored, constant, grad, stack, variable};
use gpu_runtime::prelude::*;

use crate::input::Input;
use crate::protocol::{Evaluated, Runs, unknown};

/// What does not vary.
struct Data {
    /// A row for each character, with its bits.
    characters: DeviceArray<f64>,
    /// Two rows for each layer: what it shows, and what it remembers.
    state: DeviceArray<f64>,
}

/// The four parts of a row of parameters: which memory is kept, what is added, what is shown, and what it is.
fn parts<'a>(row: usize, parameters: &Stored<'a, f64>) -> gpu_runtime::Result<[Stored<'a, f64>; 4]> {
    let bits = parameters.shape()?[1] / 4;
    let part = |i: usize| parameters.part((row, i * bits..(i + 1) * bits));
    Ok([part(0)?, part(1)?, part(2)?, part(3)?])
}

/// The loss; `main` has two rows for each layer, weights and biases, and `extra` those of the input and the output.
fn objective<'a>(data: &'a Data, main: &Stored<'a, f64>, extra: &Stored<'a, f64>) -> gpu_runtime::Result<Stored<'a, f64>> {
    let [count, bits] = [data.characters.shape()[0], data.characters.shape()[1]];
    let layers = main.shape()?[0] / 2;
    let state = variable(&data.state);
    let mut weights = Vec::new();
    let (mut shown, mut memory) = (Vec::new(), Vec::new());
    for layer in 0..layers {
        weights.push((parts(2 * layer, main)?, parts(2 * layer + 1, main)?));
        shown.push(state.part((2 * layer, ..))?);
        memory.push(state.part((2 * layer + 1, ..))?);
    }
    let inputs = (constant(data.characters.view().slice_axis(0, ..count - 1)) * extra.part(0)?).keep()?;
    let mut outputs = Vec::new();
    for time in 0..count - 1 {
        let mut x = inputs.part((time, ..))?;
        for (layer, ([keep, add, show, change], [keep_bias, add_bias, show_bias, change_bias])) in weights.iter().enumerate() {
            let (h, c) = (&shown[layer], &memory[layer]);
            let added = (h * add + add_bias).sigmoid() * (h * change + change_bias).tanh();
            let next = ((&x * keep + keep_bias).sigmoid() * c + added).keep()?;
            x = ((&x * show + show_bias).sigmoid() * next.tanh()).keep()?;
            memory[layer] = next;
            shown[layer] = x.clone();
        }
        outputs.push(x);
    }
    let scores = (stack(&outputs, 0)? * extra.part(1)? + extra.part(2)?).keep()?;
    let sums = (scores.exp().sum_axis(keep_dims(1))? + 2.0).ln();
    let expected = data.characters.view().slice_axis(0, 1..);
    (((scores - sums) * expected).sum()? * (-1.0 / ((count - 1) * bits) as f64)).keep()
}

pub(crate) fn evaluate(device: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
    let array = |name| -> Result<DeviceArray<f64>> {
        let (elements, shape) = input.matrix(name)?;
        Ok(device.to_device(&elements)?.reshape(shape)?)
    };
    let (main, extra) = (array("main_params")?, array("extra_params")?);
    let data = Data { characters: array("sequence")?, state: array("state")? };
    match function {
        "objective" => runs.of(|| Ok(objective(&data, &variable(&main), &variable(&extra))?.value()?.to_host()?[0])),
        "jacobian" => runs.of(|| {
            let (by_main, by_extra) = grad((&main, &extra), |(main, extra)| objective(&data, &main, &extra))?;
            Ok([by_main.to_host()?, by_extra.to_host()?].concat())
        }),
        _ => unknown(function),
    }
}
