//! That names of number types mean Rust's numbers: the CUDA C takes them for that.

/// The types that names mean in a module. Those of numbers must mean `Numbers`.
#[diagnostic::on_unimplemented(
    message = "a name of a number type means another type here: `{Numbers}` is `{Self}`",
    label = "in kernels, names such as `f64` and `u32` are Rust's numbers",
    note = "rename the `type` alias or the import that has the name of a number type"
)]
pub trait NumberNames<Numbers> {}

impl<T> NumberNames<T> for T {}

/// Named where a function names number types; not called.
pub fn names_mean<Written: NumberNames<Numbers>, Numbers>() {}

/// Called with what a path of the user's leads to and with the function that it is taken for: each function has a type of its own.
#[inline(always)]
pub const fn same_function<F: Copy>(_written: F, _meant: F) {}
