//! The functions of the runtime that kernels call by name, beyond those that tell a thread where it is.
//!
//! One table serves lowering (which names there are, and how many arguments they take), inference (what the types are), the proofs
//! (what a call can change) and the twin (which calls `intrinsics::NAME::__intrinsic`). A new one needs a line here, its Rust in
//! the runtime and its spelling in CUDA C (`emit/cuda/builtins.rs`) with, where CUDA has no such function itself, its C++ in a snippet.

use super::table::table;

/// One function.
pub(crate) struct BuiltinInfo {
    pub(crate) name: &'static str,
    pub(crate) params: &'static [BuiltinType],
    pub(crate) result: BuiltinType,
    pub(crate) effect: Effect,
    /// What [`BuiltinType::Same`] may be.
    pub(crate) values: Values,
    /// Which threads get the same result from the same call.
    pub(crate) uniform: Uniform,
    /// The maximum of all results, if the result is a number.
    pub(crate) ceiling: u64,
}

/// The type of a parameter or result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuiltinType {
    Unit,
    U32,
    U64,
    Usize,
    Bool,
    /// One type that the call chooses, the same wherever it stands in a line of the table. In CUDA C, a template's.
    Same,
    /// `(u32, bool)`.
    LanesAndBool,
}

/// A set of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    /// Numbers and `bool`.
    Any,
    Numbers,
    Integers,
}

/// Which threads get the same result. (Of a mask, if it has all lanes.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Uniform {
    /// Each thread may get another.
    No,
    /// The threads of a warp that name the same lane, if a thread has it.
    OfLane,
    Warp,
    Block,
}

/// The effect of a call besides its value. Every call is evaluated once, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The value depends on the thread or on the time; the call changes nothing.
    Reads,
    /// It orders the thread's reads and writes around it, or changes something.
    Writes,
    /// It synchronizes the threads of the block. In the twin, it is an `.await`.
    Collective,
    /// It synchronizes the threads of the grid. In CUDA C, it takes its site.
    GridCollective,
    /// It synchronizes the threads of a warp.
    WarpCollective,
    /// It synchronizes the threads of a warp in the mask, its last argument.
    LanesCollective,
    /// The thread waits for another thread, which continues. In the twin, it is an `.await`. The function is std's.
    Yields,
}

const fn builtin(name: &'static str, params: &'static [BuiltinType], result: BuiltinType, effect: Effect) -> BuiltinInfo {
    BuiltinInfo { name, params, result, effect, values: Values::Any, uniform: Uniform::No, ceiling: u64::MAX }
}

/// A warp function.
const fn warp(name: &'static str, params: &'static [BuiltinType], result: BuiltinType) -> BuiltinInfo {
    builtin(name, params, result, WarpCollective)
}

/// The same for the threads in the mask, its last argument.
const fn lanes(name: &'static str, params: &'static [BuiltinType], result: BuiltinType) -> BuiltinInfo {
    builtin(name, params, result, LanesCollective)
}

impl BuiltinInfo {
    const fn uniform_in(self, uniform: Uniform) -> BuiltinInfo {
        BuiltinInfo { uniform, ..self }
    }

    const fn for_values(self, values: Values) -> BuiltinInfo {
        BuiltinInfo { values, ..self }
    }

    const fn at_most(self, ceiling: u64) -> BuiltinInfo {
        BuiltinInfo { ceiling, ..self }
    }
}

use BuiltinType::{Bool, LanesAndBool, Same, U32, U64, Unit, Usize};
use Effect::{Collective, GridCollective, LanesCollective, Reads, WarpCollective, Writes, Yields};

table! {
    /// A function of the runtime.
    Builtin of BuiltinInfo {
        // What the threads of a block do together.
        SyncThreads: builtin("sync_threads", &[], Unit, Collective),
        SyncThreadsCount: builtin("sync_threads_count", &[Bool], Usize, Collective).uniform_in(Uniform::Block).at_most(1024),
        SyncThreadsAnd: builtin("sync_threads_and", &[Bool], Bool, Collective).uniform_in(Uniform::Block),
        SyncThreadsOr: builtin("sync_threads_or", &[Bool], Bool, Collective).uniform_in(Uniform::Block),
        // And those of the grid.
        SyncGrid: builtin("sync_grid", &[], Unit, GridCollective),
        // Where a thread is in its warp.
        LaneId: builtin("lane_id", &[], Usize, Reads).at_most(31),
        WarpId: builtin("warp_id", &[], Usize, Reads).uniform_in(Uniform::Warp).at_most(31),
        LaneMaskLt: builtin("lane_mask_lt", &[], U32, Reads),
        ActiveMask: builtin("active_mask", &[], U32, Reads),
        // What the threads of a warp do together: first all of them, then those of a mask.
        SyncWarp: warp("sync_warp", &[], Unit),
        SyncWarpIn: lanes("sync_warp_in", &[U32], Unit),
        WarpShuffle: warp("warp_shuffle", &[Same, Usize], Same).uniform_in(Uniform::OfLane),
        WarpShuffleIn: lanes("warp_shuffle_in", &[Same, Usize, U32], Same).uniform_in(Uniform::OfLane),
        WarpShuffleUp: warp("warp_shuffle_up", &[Same, Usize], Same),
        WarpShuffleUpIn: lanes("warp_shuffle_up_in", &[Same, Usize, U32], Same),
        WarpShuffleDown: warp("warp_shuffle_down", &[Same, Usize], Same),
        WarpShuffleDownIn: lanes("warp_shuffle_down_in", &[Same, Usize, U32], Same),
        WarpShuffleXor: warp("warp_shuffle_xor", &[Same, Usize], Same),
        WarpShuffleXorIn: lanes("warp_shuffle_xor_in", &[Same, Usize, U32], Same),
        WarpAll: warp("warp_all", &[Bool], Bool).uniform_in(Uniform::Warp),
        WarpAllIn: lanes("warp_all_in", &[Bool, U32], Bool).uniform_in(Uniform::Warp),
        WarpAny: warp("warp_any", &[Bool], Bool).uniform_in(Uniform::Warp),
        WarpAnyIn: lanes("warp_any_in", &[Bool, U32], Bool).uniform_in(Uniform::Warp),
        WarpEqual: warp("warp_equal", &[Bool], Bool).uniform_in(Uniform::Warp),
        WarpEqualIn: lanes("warp_equal_in", &[Bool, U32], Bool).uniform_in(Uniform::Warp),
        WarpBallot: warp("warp_ballot", &[Bool], U32).uniform_in(Uniform::Warp),
        WarpBallotIn: lanes("warp_ballot_in", &[Bool, U32], U32).uniform_in(Uniform::Warp),
        WarpMatchAny: warp("warp_match_any", &[Same], U32),
        WarpMatchAnyIn: lanes("warp_match_any_in", &[Same, U32], U32),
        WarpMatchAll: warp("warp_match_all", &[Same], LanesAndBool).uniform_in(Uniform::Warp),
        WarpMatchAllIn: lanes("warp_match_all_in", &[Same, U32], LanesAndBool).uniform_in(Uniform::Warp),
        WarpSum: warp("warp_sum", &[Same], Same).for_values(Values::Numbers).uniform_in(Uniform::Warp),
        WarpSumIn: lanes("warp_sum_in", &[Same, U32], Same).for_values(Values::Numbers).uniform_in(Uniform::Warp),
        WarpMin: warp("warp_min", &[Same], Same).for_values(Values::Numbers).uniform_in(Uniform::Warp),
        WarpMinIn: lanes("warp_min_in", &[Same, U32], Same).for_values(Values::Numbers).uniform_in(Uniform::Warp),
        WarpMax: warp("warp_max", &[Same], Same).for_values(Values::Numbers).uniform_in(Uniform::Warp),
        WarpMaxIn: lanes("warp_max_in", &[Same, U32], Same).for_values(Values::Numbers).uniform_in(Uniform::Warp),
        WarpAnd: warp("warp_and", &[Same], Same).for_values(Values::Integers).uniform_in(Uniform::Warp),
        WarpAndIn: lanes("warp_and_in", &[Same, U32], Same).for_values(Values::Integers).uniform_in(Uniform::Warp),
        WarpOr: warp("warp_or", &[Same], Same).for_values(Values::Integers).uniform_in(Uniform::Warp),
        WarpOrIn: lanes("warp_or_in", &[Same, U32], Same).for_values(Values::Integers).uniform_in(Uniform::Warp),
        WarpXor: warp("warp_xor", &[Same], Same).for_values(Values::Integers).uniform_in(Uniform::Warp),
        WarpXorIn: lanes("warp_xor_in", &[Same, U32], Same).for_values(Values::Integers).uniform_in(Uniform::Warp),
        // Memory.
        ThreadFence: builtin("thread_fence", &[], Unit, Writes),
        ThreadFenceBlock: builtin("thread_fence_block", &[], Unit, Writes),
        ThreadFenceSystem: builtin("thread_fence_system", &[], Unit, Writes),
        SpinLoop: builtin("spin_loop", &[], Unit, Yields),
        // Time. A clock is read in its place among the thread's other effects.
        Nanosleep: builtin("nanosleep", &[U32], Unit, Writes),
        ClockCycles: builtin("clock_cycles", &[], U64, Writes),
        GlobalTimerNs: builtin("global_timer_ns", &[], U64, Writes),
    }
}

impl BuiltinInfo {
    /// Whether a call can change a variable or memory, because other threads run while this one waits.
    pub(crate) fn writes(&self) -> bool {
        self.effect != Reads
    }

    /// Whether the thread waits for other threads in it.
    pub(crate) fn suspends(&self) -> bool {
        self.is_collective() || self.effect == Yields
    }

    /// Whether it synchronizes threads at the same call.
    pub(crate) fn is_collective(&self) -> bool {
        matches!(self.effect, Collective | GridCollective | WarpCollective | LanesCollective)
    }

    /// Whether it is a template in CUDA C.
    pub(crate) fn is_generic(&self) -> bool {
        self.params.contains(&Same)
    }
}
