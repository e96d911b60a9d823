//! `ptx!`: instructions of the GPU in a kernel.

use super::{Block, Expr, Scalar, Type};

/// `ptx!("lop3.b32 {0}, {1}, {2}, {3}, 0x96;", out(u32), in(a), in(b), in(c), else { a ^ b ^ c })`.
///
/// Its value is the only output, or a tuple of them. A CPU evaluates the inputs too, and then the alternative for the value.
pub(crate) struct Assembly {
    pub(crate) template: Vec<TemplatePiece>,
    pub(crate) outputs: Vec<Scalar>,
    pub(crate) inputs: Vec<Expr>,
    /// `options(pure)`: the same inputs give the same outputs, without side effects.
    pub(crate) is_pure: bool,
    /// The alternative for a CPU.
    pub(crate) alternative: Block,
}

impl Assembly {
    /// The type of its value.
    pub(crate) fn output(&self) -> Type {
        match self.outputs.as_slice() {
            [] => Type::Unit,
            [output] => Type::Scalar(*output),
            outputs => Type::Tuple(outputs.iter().copied().map(Type::Scalar).collect()),
        }
    }
}

pub(crate) enum TemplatePiece {
    Text(String),
    /// Outputs first, then inputs.
    Operand(usize),
}

pub(crate) const NO_REGISTER: &str = "the operands of `ptx!` are numbers of 16, 32 or 64 bits\nhelp: cast an input, such as `x as u32`; declare an output of such a type, `out(u32)`, and compare it with zero for a `bool`";

/// Whether PTX has registers for this type. (`bool` uses predicates, which cannot be passed.)
pub(crate) fn has_register(scalar: Scalar) -> bool {
    scalar.bits() > 8
}
