//! Scans on a GPU: one launch or two.
//!
//! Along the last axis, a block (or a warp, where the axis is short) takes a chunk in tiles, which go through shared memory:
//! threads load and store neighbouring elements, but own consecutive ones. Along another axis neighbouring threads have
//! neighbouring elements anyway, so that each thread walks down a column by itself.
//!
//! There is no launch between the passes for the chunks' sums: a block of the second pass folds those of the chunks
//! before its own, which are few and in the cache.
//!
//! Where an axis along rows is cut, one pass is enough: `chained.cu`. A block reads a tile, publishes its sum, and waits for the sums of the tiles
//! before it: of all earlier tiles of its group of 256; the last tile of a group
//! publishes the sum up to the end of the group, for which the tiles of the next group wait. So the order of additions is always the same.
//! A thread that fails publishes nothing: elements that can fail take two passes.

use std::fmt::Write as _;
use std::mem::MaybeUninit;

use super::Span;
use crate::Result;
use crate::compile;
use crate::device::Device;
use crate::dims::LaunchDims;
use crate::source::Segment;
use crate::ufunc::axis::AxisShape;
use crate::ufunc::cuda::{
    AccessPattern, BLOCK, ElementText, Generated, KernelParameters, Launcher, Purpose, component_alias, input_words, leak, unit,
    write_element, write_kernel,
};
use crate::ufunc::folded::{fields, read, shared_read, write_combine};
use crate::ufunc::formula::Folding;
use crate::ufunc::input::Input;
use crate::ufunc::item::{Component, ItemBits, addresses, allocate_values, first_word};
use crate::ufunc::plan::Plan;
use crate::ufunc::{Item, ReduceFunction};

/// Blocks that a long axis along rows is cut for, and threads that columns are: more than any GPU runs at a time.
const ENOUGH_BLOCKS: usize = 2048;
const ENOUGH_THREADS: usize = 65_536;

/// The longest rows for which a thread by itself is good: all of one fits a few cache lines.
const SHORT_ROW: usize = 16;

/// Threads of a block of a chained scan, and blocks that a multiprocessor shall run at a time. Measured on an H200, for 100 M `f32`: 3240 GB/s,
/// with 256 threads 2955 GB/s.
fn chained_block(components: &[Component]) -> u32 {
    if run_len(components) == LONGEST_RUN { 512 } else { BLOCK }
}
const CHAINED_BLOCKS: u32 = 4;

/// Which kernel surrounds `gr_element`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ScanKernel {
    workers: Workers,
    pass: Pass,
    span: Span,
    /// Whether the scan of a chunk waits for the chunks before it, unless an element can fail.
    chained: bool,
}

/// Who takes a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Workers {
    Thread,
    Warp,
    Block,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Pass {
    /// The fold of each chunk.
    Sums,
    /// The scan of each chunk.
    Store,
}

/// How the work is divided: a function of the shape and the size of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Division {
    workers: Workers,
    /// Elements of the axis in a chunk; the last one may have fewer.
    chunk_len: usize,
    /// Chunks of an axis.
    chunks: usize,
    /// Chunks in all.
    units: usize,
}

impl Division {
    /// The same in chunks of one tile each, if blocks take the chunks of an axis. Not of items so large that a thread owns one: that is what the
    /// kernel of a function that can fail says.
    fn in_tiles(&self, axis: AxisShape, components: &[Component]) -> Option<Self> {
        let chunk_len = chained_block(components) as usize * run_len(components);
        let chunks = axis.len.div_ceil(chunk_len);
        (self.workers == Workers::Block && self.chunks > 1 && run_len(components) > 1).then(|| Self {
            chunk_len,
            chunks,
            units: axis.outer * chunks,
            ..*self
        })
    }

    /// What a chained scan publishes of an axis: the chunks, the groups of 32 chunks, and the groups of 32 groups.
    fn published(&self) -> usize {
        let groups = self.chunks.div_ceil(32);
        self.chunks + groups + groups.div_ceil(32)
    }

    fn new(axis: AxisShape, components: &[Component]) -> Self {
        let AxisShape { outer: outers, len, inner: inners } = axis;
        let run = run_len(components);
        let (workers, chunk_len) = if inners > 1 || len <= SHORT_ROW {
            // A thread of the second pass reads as many sums as there are chunks before its own.
            let chunks = ENOUGH_THREADS.div_ceil(outers * inners).min(len.isqrt());
            (Workers::Thread, len.div_ceil(chunks))
        } else if len <= 32 * run {
            (Workers::Warp, len)
        } else {
            let tile = BLOCK as usize * run;
            let chunks = ENOUGH_BLOCKS.div_ceil(outers).min(len.div_ceil(4 * tile));
            (Workers::Block, len.div_ceil(chunks).next_multiple_of(tile))
        };
        let chunks = len.div_ceil(chunk_len);
        Self { workers, chunk_len, chunks, units: outers * chunks * inners }
    }

    fn blocks(&self) -> usize {
        let per_block = match self.workers {
            Workers::Thread => BLOCK as usize,
            Workers::Warp => BLOCK as usize / 32,
            Workers::Block => 1,
        };
        self.units.div_ceil(per_block)
    }
}

/// Consecutive elements that a thread owns of a tile: many, to combine less between threads and to wait for fewer tiles, in at most 48 KiB of
/// shared memory for a block. An odd number: see `rows.cu`.
fn run_len(components: &[Component]) -> usize {
    match components.iter().map(|component| component.size).sum() {
        0..=4 => LONGEST_RUN,
        5..=8 => 11,
        9..=32 => 5,
        _ => 1,
    }
}

const LONGEST_RUN: usize = 23;

/// What is scanned, and how.
pub(super) struct Scan {
    folding: Folding,
    /// See [`identity_words`].
    identity: Vec<MaybeUninit<u64>>,
    axis: AxisShape,
    span: Span,
}

impl Scan {
    pub(super) fn of<F: ReduceFunction>(folding: Folding, axis: AxisShape, span: Span) -> Self {
        Self { folding, identity: identity_words::<F>(), axis, span }
    }
}

/// Stores the scan at `targets`.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that the code names and on the GPU, as large as it says. Each target has room for
/// the elements, on the GPU, and nothing else uses it.
// Compiled only where it is used.
#[inline]
pub(super) unsafe fn scan(
    launcher: Launcher,
    device: &Device,
    &Scan { folding, ref identity, axis, span }: &Scan,
    plan: &Plan,
    inputs: &[Input<'_>],
    targets: &[*mut u8],
) -> Result<()> {
    let components = folding.formula.components;
    let pattern = AccessPattern::new(plan, inputs);
    let kernel = |division: &Division, pass, chained| {
        let kernel = ScanKernel { workers: division.workers, pass, span, chained };
        let write = |pattern: &AccessPattern| write_scan(folding, pattern, kernel);
        launcher.kernel(Purpose::Scan(kernel), folding.formula, pattern.clone(), &write)
    };
    let division = Division::new(axis, components);
    let in_tiles = division.in_tiles(axis, components);
    let store = kernel(&division, Pass::Store, in_tiles.is_some())?;
    let chained = in_tiles.filter(|_| store.per_thread > 1);
    let is_chained = chained.is_some();
    let division = chained.unwrap_or(division);

    let cut = division.chunks > 1;
    let words_of_row = if is_chained { division.published() } else { 0 };
    let sums = match is_chained {
        true => axis.outer * words_of_row,
        false if cut => division.units,
        false => 0,
    };
    let words = device.zeros::<u64>(axis.outer * words_of_row)?;
    let (_sums, sums) = allocate_values(device, components, sums)?;
    let input_words = input_words(plan, inputs);
    let mut scan_words: Vec<MaybeUninit<u64>> = sums.iter().chain(targets).map(|pointer| MaybeUninit::new(pointer.addr() as u64)).collect();
    scan_words.extend_from_slice(identity);
    let Division { chunk_len, chunks, units, .. } = division;
    scan_words.extend([units, axis.inner, axis.len, chunk_len, chunks, words_of_row].map(|number| MaybeUninit::new(number as u64)));
    scan_words.push(MaybeUninit::new(words.slice(..).pointer().addr() as u64));

    let dims = LaunchDims::along_x(division.blocks(), if is_chained { chained_block(components) } else { BLOCK });
    let first = if cut && !is_chained { Some(kernel(&division, Pass::Sums, false)?) } else { None };
    for loaded in first.into_iter().chain([store]) {
        let mut parameters = KernelParameters::new();
        parameters.push_words(&input_words);
        parameters.push_words(&scan_words);
        // SAFETY: the parameters are those of `write_scan`; the caller guarantees the arrays. There is a sum for each unit,
        // and every sum and every element has one thread that writes it. If units wait, there is a word for each sum.
        unsafe { loaded.launch(&dims, &mut parameters)? };
    }
    Ok(())
}

/// The components of the identity, each in words of its own, as in `gr_scan`; zeros if there is none. Padding of a component has no value.
fn identity_words<F: ReduceFunction>() -> Vec<MaybeUninit<u64>> {
    let (mut bits, components) = (ItemBits::default(), F::Output::COMPONENTS);
    if let Some(identity) = F::identity() {
        // SAFETY: there is room for each component.
        unsafe { identity.store(&addresses(&mut bits, components), 0) };
    }
    const { assert!(size_of::<ItemBits>().is_multiple_of(size_of::<u64>())) };
    let count = size_of::<ItemBits>() / size_of::<u64>();
    // SAFETY: the bits are arrays of words, without anything between them.
    let words = unsafe { std::slice::from_raw_parts(std::ptr::from_ref(&bits).cast::<MaybeUninit<u64>>(), count) };
    let of_component = |(number, component): (usize, &Component)| {
        words[first_word(components, number)..][..component.size.div_ceil(size_of::<u64>())].to_vec()
    };
    components.iter().enumerate().flat_map(of_component).collect()
}

/// The kernel of one pass.
// Compiled only where it is used.
#[inline]
fn write_scan(folding: Folding, pattern: &AccessPattern, kernel: ScanKernel) -> Generated {
    let ElementText { mut body, mut snippets, can_fail, .. } = write_element(folding.formula, pattern);
    snippets.extend(["shuffle", "words"]);
    let can_fail = can_fail || compile::can_fail((folding.function)().unit);
    let components = folding.formula.components;
    let is_chained = kernel.chained && !can_fail;
    let lanes = match kernel.workers {
        Workers::Thread => 1,
        Workers::Warp => 32,
        Workers::Block if is_chained => chained_block(components),
        Workers::Block => BLOCK,
    };
    let mut text = format!(
        "enum {{\n  GR_LANES = {lanes},\n  GR_RUN = {},\n  GR_STORES = {},\n  GR_EXCLUSIVE = {}\n}};\n\n",
        run_len(components),
        u32::from(kernel.pass == Pass::Store),
        u32::from(kernel.span == Span::Exclusive),
    );
    write_parameters(&mut text, components);
    text.push_str(&shared_read(components));
    body.push(Segment::Text(leak(text)));
    write_combine(folding, &mut body);
    body.push(Segment::Text(include_str!("prefix.cu")));
    let kernel_text = if lanes == 1 {
        include_str!("columns.cu")
    } else {
        body.push(Segment::Text(include_str!("rows.cu")));
        if is_chained {
            body.extend([include_str!("publish.cu"), include_str!("chained.cu")].map(Segment::Text));
            include_str!("chained_kernel.cu")
        } else {
            include_str!("rows_kernel.cu")
        }
    };
    let bounds = if is_chained { format!("{lanes}, {CHAINED_BLOCKS}") } else { BLOCK.to_string() };
    write_kernel(&mut body, bounds, kernel_text);
    Generated {
        unit: unit(leak(format!("scan_{}", folding.formula.name)), body, snippets),
        per_thread: if can_fail { 1 } else { run_len(components) as u32 },
    }
}

/// The struct `gr_scan`, the kernel's second parameter, and what reads and writes items through it.
// Compiled only where it is used.
#[inline]
fn write_parameters(out: &mut String, components: &[Component]) {
    let names: Vec<&str> = components.iter().enumerate().map(|(number, component)| component.name(|| component_alias(number))).collect();
    out.push_str("struct gr_scan {\n");
    for (number, c_type) in names.iter().enumerate() {
        let _ = writeln!(out, "  {c_type}* sum{number};");
    }
    for (number, c_type) in names.iter().enumerate() {
        let _ = writeln!(out, "  {c_type}* out{number};");
    }
    for (number, component) in components.iter().enumerate() {
        let _ = writeln!(out, "  u64 identity{number}[{}];", component.size.div_ceil(size_of::<u64>()));
    }
    out.push_str("  alignas(8) u64 units;\n  u64 inners, len, chunk_len, chunks, words_of_row;\n  u64* words;\n};\n\n");

    let item = |part: &dyn Fn(usize) -> String| {
        let parts: Vec<String> = (0..components.len()).map(part).collect();
        if parts.len() == 1 { parts[0].clone() } else { format!("{{{}}}", parts.join(", ")) }
    };
    let put = |array: &str| -> String {
        fields("item", components.len()).iter().enumerate().map(|(n, field)| format!("  scan.{array}{n}[i] = {field};\n")).collect()
    };
    let function = "static __device__ __forceinline__";
    let _ = write!(
        out,
        "{function} gr_item gr_sum(const gr_scan& scan, const u64 i) {{\n  return {};\n}}\n\n\
         {function} gr_item gr_identity(const gr_scan& scan) {{\n  return {};\n}}\n\n\
         {function} void gr_put_sum(const gr_scan& scan, const u64 i, const gr_item& item) {{\n{}}}\n\n\
         {function} void gr_put(const gr_scan& scan, const u64 i, const gr_item& item) {{\n{}}}\n\n",
        item(&|n| read(&components[n], &format!("scan.sum{n}[i]"))),
        item(&|n| format!("gr_of_words<{}>(scan.identity{n})", names[n])),
        put("sum"),
        put("out"),
    );
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::compile::{Variant, readable_source};
    use crate::ufunc::{Expression, Lazy};

    /// The CUDA C of every kernel that a scan of `lazy` may launch.
    pub(in crate::ufunc::scan) fn sources<F: ReduceFunction, E: Expression<Item = F::Output>>(lazy: &Lazy<E>) -> Vec<String> {
        let (shape, inputs) = (lazy.shape().unwrap(), lazy.inputs().list);
        let plan = Plan::of(shape, &inputs, &[]);
        let pattern = AccessPattern::new(&plan, &inputs);
        let mut sources = Vec::new();
        for workers in [Workers::Thread, Workers::Warp, Workers::Block] {
            for pass in [Pass::Sums, Pass::Store] {
                for span in [Span::Inclusive, Span::Exclusive] {
                    for chained in [false].into_iter().chain((workers == Workers::Block && pass == Pass::Store).then_some(true)) {
                        let kernel = ScanKernel { workers, pass, span, chained };
                        let generated = write_scan(Folding::of::<E::Code, F>(), &pattern, kernel);
                        sources.push(readable_source(generated.unit, Variant::Checked));
                    }
                }
            }
        }
        sources
    }

    fn division(outers: usize, len: usize, inners: usize) -> Division {
        Division::new(AxisShape { outer: outers, len, inner: inners }, &[Component::of::<f32>()])
    }

    #[test]
    fn a_long_row_is_cut_into_whole_tiles_for_all_of_the_device() {
        let Division { workers, chunk_len, chunks, units } = division(1, 100_000_000, 1);
        assert_eq!((workers, chunk_len % (256 * LONGEST_RUN), units), (Workers::Block, 0, chunks));
        assert!((1500..=2048).contains(&chunks), "{chunks}");
        assert!(chunk_len * (chunks - 1) < 100_000_000 && chunk_len * chunks >= 100_000_000);
    }

    #[test]
    fn many_or_short_rows_are_not_cut() {
        assert_eq!(division(5000, 100_000, 1).chunks, 1);
        assert_eq!((division(3, 500, 1).workers, division(3, 500, 1).chunks), (Workers::Warp, 1));
        assert_eq!((division(1 << 20, 3, 1).workers, division(1 << 20, 3, 1).chunks), (Workers::Thread, 1));
        assert_eq!(division(1, 1, 1), Division { workers: Workers::Thread, chunk_len: 1, chunks: 1, units: 1 });
    }

    #[test]
    fn long_columns_are_cut_when_there_are_few() {
        let few = division(2, 1_000_000, 3);
        assert_eq!((few.workers, few.chunks, few.units), (Workers::Thread, 1000, 6000));
        assert_eq!(division(2, 1000, 100_000).chunks, 1);
    }
}
