//! Which accesses the program orders: by barriers of the block and of the grid, by calls of warp functions, by atomics and fences.
//!
//! Each access has a [`Moment`]. Instead of a clock for every pair of threads, it counts what orders many threads at once: the barriers
//! that its block has passed, and the calls that its warp has completed.
//!
//! Atomics with an ordering other than `Relaxed`, and fences, order whatever two threads did before and after them, whichever variable they
//! use: so a program that hands data over through a flag or a counter has no false report. A race between threads that both use such an
//! atomic in between is not found.

use std::collections::HashMap;

const LANES: usize = 32;

/// When a thread accessed an element.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    block: u64,
    thread: u32,
    /// The grid barriers passed so far.
    grid: u32,
    /// The barriers that the block had passed.
    barriers: u32,
    /// The calls that the warp had completed.
    warp_calls: u32,
    /// The atomics and fences that had ordered anything.
    synchronizations: u64,
}

#[derive(Default)]
pub(super) struct Order {
    grid: u32,
    synchronizations: u64,
    blocks: HashMap<u64, BlockOrder>,
}

#[derive(Default)]
struct BlockOrder {
    barriers: u32,
    warps: HashMap<u32, WarpOrder>,
    /// The number of the last synchronization of any thread, and of each.
    synchronized: u64,
    threads: HashMap<u32, u64>,
}

struct WarpOrder {
    warp_calls: u32,
    /// For each two lanes, the last call that synchronized both.
    last: [[u32; LANES]; LANES],
}

impl Order {
    pub(super) fn now(&self, block: u64, thread: u32) -> Moment {
        let of_block = self.blocks.get(&block);
        let of_warp = of_block.and_then(|block| block.warps.get(&(thread / LANES as u32)));
        Moment {
            block,
            thread,
            grid: self.grid,
            barriers: of_block.map_or(0, |block| block.barriers),
            warp_calls: of_warp.map_or(0, |warp| warp.warp_calls),
            synchronizations: self.synchronizations,
        }
    }

    pub(super) fn pass_barrier(&mut self, block: u64) {
        self.blocks.entry(block).or_default().barriers += 1;
    }

    pub(super) fn pass_grid_barrier(&mut self) {
        self.grid += 1;
    }

    pub(super) fn synchronize_warp(&mut self, block: u64, warp: usize, lanes: u32) {
        let warps = &mut self.blocks.entry(block).or_default().warps;
        let warp = warps.entry(warp as u32).or_insert(WarpOrder { warp_calls: 0, last: [[0; LANES]; LANES] });
        warp.warp_calls += 1;
        for one in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
            for other in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
                warp.last[one][other] = warp.warp_calls;
            }
        }
    }

    pub(super) fn synchronize(&mut self, block: u64, thread: u32) {
        self.synchronizations += 1;
        let of_block = self.blocks.entry(block).or_default();
        of_block.synchronized = self.synchronizations;
        of_block.threads.insert(thread, self.synchronizations);
    }

    /// Whether an access at `before` is over when the one at `after` begins, on every GPU.
    pub(super) fn is_ordered(&self, before: &Moment, after: &Moment) -> bool {
        if before.grid < after.grid {
            return true;
        }
        let block = |moment: &Moment| self.blocks.get(&moment.block);
        if before.block != after.block {
            let has_synchronized = |moment: &Moment| block(moment).is_some_and(|block| block.synchronized > before.synchronizations);
            return has_synchronized(before) && has_synchronized(after);
        }
        before.thread == after.thread || before.barriers < after.barriers || block(before).is_some_and(|block| block.orders(before, after))
    }
}

impl BlockOrder {
    /// Whether a call of the warp, or atomics, are between the two.
    fn orders(&self, before: &Moment, after: &Moment) -> bool {
        let lanes = LANES as u32;
        let warp = self.warps.get(&(before.thread / lanes)).filter(|_| before.thread / lanes == after.thread / lanes);
        let have_met =
            warp.is_some_and(|warp| warp.last[(before.thread % lanes) as usize][(after.thread % lanes) as usize] > before.warp_calls);
        let has_synchronized = |moment: &Moment| self.threads.get(&moment.thread).is_some_and(|last| *last > before.synchronizations);
        have_met || has_synchronized(before) && has_synchronized(after)
    }
}
