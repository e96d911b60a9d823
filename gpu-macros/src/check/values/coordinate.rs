//! The numbers that tell which thread it is.

use crate::model::Axis;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coordinate {
    Thread(Axis),
    Block(Axis),
}

impl Coordinate {
    /// Who knows these is one thread.
    pub(crate) const ALL: [Self; 6] = [
        Self::Thread(Axis::X),
        Self::Thread(Axis::Y),
        Self::Thread(Axis::Z),
        Self::Block(Axis::X),
        Self::Block(Axis::Y),
        Self::Block(Axis::Z),
    ];
}
