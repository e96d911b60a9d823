//! How a kernel finds the elements of its operands.

use std::fmt::Write as _;

use super::product::{BesideProduct, ProductText};
use super::tiles::Tiling;
use crate::ufunc::input::Input;
use crate::ufunc::plan::{self, Access, Operand, Plan};

/// What the text of a kernel depends on, besides the code: how operands are accessed, and whether indices fit 32 bits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct AccessPattern {
    /// How many axes the coordinates have; 0 where none are needed.
    pub(crate) rank: usize,
    pub(super) inputs: Vec<InputText>,
    pub(super) outputs: Vec<Access>,
    /// The tiles in which a kernel that stores the elements computes them.
    pub(super) tiling: Option<Tiling>,
    /// The product of matrices that a kernel computes as one of its inputs.
    pub(super) product: Option<ProductText>,
    /// Whether a thread of a reduction takes elements along the last axis.
    along_last_axis: bool,
    wide: bool,
    /// Whether coordinates and strides fit 32 bits with a sign: their product is one instruction then.
    short: bool,
}

impl AccessPattern {
    /// The pattern of a plan whose operands are these inputs and then the outputs.
    pub(crate) fn new(plan: &Plan, inputs: &[Input<'_>]) -> Self {
        let (of_inputs, of_outputs) = plan.operands.split_at(inputs.len());
        Self {
            rank: if plan.needs_coordinates() { plan.extents.len() } else { 0 },
            inputs: of_inputs
                .iter()
                .enumerate()
                .map(|(index, operand)| InputText {
                    access: operand.access,
                    same_as: plan::same_as(inputs, index),
                    in_memory: inputs[index].kind.pointer().is_some(),
                    turned: false,
                    is_row: false,
                    beside_product: None,
                })
                .collect(),
            outputs: of_outputs
                .iter()
                .map(|operand| if operand.access == Access::Strided { Access::Strided } else { Access::Flat })
                .collect(),
            tiling: None,
            product: None,
            along_last_axis: false,
            wide: plan.needs_coordinates() && u32::try_from(plan.len).is_err(),
            short: plan.needs_coordinates() && has_short_strides(plan),
        }
    }

    /// The same for threads that take elements along the last axis of `plan`, if `condition` holds and there are coordinates.
    pub(crate) fn along_last_axis(mut self, plan: &Plan, condition: bool) -> Self {
        self.along_last_axis = condition && self.rank > 0;
        for (input, operand) in self.inputs.iter_mut().zip(&plan.operands) {
            input.is_row = self.along_last_axis && operand.strides.last() == Some(&1);
        }
        self
    }

    pub(crate) fn is_along_last_axis(&self) -> bool {
        self.along_last_axis
    }

    /// The same for a kernel that stores the elements: in tiles if that makes the memory accesses of an input faster.
    pub(crate) fn in_tiles(plan: &Plan, inputs: &[Input<'_>]) -> Self {
        let mut pattern = Self::new(plan, inputs);
        if let Some((tiling, turned)) = Tiling::of(plan, inputs) {
            pattern.tiling = Some(tiling);
            turned.iter().for_each(|&input| pattern.inputs[input].turned = true);
        }
        pattern
    }

    /// The pattern of a plan whose operands are all alike to the kernel.
    pub(crate) fn of_operands(plan: &Plan) -> Self {
        let input = |operand: &Operand| InputText {
            access: operand.access,
            same_as: None,
            in_memory: true,
            turned: false,
            is_row: false,
            beside_product: None,
        };
        Self { inputs: plan.operands.iter().map(input).collect(), ..Self::new(plan, &[]) }.without_outputs()
    }

    fn without_outputs(self) -> Self {
        Self { outputs: Vec::new(), ..self }
    }

    /// How many inputs there are.
    pub(crate) fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// How an input is accessed.
    pub(crate) fn access(&self, input: usize) -> Access {
        self.inputs[input].access
    }

    /// The last fields of the struct of operands: what [`Plan::coordinate_words`] fills in.
    pub(crate) fn write_coordinate_fields(&self, out: &mut String) {
        let rank = self.rank;
        if rank > 0 {
            let _ = writeln!(out, "  u64 extents[{}];", 2 * rank);
            for (number, _) in self.inputs.iter().enumerate().filter(|(_, input)| input.access == Access::Strided) {
                let _ = writeln!(out, "  i64 s{number}[{rank}];");
            }
            for (number, _) in self.outputs.iter().enumerate().filter(|(_, access)| **access == Access::Strided) {
                let _ = writeln!(out, "  i64 t{number}[{rank}];");
            }
        }
        // A struct has at least one field.
        out.push_str("  u64 end;\n");
    }
}

fn has_short_strides(plan: &Plan) -> bool {
    let is_short = |stride: &isize| i32::try_from(*stride).is_ok();
    i32::try_from(plan.len).is_ok() && plan.operands.iter().all(|operand| operand.strides.iter().all(is_short))
}

/// What the text of a kernel depends on, for one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct InputText {
    pub(super) access: Access,
    /// The input that is the same memory seen the same way, or the same value.
    pub(super) same_as: Option<usize>,
    /// Whether it is an array: numbers of elements are one after they were reshaped.
    pub(super) in_memory: bool,
    /// Whether its elements are read through a tile in shared memory.
    pub(super) turned: bool,
    /// Whether it is contiguous along the last axis, in a kernel whose threads take elements along it.
    pub(super) is_row: bool,
    /// How it follows the rows and columns of a product that the kernel computes.
    pub(super) beside_product: Option<BesideProduct>,
}

impl InputText {
    /// The index of an element in the input, whose strides are the field `strides`.
    pub(super) fn index(self, strides: &str) -> String {
        if let Some(beside) = self.beside_product {
            return beside.index("c", strides);
        }
        match self.access {
            Access::Strided if self.is_row => format!("gr_offset_in_row(c, in.{strides})"),
            access => index_text(access, strides),
        }
    }
}

/// The index of an element in an operand whose strides are the field `strides`.
pub(crate) fn index_text(access: Access, strides: &str) -> String {
    match access {
        Access::Flat => "i".to_owned(),
        Access::Fixed => "0".to_owned(),
        Access::Strided => format!("gr_offset(c, in.{strides})"),
    }
}

/// The coordinates of an element, and the offset in an operand that they give. `extents` holds the extents, and then what divides by each:
/// see [`Plan::coordinate_words`].
pub(crate) fn write_coordinates(out: &mut String, pattern: &AccessPattern) {
    let (rank, word) = (pattern.rank, if pattern.wide { "u64" } else { "u32" });
    if !pattern.wide {
        out.push_str(QUOTIENT);
    }
    let further = if pattern.along_last_axis { "  // Elements from there along the last axis.\n  i64 further;\n" } else { "" };
    let _ = writeln!(out, "struct gr_coordinates {{\n  {word} at[{rank}];\n{further}}};\n");
    let _ = writeln!(out, "static __device__ __forceinline__ gr_coordinates gr_coordinates_of(const u64 i, const u64* extents) {{");
    let _ = writeln!(out, "  gr_coordinates c;\n  {word} rest = ({word})i;");
    for axis in (1..rank).rev() {
        let quotient = match pattern.wide {
            true => format!("rest / extents[{axis}]"),
            false => format!("gr_quotient(rest, extents[{}])", rank + axis),
        };
        let _ = writeln!(out, "  const {word} above{axis} = {quotient};");
        let _ = writeln!(out, "  c.at[{axis}] = rest - above{axis} * ({word})extents[{axis}];\n  rest = above{axis};");
    }
    let start = if pattern.along_last_axis { "  c.further = 0;\n" } else { "" };
    let _ = write!(out, "  c.at[0] = rest;\n{start}  return c;\n}}\n\n");
    let short = if pattern.short { "(i32)" } else { "" };
    let terms: Vec<String> = (0..rank).map(|axis| format!("(i64){short}c.at[{axis}] * {short}strides[{axis}]")).collect();
    let terms = terms.join(" + ");
    let mut offset = |name: &str, further: &str| {
        let _ = write!(
            out,
            "static __device__ __forceinline__ i64 {name}(const gr_coordinates& c, const i64* strides) {{\n  return {terms}{further};\n}}\n\n"
        );
    };
    if pattern.along_last_axis {
        offset("gr_offset", &format!(" + c.further * strides[{}]", rank - 1));
        offset("gr_offset_in_row", " + c.further");
    } else {
        offset("gr_offset", "");
    }
}

/// The quotient by a number that is known before the launch, without a division.
const QUOTIENT: &str = "\
static __device__ __forceinline__ u32 gr_quotient(const u32 n, const u64 divider) {
  const u32 high = __umulhi((u32)divider, n);
  return (high + (n - high) / 2) >> (u32)(divider >> 32);
}

";
