//! Radix sort on a GPU: by digits of eight bits, the lowest first.
//!
//! [`count_digits`] reads the keys once and counts all of their digits. Then there is a pass for each digit, [`scatter_digits`], which sorts by
//! it and keeps the order of equal digits. A block takes the next tile of consecutive elements, counts its digits and publishes the counts. From
//! what the blocks before it have published it knows where its own elements with each digit go, so that a pass reads and writes each element
//! once (Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022). It sorts the tile by the digit in shared
//! memory first, so that what neighbouring threads store is next to each other, except where the digit changes.
//!
//! In a tile, a warp takes consecutive elements, 32 at a time. It knows the place of each among those of the same digit from the lanes
//! before it with the same digit and from a tally of what the warp has had before.
//!
//! Keys are unsigned integers: codes that are in the same order as the elements.

use std::hint::spin_loop;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::intrinsics::{
    grid_stride, lane_id, lane_mask_lt, shared, sync_threads, sync_warp, thread_idx, warp_ballot, warp_id, warp_shuffle_up,
};
use crate::memory::{DeviceArray, DeviceSlice};
use crate::scalar::Integer;
use crate::ufunc::{Number, Scans};
use crate::{Result, gpu_device, gpu_kernel};

/// Bits of a digit, and digits that there are.
pub(crate) const DIGIT_BITS: u32 = 8;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Blocks that count: as many as a large GPU runs at once, so that each adds to the counts once.
const MOST_BLOCKS: usize = 528;

/// What a tile has published of a digit is a number below 2⁵⁶, and above it a state: `2 * pass + 1` with how many of its elements have the digit,
/// `2 * pass + 2` with how many of those before it do, too. Words of earlier passes have lower states.
const STATE: u32 = 56;

/// The digit of a key from bit `shift` on. Codes of floats have −0.0 just before 0.0, which is equal to it.
#[gpu_device]
fn digit<K: Integer, const FLOATS: bool>(key: K, shift: u32, zero: K) -> usize {
    let next = key.wrapping_add(K::ONE);
    let key = if FLOATS && next == zero { zero } else { key };
    (key >> shift).cast::<usize>() & 255
}

/// The lanes of the warp that have the same digit. Eight votes take less time than `warp_match_any`, which has a step for each digit that occurs.
#[gpu_device]
async fn lanes_with(digit: usize) -> u32 {
    let mut same = !0u32;
    #[unroll]
    for bit in 0..8 {
        let is_set = (digit >> bit) & 1 == 1;
        let votes = warp_ballot(is_set);
        same &= if is_set { votes } else { !votes };
    }
    same
}

/// Adds how often each digit from bit `first` on occurs to `counts[pass * 256 + digit]`.
#[gpu_kernel(block = 512)]
pub(super) fn count_digits<K: Integer, const FLOATS: bool>(keys: &[K], first: u32, passes: usize, zero: K, counts: &[AtomicU32]) {
    let tallies = shared::<[AtomicU32; 2048]>();
    let t = thread_idx().x;
    for i in (t..passes * DIGITS).step_by(512) {
        tallies[i].store(0, Relaxed);
    }
    sync_threads();
    for i in grid_stride(keys.len()) {
        let key = keys[i];
        for pass in 0..passes {
            tallies[pass * DIGITS + digit::<K, FLOATS>(key, first + pass as u32 * 8, zero)].fetch_add(1, Relaxed);
        }
    }
    sync_threads();
    for i in (t..passes * DIGITS).step_by(512) {
        counts[i].fetch_add(tallies[i].load(Relaxed), Relaxed);
    }
}

/// Sorts by the digit of a pass, from bit `shift` on. `starts` has the exclusive running sums of what [`count_digits`] counts, for each pass. With
/// `PAIRS`, values go with their keys: without any, their indices. A thread has `EACH` elements, so a tile has `TILE = 512 * EACH`.
#[gpu_kernel(block = 512)]
#[allow(clippy::too_many_arguments, reason = "a kernel has no other way to get arrays")]
pub(super) fn scatter_digits<K: Integer, const FLOATS: bool, const PAIRS: bool, const EACH: usize, const TILE: usize>(
    keys: &[K],
    values: &[u32],
    pass: u32,
    shift: u32,
    zero: K,
    starts: &[u32],
    tickets: &[AtomicU32],
    published: &[AtomicU64],
    sorted: &mut [K],
    order: &mut [u32],
) {
    let mut tallies = shared::<[[u16; 256]; 16]>();
    let mut offsets = shared::<[u32; 256]>();
    let mut of_warps = shared::<[u32; 16]>();
    let mut exchange = shared::<[K; TILE]>();
    let mut ticket = shared::<[u32; 1]>();
    let (t, lane, warp) = (thread_idx().x, lane_id(), warp_id());

    // Blocks start in any order, and wait for the tiles before theirs: so a block takes a tile when it starts.
    if t == 0 {
        ticket[0] = tickets[pass as usize].fetch_add(1, Relaxed);
    }
    #[unroll]
    for j in 0..8 {
        tallies[warp][j * 32 + lane] = 0;
    }
    sync_threads();
    let tile = ticket[0] as usize;
    let (from, own) = (tile * TILE, tile * TILE + warp * (32 * EACH) + lane);
    let count = (keys.len() - from).min(TILE);

    // Behind the last element, there are keys whose digit is the highest: they remain last.
    let mut own_keys = [!K::ZERO; EACH];
    #[unroll]
    for k in 0..EACH {
        if own + k * 32 < keys.len() {
            own_keys[k] = keys[own + k * 32];
        }
    }
    let mut own_values = [0u32; EACH];
    if PAIRS {
        #[unroll]
        for k in 0..EACH {
            let i = own + k * 32;
            own_values[k] = if i < values.len() { values[i] } else { i as u32 };
        }
    }
    let mut places = [0u32; EACH];
    #[unroll]
    for k in 0..EACH {
        let d = digit::<K, FLOATS>(own_keys[k], shift, zero);
        let same = lanes_with(d).await;
        let (before, earlier) = (tallies[warp][d] as u32, (same & lane_mask_lt()).count_ones());
        sync_warp();
        if earlier == 0 {
            tallies[warp][d] = (before + same.count_ones()) as u16;
        }
        sync_warp();
        places[k] = before + earlier;
    }
    sync_threads();

    // Thread `t` knows where the elements with the digit `t` begin, in the tile and for each warp.
    let mut total = 0u32;
    if t < DIGITS {
        #[unroll]
        for w in 0..16 {
            let of_warp = tallies[w][t] as u32;
            tallies[w][t] = total as u16;
            total += of_warp;
        }
    }
    let mut upto = total;
    #[unroll]
    for step in 0..5u32 {
        let distance = 1usize << step;
        let other = warp_shuffle_up(upto, distance);
        if lane >= distance {
            upto += other;
        }
    }
    if lane == 31 {
        of_warps[warp] = upto;
    }
    sync_threads();
    if t < DIGITS {
        let mut first = upto - total;
        #[unroll]
        for w in 0..8 {
            if w < warp {
                first += of_warps[w];
            }
        }
        #[unroll]
        for w in 0..16 {
            tallies[w][t] += first as u16;
        }
        let before = elements_before(tile, t, total, pass, published).await;
        offsets[t] = starts[pass as usize * DIGITS + t] + before - first;
    }
    sync_threads();

    #[unroll]
    for k in 0..EACH {
        places[k] += tallies[warp][digit::<K, FLOATS>(own_keys[k], shift, zero)] as u32;
        exchange[places[k] as usize] = own_keys[k];
    }
    sync_threads();
    let mut targets = [0u32; EACH];
    #[unroll]
    for k in 0..EACH {
        let j = k * 512 + t;
        if j < count {
            let key = exchange[j];
            targets[k] = j as u32 + offsets[digit::<K, FLOATS>(key, shift, zero)];
            sorted[targets[k] as usize] = key;
        }
    }
    if PAIRS {
        sync_threads();
        #[unroll]
        for k in 0..EACH {
            exchange[places[k] as usize] = own_values[k].cast::<K>();
        }
        sync_threads();
        #[unroll]
        for k in 0..EACH {
            let j = k * 512 + t;
            if j < count {
                order[targets[k] as usize] = exchange[j].cast::<u32>();
            }
        }
    }
}

/// How many elements of the tiles before `tile` have the digit, of which the tile has `own`. Publishes both.
#[gpu_device]
async fn elements_before(tile: usize, digit: usize, own: u32, pass: u32, published: &[AtomicU64]) -> u32 {
    let counted = 2 * pass as u64 + 1;
    published[tile * DIGITS + digit].store(counted << STATE | own as u64, Relaxed);
    let (mut before, mut rest) = (0u64, tile);
    while rest > 0 {
        let word = published[(rest - 1) * DIGITS + digit].load(Relaxed);
        let state = word >> STATE;
        if state < counted {
            spin_loop();
        } else {
            before += word & ((1 << STATE) - 1);
            rest = if state == counted { rest - 1 } else { 0 };
        }
    }
    published[tile * DIGITS + digit].store((counted + 1) << STATE | (before + own as u64), Relaxed);
    before as u32
}

/// What goes with the keys.
#[derive(Clone, Copy)]
pub(crate) enum Carried<'c> {
    Nothing,
    Values(DeviceSlice<'c, u32>),
    /// Where they are.
    Indices,
}

/// Keys in ascending order of the digits that these bits have, and what goes with them; `zero` is the code of 0.0 for floats. There are fewer
/// than 2³² keys.
#[track_caller]
pub(crate) fn sort_codes<K: Integer + Number, const FLOATS: bool>(
    keys: DeviceSlice<'_, K>,
    carried: Carried<'_>,
    bits: Range<u32>,
    zero: K,
) -> Result<(DeviceArray<K>, Option<DeviceArray<u32>>)> {
    // A tile of either size has 32 KiB. The condition is a constant, so that only one of them is compiled.
    if const { size_of::<K>() == 4 } {
        match carried {
            Carried::Nothing => sort_tiles::<K, FLOATS, false, 16, 8192>(keys, carried, bits, zero),
            _ => sort_tiles::<K, FLOATS, true, 16, 8192>(keys, carried, bits, zero),
        }
    } else {
        match carried {
            Carried::Nothing => sort_tiles::<K, FLOATS, false, 8, 4096>(keys, carried, bits, zero),
            _ => sort_tiles::<K, FLOATS, true, 8, 4096>(keys, carried, bits, zero),
        }
    }
}

/// [`sort_codes`] by tiles of `TILE` elements.
#[track_caller]
fn sort_tiles<K: Integer + Number, const FLOATS: bool, const PAIRS: bool, const EACH: usize, const TILE: usize>(
    keys: DeviceSlice<'_, K>,
    carried: Carried<'_>,
    bits: Range<u32>,
    zero: K,
) -> Result<(DeviceArray<K>, Option<DeviceArray<u32>>)> {
    let (device, len) = (keys.device().clone(), keys.len());
    let unspecified = || -> Result<(DeviceArray<K>, DeviceArray<u32>)> {
        Ok((DeviceArray::unspecified(&device, len.into())?, DeviceArray::unspecified(&device, if PAIRS { len } else { 0 }.into())?))
    };
    let (mut from, mut to) = (unspecified()?, unspecified()?);
    if len == 0 {
        return Ok((from.0, PAIRS.then_some(from.1)));
    }
    let (passes, tiles) = ((bits.end - bits.start).div_ceil(DIGIT_BITS), len.div_ceil(TILE));
    let mut counts = device.zeros::<u32>([passes as usize, DIGITS])?;
    let count = count_digits::<K, FLOATS>(keys, bits.start, passes as usize, zero, &mut counts);
    // SAFETY: what is shared is atomic.
    unsafe { count.launch_unchecked(tiles.min(MOST_BLOCKS), 512)? };
    let starts = counts.exclusive_sum_axis(1)?;
    let (mut tickets, mut published) = (device.zeros::<u32>(passes as usize)?, device.zeros::<u64>(tiles * DIGITS)?);
    for pass in 0..passes {
        let (keys, values) = match (pass, carried) {
            (0, Carried::Values(values)) => (keys, values),
            (0, _) => (keys, from.1.slice(..0)),
            _ => (from.0.slice(..), from.1.slice(..)),
        };
        let scatter = scatter_digits::<K, FLOATS, PAIRS, EACH, TILE>(
            keys,
            values,
            pass,
            bits.start + pass * DIGIT_BITS,
            zero,
            &starts,
            &mut tickets,
            &mut published,
            &mut to.0,
            &mut to.1,
        );
        // SAFETY: the starts are those of the digits, so every element has a place of its own.
        unsafe { scatter.launch_unchecked(tiles, 512)? };
        std::mem::swap(&mut from, &mut to);
    }
    Ok((from.0, PAIRS.then_some(from.1)))
}
