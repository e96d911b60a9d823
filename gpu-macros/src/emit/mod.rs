//! Prints the model: `cuda` as CUDA C, `rust` as the twin, the launcher and the tables that carry the CUDA C.

mod array;
pub(crate) mod cuda;
pub(crate) mod rust;
mod source;

pub(crate) use source::{
    AssociatedCallee, AssociatedFunction, Callee, Cooperation, Known, KnownUse, Operands, OperatorCallee, Overload, Piece, Source,
};
