//! The functions of the runtime that kernels call by name, beyond those that tell a thread where it is.
//!
//! One table serves lowering (which names there are, and how many arguments they take), inference (what the types are), the proofs
//! (what a call can change), the twin (which calls `intrinsics::NAME::__intrinsic`) and the CUDA emitter. A new one needs a line
//! here, its Rust in the runtime and, where CUDA has no such function itself, its C++ in a snippet.

/// One function.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) params: &'static [BuiltinType],
    pub(crate) result: BuiltinType,
    pub(crate) effect: Effect,
    /// What CUDA C calls.
    pub(crate) cuda: &'static str,
    /// The snippet that declares it; `None` for CUDA's own.
    pub(crate) snippet: Option<&'static str>,
    /// What [`BuiltinType::Same`] may be.
    pub(crate) values: Values,
    /// Which threads get the same result from calls that they make together.
    pub(crate) agreed: Agreed,
    /// No call has a larger result, where that is a number.
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

/// Which threads get the same result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agreed {
    /// Any may get its own.
    Nobody,
    Warp,
    Block,
}

/// What calling a function means beside its value. Every call is evaluated once, in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The value depends on the thread, or on the time: nothing changes.
    Reads,
    /// It orders what the thread reads and writes around it, or changes something.
    Writes,
    /// The threads of the block wait for each other in it. In the twin, that is an `.await`.
    Collective,
    /// Those of the whole grid do. In CUDA C it takes its site.
    GridCollective,
    /// The threads of a warp do.
    WarpCollective,
    /// Those threads of a warp do that the last argument names.
    LanesCollective,
    /// The thread waits for another, which goes on meanwhile. In the twin, that is an `.await`. The function is std's.
    Yields,
}

const fn builtin(
    name: &'static str,
    params: &'static [BuiltinType],
    result: BuiltinType,
    effect: Effect,
    cuda: &'static str,
    snippet: Option<&'static str>,
) -> Builtin {
    Builtin { name, params, result, effect, cuda, snippet, values: Values::Any, agreed: Agreed::Nobody, ceiling: u64::MAX }
}

/// A function of the threads of a warp. Its C takes the mask of those that meet as a last argument, which is all of them by default.
const fn warp(name: &'static str, params: &'static [BuiltinType], result: BuiltinType, cuda: &'static str) -> Builtin {
    builtin(name, params, result, WarpCollective, cuda, None)
}

/// The same for the threads that the last argument names.
const fn lanes(name: &'static str, params: &'static [BuiltinType], result: BuiltinType, cuda: &'static str) -> Builtin {
    builtin(name, params, result, LanesCollective, cuda, None)
}

impl Builtin {
    const fn agreed_by(self, agreed: Agreed) -> Builtin {
        Builtin { agreed, ..self }
    }

    const fn of(self, snippet: &'static str) -> Builtin {
        Builtin { snippet: Some(snippet), ..self }
    }

    const fn for_values(self, values: Values) -> Builtin {
        Builtin { values, ..self }
    }

    const fn at_most(self, ceiling: u64) -> Builtin {
        Builtin { ceiling, ..self }
    }
}

use BuiltinType::{Bool, LanesAndBool, Same, U32, U64, Unit, Usize};
use Effect::{Collective, GridCollective, LanesCollective, Reads, WarpCollective, Writes, Yields};

#[rustfmt::skip]
pub(crate) static BUILTINS: &[Builtin] = &[
    // What the threads of a block do together.
    builtin("sync_threads", &[], Unit, Collective, "__syncthreads", None),
    builtin("sync_threads_count", &[Bool], Usize, Collective, "(usize)__syncthreads_count", None).agreed_by(Agreed::Block).at_most(1024),
    builtin("sync_threads_and", &[Bool], Bool, Collective, "(bool)__syncthreads_and", None).agreed_by(Agreed::Block),
    builtin("sync_threads_or", &[Bool], Bool, Collective, "(bool)__syncthreads_or", None).agreed_by(Agreed::Block),
    // And those of the grid.
    builtin("sync_grid", &[], Unit, GridCollective, "gr_sync_grid", Some("grid")),
    // Where a thread is in its warp.
    builtin("lane_id", &[], Usize, Reads, "gr_lane_id", Some("warp")).at_most(31),
    builtin("warp_id", &[], Usize, Reads, "gr_warp_id", Some("warp")).agreed_by(Agreed::Warp).at_most(31),
    builtin("lane_mask_lt", &[], U32, Reads, "gr_lane_mask_lt", Some("warp")),
    builtin("active_mask", &[], U32, Reads, "__activemask", None),
    // What the threads of a warp do together: first all of them, then those of a mask.
    warp("sync_warp", &[], Unit, "__syncwarp"),
    lanes("sync_warp_in", &[U32], Unit, "__syncwarp"),
    warp("warp_shuffle", &[Same, Usize], Same, "gr_warp_shuffle").of("warp_shuffle"),
    lanes("warp_shuffle_in", &[Same, Usize, U32], Same, "gr_warp_shuffle").of("warp_shuffle"),
    warp("warp_shuffle_up", &[Same, Usize], Same, "gr_warp_shuffle_up").of("warp_shuffle"),
    lanes("warp_shuffle_up_in", &[Same, Usize, U32], Same, "gr_warp_shuffle_up").of("warp_shuffle"),
    warp("warp_shuffle_down", &[Same, Usize], Same, "gr_warp_shuffle_down").of("warp_shuffle"),
    lanes("warp_shuffle_down_in", &[Same, Usize, U32], Same, "gr_warp_shuffle_down").of("warp_shuffle"),
    warp("warp_shuffle_xor", &[Same, Usize], Same, "gr_warp_shuffle_xor").of("warp_shuffle"),
    lanes("warp_shuffle_xor_in", &[Same, Usize, U32], Same, "gr_warp_shuffle_xor").of("warp_shuffle"),
    warp("warp_all", &[Bool], Bool, "gr_warp_all").of("warp_vote").agreed_by(Agreed::Warp),
    lanes("warp_all_in", &[Bool, U32], Bool, "gr_warp_all").of("warp_vote"),
    warp("warp_any", &[Bool], Bool, "gr_warp_any").of("warp_vote").agreed_by(Agreed::Warp),
    lanes("warp_any_in", &[Bool, U32], Bool, "gr_warp_any").of("warp_vote"),
    warp("warp_equal", &[Bool], Bool, "gr_warp_equal").of("warp_vote").agreed_by(Agreed::Warp),
    lanes("warp_equal_in", &[Bool, U32], Bool, "gr_warp_equal").of("warp_vote"),
    warp("warp_ballot", &[Bool], U32, "gr_warp_ballot").of("warp_vote").agreed_by(Agreed::Warp),
    lanes("warp_ballot_in", &[Bool, U32], U32, "gr_warp_ballot").of("warp_vote"),
    warp("warp_match_any", &[Same], U32, "gr_warp_match_any").of("warp_match"),
    lanes("warp_match_any_in", &[Same, U32], U32, "gr_warp_match_any").of("warp_match"),
    warp("warp_match_all", &[Same], LanesAndBool, "gr_warp_match_all").of("warp_match").agreed_by(Agreed::Warp),
    lanes("warp_match_all_in", &[Same, U32], LanesAndBool, "gr_warp_match_all").of("warp_match"),
    warp("warp_sum", &[Same], Same, "gr_warp_sum").of("warp_reduce").for_values(Values::Numbers).agreed_by(Agreed::Warp),
    lanes("warp_sum_in", &[Same, U32], Same, "gr_warp_sum").of("warp_reduce").for_values(Values::Numbers),
    warp("warp_min", &[Same], Same, "gr_warp_min").of("warp_reduce").for_values(Values::Numbers).agreed_by(Agreed::Warp),
    lanes("warp_min_in", &[Same, U32], Same, "gr_warp_min").of("warp_reduce").for_values(Values::Numbers),
    warp("warp_max", &[Same], Same, "gr_warp_max").of("warp_reduce").for_values(Values::Numbers).agreed_by(Agreed::Warp),
    lanes("warp_max_in", &[Same, U32], Same, "gr_warp_max").of("warp_reduce").for_values(Values::Numbers),
    warp("warp_and", &[Same], Same, "gr_warp_and").of("warp_reduce").for_values(Values::Integers).agreed_by(Agreed::Warp),
    lanes("warp_and_in", &[Same, U32], Same, "gr_warp_and").of("warp_reduce").for_values(Values::Integers),
    warp("warp_or", &[Same], Same, "gr_warp_or").of("warp_reduce").for_values(Values::Integers).agreed_by(Agreed::Warp),
    lanes("warp_or_in", &[Same, U32], Same, "gr_warp_or").of("warp_reduce").for_values(Values::Integers),
    warp("warp_xor", &[Same], Same, "gr_warp_xor").of("warp_reduce").for_values(Values::Integers).agreed_by(Agreed::Warp),
    lanes("warp_xor_in", &[Same, U32], Same, "gr_warp_xor").of("warp_reduce").for_values(Values::Integers),
    // Memory.
    builtin("thread_fence", &[], Unit, Writes, "__threadfence", None),
    builtin("thread_fence_block", &[], Unit, Writes, "__threadfence_block", None),
    builtin("thread_fence_system", &[], Unit, Writes, "__threadfence_system", None),
    builtin("spin_loop", &[], Unit, Yields, "gr_spin_loop", Some("spin_loop")),
    // Time. A clock is read in its place among the thread's other effects.
    builtin("nanosleep", &[U32], Unit, Writes, "gr_nanosleep", Some("clock")),
    builtin("clock_cycles", &[], U64, Writes, "gr_clock_cycles", Some("clock")),
    builtin("global_timer_ns", &[], U64, Writes, "gr_global_timer_ns", Some("clock")),
];

impl Builtin {
    pub(crate) fn find(name: &str) -> Option<&'static Builtin> {
        BUILTINS.iter().find(|builtin| builtin.name == name)
    }

    /// Whether calling it can change a variable or memory, as other threads do while this one waits.
    pub(crate) fn writes(&self) -> bool {
        self.effect != Reads
    }

    /// Whether the thread waits in it for others.
    pub(crate) fn suspends(&self) -> bool {
        self.is_collective() || self.effect == Yields
    }

    /// Whether threads wait for each other in it, at the same call.
    pub(crate) fn is_collective(&self) -> bool {
        matches!(self.effect, Collective | GridCollective | WarpCollective | LanesCollective)
    }

    /// Whether it is a template in CUDA C.
    pub(crate) fn is_generic(&self) -> bool {
        self.params.contains(&Same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_stands_once() {
        for (i, a) in BUILTINS.iter().enumerate() {
            assert!(BUILTINS[i + 1..].iter().all(|b| b.name != a.name), "{} stands twice", a.name);
        }
    }
}
