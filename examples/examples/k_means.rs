//! k-means clustering by Lloyd's algorithm: a kernel finds the nearest centre of each point, and array functions move the centres.
//!
//! Source: Lloyd, *Least squares quantization in PCM*, IEEE Transactions on Information Theory 28, 1982.
//!
//! ```sh
//! cargo run --release --example k_means -- --n 200000 --steps 20
//! ```

use gpu_examples::{Arguments, Comparison, Failure};
use gpu_runtime::prelude::*;

const AXES: usize = 4;
const CLUSTERS: usize = 16;

/// The index of the centre that is nearest to a point.
#[gpu_device]
fn nearest(point: &[f32; AXES], centres: &[[f32; AXES]]) -> u32 {
    let (mut best, mut least) = (0, f32::INFINITY);
    for (k, centre) in centres.iter().enumerate() {
        let mut distance = 0.0;
        for axis in 0..AXES {
            let difference = point[axis] - centre[axis];
            distance += difference * difference;
        }
        if distance < least {
            (best, least) = (k as u32, distance);
        }
    }
    best
}

#[gpu_kernel]
fn assign(points: &[[f32; AXES]], centres: &[[f32; AXES]], cluster: &mut [u32]) {
    let i = grid_1d();
    if i < points.len() && i < cluster.len() {
        cluster[i] = nearest(&points[i], centres);
    }
}

struct Clustering {
    points: DeviceArray<[f32; AXES]>,
    /// The coordinates of the points, one axis after the other.
    coordinates: DeviceArray<f32>,
    cluster: DeviceArray<u32>,
    centres: DeviceArray<[f32; AXES]>,
}

impl Clustering {
    /// Assigns each point to the nearest centre, and moves each centre to the mean of its points.
    fn step(&mut self) -> gpu_runtime::Result<()> {
        assign(&self.points, &self.centres, &mut self.cluster).forall(self.points.len())?;
        let mut centres = [[0.0; AXES]; CLUSTERS];
        for axis in 0..AXES {
            let means = self.coordinates.view().index_axis(0, axis).mean_by(&self.cluster, CLUSTERS)?;
            centres.iter_mut().zip(means.to_host()?).for_each(|(centre, mean)| centre[axis] = mean);
        }
        self.centres.copy_from_host(&centres)
    }
}

/// The same step as loops.
fn step_plain(points: &[[f32; AXES]], centres: &mut [[f32; AXES]]) {
    let (mut sums, mut counts) = ([[0.0; AXES]; CLUSTERS], [0.0; CLUSTERS]);
    for point in points {
        let k = nearest(point, centres) as usize;
        sums[k].iter_mut().zip(point).for_each(|(sum, x)| *sum += f64::from(*x));
        counts[k] += 1.0;
    }
    for (centre, (sums, count)) in centres.iter_mut().zip(sums.iter().zip(counts)) {
        *centre = sums.map(|sum| (sum / count) as f32);
    }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Clusters n points.", &["--n", "--steps"]);
    let device = arguments.device()?;
    let n = arguments.number("--n").unwrap_or(200_000);
    let steps = arguments.number("--steps").unwrap_or(20);
    println!("clustering {n} points of {AXES} axes in {steps} steps on {device}");

    // Each cluster is around a corner of a cube.
    let noise = device.random(1).normal::<f32>([n, AXES])?.to_host()?;
    let corner = |k: usize| std::array::from_fn::<_, AXES, _>(|axis| if k >> axis & 1 == 1 { 3.0 } else { -3.0 });
    let points: Vec<[f32; AXES]> = noise
        .chunks_exact(AXES)
        .enumerate()
        .map(|(i, noise)| std::array::from_fn(|axis| corner(i % CLUSTERS)[axis] + noise[axis]))
        .collect();
    // The first points are in different clusters.
    let mut expected = points[..CLUSTERS].to_vec();

    let on_device = device.to_device(&points)?;
    let coordinates = lazy(&device.to_device(points.as_flattened())?.reshape([n, AXES])?).t().collect()?;
    let mut clustering = Clustering { points: on_device, coordinates, cluster: device.zeros(n)?, centres: device.to_device(&expected)? };
    let mut comparison = Comparison::new("points");
    // Compiles the kernels, so that compiling is not timed.
    clustering.step()?;
    clustering.centres.copy_from_host(&expected)?;
    for _ in 0..steps {
        comparison.time(n, || clustering.step())?;
        comparison.time_plain(n, || step_plain(&points, &mut expected));
    }
    print!("{comparison}");

    let centres = clustering.centres.to_host()?;
    for (k, (centre, expected)) in centres.iter().zip(&expected).enumerate() {
        if centre.iter().zip(expected).any(|(x, expected)| (x - expected).abs() > 1e-3) {
            return Err(format!("centre {k} is at {centre:?}, not at {expected:?}").into());
        }
    }
    println!("sizes of the clusters: {:?}", clustering.cluster.bincount(CLUSTERS)?.to_host()?);
    Ok(())
}
