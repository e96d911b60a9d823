//! How a kernel finds the elements of its operands.

use std::fmt::Write as _;

use crate::ufunc::input::Input;
use crate::ufunc::plan::{self, Access, Operand, Plan};

/// What the text of a kernel depends on, besides the code: how operands are accessed, and whether indices fit 32 bits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct AccessPattern {
    /// How many axes the coordinates have; 0 where none are needed.
    pub(crate) rank: usize,
    pub(super) inputs: Vec<InputText>,
    pub(super) outputs: Vec<Access>,
    wide: bool,
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
                .map(|(index, operand)| InputText { access: operand.access, same_as: plan::same_as(inputs, index) })
                .collect(),
            outputs: of_outputs
                .iter()
                .map(|operand| if operand.access == Access::Strided { Access::Strided } else { Access::Flat })
                .collect(),
            wide: plan.needs_coordinates() && u32::try_from(plan.len).is_err(),
        }
    }

    /// The pattern of a plan whose operands are all alike to the kernel.
    pub(crate) fn of_operands(plan: &Plan) -> Self {
        let input = |operand: &Operand| InputText { access: operand.access, same_as: None };
        Self { inputs: plan.operands.iter().map(input).collect(), ..Self::new(plan, &[]) }.without_outputs()
    }

    fn without_outputs(self) -> Self {
        Self { outputs: Vec::new(), ..self }
    }

    /// How an input is accessed.
    pub(crate) fn access(&self, input: usize) -> Access {
        self.inputs[input].access
    }

    /// The last fields of the struct of operands: what [`Plan::coordinate_words`] fills in.
    pub(crate) fn write_coordinate_fields(&self, out: &mut String) {
        let rank = self.rank;
        if rank > 0 {
            let _ = writeln!(out, "  u64 extents[{rank}];");
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

/// What the text of a kernel depends on, for one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct InputText {
    pub(super) access: Access,
    /// The input that is the same memory seen the same way.
    pub(super) same_as: Option<usize>,
}

/// The index of an element in an operand whose strides are the field `strides`.
pub(crate) fn index_text(access: Access, strides: &str) -> String {
    match access {
        Access::Flat => "i".to_owned(),
        Access::Fixed => "0".to_owned(),
        Access::Strided => format!("gr_offset(c, in.{strides})"),
    }
}

/// The coordinates of an element, and the offset in an operand that they give.
pub(crate) fn write_coordinates(out: &mut String, pattern: &AccessPattern) {
    let (rank, word) = (pattern.rank, if pattern.wide { "u64" } else { "u32" });
    let _ = writeln!(out, "struct gr_coordinates {{\n  {word} at[{rank}];\n}};\n");
    let _ = writeln!(out, "static __device__ __forceinline__ gr_coordinates gr_coordinates_of(const u64 i, const u64* extents) {{");
    let _ = writeln!(out, "  gr_coordinates c;\n  {word} rest = ({word})i;");
    for axis in (1..rank).rev() {
        let _ = writeln!(out, "  c.at[{axis}] = rest % ({word})extents[{axis}];\n  rest /= ({word})extents[{axis}];");
    }
    out.push_str("  c.at[0] = rest;\n  return c;\n}\n\n");
    out.push_str("static __device__ __forceinline__ i64 gr_offset(const gr_coordinates& c, const i64* strides) {\n");
    let terms: Vec<String> = (0..rank).map(|axis| format!("(i64)c.at[{axis}] * strides[{axis}]")).collect();
    let _ = writeln!(out, "  return {};\n}}\n", terms.join(" + "));
}
