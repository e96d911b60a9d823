//! Aho–Corasick without failure links: from each byte of 64 MiB of text, a thread follows a table of transitions until it leaves the patterns.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const TEXT: usize = 1 << 26;
const PATTERNS: usize = 1000;
const LETTERS: usize = 256;
const THREADS: usize = 256;

/// The number of the longest pattern that begins at each byte, or 0. The states up to `finals` end a pattern; -1 is no state.
#[gpu_kernel]
pub(crate) fn find(text: &[u8], next: &[i32], finals: i32, matches: &mut [i32]) {
    let i = grid_1d();
    if i >= text.len() {
        return;
    }
    let mut state = finals + 1;
    let mut found = 0;
    let mut at = i;
    while at < text.len() {
        state = next[state as usize * LETTERS + text[at] as usize];
        if state < 0 {
            break;
        }
        if state <= finals {
            found = state;
        }
        at += 1;
    }
    matches[i] = found;
}

/// The transitions of all states: those that end a pattern come first, from 1 on, then the first state, then the others.
fn transitions(patterns: &[Vec<u8>]) -> Vec<i32> {
    let row = || vec![-1i32; LETTERS];
    let mut next: Vec<Vec<i32>> = (0..patterns.len() + 2).map(|_| row()).collect();
    for (number, pattern) in patterns.iter().enumerate() {
        let mut state = patterns.len() + 1;
        for (k, &letter) in pattern.iter().enumerate() {
            let known = next[state][usize::from(letter)];
            let last = k + 1 == pattern.len();
            let to = match (known, last) {
                (-1, true) => number as i32 + 1,
                (-1, false) => {
                    next.push(row());
                    next.len() as i32 - 1
                }
                (known, _) => known,
            };
            next[state][usize::from(letter)] = to;
            state = to as usize;
        }
    }
    next.concat()
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(38);
    let patterns: Vec<Vec<u8>> = (0..PATTERNS).map(|_| (0..4 + random() % 12).map(|_| b'a' + (random() % 8) as u8).collect()).collect();
    let next = transitions(&patterns);
    let text: Vec<u8> = (0..TEXT).map(|_| b'a' + (random() % 8) as u8).collect();
    let finals = PATTERNS as i32;
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_text, device_next) = (device.to_device(&text)?, device.to_device(&next)?);
    let mut matches = device.zeros::<i32>(TEXT)?;
    let (hand_text, hand_next, hand_matches) = (cuda.upload(&text)?, cuda.upload(&next)?, cuda.zeros::<i32>(TEXT)?);
    let grid = TEXT / THREADS;
    let mut hand = programs.gpu.by_hand(
        include_str!("patterns.cu"),
        "find",
        [grid as u32, 1],
        [THREADS as u32, 1],
        &[hand_text.address(), hand_next.address(), finals as u64, hand_matches.address(), TEXT as u64],
    )?;
    programs.compare("patterns", 10, || find(&device_text, &device_next, finals, &mut matches).launch(grid, THREADS), &mut hand)?;
    let mut by_hand = vec![0; TEXT];
    cuda.download(&hand_matches, 0, &mut by_hand)?;
    let found = matches.to_host()?;
    check(found == by_hand, "the patterns, ours or by hand")?;
    check(found.iter().any(|&found| found > 0), "the patterns")
}
