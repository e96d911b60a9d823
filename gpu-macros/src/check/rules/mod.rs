//! What rustc cannot refuse, one rule a file.

pub(crate) mod always_fails;
pub(crate) mod array_function;
pub(crate) mod assembly;
pub(crate) mod conversions;
pub(crate) mod dynamic;
pub(crate) mod generalized;
pub(crate) mod generics;
pub(crate) mod own_functions;
pub(crate) mod prints;
pub(crate) mod references_across_barriers;
pub(crate) mod scoped_atomics;
pub(crate) mod tiles;
pub(crate) mod unsupported;
