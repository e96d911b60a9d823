//! Scattered updates on a GPU with a function for which CUDA has no atomic operation: by runs of equal indices.
//!
//! Nothing waits for a lock or tries again: no two threads update the same element.
//!
//! * For an associative function, a warp combines consecutive pairs in a table in shared memory. Where there are more elements than places in
//!   a table, the pairs are sorted first, stably, by the bits of their indices that the table cannot tell apart: what has the same ones is a
//!   bucket, for which there is a table at a time. The first table of a warp and the last one go to the next launch, where a thread combines what
//!   some tables have at a place, until nothing is left.
//! * A function that is not associative must have the updates one after the other. The pairs are sorted by all bits, and the thread of the
//!   first pair of an index makes all updates of the element.

use super::OUT_OF_BOUNDS;
use super::cuda::declare_value;
use super::native::is_associative;
use crate::arrays::{Carried, DIGIT_BITS, sort_codes};
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
use crate::ufunc::{Apply, ArrayFunction, Code, Component, Elementwise as _, Expression, IndexElement, Lazy, Load, Number};
use crate::{Result, vectorize};
use std::any::TypeId;
use std::ops::Range;

/// Tables that a thread combines, and how many values a thread reads at a time.
const EACH: usize = 32;
const AT_A_TIME: usize = 4;

/// Threads of a block that has a table: a warp.
const WARP: usize = 32;

/// The most bytes of a table, and those of all tables of a multiprocessor. So many of its blocks run at the same time, with few bytes at most
/// `MOST_TABLES`.
const TABLE_BYTES: usize = 24 << 10;
const BYTES_OF_TABLES: usize = 224 << 10;
const MOST_TABLES: usize = 32;

/// Bytes of shared memory that CUDA keeps for each block.
const BYTES_OF_BLOCK: usize = 1 << 10;

/// The fewest pairs of a warp.
const FEWEST_PAIRS: usize = 128;

/// Pairs that are sorted at a time: their numbers have 32 bits.
const MOST_PAIRS: usize = 1 << 31;

/// What a kernel reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Reads {
    /// The pairs in the order of their keys.
    Sorted,
    /// The pairs as they are, of a single bucket.
    AsGiven,
    /// The tables that a launch has left.
    Tables,
}

/// A kernel that combines values with equal keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RunKernel {
    pub(super) reads: Reads,
    /// How many low bits of a key are its place in a table; none if pairs are taken one after the other.
    pub(super) table_bits: Option<u32>,
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

/// Calls `update` with the pairs of indices of shape `shape` in the order of their keys without the `table_bits` lowest bits, where those for an
/// array of `len` elements are numbers of type `K`; more than 2³¹ pairs in several calls.
#[track_caller]
pub(super) fn for_each_sorted<K: Integer + Number, I: Expression<Item: IndexElement>>(
    device: &Device,
    indices: Lazy<I>,
    shape: Shape,
    (len, table_bits): (usize, u32),
    mut update: impl FnMut(&Sorted<K>) -> Result<()>,
) -> Result<()> {
    let wide = Lazy::new(Apply::<functions::cast::Function<I::Item, u64>, _>::new((indices.into_inner(),)));
    // Where an index cannot be computed, the key is 0, and not what was in memory before: keys that are not in order would split runs.
    let mut keys = device.zeros::<K>(shape)?;
    bounded::map(wide, len as u64).cast::<K>().broadcast_to(shape)?.on(device).collect_into(&mut keys)?;
    for start in (0..keys.len()).step_by(MOST_PAIRS) {
        let range = start..keys.len().min(start + MOST_PAIRS);
        let (keys, order) = sort_codes::<K, false>(keys.slice(range.clone()), Carried::Indices, table_bits..bits_of(len), K::ZERO)?;
        update(&Sorted { keys, order: order.expect("indices go with the keys"), range })?;
    }
    Ok(())
}

/// Bits of the keys for so many elements, which are numbers up to that.
fn bits_of(len: usize) -> u32 {
    (usize::BITS - len.leading_zeros()).max(1)
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

    /// Bits of the places in the largest table, if there are tables.
    fn most_bits(self) -> Option<u32> {
        if self.associative { (TABLE_BYTES / (self.component.size + 1)).checked_ilog2() } else { None }
    }

    /// The bits of the places in a table for all of so many elements, if there is room for it.
    pub(super) fn bits_for_all(self, len: usize) -> Option<u32> {
        let bits = len.checked_next_power_of_two()?.ilog2();
        self.most_bits().filter(|&most| bits <= most).map(|_| bits)
    }

    /// The bits of the places in a table, so that few passes sort what is left of the keys for so many elements.
    pub(super) fn bits_of_tables(self, len: usize) -> Option<u32> {
        let bits = bits_of(len);
        self.most_bits().map(|most| bits.saturating_sub(bits.saturating_sub(most).next_multiple_of(DIGIT_BITS)))
    }

    /// The kernel of this update for elements that the pattern reads.
    pub(super) fn write(self, kernel: RunKernel, pattern: &AccessPattern) -> Generated {
        let is_first = kernel.reads != Reads::Tables;
        let formula = if is_first { self.of_pairs } else { self.of_partials };
        let ElementText { mut body, mut snippets, .. } = write_element(formula, pattern);
        declare_value(self.component, &mut body, &mut snippets);
        body.push(Segment::Text(
            "static __device__ __forceinline__ gr_value gr_apply(const gr_value& element, const gr_value& value) {\n  return ",
        ));
        body.push(Segment::Function(self.function));
        body.push(Segment::Text("(element, value);\n}\n\n"));
        let key = if kernel.wide { "u64" } else { "u32" };
        let (bits, left) = (kernel.table_bits.unwrap_or(0), kernel.tables_left());
        body.push(Segment::Text(leak(format!(
            "typedef {key} gr_key;\n\nenum : u32 {{ GR_EACH = {EACH}, GR_AT_A_TIME = {AT_A_TIME}, GR_BITS = {bits}, GR_TABLE = 1u << GR_BITS, GR_LEFT = {left} }};\n\n"
        ))));
        body.push(Segment::Text(include_str!("source.cu")));
        match kernel.reads {
            Reads::Sorted => body.push(Segment::Text(SORTED)),
            Reads::AsGiven => body.push(Segment::Text(AS_GIVEN)),
            Reads::Tables => {}
        }
        if is_first {
            body.extend([Segment::Text(VALUE), Segment::Site(0), Segment::Text(VALUE_BEHIND_SITE)]);
        }
        body.push(Segment::Text(if kernel.updates { PUT_UPDATED } else { PUT_FIRST }));
        body.extend(match kernel {
            RunKernel { table_bits: None, .. } => vec![Segment::Text(include_str!("in_order.cu"))],
            RunKernel { reads: Reads::Tables, .. } => vec![Segment::Text(LEAVE), Segment::Text(include_str!("tables.cu"))],
            _ => vec![Segment::Text(LEAVE), Segment::Text(include_str!("pairs.cu"))],
        });
        write_kernel(&mut body, kernel.block(), KERNEL);
        let name = leak(format!("at_{}", formula.name));
        let unit = if is_first { unit_with_sites(name, body, snippets, &OUT_OF_BOUNDS) } else { unit(name, body, snippets) };
        Generated { unit, per_thread: 1 }
    }
}

impl RunKernel {
    /// Threads of a block.
    fn block(self) -> u32 {
        if self.table_bits.is_some() && self.reads != Reads::Tables { WARP as u32 } else { BLOCK }
    }

    /// The tables that a warp leaves of pairs, or the threads of all places of those that they read.
    fn tables_left(self) -> usize {
        if self.reads == Reads::AsGiven { 1 } else { 2 }
    }

    /// How many pairs of `count` each thread or warp takes, or how many tables.
    fn each(self, count: usize, update: Update, launcher: Launcher) -> usize {
        let Some(bits) = self.table_bits else { return 1 };
        if self.reads == Reads::Tables {
            return EACH;
        }
        let places = 1 << bits;
        let at_a_time = (BYTES_OF_TABLES / (places * (update.component.size + 1) + BYTES_OF_BLOCK)).clamp(1, MOST_TABLES);
        let warps = launcher.multiprocessors() as usize * at_a_time;
        count.div_ceil(warps).max(FEWEST_PAIRS).max(places).next_multiple_of(WARP)
    }
}

/// Leaves values for the next launch.
pub(super) const LEAVE: &str = include_str!("leave.cu");

/// Where a pair is, and its key and bucket: of pairs in the order of their keys, and of those of a single bucket.
pub(super) const SORTED: &str = "\
static __device__ __forceinline__ u64 gr_place(const gr_source& from, const u64 i) { return from.base + from.order[i]; }

static __device__ __forceinline__ gr_key gr_sorted_key(const gr_source& from, const u64 i) { return from.keys[i]; }

// The key is what is trusted: this kernel may round the index, if it is computed from floats, to another number than the one that was sorted.
template <class Item> static __device__ __forceinline__ gr_key gr_key_of(const gr_key sorted, const Item&, const u64) { return sorted; }

static __device__ __forceinline__ gr_key gr_bucket_of(const gr_key key) { return key >> GR_BITS; }

static __device__ __forceinline__ gr_key gr_bucket(const gr_source& from, const u64 i) { return gr_bucket_of(from.keys[i]); }

static __device__ __forceinline__ gr_key gr_bucket_in(const gr_key key, const u32 lane) { return ::__shfl_sync(0xffffffffu, gr_bucket_of(key), lane); }

";
pub(super) const AS_GIVEN: &str = "\
static __device__ __forceinline__ u64 gr_place(const gr_source&, const u64 i) { return i; }

static __device__ __forceinline__ gr_key gr_sorted_key(const gr_source&, const u64) { return 0; }

template <class Item> static __device__ __forceinline__ gr_key gr_key_of(const gr_key, const Item& item, const u64 len) {
  const u64 index = (u64)item._0;
  return (gr_key)(index < len ? index : len);
}

static __device__ __forceinline__ gr_key gr_bucket_of(const gr_key) { return 0; }

static __device__ __forceinline__ gr_key gr_bucket(const gr_source&, const u64) { return 0; }

static __device__ __forceinline__ gr_key gr_bucket_in(const gr_key, const u32) { return 0; }

";

/// The value of a pair, whose key may be out of bounds.
pub(super) const VALUE: &str = "\
static __device__ __forceinline__ gr_value gr_value_of(const gr_item& item, const gr_key key, const u64 len) {
  const u64 index = (u64)item._0;
  if (key >= len) gr_panic(";
pub(super) const VALUE_BEHIND_SITE: &str = ", index < len ? key : index, len);\n  return item._1;\n}\n\n";

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
(const gr_inputs in, const gr_key* keys, const u32* order, const u8* there, const u64 base, const u64 count, const u64 each, gr_value* target, const u64 len, u8* stored, gr_key* next_keys, gr_value* next_values, u8* next_there) {
  gr_reduce({in, keys, order, there, base}, count, each, {target, len, stored}, {next_keys, next_values, next_there});
}
";

/// Tables that a launch has left: the bucket of each, and for each place a value, and whether there is one.
struct Tables<K: Element> {
    buckets: DeviceArray<K>,
    values: DeviceArray<u8>,
    there: DeviceArray<u8>,
}

impl<K: Element> Tables<K> {
    /// So many tables of as many places.
    fn new(device: &Device, component: &Component, count: usize, places: usize) -> Result<Self> {
        let len = count.saturating_mul(places);
        Ok(Self {
            buckets: DeviceArray::unspecified(device, count.into())?,
            values: DeviceArray::unspecified(device, len.saturating_mul(component.size).into())?,
            there: DeviceArray::unspecified(device, len.into())?,
        })
    }
}

/// The address of the first element.
fn address<T: Element>(array: &DeviceArray<T>) -> u64 {
    array.slice(..).pointer().addr() as u64
}

/// Updates elements by pairs, with `table_bits` of their keys in tables. The kernels are launched for `targets`, in as many launches as it takes.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that the code of the pairs names and on the GPU, as large as it says. The targets are on the
/// GPU, and nothing else uses them. Pairs that are not sorted are those of the plan, and have [one table](Update::bits_for_all) for all elements.
pub(super) unsafe fn update_by_runs<K: Integer + Number>(
    launcher: Launcher,
    device: &Device,
    (update, table_bits): (Update, Option<u32>),
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
    let mut kernel = RunKernel { reads, table_bits, updates: targets.stored == 0, wide: size_of::<K>() == size_of::<u64>() };
    let places = 1 << table_bits.unwrap_or(0);
    let mut left: Option<Tables<K>> = None;
    // They live until the kernels that use them are on the stream.
    let mut kept = Vec::new();
    loop {
        let each = kernel.each(count, update, launcher);
        let groups = count.div_ceil(each);
        let blocks = match kernel.block() {
            BLOCK => (groups * places).div_ceil(BLOCK as usize),
            _ => groups,
        };
        let tables = if table_bits.is_some() && groups > 1 { kernel.tables_left() * groups } else { 0 };
        let next = (tables > 0).then(|| Tables::<K>::new(device, &update.component, tables, places)).transpose()?;
        let of_next = next.as_ref().map_or([0; 3], |next| [address(&next.buckets), address(&next.values), address(&next.there)]);
        let launch = |formula: Formula, (plan, inputs): (&Plan, &[Input<'_>]), source: [u64; 4]| {
            let write = |pattern: &AccessPattern| update.write(kernel, pattern);
            let loaded = launcher.kernel(Purpose::Runs(kernel), formula, AccessPattern::new(plan, inputs), &write)?;
            let mut parameters = KernelParameters::new();
            parameters.push_words(&input_words(plan, inputs));
            let of_targets = [count as u64, each as u64, targets.first, targets.len as u64, targets.stored];
            source.into_iter().chain(of_targets).chain(of_next).for_each(|number| parameters.push(number));
            // SAFETY: the parameters are those of `write`. A run of equal keys is stored by one thread; the caller guarantees the arrays.
            unsafe { loaded.launch(&LaunchDims::along_x(blocks, kernel.block()), &mut parameters) }
        };
        match &left {
            None => launch(update.of_pairs, (plan, inputs), source)?,
            Some(left) => {
                let values = count * places;
                let input = Input {
                    kind: InputKind::Uploaded { pointer: left.values.slice(..).pointer() },
                    layout: Layout::c_order(values.into()),
                    element: TypeId::of::<u8>(),
                    size: update.component.size,
                };
                let inputs = [input];
                let plan = Plan::of(values.into(), &inputs, &[]);
                launch(update.of_partials, (&plan, &inputs), [address(&left.buckets), 0, address(&left.there), 0])?;
            }
        }
        let Some(next) = next else { break };
        kept.extend(left.replace(next));
        (count, kernel.reads) = (tables, Reads::Tables);
    }
    Ok(())
}
