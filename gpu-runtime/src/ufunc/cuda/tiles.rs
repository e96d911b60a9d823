//! Elements in tiles: for operands whose neighbours in memory are not neighbours in the result, such as a transpose.
//!
//! A kernel that stores elements one after the other reads such an operand with a large distance between neighbouring threads, so that
//! each thread reads from another line of the cache. Here, a block computes the elements of a rectangle: along the last axis, which the
//! result follows, and along the axis that the operand follows. First it reads the *turned* operands, with neighbouring threads along the
//! operand's axis, into shared memory. Then it computes the elements, with neighbouring threads along the last axis. Rows of a tile are
//! one element longer than the tile, so that neither order of access uses one bank of the shared memory for several threads.

use std::fmt::Write as _;

use super::BLOCK;
use crate::ufunc::input::Input;
use crate::ufunc::plan::{self, Access, Plan};

/// Tiles of the elements of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Tiling {
    /// The axis of the plan that turned operands follow.
    axis: usize,
    /// Elements of a tile along that axis, and along the last one.
    rows: usize,
    columns: usize,
}

/// The extents for which tiles are worth it.
const LEAST_EXTENT: usize = 16;

/// Bytes of turned operands for an element: with so many, large tiles leave room for several blocks, or small ones fit at all.
const MOST_BYTES_OF_LARGE: usize = 8;
const MOST_BYTES: usize = 40;

impl Tiling {
    /// The tiles of a plan that has operands to turn, and their numbers.
    pub(super) fn of(plan: &Plan, inputs: &[Input<'_>]) -> Option<(Self, Vec<usize>)> {
        let (&width, above) = plan.extents.split_last()?;
        let follows = |number: usize, axis: usize| {
            let strides = &plan.operands[number].strides;
            let in_memory = inputs[number].kind.pointer().is_some() && plan::same_as(inputs, number).is_none();
            in_memory && plan.operands[number].access == Access::Strided && strides[axis] == 1 && strides[above.len()].unsigned_abs() > 1
        };
        let is_worth_it = |axis: usize| plan.extents[axis] >= LEAST_EXTENT && width >= LEAST_EXTENT;
        let axis = (0..above.len()).find(|&axis| is_worth_it(axis) && (0..inputs.len()).any(|number| follows(number, axis)))?;
        let turned: Vec<usize> = (0..inputs.len()).filter(|&number| follows(number, axis)).collect();
        let bytes = turned.iter().map(|&number| inputs[number].size).sum::<usize>();
        let (rows, columns) = match plan.extents[axis] {
            _ if bytes > MOST_BYTES => return None,
            64.. if bytes <= MOST_BYTES_OF_LARGE => (64, 32),
            _ if bytes <= MOST_BYTES_OF_LARGE => (32, 64),
            _ => (32, 32),
        };
        Some((Self { axis, rows, columns }, turned))
    }

    /// How many tiles the elements of the plan are in. An array of more than 2³² would not fit any memory.
    pub(super) fn count(&self, plan: &Plan) -> usize {
        self.counts(plan).iter().product()
    }

    /// How many tiles there are along each axis.
    fn counts(&self, plan: &Plan) -> Vec<usize> {
        let last = plan.extents.len() - 1;
        let tiles = |(axis, &extent): (usize, &usize)| match axis {
            _ if axis == last => extent.div_ceil(self.columns),
            _ if axis == self.axis => extent.div_ceil(self.rows),
            _ => extent,
        };
        plan.extents.iter().enumerate().map(tiles).collect()
    }

    /// `gr_fill(tiles, in, …)`, which reads the turned operands of a tile, each with the type of its elements, and `gr_load_of_tile`,
    /// which is `gr_load` for an element of a tile.
    pub(super) fn write_loads(self, out: &mut String, turned: &[(usize, &str)], loads: &str) {
        let Self { axis, rows, columns } = self;
        let (each, row_len) = (rows * columns / BLOCK as usize, columns + 1);
        // Columns between two elements of a thread.
        let apart = BLOCK as usize / rows;
        out.push_str("struct gr_tiles {\n");
        for (number, c_type) in turned {
            let _ = writeln!(out, "  {c_type} t{number}[{}];", rows * row_len);
        }
        let function = "static __device__ __forceinline__";
        let _ = write!(
            out,
            "}};\n\ntemplate <bool WHOLE> {function} void gr_fill(gr_tiles& tiles, const gr_inputs& in, const gr_coordinates& first, \
             const u64 rows, const u64 columns) {{\n  const u32 row = threadIdx.x % {rows}, column = threadIdx.x / {rows};\n"
        );
        for (number, c_type) in turned {
            let _ = write!(
                out,
                "  {{\n    const i64 step = in.s{number}[sizeof(first.at) / sizeof(first.at[0]) - 1];\n    \
                   const {c_type}* const from = in.p{number} + gr_offset(first, in.s{number}) + row + column * step;\n    \
                   {c_type} values[{each}];\n\
                 #pragma unroll\n    \
                 for (u32 k = 0; k < {each}; ++k) {{\n      \
                   if (WHOLE || (row < rows && column + k * {apart} < columns)) values[k] = from[(i64)(k * {apart}) * step];\n    \
                 }}\n\
                 #pragma unroll\n    \
                 for (u32 k = 0; k < {each}; ++k) tiles.t{number}[row * {row_len} + column + k * {apart}] = values[k];\n  }}\n"
            );
        }
        let _ = write!(
            out,
            "}}\n\n{function} gr_values gr_load_of_tile(const gr_inputs& in, const u64 i, const gr_coordinates& c, \
             const gr_tiles& tiles, const u32 place) {{\n  gr_values x;\n{loads}  return x;\n}}\n\n"
        );
        let _ = writeln!(
            out,
            "enum : u32 {{ GR_TILE_AXIS = {axis}, GR_TILE_ROWS = {rows}, GR_TILE_COLUMNS = {columns}, GR_ROW_LEN = {row_len} }};\n"
        );
    }

    /// `gr_store_tile`, which computes the elements of a tile: `outputs` are declared as `parameters`.
    pub(super) fn store_text(rank: usize, parameters: &str, outputs: &str) -> String {
        format!(
            "struct gr_grid {{\n  u32 tiles[{rank}];\n  alignas(8) u64 dividers[{rank}];\n}};\n\n\
             static __device__ __forceinline__ u32 gr_quotient(const u32 n, const u32 divisor, const u64 divider) {{\n  \
               const u32 high = __umulhi((u32)divider, n);\n  \
               return divisor == 1 ? n : (high + (n - high) / 2) >> (u32)(divider >> 32);\n}}\n\n\
             template <bool WHOLE> static __device__ __forceinline__ void gr_store_tile(\n    \
               const gr_inputs& in, gr_tiles& tiles, const gr_coordinates& first, const u64 start, const u64 row_len, const u64 rows,\n    \
               const u64 columns, {parameters}) {{\n"
        ) + &include_str!("store_tile.cu").replace("GR_OUTPUTS", outputs)
    }

    /// The body of the kernel, from its parameters on.
    pub(super) fn kernel_text(rank: usize, parameters: &str, outputs: &str) -> String {
        format!("(const gr_inputs in, {parameters}, const gr_grid grid) {{\n  enum : u32 {{ RANK = {rank}, LAST = RANK - 1 }};\n")
            + &include_str!("tiles.cu").replace("GR_OUTPUTS", outputs)
    }

    /// The struct `gr_grid`, as words: how many tiles there are along each axis, two in a word, and what divides by that.
    pub(super) fn words(&self, plan: &Plan) -> Vec<u64> {
        let counts = self.counts(plan);
        let pairs = counts.chunks(2).map(|pair| pair[0] as u64 | pair.get(1).map_or(0, |&second| (second as u64) << 32));
        pairs.chain(counts.iter().map(|&count| plan::divider(count))).collect()
    }
}
