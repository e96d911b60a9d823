//! Smith-Waterman: a block for each pair of sequences, a thread for each letter of the query, anti-diagonals in shared memory.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const QUERY: usize = 128;
const MATCH: i32 = 5;
const MISMATCH: i32 = -3;
const GAP: i32 = 4;

#[gpu_kernel(block = QUERY)]
pub(crate) fn smith_waterman(queries: &[u8], targets: &[u8], target_len: i32, best: &mut [i32]) {
    let mut diagonal = shared::<[[i32; QUERY + 1]; 3]>();
    let mut maxima = shared::<[i32; QUERY]>();
    let t = thread_idx().x;
    let pair = block_idx().x;
    let letter = queries[pair * QUERY + t];
    for k in 0..3 {
        diagonal[k][t + 1] = 0;
        if t == 0 {
            diagonal[k][0] = 0;
        }
    }
    sync_threads();
    let mut highest = 0;
    for d in 0..target_len + QUERY as i32 - 1 {
        let now = (d % 3) as usize;
        let before = ((d + 2) % 3) as usize;
        let earlier = ((d + 1) % 3) as usize;
        let column = d - t as i32;
        let mut score = 0;
        if column >= 0 && column < target_len {
            let same = letter == targets[pair * target_len as usize + column as usize];
            let substitution = if same { MATCH } else { MISMATCH };
            score = (diagonal[earlier][t] + substitution).max(diagonal[before][t] - GAP).max(diagonal[before][t + 1] - GAP).max(0);
            highest = highest.max(score);
        }
        diagonal[now][t + 1] = score;
        sync_threads();
    }
    maxima[t] = highest;
    sync_threads();
    let mut stride = QUERY / 2;
    while stride > 0 {
        if t < stride {
            maxima[t] = maxima[t].max(maxima[t + stride]);
        }
        sync_threads();
        stride /= 2;
    }
    if t == 0 {
        best[pair] = maxima[0];
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let pairs = 8192;
    let target_len = 400;
    let mut random = noise(1);
    let queries: Vec<u8> = (0..pairs * QUERY).map(|_| b"ACGT"[random() as usize % 4]).collect();
    let targets: Vec<u8> = (0..pairs * target_len).map(|_| b"ACGT"[random() as usize % 4]).collect();
    let (q, t) = (device.to_device(&queries)?, device.to_device(&targets)?);
    let mut best = device.zeros::<i32>(pairs)?;
    let ours = || smith_waterman(&q, &t, target_len as i32, &mut best).launch(pairs, QUERY);
    let (hq, ht, hb) = (cuda.upload(&queries)?, cuda.upload(&targets)?, cuda.zeros::<i32>(pairs)?);
    let mut hand = programs.gpu.by_hand(
        include_str!("alignment.cu"),
        "smith_waterman",
        [pairs as u32, 1],
        [QUERY as u32, 1],
        &[hq.address(), ht.address(), target_len as u64, hb.address()],
    )?;
    programs.compare("alignment", 5, ours, &mut hand)?;
    let found = best.to_host()?;
    for pair in (0..pairs).step_by(100) {
        let (q, t) = (&queries[pair * QUERY..][..QUERY], &targets[pair * target_len..][..target_len]);
        let mut scores = vec![vec![0i32; target_len + 1]; QUERY + 1];
        let mut most = 0;
        for i in 1..=QUERY {
            for j in 1..=target_len {
                let s = if q[i - 1] == t[j - 1] { MATCH } else { MISMATCH };
                scores[i][j] = (scores[i - 1][j - 1] + s).max(scores[i - 1][j] - GAP).max(scores[i][j - 1] - GAP).max(0);
                most = most.max(scores[i][j]);
            }
        }
        check(found[pair] == most, "the best score of an alignment")?;
    }
    Ok(())
}
