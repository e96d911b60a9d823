//! k-means clustering by Lloyd's algorithm, of points that are divided among all ranks.
//!
//! In each step, a rank finds the nearest centre of each of its points and adds up the points of each cluster. One `all_reduce` adds up the
//! sums of the ranks, of which every rank computes the same new centres.
//!
//! ```sh
//! cargo run --release -p gpu-cluster-examples --example k_means_multi -- --n 100000000
//! scripts/launch-local 4 target/release/examples/k_means_multi
//! ```

use gpu_cluster_examples::{Size, measure, on_ranks};
use gpu_examples::{Arguments, Failure};
use gpu_runtime::cluster::{Communicator, Operation};
use gpu_runtime::prelude::*;

const AXES: usize = 4;
const CLUSTERS: usize = 16;

/// A coordinate of point `i`, which is near a corner of a cube.
#[gpu_device]
fn coordinate(i: usize, axis: usize) -> f32 {
    let mut bits = ((i * AXES + axis) as u32).wrapping_mul(0x9e37_79b9);
    bits = (bits ^ bits >> 16).wrapping_mul(0x85eb_ca6b);
    bits = (bits ^ bits >> 13).wrapping_mul(0xc2b2_ae35);
    let noise = (bits >> 8) as f32 / (1 << 24) as f32 - 0.5;
    let corner = if i >> axis & 1 == 1 { 1.0 } else { -1.0 };
    corner + 1.9 * noise
}

/// The coordinates of the points from `first` on, one axis after the other.
#[gpu_kernel]
fn fill(first: usize, points: usize, coordinates: &mut [f32]) {
    let t = grid_1d();
    if t < coordinates.len() {
        coordinates[t] = coordinate(first + t % points, t / points);
    }
}

/// The nearest centre of each point.
#[gpu_kernel]
fn assign(coordinates: &[f32], centres: &[f32], cluster: &mut [u32]) {
    let (i, points) = (grid_1d(), cluster.len());
    if i < points {
        let mut point = [0.0; AXES];
        for axis in 0..AXES {
            point[axis] = coordinates[axis * points + i];
        }
        let (mut best, mut least) = (0, f32::INFINITY);
        for k in 0..CLUSTERS {
            let mut distance = 0.0;
            for axis in 0..AXES {
                let difference = point[axis] - centres[axis * CLUSTERS + k];
                distance += difference * difference;
            }
            if distance < least {
                (best, least) = (k as u32, distance);
            }
        }
        cluster[i] = best;
    }
}

/// The points of a rank, and the centres of all.
struct Clustering {
    coordinates: DeviceArray<f32>,
    cluster: DeviceArray<u32>,
    centres: DeviceArray<f32>,
    /// For each cluster, the sum of each coordinate, and the number of points.
    totals: DeviceArray<f64>,
}

impl Clustering {
    fn new(ranks: &Communicator, n: usize) -> gpu_runtime::Result<Self> {
        let (own, device) = (ranks.part(n), ranks.device());
        let mut coordinates = device.zeros([AXES, own.len()])?;
        fill(own.start, own.len(), &mut coordinates).forall(AXES * own.len())?;
        // The first points are in different clusters.
        let first: Vec<f32> = (0..AXES).flat_map(|axis| (0..CLUSTERS).map(move |k| coordinate(k, axis))).collect();
        let centres = device.to_device(&first)?.reshape([AXES, CLUSTERS])?;
        Ok(Self { coordinates, cluster: device.zeros(own.len())?, centres, totals: device.zeros([AXES + 1, CLUSTERS])? })
    }

    /// Assigns each point to the nearest centre, and moves each centre to the mean of its points.
    fn step(&mut self, ranks: &Communicator) -> gpu_runtime::Result<()> {
        let Self { coordinates, cluster, centres, totals } = self;
        assign(&*coordinates, &*centres, &mut *cluster).forall(coordinates.len() / AXES)?;
        for axis in 0..AXES {
            let sums = coordinates.view().index_axis(0, axis).cast::<f64>().sum_by(&*cluster, CLUSTERS)?;
            totals.view_mut().index_axis(0, axis).copy_from(&sums)?;
        }
        totals.view_mut().index_axis(0, AXES).copy_from(cluster.bincount(CLUSTERS)?.cast::<f64>())?;
        ranks.all_reduce(&mut *totals, Operation::Sum)?;
        let sums = totals.view().slice_axis(0, ..AXES);
        centres.copy_from((sums / totals.view().index_axis(0, AXES)).cast::<f32>())
    }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Clusters n points, which are divided among all ranks.", &["--n", "--steps", "--ranks"]);
    Ok(on_ranks(&arguments, |ranks| {
        check(ranks)?;
        let size = Size::of(&arguments, ranks, 100_000_000, 50_000, 1);
        let steps = arguments.number("--steps").unwrap_or(10);
        let run = |ranks: &Communicator, clustering: &mut Clustering| (0..steps).try_for_each(|_| clustering.step(ranks));
        let (_, speed) = measure(ranks, size, Clustering::new, run)?;
        if ranks.rank() == 0 {
            println!("{steps} steps of {} points and {CLUSTERS} clusters on {speed}", speed.n);
        }
        Ok(())
    })?)
}

/// Compares the centres of a few points with those that loops over all points find.
fn check(ranks: &Communicator) -> gpu_runtime::Result<()> {
    let (n, steps) = (1000, 5);
    let mut clustering = Clustering::new(ranks, n)?;
    (0..steps).try_for_each(|_| clustering.step(ranks))?;
    let mut centres: Vec<[f64; AXES]> = (0..CLUSTERS).map(point).collect();
    for _ in 0..steps {
        let mut totals = [([0.0; AXES], 0.0); CLUSTERS];
        for point in (0..n).map(point) {
            let distance = |centre: &[f64; AXES]| (0..AXES).map(|axis| (point[axis] - centre[axis]).powi(2)).sum::<f64>();
            let nearest = (0..CLUSTERS).min_by(|a, b| distance(&centres[*a]).total_cmp(&distance(&centres[*b])));
            let (sums, count) = &mut totals[nearest.expect("a cluster")];
            sums.iter_mut().zip(point).for_each(|(sum, x)| *sum += x);
            *count += 1.0;
        }
        centres = totals.map(|(sums, count)| sums.map(|sum| sum / count)).to_vec();
    }
    for (i, found) in clustering.centres.to_host()?.into_iter().enumerate() {
        let expected = centres[i % CLUSTERS][i / CLUSTERS];
        assert!((f64::from(found) - expected).abs() < 1e-5, "centre {}: {found}, not {expected}", i % CLUSTERS);
    }
    Ok(())
}

fn point(i: usize) -> [f64; AXES] {
    std::array::from_fn(|axis| f64::from(coordinate(i, axis)))
}
