//! Radix sort on a GPU: by digits of eight bits, the lowest first.
//!
//! A pass sorts by one digit and keeps the order of equal digits. A block has a tile of consecutive elements. First, [`count_digits`]
//! counts how often each digit occurs in each tile. The running sum of the counts, digit by digit and tile by tile in each, says where the
//! elements of a tile with a digit go. Then, [`scatter_digits`] sorts each tile by the digit in shared memory, so that what neighbouring
//! threads store is next to each other, except where the digit changes.
//!
//! In a tile, a warp takes consecutive elements, 32 at a time. It knows the place of each among those of the same digit from the lanes
//! before it with the same digit and from a tally of what the warp has had before.
//!
//! Keys are unsigned integers: codes that are in the same order as the elements.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::intrinsics::{
    block_idx, grid_dim, lane_id, lane_mask_lt, shared, sync_threads, sync_warp, thread_idx, warp_id, warp_match_any, warp_shuffle_up,
};
use crate::memory::{DeviceArray, DeviceSlice};
use crate::scalar::Integer;
use crate::ufunc::{Number, Scans};
use crate::{Result, gpu_device, gpu_kernel};

/// Elements of a tile: 16 for each thread.
const TILE: usize = 4096;

/// The digit of a key from bit `shift` on. Codes of floats have −0.0 just before 0.0, which is equal to it.
#[gpu_device]
fn digit<K: Integer, const FLOATS: bool>(key: K, shift: u32, zero: K) -> usize {
    let next = key.wrapping_add(K::ONE);
    let key = if FLOATS && next == zero { zero } else { key };
    (key >> shift).cast::<usize>() & 255
}

/// Counts the digits of each tile: `counts[d * tiles + tile]`.
#[gpu_kernel(block = 256)]
pub(super) fn count_digits<K: Integer, const FLOATS: bool>(keys: &[K], shift: u32, zero: K, counts: &mut [u32]) {
    let tallies = shared::<[AtomicU32; 256]>();
    let (t, tile, tiles) = (thread_idx().x, block_idx().x, grid_dim().x);
    tallies[t].store(0, Relaxed);
    sync_threads();
    #[unroll]
    for k in 0..16 {
        let i = tile * 4096 + k * 256 + t;
        if i < keys.len() {
            tallies[digit::<K, FLOATS>(keys[i], shift, zero)].fetch_add(1, Relaxed);
        }
    }
    sync_threads();
    counts[t * tiles + tile] = tallies[t].load(Relaxed);
}

/// Sorts by a digit. `starts` is the exclusive running sum of what [`count_digits`] counts. With `PAIRS`, values go with their keys.
#[gpu_kernel(block = 256)]
pub(super) fn scatter_digits<K: Integer, const FLOATS: bool, const PAIRS: bool>(
    keys: &[K],
    values: &[u32],
    shift: u32,
    zero: K,
    starts: &[u32],
    sorted: &mut [K],
    order: &mut [u32],
) {
    let mut tallies = shared::<[[u32; 256]; 8]>();
    let mut offsets = shared::<[u32; 256]>();
    let mut of_warps = shared::<[u32; 8]>();
    let mut exchange = shared::<[K; 4096]>();
    let (t, lane, warp) = (thread_idx().x, lane_id(), warp_id());
    let (tile, tiles) = (block_idx().x, grid_dim().x);
    let (from, own) = (tile * 4096, tile * 4096 + warp * 512 + lane);
    let count = (keys.len() - from).min(4096);

    #[unroll]
    for j in 0..8 {
        tallies[warp][j * 32 + lane] = 0;
    }
    // Behind the last element, there are keys whose digit is the highest: they remain last.
    let mut own_keys = [!K::ZERO; 16];
    #[unroll]
    for k in 0..16 {
        if own + k * 32 < keys.len() {
            own_keys[k] = keys[own + k * 32];
        }
    }
    let mut own_values = [0u32; 16];
    if PAIRS {
        #[unroll]
        for k in 0..16 {
            if own + k * 32 < values.len() {
                own_values[k] = values[own + k * 32];
            }
        }
    }
    sync_warp();
    let mut places = [0u32; 16];
    #[unroll]
    for k in 0..16 {
        let d = digit::<K, FLOATS>(own_keys[k], shift, zero);
        let same = warp_match_any(d as u32);
        let (before, earlier) = (tallies[warp][d], same & lane_mask_lt());
        sync_warp();
        if earlier == 0 {
            tallies[warp][d] = before + same.count_ones();
        }
        sync_warp();
        places[k] = before + earlier.count_ones();
    }
    sync_threads();

    // Thread `t` knows where the elements with the digit `t` begin, in the tile and for each warp.
    let mut total = 0u32;
    #[unroll]
    for w in 0..8 {
        let of_warp = tallies[w][t];
        tallies[w][t] = total;
        total += of_warp;
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
    let mut first = upto - total;
    #[unroll]
    for w in 0..8 {
        if w < warp {
            first += of_warps[w];
        }
    }
    #[unroll]
    for w in 0..8 {
        tallies[w][t] += first;
    }
    offsets[t] = starts[t * tiles + tile] - first;
    sync_threads();

    #[unroll]
    for k in 0..16 {
        places[k] += tallies[warp][digit::<K, FLOATS>(own_keys[k], shift, zero)];
        exchange[places[k] as usize] = own_keys[k];
    }
    sync_threads();
    let mut targets = [0u32; 16];
    #[unroll]
    for k in 0..16 {
        let j = k * 256 + t;
        if j < count {
            let key = exchange[j];
            targets[k] = j as u32 + offsets[digit::<K, FLOATS>(key, shift, zero)];
            sorted[targets[k] as usize] = key;
        }
    }
    if PAIRS {
        sync_threads();
        #[unroll]
        for k in 0..16 {
            exchange[places[k] as usize] = own_values[k].cast::<K>();
        }
        sync_threads();
        #[unroll]
        for k in 0..16 {
            let j = k * 256 + t;
            if j < count {
                order[targets[k] as usize] = exchange[j].cast::<u32>();
            }
        }
    }
}

/// Keys of `bits` bits that ascend, and the values that go with them; `zero` is the code of 0.0 for floats. There are fewer than 2³² keys.
#[track_caller]
pub(crate) fn sort_codes<K: Integer + Number, const FLOATS: bool>(
    keys: DeviceSlice<'_, K>,
    values: Option<DeviceSlice<'_, u32>>,
    bits: u32,
    zero: K,
) -> Result<(DeviceArray<K>, Option<DeviceArray<u32>>)> {
    let (device, len) = (keys.device().clone(), keys.len());
    let unspecified = || -> Result<(DeviceArray<K>, DeviceArray<u32>)> {
        let of_values = if values.is_some() { len } else { 0 };
        Ok((DeviceArray::unspecified(&device, len.into())?, DeviceArray::unspecified(&device, of_values.into())?))
    };
    let (mut from, mut to) = (unspecified()?, unspecified()?);
    let counts = DeviceArray::unspecified(&device, (256 * len.div_ceil(TILE)).into())?;
    let mut sort = Pass::<K, FLOATS> { zero, counts, is_of_pairs: values.is_some() };
    for shift in (0..bits).step_by(8) {
        let order = from.1.slice(..);
        match shift {
            0 => sort.run(keys, values.unwrap_or(order), shift, &mut to)?,
            _ => sort.run(from.0.slice(..), order, shift, &mut to)?,
        }
        std::mem::swap(&mut from, &mut to);
    }
    let (sorted, order) = from;
    Ok((sorted, values.map(|_| order)))
}

/// What the passes of a sort have in common.
struct Pass<K: Integer, const FLOATS: bool> {
    zero: K,
    counts: DeviceArray<u32>,
    is_of_pairs: bool,
}

impl<K: Integer + Number, const FLOATS: bool> Pass<K, FLOATS> {
    /// Sorts by the digit from bit `shift` on.
    #[track_caller]
    fn run(
        &mut self,
        keys: DeviceSlice<'_, K>,
        values: DeviceSlice<'_, u32>,
        shift: u32,
        (sorted, order): &mut (DeviceArray<K>, DeviceArray<u32>),
    ) -> Result<()> {
        let (tiles, zero) = (keys.len().div_ceil(TILE), self.zero);
        if tiles == 0 {
            return Ok(());
        }
        // SAFETY: a count for each digit and tile, which one thread stores.
        unsafe { count_digits::<K, FLOATS>(keys, shift, zero, &mut self.counts).launch_unchecked(tiles, 256)? };
        let starts = self.counts.exclusive_sum()?;
        // SAFETY: the starts are those of the digits, so every element has a place of its own.
        unsafe {
            if self.is_of_pairs {
                scatter_digits::<K, FLOATS, true>(keys, values, shift, zero, &starts, sorted, order).launch_unchecked(tiles, 256)
            } else {
                scatter_digits::<K, FLOATS, false>(keys, values, shift, zero, &starts, sorted, order).launch_unchecked(tiles, 256)
            }
        }
    }
}
