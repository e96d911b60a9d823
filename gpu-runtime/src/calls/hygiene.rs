//! Whether a name is that of a variable, where one of them comes from a macro.

/// The value of a variable that generated code declares under a name of the user's.
#[derive(Debug)]
pub struct Variable;

/// Whether a value is that.
#[diagnostic::on_unimplemented(
    message = "this name and the variable that is called so come from different macros",
    label = "another item or variable of this name",
    note = "rename the variable"
)]
pub trait SameVariable {}

impl SameVariable for Variable {}

/// Called, in a closure that is not, with what a name leads to.
pub fn same_variable(_: impl SameVariable) {}
