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
}

/// The type of a parameter or result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuiltinType {
    Unit,
    U32,
    U64,
    Usize,
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
}

const fn builtin(
    name: &'static str,
    params: &'static [BuiltinType],
    result: BuiltinType,
    effect: Effect,
    cuda: &'static str,
    snippet: Option<&'static str>,
) -> Builtin {
    Builtin { name, params, result, effect, cuda, snippet }
}

use BuiltinType::{U32, U64, Unit, Usize};
use Effect::{Collective, Reads, Writes};

#[rustfmt::skip]
pub(crate) static BUILTINS: &[Builtin] = &[
    // What the threads of a block do together.
    builtin("sync_threads", &[], Unit, Collective, "__syncthreads", None),
    // Warps.
    builtin("lane_id", &[], Usize, Reads, "gr_lane_id", Some("warp")),
    // Memory.
    builtin("thread_fence", &[], Unit, Writes, "__threadfence", None),
    builtin("thread_fence_block", &[], Unit, Writes, "__threadfence_block", None),
    builtin("thread_fence_system", &[], Unit, Writes, "__threadfence_system", None),
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

    pub(crate) fn is_collective(&self) -> bool {
        self.effect == Collective
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
