//! The loss of the model in plain Rust, in `f64`: one loop after the other.

use gpt2::Config;

pub type Matrix = Vec<Vec<f64>>;

/// `x wᵀ + b`
fn linear(x: &Matrix, w: &[f64], b: &[f64]) -> Matrix {
    let inputs = x[0].len();
    let product = |row: &[f64], w: &[f64]| row.iter().zip(w).map(|(x, w)| x * w).sum::<f64>();
    x.iter().map(|row| w.chunks(inputs).zip(b).map(|(w, b)| product(row, w) + b).collect()).collect()
}

fn norm(x: &Matrix, gain: &[f64], bias: &[f64]) -> Matrix {
    let of_row = |row: &Vec<f64>| {
        let n = row.len() as f64;
        let mean = row.iter().sum::<f64>() / n;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        row.iter().zip(gain.iter().zip(bias)).map(|(x, (gain, bias))| (x - mean) / (variance + 1e-5).sqrt() * gain + bias).collect()
    };
    x.iter().map(of_row).collect()
}

fn softmax(scores: &[f64]) -> Vec<f64> {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = scores.iter().map(|x| (x - largest).exp()).sum();
    scores.iter().map(|x| (x - largest).exp() / total).collect()
}

/// Attention in a sequence.
fn attention(qkv: &[Vec<f64>], heads: usize) -> Matrix {
    let width = qkv[0].len() / 3;
    let size = width / heads;
    let part = |row: &[f64], kind: usize, head: usize| row[kind * width + head * size..][..size].to_vec();
    let at = |t: usize, head: usize| -> Vec<f64> {
        let query = part(&qkv[t], 0, head);
        let product = |key: Vec<f64>| query.iter().zip(key).map(|(q, k)| q * k).sum::<f64>() / (size as f64).sqrt();
        let weights = softmax(&qkv[..=t].iter().map(|row| product(part(row, 1, head))).collect::<Vec<_>>());
        let values: Matrix = qkv[..=t].iter().map(|row| part(row, 2, head)).collect();
        (0..size).map(|i| weights.iter().zip(&values).map(|(weight, value)| weight * value[i]).sum()).collect()
    };
    (0..qkv.len()).map(|t| (0..heads).flat_map(|head| at(t, head)).collect()).collect()
}

fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh())
}

fn add(x: &mut Matrix, y: &Matrix) {
    x.iter_mut().flatten().zip(y.iter().flatten()).for_each(|(x, y)| *x += y);
}

/// The mean loss of sequences of `length` tokens.
pub fn loss(weights: &[Vec<f64>], config: &Config, tokens: &[u32], targets: &[u32], length: usize) -> f64 {
    let [of_tokens, of_positions, layers @ .., gain, bias] = weights else { panic!("too few weights") };
    let row = |matrix: &[f64], i: usize| matrix[i * config.width..][..config.width].to_vec();
    let embed =
        |(i, &token): (usize, &u32)| row(of_tokens, token as usize).iter().zip(row(of_positions, i % length)).map(|(a, b)| a + b).collect();
    let mut x: Matrix = tokens.iter().enumerate().map(embed).collect();
    for layer in layers.chunks(12) {
        let qkv = linear(&norm(&x, &layer[0], &layer[1]), &layer[2], &layer[3]);
        let attended: Matrix = qkv.chunks(length).flat_map(|sequence| attention(sequence, config.heads)).collect();
        add(&mut x, &linear(&attended, &layer[4], &layer[5]));
        let mut hidden = linear(&norm(&x, &layer[6], &layer[7]), &layer[8], &layer[9]);
        hidden.iter_mut().flatten().for_each(|x| *x = gelu(*x));
        add(&mut x, &linear(&hidden, &layer[10], &layer[11]));
    }
    let scores = linear(&norm(&x, gain, bias), of_tokens, &vec![0.0; config.rows]);
    let of_row = |(scores, &target): (&Vec<f64>, &u32)| -softmax(&scores[..config.vocabulary])[target as usize].ln();
    scores.iter().zip(targets).map(of_row).sum::<f64>() / targets.len() as f64
}
