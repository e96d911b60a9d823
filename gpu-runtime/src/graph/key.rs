//! What distinguishes arguments of a graph: whether its recording is still that of what it is launched with.

use crate::device::Device;
use crate::memory::Layout;

/// What distinguishes a value from others of its type, part by part.
///
/// It has one type for all values, so that a public struct may have fields of private ones.
#[derive(Default, PartialEq)]
pub struct Key(Vec<Part>);

/// An array, a number or another value that code of a graph can tell from others.
#[derive(PartialEq)]
pub(super) enum Part {
    /// As recorded code sees it: the address of its first element, and its shape and strides.
    Array {
        first: u64,
        layout: Layout,
    },
    /// The bits of a number, or how many parts of a list follow.
    Number(u64),
    Text(String),
    Device(Device),
}

impl Key {
    #[inline]
    pub(super) fn add(&mut self, part: Part) {
        self.0.push(part);
    }
}
