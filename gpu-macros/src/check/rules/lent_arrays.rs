//! Shared arrays that a device function passes on.
//!
//! Two calls in a row use the same array, so nothing is proved of its accesses, and the function reads each element once. What takes the array reads
//! its elements as often as C++ likes. (Of a kernel's own arrays, the launch tells whether they are proved.)

use crate::check::clients::shared_memory::lent_arrays;
use crate::errors::Errors;
use crate::model::*;

/// Refuses to pass on one of the `shared` arrays of a device function, or a part of it.
pub(crate) fn check_lent_arrays(function: &Function, shared: &[LocalId], errors: &Errors) {
    if matches!(function.kind, FunctionKind::Kernel(_)) {
        return;
    }
    for (array, arg) in lent_arrays(function, shared) {
        let name = &function.local(array).name;
        errors.push(
            arg.span,
            format!("`{name}` is a shared array of this device function, so it cannot be passed to another function\nhelp: pass its values, or declare it in the kernel, and pass it to both functions"),
        );
    }
}
