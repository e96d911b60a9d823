//! What a launch does. It is compiled once, and not for each kernel: it sees a kernel with its arguments as a [`Call`].

use std::ops::Range;
use std::panic::Location;

use super::arguments::ArgumentBinder;
use super::loaded::Kernel;
use super::{KernelMeta, Shown, Unmet};
use super::{dimensions, forall};
use crate::backend::cuda::{self, Gpu, LoadedKernel, Queue};
use crate::backend::{Checks, cpu, host};
use crate::compile::used::{self, UsedKernel};
use crate::compile::{self, Options, Variant};
use crate::device::Device;
use crate::dims::{BlockDim, GridDim, LaunchDims};
use crate::observe;
use crate::{Error, Result};

/// A kernel with its arguments. The methods are those of its [`KernelDefinition`](super::KernelDefinition) and of its
/// [`Arguments`](super::Arguments).
pub(super) trait Call: Sync {
    fn kernel(&self) -> Kernel;

    fn bind<'l>(&self, binder: &mut ArgumentBinder<'l>)
    where
        Self: 'l;

    fn memories(&self) -> Vec<Option<Range<usize>>>;

    fn are_aligned(&self) -> bool;

    fn shown(&self, dims: &LaunchDims) -> Shown;

    fn race_free(&self, dims: &LaunchDims) -> std::result::Result<(), Unmet>;

    fn dynamic_shared(&self, dims: &LaunchDims) -> Option<usize>;

    fn run_blocks(&self, blocks: cpu::Blocks<'_>) -> std::result::Result<(), cpu::Stop>;
}

/// Who makes sure that a launch has no data race.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Races {
    /// The proof does, for the shapes and arguments that it covers.
    Proved,
    /// The caller does.
    Vouched,
}

/// How the program asks for a launch.
#[derive(Clone, Copy)]
pub(super) struct Request<'l> {
    /// Where it chose to run the kernel, if it did.
    pub(super) device: Option<&'l Device>,
    pub(super) races: Races,
    pub(super) line: &'static Location<'static>,
}

/// Launches the kernel.
///
/// # Safety
///
/// The launch must be free of data races, if it is one that `request.races` lets pass.
pub(super) unsafe fn run<'l>(call: &'l (dyn Call + 'l), request: Request<'l>, grid: GridDim, block: BlockDim) -> Result<()> {
    let _line = observe::at_line(request.line);
    let kernel = call.kernel();
    let mut binder = ArgumentBinder::new(kernel.meta, request.device);
    call.bind(&mut binder);
    let device = binder.device()?;
    if grid.is_empty() && !block.is_empty() && binder.has_empty_output() {
        return Ok(());
    }
    used::note(|| UsedKernel::new(kernel.meta.name, kernel.meta.unit, Options::new(kernel.meta.fmad, kernel.options)));
    let is_proved = request.races == Races::Proved;
    let dims = dimensions::check(kernel.meta, device.queue().limits(), is_proved, grid, block)?;
    dimensions::check_launch_bounds(kernel.meta, kernel.options, block, &dims)?;
    if is_proved && let Err(unmet) = call.race_free(&dims) {
        return Err(not_proved(kernel.meta, grid, block, unmet));
    }
    device.queue().dispatch_with(
        &mut binder,
        |binder| device.queue().ordered(binder.uses(), || run_on_cpu(call, &kernel, (device, request.line), block, &dims)),
        // SAFETY: the binder holds the parameters of this kernel, whose arrays lie on this GPU and are borrowed
        // until the launch is on the stream. The caller guarantees the absence of races.
        |binder, queue| unsafe { run_on_gpu(call, &kernel, (queue, device, request.line), binder, block, &dims) },
    )
}

fn run_on_cpu(
    call: &dyn Call,
    kernel: &Kernel,
    (device, line): (&Device, &'static Location<'static>),
    block: BlockDim,
    dims: &LaunchDims,
) -> Result<()> {
    let &Kernel { meta, cooperative, .. } = kernel;
    kernel.check_callees()?;
    check_on_cpu(kernel, call.dynamic_shared(dims), device, block, dims)?;
    let checker = match device.queue().checks() {
        Checks::None => None,
        checks => Some(cpu::Checker::new(checks, regions(meta, call.memories()))),
    };
    // A checked launch sees every access.
    let in_bounds = checker.is_none() && call.shown(dims).in_bounds();
    let run_blocks = |blocks: cpu::Blocks<'_>| call.run_blocks(blocks);
    let twin = cpu::Twin { name: meta.name, cooperative, in_bounds, checker, sites: meta.unit.sites, run_blocks };
    if let Err(failure) = cpu::run(&twin, dims) {
        let failure = compile::at_call(failure.of_call(line), meta.unit);
        // As on a GPU, the launch succeeds, and whoever waits for its results hears of it.
        call.bind(&mut ArgumentBinder::telling(meta, &failure, device.queue()));
        device.queue().keep_failure(&failure);
    }
    Ok(())
}

/// Whether a CPU has the dynamic shared memory that each block needs, and holds a grid whose threads wait for each other.
fn check_on_cpu(kernel: &Kernel, bytes: Option<usize>, device: &Device, block: BlockDim, dims: &LaunchDims) -> Result<()> {
    let shared = dimensions::check_dynamic_shared(kernel.meta, bytes, || Ok(host::SHARED_BYTES))?;
    if kernel.cooperative {
        let most = cpu::most_blocks_of_grid(dims.block.iter().map(|&extent| u64::from(extent)).product());
        dimensions::check_resident(kernel.meta, dims, block, shared, most, || device.to_string())?;
    }
    Ok(())
}

/// The arrays of a launch for its checker.
fn regions(meta: &'static KernelMeta, memories: Vec<Option<Range<usize>>>) -> impl Iterator<Item = cpu::Region> {
    let named = meta.params.iter().zip(memories);
    named.filter_map(|(&name, memory)| memory.map(|memory| (name, memory.start, memory.len())))
}

/// # Safety
///
/// `binder` holds the parameters of the kernel, whose arrays lie on this GPU and are borrowed until the launch is on the stream. The launch
/// must be free of data races.
unsafe fn run_on_gpu(
    call: &dyn Call,
    kernel: &Kernel,
    (queue, device, line): (&'static Queue, &Device, &'static Location<'static>),
    binder: &mut ArgumentBinder<'_>,
    block: BlockDim,
    dims: &LaunchDims,
) -> Result<()> {
    let (gpu, meta) = (queue.gpu(), kernel.meta);
    let loaded = find_kernel(call, kernel, gpu, dims)?;
    dimensions::check_threads(meta, loaded.max_threads(), block, dims)?;
    let shared =
        dimensions::check_dynamic_shared(meta, loaded.dynamic_shared(call.dynamic_shared(dims)), || gpu.dynamic_shared_limit(loaded))?;
    loaded.advise(meta.name, dims.grid, gpu.multiprocessors());
    let of_several = loaded.grid_of_several_blocks(dims.grid, gpu.multiprocessors()).map(|grid| LaunchDims { grid, block: dims.block });
    if of_several.is_some() {
        binder.asked_grid(dims.grid)?;
    }
    let launch = cuda::Launch { kernel: loaded, dims: of_several.as_ref().unwrap_or(dims), shared, line };
    if kernel.cooperative {
        let most = gpu.resident_blocks(loaded, dims.block, shared)?;
        dimensions::check_resident(meta, dims, block, shared, most, || device.to_string())?;
        return queue.with_grid_state(|state| {
            binder.grid_state(state)?;
            // SAFETY: the caller guarantees the parameters, and the last one is the state of this grid.
            binder.launch(queue, |parameters| unsafe { queue.launch_cooperatively(launch, parameters) })
        });
    }
    // SAFETY: the caller guarantees the same.
    binder.launch(queue, |parameters| unsafe { queue.launch(launch, parameters) })
}

/// The kernel for `gpu`, without the checks that this launch proves redundant, and with a `usize` of 32 bits if that suffices.
///
/// A program for some of the conditions is worth compiling, but not without a compiler: kernels that were compiled ahead of time have every check then.
fn find_kernel(call: &dyn Call, kernel: &Kernel, gpu: &'static Gpu, dims: &LaunchDims) -> Result<&'static LoadedKernel> {
    kernel.load(gpu, variant(call.shown(dims), call.are_aligned(), kernel.cooperative))
}

fn variant(shown: Shown, are_aligned: bool, is_cooperative: bool) -> Variant {
    match shown.in_bounds() && are_aligned {
        true if shown.is_narrow => Variant::Narrow(u32::MAX),
        true => Variant::Unchecked,
        // `max_resident_blocks` knows no program for some of the conditions.
        false if is_cooperative => Variant::Checked,
        false if shown.is_narrow_with_checks && !shown.in_bounds() => Variant::Narrow(shown.holding),
        false => Variant::Partly(shown.holding),
    }
}

/// Launches the kernel for so many threads along each axis, or more, of which so many axes are named.
///
/// # Safety
///
/// As for [`run`].
pub(super) unsafe fn run_forall<'l>(call: &'l (dyn Call + 'l), request: Request<'l>, threads: GridDim, axes: u8) -> Result<()> {
    let _line = observe::at_line(request.line);
    let kernel = call.kernel();
    let mut binder = ArgumentBinder::new(kernel.meta, request.device);
    call.bind(&mut binder);
    let home = binder.device()?;
    let declared = dimensions::declared_forall_block(kernel.meta, axes)?;
    if threads.is_empty() {
        return Ok(());
    }
    let block = match (declared, threads.extents()) {
        (Some(declared), _) => Some(declared),
        (None, [n, 1, 1]) if n > 0 => home
            .queue()
            .dispatch(
                || Ok(Some(dimensions::first_forall_block(kernel.options))),
                // SAFETY: the caller guarantees the same.
                |queue| unsafe { run_with_several_elements(call, &kernel, queue, &mut binder, n as usize, request) },
            )?
            .map(|block| [block, 1, 1]),
        (None, _) => Some(dimensions::wide_forall_block(kernel.options)),
    };
    match block {
        // SAFETY: the caller guarantees the same.
        Some(block) => unsafe { run(call, request, threads.divided_into(block), block.into()) },
        None => Ok(()),
    }
}

/// The device of the kernel's arguments, or the one that was chosen.
pub(super) fn find_device<'l>(call: &'l (dyn Call + 'l), device: Option<&'l Device>) -> Result<&'l Device> {
    let mut binder = ArgumentBinder::new(call.kernel().meta, device);
    call.bind(&mut binder);
    binder.device()
}

/// Whether each thread of `forall(n)` would compute several elements.
pub(super) fn forall_does_several_elements<'l>(call: &'l (dyn Call + 'l), device: Option<&'l Device>, n: usize) -> Result<bool> {
    let kernel = call.kernel();
    let mut binder = ArgumentBinder::new(kernel.meta, device);
    call.bind(&mut binder);
    let does_several = |queue: &Queue| Ok(with_several_elements(call, &kernel, queue.gpu(), n, Races::Vouched)?.is_some());
    binder.device()?.queue().dispatch(|| Ok(false), does_several)
}

/// Launches the kernel's variant with several elements per thread, if it is faster and gives the same results. Otherwise, returns the
/// block for the variant with one element per thread.
///
/// # Safety
///
/// As for [`run_on_gpu`].
unsafe fn run_with_several_elements(
    call: &dyn Call,
    kernel: &Kernel,
    queue: &'static Queue,
    binder: &mut ArgumentBinder<'_>,
    n: usize,
    request: Request<'_>,
) -> Result<Option<u32>> {
    let gpu = queue.gpu();
    let Some((loaded, dims)) = with_several_elements(call, kernel, gpu, n, request.races)? else {
        return choose_forall_block(call, kernel, gpu, n, request.races).map(Some);
    };
    loaded.advise(kernel.meta.name, dims.grid, gpu.multiprocessors());
    let launch = cuda::Launch { kernel: loaded, dims: &dims, shared: 0, line: request.line };
    // SAFETY: as in `run_on_gpu`. What runs is what a launch of the one-element variant does whose shape, bounds and freedom
    // of races were checked.
    binder.launch(queue, |parameters| unsafe { queue.launch(launch, parameters) })?;
    Ok(None)
}

/// The kernel's variant with several elements per thread and its launch, if it is faster and gives the same results.
///
/// A thread that fails ends, and its other elements are not computed. So no check may remain, neither one that this launch could make
/// redundant nor any other.
fn with_several_elements(
    call: &dyn Call,
    kernel: &Kernel,
    gpu: &'static Gpu,
    n: usize,
    races: Races,
) -> Result<Option<(&'static LoadedKernel, LaunchDims)>> {
    let device = (gpu.limits(), gpu.resident_threads());
    let Some(dims) = forall::launch_for_several_elements(call, n, device, races == Races::Proved) else { return Ok(None) };
    let loaded = kernel.load(gpu, Variant::SeveralElements)?;
    Ok(loaded.does_several_elements().then(|| (loaded, forall::with_several_elements(&dims))))
}

/// A block that suits the kernel on `gpu`.
///
/// The variant depends on the number of threads, which depends on the block, which depends on the variant. So the choice starts with
/// one block. If another block fits better, it takes one that both variants can run.
fn choose_forall_block(call: &dyn Call, kernel: &Kernel, gpu: &'static Gpu, n: usize, races: Races) -> Result<u32> {
    let best_after = |block: u32| {
        let (grid, block) = (n.div_ceil(block as usize).into(), block.into());
        let dims = dimensions::check(kernel.meta, gpu.limits(), races == Races::Proved, grid, block)?;
        gpu.forall_block(find_kernel(call, kernel, gpu, &dims)?)
    };
    let first = dimensions::first_forall_block(kernel.options);
    let block = best_after(first)?;
    if block == first { Ok(block) } else { Ok(block.min(best_after(block)?)) }
}

#[cold]
fn not_proved(meta: &'static KernelMeta, grid: GridDim, block: BlockDim, unmet: Unmet) -> Error {
    let Unmet { condition, access, .. } = unmet;
    Error::NotProvedForArguments { kernel: meta.name, grid, block, condition, access, unmet: unmet.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_launch_shows_decides_which_checks_remain_and_how_many_bits_an_index_has() {
        let shown = |holds, is_narrow, with_checks| Shown::of([true, holds], is_narrow).narrow_with_checks(with_checks);
        let cases = [
            (shown(true, false, true), Variant::Unchecked),
            (shown(true, true, false), Variant::Narrow(u32::MAX)),
            (shown(false, true, false), Variant::Partly(!0b10)),
            (shown(false, true, true), Variant::Narrow(!0b10)),
            (shown(false, false, true), Variant::Partly(!0b10)),
        ];
        for (shown, expected) in cases {
            assert_eq!(variant(shown, true, false), expected);
            // Loads of several elements are only in programs without checks.
            let unaligned = if shown.in_bounds() { Variant::Partly(u32::MAX) } else { expected };
            assert_eq!(variant(shown, false, false), unaligned);
            assert_eq!(variant(shown, true, true), if shown.in_bounds() { expected } else { Variant::Checked });
        }
    }
}
