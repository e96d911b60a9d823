//! A step of logistic regression and one of k-means, as in the examples of these names, against CuPy.

use std::process::ExitCode;

use gpu_benches::peer::Peer;
use gpu_benches::report::Report;
use gpu_benches::{Result, by_hand::Cuda, check, gpu_benchmark};
use gpu_runtime::prelude::*;

fn main() -> ExitCode {
    gpu_benchmark("learning", run)
}

fn run(device: &Device, _: &Cuda, report: &mut Report) -> Result<()> {
    let cupy = Peer::measure("CuPy", include_str!("learning.py"))?;
    logistic_regression(device, &cupy, report)?;
    k_means(device, &cupy, report)
}

const FEATURES: usize = 32;

#[vectorize]
fn probability(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}

#[vectorize]
fn loss(score: f32, class: f32) -> f32 {
    score.max(0.0) - score * class + (-score.abs()).exp().ln_1p()
}

fn logistic_regression(device: &Device, cupy: &Peer, report: &mut Report) -> Result<()> {
    let mut random = device.random(1);
    let points = random.normal::<f32>([100_000, FEATURES])?;
    let classes = random.uniform::<f32>(100_000)?.lt(0.5).select(1.0f32, 0.0).collect()?;
    let mut weights = device.zeros::<f32>(FEATURES)?;
    let mut losses = Vec::new();
    report.add(cupy.compare(device, "logistic regression, 100,000 × 32, a step", "logistic_regression", (20, 0.5), || {
        let scores = (&points * &weights).sum_axis(1)?;
        losses.push(loss::map(&scores, &classes).mean()?);
        let errors = probability::map(&scores) - &classes;
        let gradient = (&points * errors.insert_axis(1)).sum_axis(0)?;
        weights -= &gradient * (4.0 / classes.len() as f32);
        Ok(())
    })?);
    check((losses[0] - 2.0f32.ln()).abs() < 1e-5 && losses.last() < losses.first(), "the losses")
}

const AXES: usize = 4;
const CLUSTERS: usize = 16;

#[gpu_kernel]
fn assign(points: &[[f32; AXES]], centres: &[[f32; AXES]], cluster: &mut [u32]) {
    let i = grid_1d();
    if i < points.len() && i < cluster.len() {
        let (mut best, mut least) = (0, f32::INFINITY);
        for (k, centre) in centres.iter().enumerate() {
            let mut distance = 0.0;
            for axis in 0..AXES {
                let difference = points[i][axis] - centre[axis];
                distance += difference * difference;
            }
            if distance < least {
                (best, least) = (k as u32, distance);
            }
        }
        cluster[i] = best;
    }
}

fn k_means(device: &Device, cupy: &Peer, report: &mut Report) -> Result<()> {
    let n = 200_000;
    let coordinates = device.random(1).normal::<f32>([AXES, n])?;
    let host = lazy(coordinates.view().t()).to_host()?;
    let host = host.as_chunks::<AXES>().0;
    let points = device.to_device(host)?;
    let (mut cluster, mut centres) = (device.zeros::<u32>(n)?, device.to_device(&host[..CLUSTERS])?);
    report.add(cupy.compare(device, "k-means, 200,000 × 4, 16 clusters, a step", "k_means", (20, 0.5), || {
        assign(&points, &centres, &mut cluster).forall(n)?;
        let mut moved = [[0.0; AXES]; CLUSTERS];
        for axis in 0..AXES {
            let means = coordinates.view().index_axis(0, axis).mean_by(&cluster, CLUSTERS)?;
            moved.iter_mut().zip(means.to_host()?).for_each(|(centre, mean)| centre[axis] = mean);
        }
        Ok(centres.copy_from_host(&moved)?)
    })?);
    check(cluster.bincount(CLUSTERS)?.sum()? == n as u64, "the sizes of the clusters")
}
