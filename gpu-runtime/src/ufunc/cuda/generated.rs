//! Kernels that are written at run time: their source units, the loaded ones, and their launch.

use std::fmt::Display;
use std::panic::Location;
use std::sync::LazyLock;

use super::BLOCK;
use super::access::AccessPattern;
use crate::backend::cuda::{Launch, LoadedKernel, Queue, Slots, blocks_of_reduction};
use crate::compile::used::{self, UsedKernel};
use crate::compile::{self, Options, Variant};
use crate::dims::LaunchDims;
use crate::failure::Work;
use crate::kernel::Parameters;
use crate::source::{Segment, Sites, SourceUnit};
use crate::ufunc::formula::{Formula, Identity};
use crate::ufunc::generalized;
use crate::ufunc::histogram::HistogramKernel;
use crate::ufunc::scan::ScanKernel;
use crate::ufunc::scatter::{RunKernel, ScatterKernel};
use crate::{Error, Result};

/// A kernel that was written.
pub(crate) struct Generated {
    pub(crate) unit: &'static SourceUnit,
    /// How many elements a thread takes.
    pub(crate) per_thread: u32,
}

/// A source unit that is made at run time, and the snippets that it needs. Kernels are kept for good, so it may be leaked.
pub(crate) fn unit(name: &'static str, body: Vec<Segment>, snippets: Vec<&'static str>) -> &'static SourceUnit {
    unit_with_sites(name, body, snippets, &Sites::NONE)
}

/// As [`unit`], for a kernel that can fail itself.
pub(crate) fn unit_with_sites(
    name: &'static str,
    body: Vec<Segment>,
    mut snippets: Vec<&'static str>,
    sites: &'static Sites,
) -> &'static SourceUnit {
    if !sites.is_empty() {
        snippets.push("panic");
    }
    let (body, snippets) = (body.leak(), snippets.leak());
    Box::leak(Box::new(SourceUnit { name, prototype: &[], body, snippets, sites, several_elements: false }))
}

/// Writes the kernel itself, whose blocks have these launch bounds. `text` is `(its parameters) {` and its statements.
pub(crate) fn write_kernel(body: &mut Vec<Segment>, bounds: impl Display, text: &'static str) {
    let (head, statements) = text.split_at(text.find("{\n").expect("a kernel has a body") + "{\n".len());
    let bounds = leak(format!("extern \"C\" __global__ void __launch_bounds__({bounds})\n"));
    body.extend([Segment::Text(bounds), Segment::OwnName, Segment::Text(head), Segment::Start, Segment::Text(statements)]);
}

pub(crate) fn leak(text: String) -> &'static str {
    text.leak()
}

/// What the elements of an expression are for: which kernel surrounds `gr_element`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Purpose {
    /// Storing them.
    Map,
    /// Storing them, where one of their inputs is a product that the kernel computes.
    Product,
    /// Folding all of them into one.
    ReduceAll,
    /// Folding the elements of each row.
    ReduceRows,
    /// Folding the elements of each column.
    ReduceColumns,
    /// Folding the elements of each column, a short one.
    ReduceEach,
    /// Storing what they give up to each one.
    Scan(ScanKernel),
    /// Counting them.
    Histogram(HistogramKernel),
    /// Updating the elements of an array that they name.
    Scatter(ScatterKernel),
    /// Updating the elements that they name, run by run.
    Runs(RunKernel),
    /// None: there is no expression, but a generalized function.
    Batch,
}

impl Purpose {
    /// With which options such a kernel is compiled.
    pub(in crate::ufunc) fn options(self, fmad: bool) -> Options {
        if self == Self::Product { Options::with_tiles(fmad) } else { Options::with_fmad(fmad) }
    }

    /// How a failure of such a kernel is told.
    fn work(self) -> Work {
        match self {
            Self::Scatter(kernel) if kernel.has_sums() => Work::Fold,
            Self::Map | Self::Product | Self::Scatter(_) => Work::elements(BLOCK),
            Self::ReduceAll | Self::ReduceRows | Self::ReduceColumns | Self::ReduceEach => Work::Fold,
            Self::Scan(_) | Self::Histogram(_) | Self::Runs(_) => Work::Fold,
            Self::Batch => Work::elements(generalized::BLOCK),
        }
    }
}

/// What a kernel was generated for: the number of a GPU, and an expression's code or a function.
type KernelKey = (usize, Identity, Purpose, AccessPattern);

/// The generated kernels, each with how many elements a thread takes.
static GENERATED: LazyLock<Slots<KernelKey, (&'static LoadedKernel, u32)>> = LazyLock::new(Slots::default);

/// What a kernel is written for: an expression or a function.
#[derive(Clone, Copy)]
pub(in crate::ufunc) struct Subject {
    pub(in crate::ufunc) id: Identity,
    pub(in crate::ufunc) name: &'static str,
    /// Whether NVRTC may contract `a * b + c` into a fused multiply-add.
    pub(in crate::ufunc) fmad: bool,
}

impl From<Formula> for Subject {
    fn from(Formula { id, name, fmad, .. }: Formula) -> Self {
        Self { id, name, fmad }
    }
}

/// Where the kernels of an operation go.
#[derive(Clone, Copy)]
pub(crate) enum Launcher {
    /// To a GPU, for this line of the program.
    Gpu(&'static Queue, &'static Location<'static>),
    /// To [who asked](used::kernels_of) which kernels a GPU would run: none is launched.
    Asked,
}

impl Launcher {
    /// The multiprocessors of the GPU: those of an H200, if there is none.
    pub(crate) fn multiprocessors(self) -> u32 {
        match self {
            Self::Gpu(queue, _) => queue.gpu().multiprocessors(),
            Self::Asked => 132,
        }
    }

    /// The most blocks of a reduction.
    pub(in crate::ufunc) fn blocks_of_reduction(self) -> usize {
        blocks_of_reduction(self.multiprocessors())
    }

    /// The kernel of `subject` for a purpose and access pattern, written, compiled and loaded if this is its first use on this GPU.
    pub(in crate::ufunc) fn kernel(
        self,
        purpose: Purpose,
        subject: impl Into<Subject>,
        pattern: AccessPattern,
        write: &dyn Fn(&AccessPattern) -> Generated,
    ) -> Result<GeneratedKernel> {
        let Subject { id, name, fmad } = subject.into();
        let options = purpose.options(fmad);
        used::note(|| {
            let unit = write(&pattern).unit;
            UsedKernel::new(unit.name, unit, options)
        });
        let Self::Gpu(queue, line) = self else { return Ok(GeneratedKernel { loaded: None, per_thread: write(&pattern).per_thread }) };
        let key = (queue.gpu().ordinal(), id, purpose, pattern);
        let (kernel, per_thread) = GENERATED.find_or_make(&key, || {
            let Generated { unit, per_thread } = write(&key.3);
            if compile::callees_need_a_thread(unit) {
                return Err(Error::NoThreads { function: name });
            }
            let kernel = queue.gpu().load_program(compile::assemble(unit, Variant::Checked), &options, name, purpose.work())?;
            Ok((kernel, per_thread))
        })?;
        Ok(GeneratedKernel { loaded: Some((queue, kernel, line)), per_thread })
    }
}

/// A kernel of an operation.
#[derive(Clone, Copy)]
pub(in crate::ufunc) struct GeneratedKernel {
    /// Where it is loaded, if it is to be launched, and for which line of the program.
    loaded: Option<(&'static Queue, &'static LoadedKernel, &'static Location<'static>)>,
    /// How many elements one of its threads takes.
    pub(in crate::ufunc) per_thread: u32,
}

impl GeneratedKernel {
    /// Puts a launch on the queue.
    ///
    /// # Safety
    ///
    /// As for [`Queue::launch`].
    pub(in crate::ufunc) unsafe fn launch(self, dims: &LaunchDims, parameters: &mut KernelParameters) -> Result<()> {
        let Some((queue, kernel, line)) = self.loaded else { return Ok(()) };
        let shared = kernel.tile_bytes();
        if shared > 0 {
            queue.gpu().dynamic_shared_limit(kernel)?;
        }
        assert!(parameters.fit(), "a compiled kernel has at most as many parameters as a launch can pass");
        let launch = Launch { kernel, dims, shared, line };
        // SAFETY: the caller guarantees the same.
        parameters.with_pointers(|pointers| unsafe { queue.launch(launch, pointers) })
    }
}

/// The parameters of a generated kernel: as many bytes as CUDA has room for, from 12.1 on. Before, NVRTC refuses kernels with more
/// than 4096.
pub(crate) type KernelParameters = Parameters<32_764>;
