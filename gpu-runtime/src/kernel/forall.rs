//! The shape of a launch that only has a number of elements.

use super::dimensions;
use super::loaded::Kernel;
use super::run::Call;
use crate::dims::{ELEMENTS_PER_THREAD, FORALL_BLOCK, GridDim, LaunchDims, Limits};

/// The one-element launch to run with several elements per thread, if that is faster on a device that holds `resident` threads at a time,
/// and if no check in it can fail.
///
/// It covers `n` in whole groups of blocks, so with up to three blocks more than otherwise: the conditions of a launch must hold with these
/// too.
pub(super) fn launch_for_several_elements(
    call: &dyn Call,
    n: usize,
    (limits, resident): (&Limits, u32),
    proof_needed: bool,
) -> Option<LaunchDims> {
    let Kernel { meta, .. } = call.kernel();
    if meta.block.is_some() || !meta.unit.several_elements || !fills(n, resident) {
        return None;
    }
    let dims = dimensions::check(meta, limits, proof_needed, grid_of_whole_groups(n), FORALL_BLOCK.into()).ok()?;
    (call.are_aligned() && call.shown(&dims).in_bounds() && (!proof_needed || call.race_free(&dims).is_ok())).then_some(dims)
}

/// Whether this number of threads still fills a device. If not, a launch is faster with one element per thread.
fn fills(n: usize, resident: u32) -> bool {
    n as u64 >= u64::from(resident) * u64::from(ELEMENTS_PER_THREAD)
}

/// As many blocks as cover `n`, rounded up to whole groups.
fn grid_of_whole_groups(n: usize) -> GridDim {
    let blocks = n.div_ceil(FORALL_BLOCK as usize);
    blocks.checked_next_multiple_of(ELEMENTS_PER_THREAD as usize).unwrap_or(usize::MAX).into()
}

/// The launch with several elements per thread that computes the same as `one_element`: each block does the work of a group.
pub(super) fn with_several_elements(one_element: &LaunchDims) -> LaunchDims {
    let [x, y, z] = one_element.grid;
    LaunchDims { grid: [x / ELEMENTS_PER_THREAD, y, z], block: one_element.block }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::{Blocks, Stop};
    use crate::kernel::{ArgumentBinder, Arguments, KernelDefinition, KernelMeta, Launch, Shown, Unmet};
    use crate::source::SourceUnit;

    const LIMITS: Limits = Limits { grid: [i32::MAX.unsigned_abs(), 65_535, 65_535], block: [1024, 1024, 64], threads: 1024 };
    const RESIDENT: u32 = 2048;

    /// A kernel whose checks and proof hold for so many threads.
    struct Example<const SEVERAL_ELEMENTS: bool, const DECLARED: bool>;

    struct Holds {
        in_bounds: u64,
        race_free: u64,
    }

    impl Arguments for Holds {
        type Host = ();
        fn bind<'l>(&self, _: &mut ArgumentBinder<'l>)
        where
            Self: 'l,
        {
        }
        unsafe fn host(&self) {}
    }

    fn threads(dims: &LaunchDims) -> u64 {
        u64::from(dims.grid[0]) * u64::from(dims.block[0])
    }

    // SAFETY: it takes no arrays.
    unsafe impl<const SEVERAL_ELEMENTS: bool, const DECLARED: bool> KernelDefinition for Example<SEVERAL_ELEMENTS, DECLARED> {
        type Args<'a> = Holds;
        const META: &'static KernelMeta = &KernelMeta {
            block: if DECLARED { Some([FORALL_BLOCK, 1, 1]) } else { None },
            unit: &SourceUnit { several_elements: SEVERAL_ELEMENTS, ..SourceUnit::NONE },
            ..KernelMeta::NONE
        };
        fn shown(holds: &Holds, dims: &LaunchDims) -> Shown {
            Shown::of([threads(dims) <= holds.in_bounds], false)
        }
        fn race_free(holds: &Holds, dims: &LaunchDims) -> Result<(), Unmet> {
            dims.require(Some(threads(dims).into()), Some(holds.race_free.into()), "few threads", "line 1: `out[i]`")
        }
        fn run_blocks(_: &Holds, _: Blocks<'_>) -> Result<(), Stop> {
            unreachable!("nothing is launched")
        }
    }

    /// The blocks of the launch to be done with several elements a thread.
    fn blocks<K: for<'a> KernelDefinition<Args<'a> = Holds>>(n: usize, in_bounds: u64, race_free: u64, proof_needed: bool) -> Option<u32> {
        let dims = launch_for_several_elements(&Launch::<K>::new(Holds { in_bounds, race_free }), n, (&LIMITS, RESIDENT), proof_needed);
        dims.inspect(|dims| assert_eq!(dims.block, [FORALL_BLOCK, 1, 1])).map(|dims| dims.grid[0])
    }

    const ANY: u64 = u64::MAX;

    #[test]
    fn a_large_launch_of_a_suitable_kernel_does_several_elements_a_thread() {
        assert_eq!(blocks::<Example<true, false>>(10_000, ANY, ANY, true), Some(40));
        assert_eq!(blocks::<Example<true, false>>(8192, ANY, ANY, true), Some(32));
        assert_eq!(blocks::<Example<true, false>>(8191, ANY, ANY, true), None, "too few");
        assert_eq!(blocks::<Example<false, false>>(10_000, ANY, ANY, true), None, "the kernel knows its thread");
        assert_eq!(blocks::<Example<true, true>>(10_000, ANY, ANY, true), None, "the kernel declares its block");
        assert_eq!(blocks::<Example<true, false>>(usize::MAX, ANY, ANY, true), None, "no grid has so many blocks");
    }

    #[test]
    fn what_must_hold_must_hold_with_the_threads_that_fill_the_last_group() {
        assert_eq!(blocks::<Example<true, false>>(10_000, 40 * 256, 40 * 256, true), Some(40));
        assert_eq!(blocks::<Example<true, false>>(10_000, 40 * 256 - 1, ANY, true), None);
        assert_eq!(blocks::<Example<true, false>>(10_000, ANY, 40 * 256 - 1, true), None);
        assert_eq!(blocks::<Example<true, false>>(10_000, ANY, 0, false), Some(40), "the caller guarantees it");
    }

    #[test]
    fn small_launches_keep_one_element_a_thread() {
        // 132 multiprocessors of 2048 threads.
        let resident = 132 * 2048;
        assert!(!fills(4096, resident));
        assert!(!fills(4 * 132 * 2048 - 1, resident));
        assert!(fills(4 * 132 * 2048, resident));
        assert!(fills(usize::MAX, u32::MAX));
    }

    #[test]
    fn a_group_of_blocks_covers_every_element_and_less_than_a_group_more() {
        let group = (ELEMENTS_PER_THREAD * FORALL_BLOCK) as usize;
        for n in [1, 255, 256, 257, 1023, 1024, 1025, 100_000_000, 100_000_001] {
            let [blocks, 1, 1] = grid_of_whole_groups(n).extents() else { panic!("one dimension") };
            let covered = blocks as usize * FORALL_BLOCK as usize;
            assert!(covered.is_multiple_of(group) && n <= covered && covered < n + group, "{n}: {blocks} blocks");
        }
    }

    #[test]
    fn a_length_beyond_every_grid_stays_beyond() {
        assert_eq!(grid_of_whole_groups(usize::MAX).within(&[i32::MAX.unsigned_abs(), 1, 1]), None);
    }

    #[test]
    fn a_block_does_the_work_of_a_group() {
        let one_element = LaunchDims { grid: [12, 1, 1], block: [256, 1, 1] };
        assert_eq!(with_several_elements(&one_element), LaunchDims { grid: [3, 1, 1], block: [256, 1, 1] });
    }
}
