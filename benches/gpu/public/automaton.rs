//! Words found in 256 MiB of text by an automaton of 64 states, in pieces of 256 bytes, a thread for each.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const PIECES: usize = 1 << 20;
const PIECE: usize = 256;
const STATES: usize = 64;
const LETTERS: usize = 32;
const THREADS: usize = 256;

/// Counts the ends of words: states with a set bit in `accepting`.
#[gpu_kernel]
pub(crate) fn find(text: &[u8], next: &[u8], accepting: u64, counts: &mut [u32], pieces: usize) {
    let piece = grid_1d();
    if piece < pieces {
        let mut state = 0usize;
        let mut count = 0;
        for i in 0..PIECE {
            // Letters of a column lie together, so that the threads of a warp read neighbours.
            let letter = text[i * pieces + piece] as usize;
            state = next[state * LETTERS + letter] as usize;
            if accepting >> state & 1 == 1 {
                count += 1;
            }
        }
        counts[piece] = count;
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(27);
    let text: Vec<u8> = (0..PIECES * PIECE).map(|_| (random() % LETTERS as u32) as u8).collect();
    let next: Vec<u8> = (0..STATES * LETTERS).map(|_| (random() % STATES as u32) as u8).collect();
    let accepting = 0x0001_0200_4008_0001u64;
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_text, device_next) = (device.to_device(&text)?, device.to_device(&next)?);
    let mut counts = device.zeros::<u32>(PIECES)?;
    let (hand_text, hand_next, hand_counts) = (cuda.upload(&text)?, cuda.upload(&next)?, cuda.zeros::<u32>(PIECES)?);
    let grid = PIECES / THREADS;
    let mut hand = programs.gpu.by_hand(
        include_str!("automaton.cu"),
        "find",
        [grid as u32, 1],
        [THREADS as u32, 1],
        &[hand_text.address(), hand_next.address(), accepting, hand_counts.address(), PIECES as u64],
    )?;
    programs.compare(
        "automaton",
        20,
        || find(&device_text, &device_next, accepting, &mut counts, PIECES).launch(grid, THREADS),
        &mut hand,
    )?;
    let mut by_hand = vec![0; PIECES];
    cuda.download(&hand_counts, 0, &mut by_hand)?;
    let found = counts.to_host()?;
    check(found == by_hand, "the words, ours or by hand")?;
    let expected = |piece: usize| {
        let states = (0..PIECE).scan(0, |state, i| {
            *state = usize::from(next[*state * LETTERS + usize::from(text[i * PIECES + piece])]);
            Some(*state)
        });
        states.filter(|state| accepting >> state & 1 == 1).count()
    };
    check((0..PIECES).step_by(1009).all(|piece| found[piece] as usize == expected(piece)), "the words")
}
