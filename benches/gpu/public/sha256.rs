//! SHA-256 of 4 Mi messages of one word each, as one thread mines: the message schedule in a local array, the constants in a table.

use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const MESSAGES: usize = 1 << 22;
const THREADS: usize = 256;

const START: [u32; 8] = [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

#[rustfmt::skip]
const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// The digest of one block of sixteen words.
#[gpu_device]
fn digest(block: &[u32; 16]) -> [u32; 8] {
    let mut w = [0u32; 64];
    for i in 0..16 {
        w[i] = block[i];
    }
    for i in 16..64 {
        let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
        let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
    }
    let mut state = START;
    for i in 0..64 {
        let [a, b, c, d, e, f, g, h] = state;
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(K[i]).wrapping_add(w[i]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        state = [t1.wrapping_add(s0.wrapping_add(majority)), a, b, c, d.wrapping_add(t1), e, f, g];
    }
    for i in 0..8 {
        state[i] = state[i].wrapping_add(START[i]);
    }
    state
}

#[gpu_kernel]
fn hash(digests: &mut [[u32; 8]], first: u32) {
    let i = grid_1d();
    if i < digests.len() {
        let mut block = [0u32; 16];
        block[0] = first.wrapping_add(i as u32);
        block[1] = 0x8000_0000;
        block[15] = 32;
        digests[i] = digest(&block);
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let first = 0x6162_6300;
    let mut ours = device.zeros::<[u32; 8]>(MESSAGES)?;
    let hand_digests = cuda.zeros::<[u32; 8]>(MESSAGES)?;
    let grid = MESSAGES / THREADS;
    let mut hand = programs.gpu.by_hand(
        include_str!("sha256.cu"),
        "hash",
        [grid as u32, 1],
        [THREADS as u32, 1],
        &[hand_digests.address(), MESSAGES as u64, u64::from(first)],
    )?;
    programs.compare("SHA-256", 20, || hash(&mut ours, first).launch(grid, THREADS), &mut hand)?;
    let mut by_hand = vec![[0; 8]; MESSAGES];
    cuda.download(&hand_digests, 0, &mut by_hand)?;
    let found = ours.to_host()?;
    check(found == by_hand, "the digests, ours or by hand")?;
    // The message "abcd", by any other implementation.
    check(found[0x64][..2] == [0x88d4_266f, 0xd4e6_338d], "the digests")
}
