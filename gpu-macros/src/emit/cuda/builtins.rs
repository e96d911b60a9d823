//! The functions of the runtime that kernels call by name, in CUDA C.

use super::Emitter;
use super::code::Code;
use super::text::{CText, c};
use crate::model::*;

/// The function that CUDA C calls.
struct Spelling {
    function: &'static str,
    /// The snippet that declares it; `None` for CUDA's own.
    snippet: Option<&'static str>,
}

const fn cuda(function: &'static str) -> Spelling {
    Spelling { function, snippet: None }
}

const fn snippet(snippet: &'static str, function: &'static str) -> Spelling {
    Spelling { function, snippet: Some(snippet) }
}

/// A function of the threads of a warp takes the mask of those that call it together as a last argument, which is all of them by default.
fn spelling(builtin: Builtin) -> Spelling {
    match builtin {
        Builtin::SyncThreads => cuda("__syncthreads"),
        Builtin::SyncThreadsCount => cuda("(usize)__syncthreads_count"),
        Builtin::SyncThreadsAnd => cuda("(bool)__syncthreads_and"),
        Builtin::SyncThreadsOr => cuda("(bool)__syncthreads_or"),
        Builtin::SyncGrid => snippet("grid", "gr_sync_grid"),
        Builtin::LaneId => snippet("warp", "gr_lane_id"),
        Builtin::WarpId => snippet("warp", "gr_warp_id"),
        Builtin::LaneMaskLt => snippet("warp", "gr_lane_mask_lt"),
        Builtin::ActiveMask => cuda("__activemask"),
        Builtin::SyncWarp | Builtin::SyncWarpIn => cuda("__syncwarp"),
        Builtin::WarpShuffle | Builtin::WarpShuffleIn => snippet("warp_shuffle", "gr_warp_shuffle"),
        Builtin::WarpShuffleUp | Builtin::WarpShuffleUpIn => snippet("warp_shuffle", "gr_warp_shuffle_up"),
        Builtin::WarpShuffleDown | Builtin::WarpShuffleDownIn => snippet("warp_shuffle", "gr_warp_shuffle_down"),
        Builtin::WarpShuffleXor | Builtin::WarpShuffleXorIn => snippet("warp_shuffle", "gr_warp_shuffle_xor"),
        Builtin::WarpAll | Builtin::WarpAllIn => snippet("warp_vote", "gr_warp_all"),
        Builtin::WarpAny | Builtin::WarpAnyIn => snippet("warp_vote", "gr_warp_any"),
        Builtin::WarpEqual | Builtin::WarpEqualIn => snippet("warp_vote", "gr_warp_equal"),
        Builtin::WarpBallot | Builtin::WarpBallotIn => snippet("warp_vote", "gr_warp_ballot"),
        Builtin::WarpMatchAny | Builtin::WarpMatchAnyIn => snippet("warp_match", "gr_warp_match_any"),
        Builtin::WarpMatchAll | Builtin::WarpMatchAllIn => snippet("warp_match", "gr_warp_match_all"),
        Builtin::WarpSum | Builtin::WarpSumIn => snippet("warp_reduce", "gr_warp_sum"),
        Builtin::WarpMin | Builtin::WarpMinIn => snippet("warp_reduce", "gr_warp_min"),
        Builtin::WarpMax | Builtin::WarpMaxIn => snippet("warp_reduce", "gr_warp_max"),
        Builtin::WarpAnd | Builtin::WarpAndIn => snippet("warp_reduce", "gr_warp_and"),
        Builtin::WarpOr | Builtin::WarpOrIn => snippet("warp_reduce", "gr_warp_or"),
        Builtin::WarpXor | Builtin::WarpXorIn => snippet("warp_reduce", "gr_warp_xor"),
        Builtin::ThreadFence => cuda("__threadfence"),
        Builtin::ThreadFenceBlock => cuda("__threadfence_block"),
        Builtin::ThreadFenceSystem => cuda("__threadfence_system"),
        Builtin::SpinLoop => snippet("spin_loop", "gr_spin_loop"),
        Builtin::Nanosleep => snippet("clock", "gr_nanosleep"),
        Builtin::ClockCycles => snippet("clock", "gr_clock_cycles"),
        Builtin::GlobalTimerNs => snippet("clock", "gr_global_timer_ns"),
    }
}

impl Emitter<'_> {
    /// The name of the function, which is there.
    pub(super) fn builtin_name(&mut self, builtin: Builtin) -> &'static str {
        let Spelling { function, snippet } = spelling(builtin);
        if let Some(snippet) = snippet {
            self.need(snippet);
        }
        function
    }

    /// A call of a function of the runtime.
    pub(super) fn builtin(&mut self, builtin: Builtin, args: &[Expr]) -> Code {
        let function = self.builtin_name(builtin);
        if builtin.result == BuiltinType::LanesAndBool {
            self.need("tuple");
        }
        // A literal of C's own type would pick another instance of a template.
        let same = builtin.params.iter().position(|param| *param == BuiltinType::Same);
        let instance = same.filter(|same| args[*same].ty.is_scalar()).map(|same| self.type_name(&args[same].ty));
        let instance = instance.map_or_else(CText::default, |ty| c!["<", ty, ">"]);
        Code::call(c![function, instance, "(", self.list(args), ")"])
    }
}
