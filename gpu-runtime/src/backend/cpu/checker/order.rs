//! Which accesses the program orders: by barriers of the block and of the grid, by calls of warp functions, by atomics and fences.
//!
//! Each access has a [`Moment`]. Instead of a clock for every pair of threads, it counts what orders many threads at once: the barriers
//! that its block has passed, and the calls that its warp has completed.
//!
//! Atomics with an ordering other than `Relaxed`, and fences, order whatever two threads did before and after them, whichever variable they
//! use: so a program that hands data over through a flag or a counter has no false report. A race between threads that both use such an
//! atomic in between is not found.

const LANES: u32 = 32;

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
    /// By number, up to the last one in which anything was ordered.
    blocks: Vec<BlockOrder>,
}

#[derive(Default)]
struct BlockOrder {
    barriers: u32,
    /// By number, up to the last one that has called anything.
    warps: Vec<WarpOrder>,
    /// The number of the last synchronization of any thread, and of each, up to the last thread that had one.
    synchronized: u64,
    threads: Vec<u64>,
}

#[derive(Default)]
struct WarpOrder {
    warp_calls: u32,
    /// For each mask, the last call that synchronized these lanes, unless a later one synchronized more.
    last: Vec<(u32, u32)>,
}

/// The element of `list` for this index, which may be the first beyond its end.
fn at<T: Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if list.len() <= index {
        list.resize_with(index + 1, T::default);
    }
    &mut list[index]
}

impl Order {
    pub(super) fn now(&self, block: u64, thread: u32) -> Moment {
        let Self { grid, synchronizations, .. } = *self;
        let mut moment = Moment { block, thread, grid, barriers: 0, warp_calls: 0, synchronizations };
        if let Some(of_block) = self.blocks.get(block as usize) {
            moment.barriers = of_block.barriers;
            if let Some(of_warp) = of_block.warps.get((thread / LANES) as usize) {
                moment.warp_calls = of_warp.warp_calls;
            }
        }
        moment
    }

    fn block(&mut self, block: u64) -> &mut BlockOrder {
        at(&mut self.blocks, block as usize)
    }

    pub(super) fn pass_barrier(&mut self, block: u64) {
        self.block(block).barriers += 1;
    }

    pub(super) fn pass_grid_barrier(&mut self) {
        self.grid += 1;
    }

    pub(super) fn synchronize_warp(&mut self, block: u64, warp: usize, lanes: u32) {
        let warp = at(&mut self.block(block).warps, warp);
        warp.warp_calls += 1;
        warp.last.retain(|(earlier, _)| earlier & !lanes != 0);
        warp.last.push((lanes, warp.warp_calls));
    }

    pub(super) fn synchronize(&mut self, block: u64, thread: u32) {
        self.synchronizations += 1;
        let synchronizations = self.synchronizations;
        let of_block = self.block(block);
        of_block.synchronized = synchronizations;
        *at(&mut of_block.threads, thread as usize) = synchronizations;
    }

    /// Whether an access at `before` is over when the one at `after` begins, on every GPU.
    pub(super) fn is_ordered(&self, before: &Moment, after: &Moment) -> bool {
        if before.grid < after.grid {
            return true;
        }
        let block = |moment: &Moment| self.blocks.get(moment.block as usize);
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
        let warp = self.warps.get((before.thread / LANES) as usize).filter(|_| before.thread / LANES == after.thread / LANES);
        let both = 1 << (before.thread % LANES) | 1 << (after.thread % LANES);
        let synchronized = |(lanes, call): &(u32, u32)| lanes & both == both && *call > before.warp_calls;
        let has_synchronized =
            |moment: &Moment| self.threads.get(moment.thread as usize).is_some_and(|last| *last > before.synchronizations);
        warp.is_some_and(|warp| warp.last.iter().any(synchronized)) || has_synchronized(before) && has_synchronized(after)
    }
}
