//! What is known of the value of an expression: polynomials, intervals, and the names of operations that have none.

pub(crate) mod coordinate;
pub(crate) mod form;
pub(crate) mod interval;
pub(crate) mod operation;
pub(crate) mod polynomial;
pub(crate) mod terms;
pub(crate) mod type_name;
pub(crate) mod value;
