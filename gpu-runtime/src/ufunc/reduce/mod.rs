//! Functions that fold elements into one.

pub(super) mod functions;
