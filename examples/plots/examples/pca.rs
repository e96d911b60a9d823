//! Principal component analysis: points of 32 features, drawn along the two axes on which they vary most.
//!
//! The components are the eigenvectors of the covariance matrix Xᵀ X / (n − 1) of the centred points X, those with the largest eigenvalues
//! first. Source: Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, 2nd edition, section 14.5.
//!
//! ```sh
//! cargo run --release -p plots --example pca -- --n 100000 --rounds 5
//! ```

mod plotting;

use gpu_examples::{Arguments, Comparison, Failure};
use gpu_runtime::prelude::*;
use plotters::prelude::*;
use plotting::{BLUE, GREEN, Labels, ORANGE};

const FEATURES: usize = 32;
/// The points are around as many centres, and vary around them along as many directions.
const GROUPS: usize = 3;
/// Points in the plot.
const DRAWN: usize = 1200;

/// Eigenvalues of the covariance matrix in descending order, and the points along the first two eigenvectors.
struct Components {
    variances: DeviceArray<f64>,
    scores: DeviceArray<f64>,
}

fn components(points: &DeviceArray<f64>) -> gpu_runtime::Result<Components> {
    let n = points.shape()[0];
    let centred = (points - points.mean_axis(0)?).collect()?;
    let covariance = centred.view().t().matmul(&centred)? / (n - 1) as f64;
    let (values, vectors) = covariance.eigh()?;
    // In ascending order: the last ones are the first components.
    let first_two = vectors.view().slice_axis_step(1, FEATURES - 2.., -1);
    Ok(Components { variances: lazy(values.view().reverse_axis(0)).collect()?, scores: centred.matmul(first_two)? })
}

/// The same as loops, with the eigenvalues by Jacobi's rotations.
fn components_plain(points: &[f64]) -> (Vec<f64>, Vec<[f64; 2]>) {
    let n = (points.len() / FEATURES) as f64;
    let rows = || points.chunks_exact(FEATURES);
    let mut mean = [0.0; FEATURES];
    rows().for_each(|row| mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / n));
    let mut covariance = [[0.0; FEATURES]; FEATURES];
    for row in rows() {
        let centred: [f64; FEATURES] = std::array::from_fn(|i| row[i] - mean[i]);
        for (of_row, x) in covariance.iter_mut().zip(centred) {
            of_row.iter_mut().zip(centred).for_each(|(sum, y)| *sum += x * y / (n - 1.0));
        }
    }
    let eigenvectors = diagonalize(&mut covariance);
    let mut order: Vec<usize> = (0..FEATURES).collect();
    order.sort_by(|&i, &j| covariance[j][j].total_cmp(&covariance[i][i]));
    let score = |row: &[f64], component: usize| (0..FEATURES).map(|i| (row[i] - mean[i]) * eigenvectors[i][order[component]]).sum();
    (order.iter().map(|&i| covariance[i][i]).collect(), rows().map(|row| [score(row, 0), score(row, 1)]).collect())
}

/// Rotates a symmetric matrix until it is diagonal. Returns the rotation, whose columns are the eigenvectors.
fn diagonalize(matrix: &mut [[f64; FEATURES]; FEATURES]) -> [[f64; FEATURES]; FEATURES] {
    let mut rotation = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for _ in 0..12 {
        for p in 0..FEATURES {
            for q in p + 1..FEATURES {
                // The angle for which element (p, q) becomes 0.
                let angle = (2.0 * matrix[p][q]).atan2(matrix[q][q] - matrix[p][p]) / 2.0;
                let (sin, cos) = angle.sin_cos();
                for row in matrix.iter_mut().chain(&mut rotation) {
                    (row[p], row[q]) = (cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]);
                }
                let (row_p, row_q) = (matrix[p], matrix[q]);
                matrix[p] = std::array::from_fn(|k| cos * row_p[k] - sin * row_q[k]);
                matrix[q] = std::array::from_fn(|k| sin * row_p[k] + cos * row_q[k]);
            }
        }
    }
    rotation
}

/// Points in three groups: the centre of the group, a multiple of each of a few directions, and noise in every feature.
fn points(device: &Device, n: usize) -> gpu_runtime::Result<DeviceArray<f64>> {
    let mut random = device.random(1);
    let (centres, directions) = (random.normal::<f64>([GROUPS, FEATURES])?, random.normal::<f64>([GROUPS, FEATURES])?);
    let centre = centres.take_axis((iota(n) % GROUPS).on(device), 0)?;
    let along = random.normal::<f64>([n, GROUPS])?.matmul(&directions)?;
    (centre * 3.0 + along + random.normal::<f64>([n, FEATURES])? * 0.8).collect()
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Draws n points along their principal components into pca.svg.", &["--n", "--rounds"]);
    let device = arguments.device()?;
    let n = arguments.number("--n").unwrap_or(100_000);
    let rounds = arguments.number("--rounds").unwrap_or(5);
    if n < 3 {
        return Err("a covariance needs points: `--n` must be at least 3".into());
    }
    println!("finding the principal components of {n} points of {FEATURES} features on {device}");

    let points = points(&device, n)?;
    let host = points.to_host()?;
    // Compiles the kernels and loads the libraries, so that neither is timed.
    let mut found = components(&points)?;
    let mut comparison = Comparison::new("points");
    let mut expected = Default::default();
    for _ in 0..rounds {
        found = comparison.time(n, || {
            let found = components(&points)?;
            device.synchronize()?;
            gpu_runtime::Result::Ok(found)
        })?;
        expected = comparison.time_plain(n, || components_plain(&host));
    }
    print!("{comparison}");

    let (variances, scores) = (found.variances.to_host()?, found.scores.to_host()?);
    let scores: Vec<[f64; 2]> = scores.as_chunks().0.to_vec();
    let (expected_variances, expected_scores) = expected;
    for (k, (found, expected)) in variances.iter().zip(&expected_variances).enumerate() {
        if (found - expected).abs() > 1e-9 * expected_variances[0] {
            return Err(format!("the variance along component {k} is {found}, not {expected}").into());
        }
    }
    for axis in 0..2 {
        // The sign of a component is not specified.
        let same: f64 = scores.iter().zip(&expected_scores).map(|(found, expected)| found[axis] * expected[axis]).sum();
        for (i, (found, expected)) in scores.iter().zip(&expected_scores).enumerate() {
            let expected = expected[axis] * same.signum();
            if (found[axis] - expected).abs() > 1e-6 {
                return Err(format!("point {i} is at {} on axis {axis}, not at {expected}", found[axis]).into());
            }
        }
    }

    let total: f64 = variances.iter().sum();
    let share: Vec<f64> = variances.iter().map(|variance| 100.0 * variance / total).collect();
    println!("the first components have {:.1} %, {:.1} % and {:.1} % of the variance", share[0], share[1], share[2]);
    draw(&scores[..n.min(DRAWN)], &share)
}

fn draw(scores: &[[f64; 2]], share: &[f64]) -> Result<(), Failure> {
    let ends = |axis: usize| {
        let most = scores.iter().map(|score| score[axis].abs()).fold(0.0, f64::max).ceil();
        [-most, most]
    };
    let of_scores = Labels {
        title: "Points along the first two components".to_owned(),
        x: ("first component", ends(0)),
        y: ("second component", ends(1)),
    };
    let of_shares = Labels {
        title: "Share of the variance".to_owned(),
        x: ("component", [0.0, FEATURES as f64 + 1.0]),
        y: ("%", [0.0, (share[0] / 10.0).ceil() * 10.0]),
    };
    plotting::write(
        "pca.svg",
        [
            (of_scores, &|chart| {
                for (group, color) in [BLUE, ORANGE, GREEN].into_iter().enumerate() {
                    let points = scores.iter().skip(group).step_by(GROUPS);
                    chart.draw_series(points.map(|&[x, y]| Circle::new((x, y), 2, color.mix(0.7).filled())))?;
                }
                Ok(())
            }),
            (of_shares, &|chart| {
                let bar = |(k, &share): (usize, &f64)| Rectangle::new([(k as f64 + 0.6, 0.0), (k as f64 + 1.4, share)], BLUE.filled());
                chart.draw_series(share.iter().enumerate().map(bar))?;
                Ok(())
            }),
        ],
    )
}
