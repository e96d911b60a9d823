//! Graphs: a launch borrows its arguments, and the recorded code cannot keep them.

use gpu_runtime::prelude::*;

type Recorded = Graph<'static, (&'static DeviceArray<f32>, &'static mut DeviceArray<f32>)>;

fn graph_with_aliased_arguments(mut graph: Recorded, mut y: DeviceArray<f32>) -> gpu_runtime::Result<()> {
    graph.launch((&y, &mut y)) //~
}

fn graph_of_borrowed_array(mut graph: Recorded, x: DeviceArray<f32>, mut y: DeviceArray<f32>) -> gpu_runtime::Result<usize> {
    let rest = y.slice(4..);
    graph.launch((&x, &mut y))?; //~
    Ok(rest.len())
}

/// The recorded code cannot keep an argument.
fn graph_that_keeps_its_argument(device: &Device, x: &DeviceArray<f32>) -> gpu_runtime::Result<()> {
    let kept = std::sync::Mutex::new(None);
    Graph::record(device, (x,), |(x,)| {
        *kept.lock().unwrap() = Some(x); //~
        Ok(())
    })?;
    Ok(())
}

fn graph_with_wrong_access(mut graph: Recorded, x: &DeviceArray<f32>) -> gpu_runtime::Result<()> {
    graph.launch((x, x)) //~
}

fn graph_with_another_argument(mut graph: Recorded, x: &DeviceArray<f32>, y: &mut DeviceArray<f32>) -> gpu_runtime::Result<()> {
    graph.launch((x, y, 2.0)) //~
}

/// The arguments of a graph are a tuple of arrays and numbers.
fn graph_of_a_vector(device: &Device, x: Vec<f32>) -> gpu_runtime::Result<()> {
    Graph::record(device, (x,), |_| Ok(()))?; //~ 2
    Ok(())
}

/// A struct of arrays needs the derive.
struct Layer {
    weights: DeviceArray<f32>,
}

fn graph_of_a_struct(device: &Device, layer: &Layer) -> gpu_runtime::Result<()> {
    Graph::record(device, (layer,), |(layer,)| layer.weights.sum_axis(0).map(drop))?; //~ 3
    Ok(())
}

/// The key of a struct does not tell which type it is.
fn graph_of_any_struct(_: &dyn GraphData) {} //~

fn main() {}
