//! The kernel that multiplies matrices and stores what an expression makes of the product.
//!
//! A block multiplies tiles of the product one after the other, as a kernel with tiles does ([`Tile`](crate::Tile)). The expression is computed where the tile is stored:
//! the tile lies in shared memory, rounded to the type of the product, and a thread takes a *piece* of a row at a time, 16 bytes. So it reads the other
//! inputs of these elements in pieces as well, where they lie side by side. Elements of tiles that are not whole are computed one by one. Meanwhile the
//! operands of the next tile are on their way.

use std::fmt::Write as _;
use std::mem::MaybeUninit;

use super::access::AccessPattern;
use super::element::{ElementText, component_alias, input_words, write_element};
use super::generated::{Generated, KernelParameters, Launcher, Purpose, leak, unit, write_kernel};
use crate::Result;
use crate::dims::LaunchDims;
use crate::source::{Segment, SourceUnit};
use crate::ufunc::formula::Formula;
use crate::ufunc::input::Input;
use crate::ufunc::plan::{Operand, Plan};
use crate::ufunc::product::{Operands, TileElement, TileProduct};

/// Bytes of a piece of a row.
const PIECE: usize = 16;

/// What the text of a kernel depends on, for the product that it computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ProductText {
    /// Its number among the inputs.
    pub(super) input: usize,
    pub(super) product: TileProduct,
}

impl ProductText {
    fn per_piece(self) -> usize {
        PIECE / self.product.size()
    }

    /// `gr_load_piece(in, c, x)`: what `gr_load` reads, for the element with these coordinates and those after it in its row.
    pub(super) fn write_loads(self, out: &mut String, loads: &str) {
        let count = self.per_piece();
        let _ = write!(
            out,
            "static __device__ __forceinline__ void gr_load_piece(const gr_inputs& in, const gr_coordinates& c, gr_values (&x)[{count}]) {{\n{}}}\n\n",
            loads.replace("COUNT", &count.to_string()),
        );
    }
}

/// How an input follows the matrices, rows and columns of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BesideProduct {
    /// Whether it has a stride along each.
    moves: [bool; 3],
    /// Whether the elements of a row lie side by side.
    is_row: bool,
    /// Whether each piece of them begins where 16 divides the address.
    in_pieces: bool,
}

impl BesideProduct {
    fn of(input: &Input<'_>, operand: &Operand, product: TileProduct) -> Self {
        let strides: [isize; 3] = operand.strides[..].try_into().expect("a product has three axes");
        let [matrix, row, column] = strides;
        let is_aligned = |stride: isize| (stride.unsigned_abs() * input.size).is_multiple_of(PIECE);
        let begins_aligned = input.kind.pointer().is_some_and(|pointer| pointer.addr().is_multiple_of(PIECE));
        // As many elements as a piece of the product has are whole pieces.
        let has_size = matches!(input.size, 2 | 4 | 8) && input.size >= product.size();
        let in_pieces = column == 1 && has_size && begins_aligned && is_aligned(matrix) && is_aligned(row);
        Self { moves: strides.map(|stride| stride != 0), is_row: column == 1, in_pieces }
    }

    /// The index of the element with these coordinates in an input whose strides are the field `strides`.
    pub(super) fn index(self, coordinates: &str, strides: &str) -> String {
        let term = |axis: usize| match (self.moves[axis], axis) {
            (false, _) => None,
            (true, 2) if self.is_row => Some(format!("(i64){coordinates}.at[2]")),
            _ => Some(format!("(i64){coordinates}.at[{axis}] * in.{strides}[{axis}]")),
        };
        let terms: Vec<String> = (0..3).filter_map(term).collect();
        if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
    }

    /// Statements of `gr_load_piece` that read the elements of an array.
    pub(super) fn write_load(self, out: &mut String, number: usize, c_type: &str) {
        let index = self.index("c", &format!("s{number}"));
        let _ = if self.in_pieces {
            write!(
                out,
                "  {{\n    const gr_tile_values<{c_type}, COUNT> piece = *(const gr_tile_values<{c_type}, COUNT>*)(in.p{number} + ({index}));\n\
                 #pragma unroll\n    for (u32 k = 0; k < COUNT; k++) x[k].v{number} = piece.values[k];\n  }}\n"
            )
        } else {
            let step = match (self.moves[2], self.is_row) {
                (false, _) => String::new(),
                (true, true) => " + k".to_owned(),
                (true, false) => format!(" + (i64)k * in.s{number}[2]"),
            };
            write!(
                out,
                "  {{\n    const {c_type}* const first = in.p{number} + ({index});\n\
                 #pragma unroll\n    for (u32 k = 0; k < COUNT; k++) x[k].v{number} = *(first{step});\n  }}\n"
            )
        };
    }

    /// Statements that compute the numbers of the elements.
    pub(super) fn write_number(self, out: &mut String, number: usize) {
        let index = self.index("at", &format!("s{number}"));
        let _ = write!(
            out,
            "#pragma unroll\n  for (u32 k = 0; k < COUNT; k++) {{\n    gr_coordinates at = c;\n    at.at[2] += k;\n    \
             x[k].v{number} = (usize)(in.p{number} + (u64)({index}));\n  }}\n"
        );
    }
}

impl AccessPattern {
    /// The pattern of a kernel that computes one of its inputs. The axes of `plan` are matrices, rows and columns.
    fn beside_product(plan: &Plan, inputs: &[Input<'_>], (input, product): (usize, TileProduct)) -> Self {
        let mut pattern = Self::new(plan, inputs);
        for ((text, operand), input) in pattern.inputs.iter_mut().zip(&plan.operands).zip(inputs) {
            text.beside_product = Some(BesideProduct::of(input, operand, product));
        }
        pattern.product = Some(ProductText { input, product });
        pattern
    }
}

/// The kernel that stores the elements of an expression of a product.
pub(in crate::ufunc) struct ProductKernel {
    formula: Formula,
    pattern: AccessPattern,
}

impl ProductKernel {
    /// That of `formula` for operands that are accessed as in `plan`, and a product that is the input with that number.
    pub(in crate::ufunc) fn new(formula: Formula, plan: &Plan, inputs: &[Input<'_>], product: (usize, TileProduct)) -> Self {
        Self { formula, pattern: AccessPattern::beside_product(plan, inputs, product) }
    }

    /// Whether there are functions to compute, and none of them can fail.
    pub(in crate::ufunc) fn can_follow(&self) -> bool {
        let ElementText { can_fail, has_calls, .. } = write_element(self.formula, &self.pattern);
        has_calls && !can_fail
    }

    /// Its CUDA C.
    pub(in crate::ufunc) fn unit(&self) -> &'static SourceUnit {
        write_product(self.formula, &self.pattern)
    }

    /// Stores the elements at `output`, which has these strides along matrices, rows and columns.
    ///
    /// # Safety
    ///
    /// The plan is the one that the kernel was made for, its operands are `inputs` and then `output`, of the types that the code names and on the GPU, and
    /// as large as it says, and so are the operands of the product. Nothing else uses the output.
    pub(in crate::ufunc) unsafe fn launch(
        self,
        launcher: Launcher,
        plan: &Plan,
        inputs: &[Input<'_>],
        operands: &Operands,
        (output, strides): (*mut u8, [isize; 3]),
    ) -> Result<()> {
        let Self { formula, pattern } = self;
        let Some(ProductText { product, .. }) = pattern.product else { unreachable!("it is the pattern of a product") };
        let multiprocessors = launcher.multiprocessors();
        let write = |pattern: &AccessPattern| Generated { unit: write_product(formula, pattern), per_thread: 1 };
        let kernel = launcher.kernel(Purpose::Product, formula, pattern, &write)?;
        let layout = |extents: [usize; 3], strides: [isize; 3]| {
            [extents.map(|extent| extent as u64), strides.map(|stride| stride as u64)]
                .concat()
                .into_iter()
                .map(MaybeUninit::new)
                .collect::<Vec<_>>()
        };
        let extents: [usize; 3] = plan.extents[..].try_into().expect("a product has three axes");
        let mut parameters = KernelParameters::new();
        for operand in [&operands.a, &operands.b] {
            parameters.push(operand.address);
            parameters.push_words(&layout(operand.extents, operand.strides));
        }
        parameters.push_words(&input_words(plan, inputs));
        parameters.push(output.addr() as u64);
        parameters.push_words(&layout(extents, strides));
        let TileProduct { tile: [rows, columns], threads, .. } = product;
        let tiles = extents[0] * extents[1].div_ceil(rows) * extents[2].div_ceil(columns);
        // A block has the shared memory of a multiprocessor.
        let blocks = u32::try_from(tiles).map_or(multiprocessors, |tiles| tiles.min(multiprocessors));
        let dims = LaunchDims { grid: [blocks, 1, 1], block: [threads, 1, 1] };
        // SAFETY: the parameters are those of `write_product`; the caller guarantees the arrays, and each tile has one block.
        unsafe { kernel.launch(&dims, &mut parameters) }
    }
}

fn write_product(formula: Formula, pattern: &AccessPattern) -> &'static SourceUnit {
    let Some(text @ ProductText { input, product }) = pattern.product else { unreachable!("it is the pattern of a product") };
    let ElementText { mut body, mut snippets, .. } = write_element(formula, pattern);
    snippets.push("tile_products");
    let TileProduct { tile: [rows, columns], depth, threads, .. } = product;
    let (element, factor, count) = (product.c_type(), product.factor(), text.per_piece());
    let out = formula.components[0].name(|| component_alias(0));
    let tile = |ty: &str| format!("gr_tile<{ty}, {rows}, {columns}, {threads}>");
    let is_b_transposed = product.is_right_by_columns;
    let rounded = match product.element {
        TileElement::Tf32 => "sum".to_owned(),
        #[cfg(feature = "half")]
        _ => format!("gr_tile_map<{}>(gr_tile_cast<{element}>(), sum)", tile(element)),
    };
    let place = |matrix: &str, size: [usize; 2], at: [&str; 2]| {
        format!("gr_tile_at<{}, {}, {threads}>({matrix}, {matrix}_layout, matrix, {}, {})", size[0], size[1], at[0], at[1])
    };
    let b = match is_b_transposed {
        true => format!("gr_tile_transpose({})", place("b", [columns, depth], ["j", "k"])),
        false => place("b", [depth, columns], ["k", "j"]),
    };
    let [a, b] = [place("a", [rows, depth], ["i", "k"]), b].map(|tile| match product.element {
        TileElement::Tf32 => format!("gr_tile_tf32({tile})"),
        #[cfg(feature = "half")]
        _ => tile,
    });
    body.push(Segment::Text(leak(format!(
        "// What becomes of the elements of a tile of the product.\n\
         struct gr_following {{\n\
         \x20 const gr_inputs& in;\n\
         \x20 gr_coordinates first;\n\
         \x20 __device__ __forceinline__ gr_coordinates at(u32 row, u32 column) const {{\n\
         \x20   gr_coordinates c = first;\n\
         \x20   c.at[1] += row;\n\
         \x20   c.at[2] += column;\n\
         \x20   return c;\n\
         \x20 }}\n\
         \x20 // What a piece of a row is computed from, besides the product.\n\
         \x20 struct beside {{\n\
         \x20   gr_values x[{count}];\n\
         \x20 }};\n\
         \x20 __device__ __forceinline__ void load(u32 row, u32 column, beside& piece) const {{ gr_load_piece(in, at(row, column), piece.x); }}\n\
         \x20 __device__ __forceinline__ void of_piece(beside& piece, const {element}* product, {out}* results) const {{\n\
         #pragma unroll\n\
         \x20   for (u32 k = 0; k < {count}; k++) {{\n\
         \x20     piece.x[k].v{input} = product[k];\n\
         \x20     results[k] = gr_compute(in, piece.x[k]);\n\
         \x20   }}\n\
         \x20 }}\n\
         \x20 __device__ __forceinline__ {out} of_element(u32 row, u32 column, {element} product) const {{\n\
         \x20   gr_values x = gr_load_at(in, 0, at(row, column));\n\
         \x20   x.v{input} = product;\n\
         \x20   return gr_compute(in, x);\n\
         \x20 }}\n\
         }};\n\n\
         typedef gr_tile_chain<{factor}, {element}, {rows}, {depth}, {columns}, {threads}, {is_b_transposed}> gr_chain;\n\n"
    ))));
    let text = format!(
        "(const {element}* __restrict__ a, gr_layout<3> a_layout, const {element}* __restrict__ b, gr_layout<3> b_layout, const gr_inputs in, \
         {out}* __restrict__ c, gr_layout<3> c_layout) {{\n\
         \x20 const gr_tile_order order(c_layout.shape[1], c_layout.shape[2], {rows}, {columns});\n\
         \x20 const auto pair = [&](const usize number, const usize k) {{\n\
         \x20   const auto [matrix, i, j] = order.at(number);\n\
         \x20   return gr_tile_pair_of({a}, {b});\n\
         \x20 }};\n\
         \x20 const auto finish = [&](const usize number, const {sum}& sum) {{\n\
         \x20   const auto [matrix, i, j] = order.at(number);\n\
         \x20   gr_following following = {{in}};\n\
         \x20   following.first.at[0] = matrix, following.first.at[1] = i * {rows}, following.first.at[2] = j * {columns};\n\
         \x20   gr_tile_store_each<gr_chain>(gr_tile_at<{rows}, {columns}, {threads}>(c, c_layout, matrix, i, j), {rounded}, following);\n\
         \x20 }};\n\
         \x20 gr_tile_run_chain(gr_chain(), order.count(c_layout.shape[0]), a_layout.shape[2], pair, finish);\n\
         }}\n",
        sum = tile("f32"),
    );
    write_kernel(&mut body, threads, leak(text));
    body.extend([
        Segment::Text("extern \"C\" __device__ const u32 gr_tile_bytes_of_"),
        Segment::OwnName,
        Segment::Text(" = gr_chain::memory;\n"),
    ]);
    unit(leak(format!("product_{}", formula.name)), body, snippets)
}
