//! Epistasis: a score for each pair of 2048 genetic markers of 8000 samples, by counts of bits.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

const BLOCK: usize = 64;
const MARKERS: usize = 2048;
const SAMPLES: usize = 8000;

#[gpu_device]
fn gamma(n: u32) -> f32 {
    if n == 0 {
        return 0.0;
    }
    (n as f32 + 0.5) * (n as f32).ln() - (n as f32 - 1.0)
}

/// Adds the table of two markers in one word of samples.
#[gpu_device]
fn count(table: &mut [u32; 9], a: [u32; 2], b: [u32; 2], mask: u32) {
    let a = [a[0], a[1], !(a[0] | a[1]) & mask];
    let b = [b[0], b[1], !(b[0] | b[1]) & mask];
    for i in 0..3 {
        for j in 0..3 {
            table[3 * i + j] += (a[i] & b[j]).count_ones();
        }
    }
}

/// `data[2 * (word * markers + marker)..][..2]` are the samples with the genotypes 0 and 1.
#[gpu_device]
fn table(data: &[u32], markers: usize, words: usize, mask: u32, i: usize, j: usize) -> [u32; 9] {
    let mut table = [0; 9];
    let pair = |word: usize, marker: usize| [data[2 * (word * markers + marker)], data[2 * (word * markers + marker) + 1]];
    #[unroll(1)]
    for word in 0..words - 1 {
        count(&mut table, pair(word, i), pair(word, j), u32::MAX);
    }
    count(&mut table, pair(words - 1, i), pair(words - 1, j), mask);
    table
}

#[gpu_kernel(block = (BLOCK, 1))]
#[expect(clippy::too_many_arguments, reason = "as in the program that it is ported from")]
pub(crate) fn epistasis(
    zeros: &[u32],
    ones: &[u32],
    scores: &mut [f32],
    markers: usize,
    words_zeros: usize,
    words_ones: usize,
    mask_zeros: u32,
    mask_ones: u32,
) {
    let (j, i) = grid_2d();
    if j > i && i < markers && j < markers {
        let without = table(zeros, markers, words_zeros, mask_zeros, i, j);
        let with = table(ones, markers, words_ones, mask_ones, i, j);
        let score = without.iter().zip(&with).map(|(&a, &b)| gamma(a + b + 1) - gamma(a) - gamma(b)).sum::<f32>().abs();
        scores[i * markers + j] = if score == 0.0 { f32::MAX } else { score };
    }
}

/// The words of the samples that are ill, or are not; the words of a marker, and the samples in the last one.
fn packed(genotypes: &[u8], ill: &[bool], wanted: bool) -> (Vec<u32>, usize, u32) {
    let chosen: Vec<usize> = (0..SAMPLES).filter(|&sample| ill[sample] == wanted).collect();
    let words = chosen.len().div_ceil(32);
    let mut data = vec![0u32; 2 * words * MARKERS];
    for marker in 0..MARKERS {
        for (k, &sample) in chosen.iter().enumerate() {
            let genotype = usize::from(genotypes[marker * SAMPLES + sample]);
            if genotype < 2 {
                data[2 * (k / 32 * MARKERS + marker) + genotype] |= 1 << (k % 32);
            }
        }
    }
    (data, words, u32::MAX >> (words * 32 - chosen.len()))
}

/// The score of a pair of markers, counted from the genotypes.
fn expected(genotypes: &[u8], ill: &[bool], i: usize, j: usize) -> f64 {
    let mut table = [[0u32; 9]; 2];
    for sample in 0..SAMPLES {
        let pair = 3 * genotypes[i * SAMPLES + sample] + genotypes[j * SAMPLES + sample];
        table[usize::from(ill[sample])][usize::from(pair)] += 1;
    }
    let gamma = |n: u32| if n == 0 { 0.0 } else { (f64::from(n) + 0.5) * f64::from(n).ln() - (f64::from(n) - 1.0) };
    let [without, with] = table;
    without.iter().zip(with).map(|(&a, b)| gamma(a + b + 1) - gamma(a) - gamma(b)).sum::<f64>().abs()
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(14);
    let genotypes: Vec<u8> = (0..MARKERS * SAMPLES).map(|_| (random() % 3) as u8).collect();
    let ill: Vec<bool> = (0..SAMPLES).map(|_| random() & 1 == 1).collect();
    let (zeros, words_zeros, mask_zeros) = packed(&genotypes, &ill, false);
    let (ones, words_ones, mask_ones) = packed(&genotypes, &ill, true);
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_zeros, device_ones) = (device.to_device(&zeros)?, device.to_device(&ones)?);
    let mut scores = device.zeros::<f32>(MARKERS * MARKERS)?;
    let grid = (MARKERS.div_ceil(BLOCK), MARKERS);

    let (hand_zeros, hand_ones, hand_scores) = (cuda.upload(&zeros)?, cuda.upload(&ones)?, cuda.zeros::<f32>(MARKERS * MARKERS)?);
    let mut hand = programs.gpu.by_hand(
        include_str!("epistasis.cu"),
        "epistasis",
        [grid.0 as u32, grid.1 as u32],
        [BLOCK as u32, 1],
        &[
            hand_zeros.address(),
            hand_ones.address(),
            hand_scores.address(),
            MARKERS as u64,
            words_zeros as u64,
            words_ones as u64,
            u64::from(mask_zeros),
            u64::from(mask_ones),
        ],
    )?;
    programs.compare(
        "epistasis",
        10,
        || {
            let launch = epistasis(&device_zeros, &device_ones, &mut scores, MARKERS, words_zeros, words_ones, mask_zeros, mask_ones);
            launch.launch(grid, (BLOCK, 1))
        },
        &mut hand,
    )?;
    let mut by_hand = vec![0.0; MARKERS * MARKERS];
    cuda.download(&hand_scores, 0, &mut by_hand)?;
    let found = scores.to_host()?;
    check(all_close(&found, &by_hand, 1e-5), "the scores, ours or by hand")?;
    let pairs = (0..MARKERS).step_by(397).flat_map(|i| (i + 1..MARKERS).step_by(31).map(move |j| (i, j)));
    for (i, j) in pairs {
        let expected = expected(&genotypes, &ill, i, j);
        check((f64::from(found[i * MARKERS + j]) - expected).abs() <= 1e-5 * expected, "the scores")?;
    }
    Ok(())
}
