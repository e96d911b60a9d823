//! The rules for the dimensions of a launch, all checked before anything runs.

use super::KernelMeta;
use crate::dims::{BlockDim, FORALL_BLOCK, GridDim, LaunchDims, Limits, ProvedFor};
use crate::source::KernelOptions;
use crate::{Error, Result};

/// The dimensions to launch with, or an error that says which rule they break.
///
/// The proof of race freedom matters only to a launch that relies on it.
#[inline]
pub(super) fn check(meta: &'static KernelMeta, limits: &Limits, proof_needed: bool, grid: GridDim, block: BlockDim) -> Result<LaunchDims> {
    let (Some(grid_extents), Some(block_extents)) = (grid.within(&limits.grid), block.within(&limits.block)) else {
        return Err(explain_extents(meta, limits, grid, block));
    };
    let dims = LaunchDims { grid: grid_extents, block: block_extents };
    // Each extent is at most its axis' limit; the product of the three limits fits 64 bits on every device.
    if block_extents.iter().map(|&extent| u64::from(extent)).product::<u64>() > u64::from(limits.threads) {
        return Err(explain_extents(meta, limits, grid, block));
    }
    if let Some(declared) = meta.block.filter(|declared| *declared != block_extents) {
        return Err(Error::NotTheDeclaredBlock { kernel: meta.name, declared: declared.into(), block });
    }
    if proof_needed && !covers(meta.proved_for, &dims) {
        return Err(Error::NotProvedForShape { kernel: meta.name, grid, block, proved_for: meta.proved_for });
    }
    Ok(dims)
}

/// The extents of a block that the device and the kernel allow.
pub(crate) fn block_extents(meta: &'static KernelMeta, limits: &Limits, block: BlockDim) -> Result<[u32; 3]> {
    check(meta, limits, false, 1.into(), block).map(|dims| dims.block)
}

/// Why the extents of a launch are refused.
#[cold]
fn explain_extents(meta: &'static KernelMeta, limits: &Limits, grid: GridDim, block: BlockDim) -> Error {
    let kernel = meta.name;
    if block.is_empty() {
        Error::EmptyBlock { kernel, block }
    } else if grid.is_empty() {
        Error::EmptyGrid { kernel, grid }
    } else if grid.within(&limits.grid).is_none() {
        Error::GridOutOfRange { kernel, grid, most: limits.grid }
    } else {
        Error::BlockOutOfRange { kernel, block, most: limits.block, threads: limits.threads }
    }
}

/// Refuses a block that the device can run, but not with this kernel.
#[inline]
pub(super) fn check_threads(meta: &'static KernelMeta, most: u32, block: BlockDim, dims: &LaunchDims) -> Result<()> {
    let threads = dims.block.iter().product();
    if threads <= most { Ok(()) } else { Err(Error::BlockNeedsTooMuch { kernel: meta.name, block, threads, most }) }
}

/// Refuses a grid whose threads wait for each other if the device, `device` by name, does not hold it at once.
pub(super) fn check_resident(
    meta: &'static KernelMeta,
    dims: &LaunchDims,
    block: BlockDim,
    shared_bytes: u32,
    most: u64,
    device: impl FnOnce() -> String,
) -> Result<()> {
    let blocks = dims.grid.iter().map(|&extent| u64::from(extent)).fold(1, u64::saturating_mul);
    if blocks <= most {
        Ok(())
    } else {
        Err(Error::GridNotResident { kernel: meta.name, blocks, block, shared_bytes, most, device: device() })
    }
}

/// Refuses a block that is larger than the kernel's `launch_bounds`, on every device alike.
#[inline]
pub(super) fn check_launch_bounds(meta: &'static KernelMeta, options: KernelOptions, block: BlockDim, dims: &LaunchDims) -> Result<()> {
    let Some(most) = options.max_threads else { return Ok(()) };
    let threads = dims.block.iter().product();
    if threads <= most { Ok(()) } else { Err(Error::BlockExceedsLaunchBounds { kernel: meta.name, block, threads, most }) }
}

/// The bytes of dynamic shared memory of each block, if they are a number and the device has them.
#[inline]
pub(super) fn check_dynamic_shared(meta: &'static KernelMeta, bytes: Option<usize>, most: impl FnOnce() -> Result<usize>) -> Result<u32> {
    match bytes {
        Some(0) => Ok(0),
        Some(bytes) => {
            let most = most()?;
            let fitting = u32::try_from(bytes).ok().filter(|_| bytes <= most);
            fitting.ok_or(Error::DynamicSharedTooLarge { kernel: meta.name, bytes, most })
        }
        None => Err(Error::DynamicSharedLength { kernel: meta.name }),
    }
}

/// The block of `forall` along several axes, where the kernel declares none: a warp is along the first.
pub(super) fn wide_forall_block(options: KernelOptions) -> [u32; 3] {
    let threads = first_forall_block(options);
    let x = threads.min(32);
    [x, threads / x, 1]
}

/// The block that `forall` starts from where the kernel declares none.
pub(super) fn first_forall_block(options: KernelOptions) -> u32 {
    options.max_threads.map_or(FORALL_BLOCK, |most| most.min(FORALL_BLOCK))
}

/// Whether the axes past those of the proof have extent 1.
#[inline]
fn covers(proved_for: ProvedFor, dims: &LaunchDims) -> bool {
    axes(dims.grid) <= proved_for.grid_axes && axes(dims.block) <= proved_for.block_axes
}

/// How many axes there are, without those of extent 1 at the end.
#[inline]
fn axes(extents: [u32; 3]) -> u8 {
    match extents {
        [1, 1, 1] => 0,
        [_, 1, 1] => 1,
        [_, _, 1] => 2,
        _ => 3,
    }
}

/// The block for `forall` along so many axes, if the kernel declares it.
pub(super) fn declared_forall_block(meta: &'static KernelMeta, along: u8) -> Result<Option<[u32; 3]>> {
    match meta.block {
        Some(declared) if axes(declared) > along => Err(Error::ForallNeedsMoreAxes { kernel: meta.name, declared: declared.into() }),
        declared => Ok(declared),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const META: KernelMeta = KernelMeta { name: "wide", proved_for: ProvedFor { grid_axes: 1, block_axes: 0 }, ..KernelMeta::NONE };

    #[test]
    fn a_block_beyond_the_registers_of_a_kernel_is_refused_with_both_numbers() {
        let dims = LaunchDims { grid: [1; 3], block: [32, 32, 1] };
        check_threads(&META, 1024, (32, 32).into(), &dims).unwrap();
        let error = check_threads(&META, 640, (32, 32).into(), &dims).unwrap_err().to_string();
        assert!(error.contains("`wide`") && error.contains("(32, 32) has 1024 threads") && error.contains("at most 640"), "{error}");
    }

    #[test]
    fn a_block_beyond_the_launch_bounds_is_refused_with_both_numbers() {
        let options = KernelOptions { max_threads: Some(128), ..KernelOptions::DEFAULT };
        let check = |block: [u32; 3]| check_launch_bounds(&META, options, block.into(), &LaunchDims { grid: [1; 3], block });
        check([16, 8, 1]).unwrap();
        let error = check([16, 9, 1]).unwrap_err().to_string();
        assert!(error.contains("`wide`") && error.contains("144 threads") && error.contains("at most 128"), "{error}");
        assert_eq!(first_forall_block(options), 128);
        assert_eq!(first_forall_block(KernelOptions::DEFAULT), FORALL_BLOCK);
        assert_eq!(wide_forall_block(options), [32, 4, 1]);
        assert_eq!(wide_forall_block(KernelOptions { max_threads: Some(20), ..options }), [20, 1, 1]);
    }

    #[test]
    fn a_grid_that_is_not_resident_is_refused_with_the_memory_that_takes_its_room() {
        let dims = LaunchDims { grid: [100, 2, 1], block: [64, 1, 1] };
        let check = |shared, most| check_resident(&META, &dims, 64.into(), shared, most, || "a GPU".to_owned());
        check(1 << 10, 200).unwrap();
        let error = check(0, 150).unwrap_err().to_string();
        assert!(
            error.contains("holds at most 150 blocks of 64 at a time")
                && error.contains("(`wide::handle().max_resident_blocks` returns this number)"),
            "{error}"
        );
        let error = check(40_000, 15).unwrap_err().to_string();
        assert!(
            error.contains("all 200 blocks of the grid")
                && error.contains("at most 15 blocks of 64 with 40000 bytes of dynamic shared memory"),
            "{error}"
        );
        assert!(error.contains("`wide::handle().max_resident_blocks` does not count dynamic shared memory"), "{error}");
    }

    #[test]
    fn a_proof_for_no_axis_of_the_block_allows_one_thread_a_block() {
        let covered = |grid, block| covers(META.proved_for, &LaunchDims { grid, block });
        assert!(covered([9, 1, 1], [1, 1, 1]));
        assert!(!covered([9, 1, 1], [2, 1, 1]));
        assert!(!covered([9, 1, 2], [1, 1, 1]));
    }
}
