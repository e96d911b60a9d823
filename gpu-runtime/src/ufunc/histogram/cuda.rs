//! Counting on a GPU: in the shared memory of each block where the bins fit, and then in global memory. Whole numbers add up
//! to the same in any order.

use super::Binning;
use crate::Result;
use crate::dims::LaunchDims;
use crate::source::{Segment, Sites};
use crate::ufunc::Code;
use crate::ufunc::cuda::{
    AccessPattern, BLOCK, ElementText, Generated, KernelParameters, Launcher, Purpose, input_words, leak, unit_with_sites, write_element,
    write_kernel,
};
use crate::ufunc::formula::Formula;
use crate::ufunc::input::Input;
use crate::ufunc::plan::Plan;
use crate::ufunc::scatter::OUT_OF_BOUNDS;

/// Elements that a block counts before it continues: as many for each thread as registers have room for.
fn tile(formula: Formula, pattern: &AccessPattern) -> u64 {
    let is_small = pattern.inputs() == 1 && formula.components[0].size <= 4;
    u64::from(BLOCK) * if is_small { 16 } else { 8 }
}

/// Blocks that a multiprocessor runs at a time: fewer than it could, because each adds all its counts in the end.
const BLOCKS_AT_A_TIME: u32 = 6;

/// Elements that a block can count in 32 bits.
const MOST_IN_BLOCK: u64 = 1 << 31;

/// Which kernel surrounds `gr_element`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct HistogramKernel {
    by: By,
    /// Counters of 32 bits in shared memory; none where the bins do not fit, or there are none.
    counters: u32,
    /// Whether the bins are few and a guess of a bin is close enough to look at one edge.
    pub(super) is_close: bool,
}

impl HistogramKernel {
    pub(super) fn new(by: By, bins: usize, margin: f64) -> Self {
        let counters = counters(bins);
        Self { by, counters, is_close: counters == FEW_COUNTERS && margin < 0.25 }
    }
}

/// What tells the bin of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum By {
    /// Edges in `f64`.
    Edges,
    /// Edges in `f32`.
    SingleEdges,
    /// Its value.
    Number,
    /// Its value, if there is such a bin.
    NumberBelow,
}

/// Counters of a block, if they leave room for as many blocks as there can be.
const FEW_COUNTERS: u32 = 2048;

/// How many counters a block has: 8 KiB of them, or 32 KiB. Several sets, as many as there is room for; so none of no bins.
fn counters(bins: usize) -> u32 {
    match bins {
        1..=2048 => FEW_COUNTERS,
        2049..=8192 => 8192,
        _ => 0,
    }
}

/// Adds to the `counts` of the bins.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that `C` names and on the GPU, as large as it says. There is a count for each
/// bin, on the GPU, which nothing else uses.
pub(super) unsafe fn count<C: Code, B: Binning<C::Item>>(
    launcher: Launcher,
    plan: &Plan,
    inputs: &[Input<'_>],
    binning: &B,
    counts: u64,
) -> Result<()> {
    let pattern = AccessPattern::new(plan, inputs);
    let kernel = HistogramKernel::new(B::BY, binning.count(), binning.margin());
    let formula = Formula::folded::<C, B::Name>();
    let tile = tile(formula, &pattern);
    let write = |pattern: &AccessPattern| write_count(formula, C::NAME, pattern, kernel);
    let loaded = launcher.kernel(Purpose::Histogram(kernel), formula, pattern, &write)?;
    let mut bin_words = vec![binning.count() as u64];
    bin_words.extend(binning.words());
    let len = plan.len as u64;
    let mut parameters = KernelParameters::new();
    parameters.push_words(&input_words(plan, inputs));
    parameters.push_words(&bin_words);
    parameters.push(counts);
    parameters.push(len);
    let at_a_time = u64::from(BLOCKS_AT_A_TIME * launcher.multiprocessors());
    let blocks = len.div_ceil(tile).min(at_a_time.max(len.div_ceil(MOST_IN_BLOCK)));
    let dims = LaunchDims::along_x(blocks as usize, BLOCK);
    // SAFETY: the parameters are those of `write_count`; the caller guarantees the arrays, and counts are atomic.
    unsafe { loaded.launch(&dims, &mut parameters) }
}

/// Bins for numbers.
const NUMBERS: &str = concat!(include_str!("numbers.cu"), include_str!("no_edges.cu"));

/// The kernel that counts.
fn write_count(formula: Formula, counted: &str, pattern: &AccessPattern, kernel: HistogramKernel) -> Generated {
    let ElementText { mut body, snippets, .. } = write_element(formula, pattern);
    let number = if kernel.counters == 0 { "u64" } else { "u32" };
    let tile = tile(formula, pattern);
    let head = format!("#define GR_COUNTERS {}\n#define GR_TILE {tile}\ntypedef {number} gr_number;\n", kernel.counters);
    match kernel.by {
        By::Edges | By::SingleEdges => {
            let real = if kernel.by == By::Edges { "f64" } else { "f32" };
            let bins =
                if kernel.is_close { include_str!("close.cu") } else { concat!(include_str!("no_edges.cu"), include_str!("search.cu")) };
            body.push(Segment::Text(leak(format!("{head}typedef {real} gr_real;\n\n{}{bins}", include_str!("edges.cu")))));
        }
        By::NumberBelow => {
            let text = "static __device__ __forceinline__ gr_number gr_bin(const gr_bins& bins, const gr_edges&, const gr_item item) {\n  \
                          return (u64)item < bins.count ? (gr_number)item : (gr_number)bins.count;\n}\n\n";
            body.push(Segment::Text(leak(head + NUMBERS + text)));
        }
        By::Number => {
            body.push(Segment::Text(leak(
                head + NUMBERS
                    + "static __device__ __forceinline__ gr_number gr_bin(const gr_bins& bins, const gr_edges&, const gr_item item) {\n  \
                       const u64 bin = (u64)item;\n  \
                       if (bin >= bins.count) gr_panic(",
            )));
            body.push(Segment::Site(0));
            body.push(Segment::Text(", bin, bins.count);\n  return (gr_number)bin;\n}\n\n"));
        }
    }
    write_kernel(&mut body, format_args!("{BLOCK}, {BLOCKS_AT_A_TIME}"), include_str!("count.cu"));
    let sites = if kernel.by == By::Number { &OUT_OF_BOUNDS } else { &Sites::NONE };
    debug_assert_eq!(formula.components.len(), 1, "numbers are counted");
    Generated { unit: unit_with_sites(leak(format!("{}_{counted}", formula.name)), body, snippets, sites), per_thread: 1 }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::compile::{Variant, readable_source};
    use crate::ufunc::folded::Consumer;
    use crate::ufunc::{Expression, Lazy};

    #[test]
    fn a_set_of_counters_for_each_bin_fits_and_is_not_sought_for_no_bins() {
        for (bins, expected) in [(0, 0), (1, 2048), (2048, 2048), (2049, 8192), (8192, 8192), (8193, 0)] {
            assert_eq!(counters(bins), expected, "{bins}");
        }
    }

    /// The CUDA C of every kernel that counts the elements of `lazy`.
    pub(in crate::ufunc::histogram) fn sources<N: Consumer, E: Expression>(lazy: &Lazy<E>, by: By) -> Vec<String> {
        let (shape, inputs) = (lazy.shape().unwrap(), lazy.inputs().list);
        let plan = Plan::of(shape, &inputs, &[]);
        let pattern = AccessPattern::new(&plan, &inputs);
        [(0, 0.0), (10, 0.0), (10, 1.0), (5000, 0.0), (1_000_000, 0.0)]
            .map(|(bins, margin)| HistogramKernel::new(by, bins, margin))
            .map(|kernel| write_count(Formula::folded::<E::Code, N>(), E::Code::NAME, &pattern, kernel))
            .map(|generated| readable_source(generated.unit, Variant::Checked))
            .to_vec()
    }
}
