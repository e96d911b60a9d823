//! Values and gradients of array expressions: a chain of functions of elements, and the steps of a logistic regression, a network and an LSTM,
//! each recorded in a graph, beside JAX's `jit(value_and_grad(…))`.

use gpu_benches::peer::Peer;
use gpu_benches::report::Report;
use gpu_benches::{Result, check};
use gpu_runtime::gradient::{Stored, constant, grad, variable};
use gpu_runtime::prelude::*;

/// The chain's elements.
const ELEMENTS: usize = 100_000_000;
/// The network: rows, inputs, hidden units, classes.
const NETWORK: [usize; 4] = [256, 784, 256, 10];
/// The LSTM: steps, rows, units.
const LSTM: [usize; 3] = [32, 128, 512];

pub(crate) fn run(device: &Device, report: &mut Report) -> Result<()> {
    let jax = Peer::measure("JAX", include_str!("jax.py"))?;
    chain(device, &jax, report)?;
    logistic_regression(device, &jax, report)?;
    network(device, &jax, report)?;
    lstm(device, &jax, report)
}

fn chain(device: &Device, jax: &Peer, report: &mut Report) -> Result<()> {
    let x = device.random(1).normal::<f32>(ELEMENTS)?;
    let mut by_x = None;
    let mut figure = jax.compare(device, "gradient of a chain, 100 M", "chain", (5, 1.0), || {
        by_x = Some(grad(&x, |x| (x.square() * 0.5 + x).sigmoid().sum())?);
        Ok(())
    })?;
    let mut copy = device.zeros::<f32>(ELEMENTS)?;
    let of_copy = jax.compare(device, "", "chain", (5, 1.0), || Ok(copy.copy_from(&x)?))?;
    figure.limit = Some(("a copy: each element read and written once", of_copy.ours.median));
    let by_x = by_x.expect("it ran");
    let expected = {
        let y = (x.lazy().square() * 0.5 + &x).sigmoid();
        (y * (1.0 - y) * (&x + 1.0) - &by_x).abs().max()?
    };
    check(expected < 1e-6, "the gradient of a chain")?;
    report.add(figure);
    Ok(())
}

fn logistic_regression(device: &Device, jax: &Peer, report: &mut Report) -> Result<()> {
    let mut random = device.random(1);
    let points = random.normal::<f32>([100_000, 32])?;
    let signs = points.view().part((.., 0)).gt(0.0).select(1.0f32, -1.0).collect()?;
    let (mut w, mut losses) = (device.zeros::<f32>(32)?, Vec::new());
    let mut loss = device.zeros::<f32>([])?;
    let mut step = Graph::record(device, (&points, &signs, &mut w, &mut loss), |(points, signs, w, loss)| {
        let by_w = {
            let w = variable(&*w);
            let value = (-(constant(points).matmul(&w)? * signs)).softplus().mean()?;
            loss.copy_from(&value.value()?)?;
            value.gradient(&w)?
        };
        *w -= by_w * 0.5;
        Ok(())
    })?;
    report.add(jax.compare(device, "logistic regression, 100,000 × 32, a step", "logistic_regression", (20, 1.0), || {
        Ok(step.launch((&points, &signs, &mut w, &mut loss))?)
    })?);
    losses.push(loss.to_host()?[0]);
    check(losses[0] < 0.3, "the loss of a regression")
}

fn network(device: &Device, jax: &Peer, report: &mut Report) -> Result<()> {
    let [rows, inputs, hidden, classes] = NETWORK;
    let mut random = device.random(1);
    let (x, labels) = (random.normal::<f32>([rows, inputs])?, (iota(rows) % classes).cast::<u32>().on(device).collect()?);
    let (mut w1, mut b1) = ((random.normal::<f32>([inputs, hidden])? * 0.05).collect()?, device.zeros::<f32>(hidden)?);
    let (mut w2, mut b2) = ((random.normal::<f32>([hidden, classes])? * 0.1).collect()?, device.zeros::<f32>(classes)?);
    let mut loss = device.zeros::<f32>([])?;
    let arguments = (&x, &labels, &mut w1, &mut b1, &mut w2, &mut b2, &mut loss);
    let mut step = Graph::record(device, arguments, |(x, labels, w1, b1, w2, b2, loss)| {
        let (by_w1, by_b1, by_w2, by_b2) = {
            let (w1, b1, w2, b2) = variable((&*w1, &*b1, &*w2, &*b2));
            let hidden = (constant(x).matmul(&w1)? + &b1).relu();
            let value = (hidden.matmul(&w2)? + &b2).cross_entropy(labels)?;
            loss.copy_from(&value.value()?)?;
            value.gradient((&w1, &b1, &w2, &b2))?
        };
        *w1 -= by_w1 * 0.1;
        *b1 -= by_b1 * 0.1;
        *w2 -= by_w2 * 0.1;
        *b2 -= by_b2 * 0.1;
        Ok(())
    })?;
    report.add(jax.compare(device, "network of 784, 256 and 10, 256 rows, a step", "network", (20, 1.0), || {
        Ok(step.launch((&x, &labels, &mut w1, &mut b1, &mut w2, &mut b2, &mut loss))?)
    })?);
    check(loss.to_host()?[0] < 1.0, "the loss of a network")
}

/// The mean square of the last state, from the gates of all inputs, `[steps, rows, 4 units]`, and the first state.
fn last_state<'a>(
    of_inputs: &Stored<'a, f32>,
    by_state: &Stored<'a, f32>,
    first: &'a DeviceArray<f32>,
) -> gpu_runtime::Result<Stored<'a, f32>> {
    let [steps, _, units] = LSTM;
    let (mut state, mut cell) = variable((first, first));
    for step in 0..steps {
        let gates = (of_inputs.part(step)? + state.matmul(by_state)?).keep()?;
        let gate = |number: usize| gates.part((.., number * units..(number + 1) * units));
        cell = (gate(0)?.sigmoid() * &cell + gate(1)?.sigmoid() * gate(2)?.tanh()).keep()?;
        state = (gate(3)?.sigmoid() * cell.tanh()).keep()?;
    }
    state.square().mean()
}

fn lstm(device: &Device, jax: &Peer, report: &mut Report) -> Result<()> {
    let [steps, rows, units] = LSTM;
    let mut random = device.random(1);
    let x = random.normal::<f32>([steps * rows, units])?;
    let (mut w, mut u) =
        ((random.normal::<f32>([units, 4 * units])? * 0.05).collect()?, (random.normal::<f32>([units, 4 * units])? * 0.05).collect()?);
    let (mut b, mut loss) = (device.zeros::<f32>(4 * units)?, device.zeros::<f32>([])?);
    let mut graph = Graph::record(device, (&x, &mut w, &mut u, &mut b, &mut loss), |(x, w, u, b, loss)| {
        let first = device.zeros([rows, units])?;
        let (by_w, by_u, by_b) = {
            let (w, u, b) = variable((&*w, &*u, &*b));
            let of_inputs = (constant(x).matmul(&w)? + &b).reshape([steps, rows, 4 * units])?;
            let value = last_state(&of_inputs, &u, &first)?;
            loss.copy_from(&value.value()?)?;
            value.gradient((&w, &u, &b))?
        };
        *w -= by_w * 0.1;
        *u -= by_u * 0.1;
        *b -= by_b * 0.1;
        Ok(())
    })?;
    graph.launch((&x, &mut w, &mut u, &mut b, &mut loss))?;
    let before = loss.to_host()?[0];
    report.add(jax.compare(device, "LSTM of 512 units, 32 steps of 128 rows, a step", "lstm", (10, 1.0), || {
        Ok(graph.launch((&x, &mut w, &mut u, &mut b, &mut loss))?)
    })?);
    check(loss.to_host()?[0] < before, "the loss of an LSTM")
}
