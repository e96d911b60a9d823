//! Scattered updates on a GPU with a function for which CUDA has no atomic operation: by runs of equal indices.
//!
//! The pairs are sorted by their indices, stably. Then the pairs of an element are neighbours, in their order, and no two threads update
//! the same element, so nothing waits for a lock or tries again.
//!
//! * For an associative function, a thread combines a few neighbouring values, whatever their indices. A run that begins and ends there
//!   is stored; of others, a part is left for the next launch, which has a sixteenth of the values, until there is a single thread.
//! * Where there are few elements, nothing is sorted: a block combines its values for each element in shared memory, and leaves that.
//! * A function that is not associative must have the updates one after the other: the thread of the first pair of a run makes all updates
//!   of the element.

use super::OUT_OF_BOUNDS;
use super::cuda::declare_value;
use super::native::is_associative;
use crate::arrays::sort_codes;
use crate::backend::{Access, MemoryUse};
use crate::device::Device;
use crate::dims::LaunchDims;
use crate::functions;
use crate::memory::{DeviceArray, Layout, Shape};
use crate::scalar::Integer;
use crate::source::{Callee, Element, Segment};
use crate::ufunc::cuda::{
    AccessPattern, BLOCK, ElementText, Generated, KernelParameters, Launcher, Purpose, input_words, leak, unit, unit_with_sites,
    write_element, write_kernel,
};
use crate::ufunc::formula::Formula;
use crate::ufunc::input::{Input, InputKind};
use crate::ufunc::plan::Plan;
use crate::ufunc::{Apply, ArrayFunction, Code, Component, Elementwise as _, Expression, IndexElement, Lazy, Load, Number, iota};
use crate::{Result, vectorize};
use std::any::TypeId;
use std::ops::Range;

/// Values that a thread combines, and of which it reads some at a time.
const EACH: usize = 32;
const AT_A_TIME: usize = 4;

/// Threads of a block that has values for all elements in shared memory, and how many bytes each thread has of it: so many that a block has 48 KiB.
const FEW_THREADS: u32 = 128;
const FEW_BYTES: usize = 384;

/// Pairs that are sorted at a time: their numbers have 32 bits.
const MOST_PAIRS: usize = 1 << 31;

/// What a kernel reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Reads {
    /// The pairs in the order of their keys.
    Sorted,
    /// The pairs as they are, for few elements.
    AsGiven,
    /// What a launch has left, in the order of their keys.
    Partials,
}

/// A kernel that combines values with equal keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RunKernel {
    /// Whether the function is associative.
    pub(super) associative: bool,
    pub(super) reads: Reads,
    /// Whether the elements are those before the update, and not to be overwritten.
    pub(super) updates: bool,
    /// Whether keys have 64 bits.
    pub(super) wide: bool,
}

/// An index as a key: `len` for all that are out of bounds.
#[vectorize]
fn bounded(index: u64, len: u64) -> u64 {
    index.min(len)
}

/// The pairs of an update.
#[derive(Clone, Copy)]
pub(super) enum Pairs<'p, K: Element> {
    Sorted(&'p Sorted<K>),
    /// So many, as the plan has them.
    AsGiven(usize),
}

/// The pairs of an array in the order of their keys.
pub(super) struct Sorted<K: Element> {
    keys: DeviceArray<K>,
    /// Where each pair is, from the first of `range` on.
    order: DeviceArray<u32>,
    range: Range<usize>,
}

impl<K: Element> Sorted<K> {
    /// What an update reads of them, which earlier operations have written.
    pub(super) fn uses(&self) -> [MemoryUse<'_>; 2] {
        [self.keys.slice(..).memory_use(Access::Read), self.order.slice(..).memory_use(Access::Read)]
    }
}

/// Calls `update` with the pairs of indices of shape `shape` in the order of their keys, where those for an array of `len` elements
/// are numbers of type `K`; more than 2³¹ pairs in several calls.
#[track_caller]
pub(super) fn for_each_sorted<K: Integer + Number, I: Expression<Item: IndexElement>>(
    device: &Device,
    indices: Lazy<I>,
    shape: Shape,
    len: usize,
    mut update: impl FnMut(&Sorted<K>) -> Result<()>,
) -> Result<()> {
    let wide = Lazy::new(Apply::<functions::cast::Function<I::Item, u64>, _>::new((indices.into_inner(),)));
    // Where an index cannot be computed, the key is 0, and not what was in memory before: keys that are not in order would split runs.
    let mut keys = device.zeros::<K>(shape)?;
    bounded::map(wide, len as u64).cast::<K>().broadcast_to(shape)?.on(device).collect_into(&mut keys)?;
    let bits = (usize::BITS - len.leading_zeros()).max(1);
    for start in (0..keys.len()).step_by(MOST_PAIRS) {
        let range = start..keys.len().min(start + MOST_PAIRS);
        let numbers: DeviceArray<u32> = iota(range.len()).cast::<u32>().on(device).collect()?;
        let (keys, order) = sort_codes::<K, false>(keys.slice(range.clone()), Some(numbers.slice(..)), bits, K::ZERO)?;
        update(&Sorted { keys, order: order.expect("there are values"), range })?;
    }
    Ok(())
}

/// The elements that are updated.
#[derive(Clone, Copy)]
pub(super) struct Targets {
    pub(super) first: u64,
    pub(super) len: usize,
    /// Where it is noted which elements have been stored, if they had no value before; else 0.
    pub(super) stored: u64,
}

/// What of an update does not depend on the kernel.
#[derive(Clone, Copy)]
pub(super) struct Update {
    function: fn() -> Callee,
    pub(super) associative: bool,
    component: Component,
    /// The elements of the pairs, and those that a launch leaves.
    of_pairs: Formula,
    of_partials: Formula,
}

impl Update {
    /// That of the pairs of `C` with `F`.
    pub(super) fn of<C: Code, F: ArrayFunction<Args = (T, T), Output = T>, T: Element>() -> Self {
        Self {
            function: F::callee,
            associative: F::ASSOCIATIVE || is_associative::<F>(),
            component: Component::of::<T>(),
            of_pairs: Formula::folded::<C, F>(),
            of_partials: Formula::folded::<Load<T>, F>(),
        }
    }

    /// Whether a thread has room for a value of each of so many elements.
    pub(super) fn is_for_few(self, elements: usize) -> bool {
        self.associative && elements.saturating_mul(self.component.size + 1) <= FEW_BYTES
    }

    /// The kernel of this update for elements that the pattern reads.
    pub(super) fn write(self, kernel: RunKernel, pattern: &AccessPattern) -> Generated {
        let is_first = kernel.reads != Reads::Partials;
        let formula = if is_first { self.of_pairs } else { self.of_partials };
        let ElementText { mut body, mut snippets, .. } = write_element(formula, pattern);
        declare_value(self.component, &mut body, &mut snippets);
        body.push(Segment::Text(
            "static __device__ __forceinline__ gr_value gr_apply(const gr_value& element, const gr_value& value) {\n  return ",
        ));
        body.push(Segment::Function(self.function));
        body.push(Segment::Text("(element, value);\n}\n\n"));
        let key = if kernel.wide { "u64" } else { "u32" };
        body.push(Segment::Text(leak(format!(
            "typedef {key} gr_key;\n\nenum : u32 {{ GR_EACH = {EACH}, GR_AT_A_TIME = {AT_A_TIME}, GR_THREADS = {}, GR_FEW_BYTES = {FEW_BYTES} }};\n\n",
            kernel.block()
        ))));
        body.push(Segment::Text(include_str!("source.cu")));
        body.push(Segment::Text(if is_first { PAIRS } else { PARTIALS }));
        if is_first {
            body.push(Segment::Site(0));
            body.push(Segment::Text(PAIRS_BEHIND_SITE));
        }
        body.push(Segment::Text(if kernel.updates { PUT_UPDATED } else { PUT_FIRST }));
        if kernel.associative {
            body.push(Segment::Text(LEAVE));
        }
        body.push(Segment::Text(match kernel {
            RunKernel { associative: false, .. } => include_str!("in_order.cu"),
            RunKernel { reads: Reads::AsGiven, .. } => include_str!("few.cu"),
            _ => include_str!("runs.cu"),
        }));
        write_kernel(&mut body, kernel.block(), KERNEL);
        let name = leak(format!("at_{}", formula.name));
        let unit = if is_first { unit_with_sites(name, body, snippets, &OUT_OF_BOUNDS) } else { unit(name, body, snippets) };
        Generated { unit, per_thread: 1 }
    }
}

impl RunKernel {
    fn block(self) -> u32 {
        if self.reads == Reads::AsGiven { FEW_THREADS } else { BLOCK }
    }
}

/// Leaves values for the next launch.
pub(super) const LEAVE: &str = include_str!("leave.cu");

/// What is read of a pair, and of what a launch has left.
pub(super) const PAIRS: &str = "\
static __device__ __forceinline__ bool gr_is_there(const gr_source&, const u64) { return true; }

static __device__ __forceinline__ u64 gr_place(const gr_source& from, const u64 i) { return from.base + from.order[i]; }

// The key is what is trusted: this kernel may round the index, if it is computed from floats, to another number than the one that was sorted.
static __device__ __forceinline__ gr_value gr_value_of(const gr_item& item, const gr_key key, const u64 len) {
  const u64 index = (u64)item._0;
  if (key >= len) gr_panic(";
pub(super) const PAIRS_BEHIND_SITE: &str = ", index < len ? key : index, len);\n  return item._1;\n}\n\n";
pub(super) const PARTIALS: &str = "\
static __device__ __forceinline__ bool gr_is_there(const gr_source& from, const u64 i) { return from.there[i] != 0; }

static __device__ __forceinline__ u64 gr_place(const gr_source&, const u64 i) { return i; }

static __device__ __forceinline__ gr_value gr_value_of(const gr_item& item, const gr_key, const u64) { return item; }

";

/// What becomes of the value of a run.
pub(super) const PUT_UPDATED: &str = "\
static __device__ __forceinline__ void gr_put(const gr_targets& to, const gr_key key, const gr_value& value) {
  to.first[key] = gr_apply(to.first[key], value);
}

";
pub(super) const PUT_FIRST: &str = "\
static __device__ __forceinline__ void gr_put(const gr_targets& to, const gr_key key, const gr_value& value) {
  // An earlier batch of pairs may have stored one.
  to.first[key] = to.stored[key] ? gr_apply(to.first[key], value) : value;
  to.stored[key] = 1;
}

";

const KERNEL: &str = "\
(const gr_inputs in, const gr_key* keys, const u32* order, const u8* there, const u64 base, const u64 count, gr_value* target, const u64 len, u8* stored, gr_key* next_keys, gr_value* next_values, u8* next_there) {
  gr_reduce({in, keys, order, there, base}, count, {target, len, stored}, {next_keys, next_values, next_there});
}
";

/// What a launch has left: keys, values, and whether there is one, for two places of each thread.
struct Partials<K: Element> {
    keys: DeviceArray<K>,
    values: DeviceArray<u8>,
    there: DeviceArray<u8>,
}

impl<K: Element> Partials<K> {
    fn new(device: &Device, component: &Component, len: usize) -> Result<Self> {
        Ok(Self {
            keys: DeviceArray::unspecified(device, len.into())?,
            values: DeviceArray::unspecified(device, len.saturating_mul(component.size).into())?,
            there: DeviceArray::unspecified(device, len.into())?,
        })
    }
}

/// The address of the first element.
fn address<T: Element>(array: &DeviceArray<T>) -> u64 {
    array.slice(..).pointer().addr() as u64
}

/// Updates elements by pairs. The kernels are launched for `targets`, in as many launches as it takes.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that the code of the pairs names and on the GPU, as large as it says. The targets are on the
/// GPU, and nothing else uses them. Pairs that are not sorted are those of the plan, [for few](Update::is_for_few) elements.
pub(super) unsafe fn update_by_runs<K: Integer + Number>(
    launcher: Launcher,
    device: &Device,
    update: Update,
    (plan, inputs): (&Plan, &[Input<'_>]),
    pairs: Pairs<'_, K>,
    targets: Targets,
) -> Result<()> {
    let (reads, mut count, source) = match pairs {
        Pairs::Sorted(sorted) => {
            (Reads::Sorted, sorted.range.len(), [address(&sorted.keys), address(&sorted.order), 0, sorted.range.start as u64])
        }
        Pairs::AsGiven(count) => (Reads::AsGiven, count, [0; 4]),
    };
    let mut kernel =
        RunKernel { associative: update.associative, reads, updates: targets.stored == 0, wide: size_of::<K>() == size_of::<u64>() };
    let mut left: Option<Partials<K>> = None;
    // They live until the kernels that use them are on the stream.
    let mut kept = Vec::new();
    loop {
        let threads = if kernel.associative { count.div_ceil(EACH) } else { count };
        let blocks = threads.div_ceil(kernel.block() as usize);
        let places = match kernel {
            RunKernel { reads: Reads::AsGiven, .. } => targets.len * blocks,
            RunKernel { associative: true, .. } if threads > 1 => 2 * threads,
            _ => 0,
        };
        let next = (places > 0).then(|| Partials::<K>::new(device, &update.component, places)).transpose()?;
        let of_next = next.as_ref().map_or([0; 3], |next| [address(&next.keys), address(&next.values), address(&next.there)]);
        let launch = |formula: Formula, (plan, inputs): (&Plan, &[Input<'_>]), source: [u64; 4]| {
            let write = |pattern: &AccessPattern| update.write(kernel, pattern);
            let loaded = launcher.kernel(Purpose::Runs(kernel), formula, AccessPattern::new(plan, inputs), &write)?;
            let mut parameters = KernelParameters::new();
            parameters.push_words(&input_words(plan, inputs));
            let of_targets = [count as u64, targets.first, targets.len as u64, targets.stored];
            source.into_iter().chain(of_targets).chain(of_next).for_each(|number| parameters.push(number));
            // SAFETY: the parameters are those of `write`. A run of equal keys is stored by one thread; the caller guarantees the arrays.
            unsafe { loaded.launch(&LaunchDims::along_x(blocks, kernel.block()), &mut parameters) }
        };
        match &left {
            None => launch(update.of_pairs, (plan, inputs), source)?,
            Some(left) => {
                let input = Input {
                    kind: InputKind::Uploaded { pointer: left.values.slice(..).pointer() },
                    layout: Layout::c_order(count.into()),
                    element: TypeId::of::<u8>(),
                    size: update.component.size,
                };
                let inputs = [input];
                let plan = Plan::of(count.into(), &inputs, &[]);
                launch(update.of_partials, (&plan, &inputs), [address(&left.keys), 0, address(&left.there), 0])?;
            }
        }
        let Some(next) = next else { break };
        kept.extend(left.replace(next));
        (count, kernel.reads) = (places, Reads::Partials);
    }
    Ok(())
}
