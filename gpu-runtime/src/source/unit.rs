//! One function's CUDA C: a list of [`Segment`]s, in which holes stand for everything only rustc can resolve (the value of a constant, the
//! device function that a path names, the type that a type parameter stands for). A generic device function has one unit for each list
//! of types that it is called with.

use std::any::TypeId;

use super::{CType, PrintFormat};
use crate::constant::ConstantText;

/// A device function that a unit calls.
#[derive(Debug, Clone, Copy)]
pub struct Callee {
    /// What tells it from every other. The address of a constant does not: it may have several, or share one.
    pub id: TypeId,
    /// Its CUDA C.
    pub unit: &'static SourceUnit,
}

/// One function's CUDA C with holes.
#[derive(Debug)]
pub struct SourceUnit {
    /// The user's name for the function, already safe as a C identifier; the linker appends a number where two
    /// functions of one program share it.
    pub name: &'static str,
    /// The Rust file it was written in, from `file!()`.
    pub file: &'static str,
    /// The forward declaration, without the closing `;`. Empty for a kernel.
    pub prototype: &'static [Segment],
    /// The definition.
    pub body: &'static [Segment],
    /// Names of the helper snippets that the body uses.
    pub snippets: &'static [&'static str],
    /// Where the function can fail at run time; [`Segment::Site`] indexes this.
    pub sites: &'static [Site],
    /// Whether a thread may run the function for several elements: nothing tells it which thread it is but the index that
    /// [`Segment::Elements`] stands for.
    pub several_elements: bool,
}

/// A piece of CUDA C source.
#[derive(Debug, Clone, Copy)]
pub enum Segment {
    /// Literal text.
    Text(&'static str),
    /// PTX that the machine code is linked with. Nothing of it stands in the text.
    Linked(&'static str),
    /// The value of a Rust constant as a C literal, such as `16ull` or `0.5f`.
    Constant(fn() -> String),
    /// The value of a Rust constant of any type, such as `Point{0.5f, 1.0f}`.
    Value(fn() -> ConstantText),
    /// The C name of a device function.
    Function(fn() -> Callee),
    /// The C name of the type that a type parameter stands for, or of the user's.
    Type(fn() -> CType),
    /// The C name of the unit itself.
    OwnName,
    /// The program-wide number of the unit's failure site with this index.
    Site(u32),
    /// Present only where the launch could not prove the check redundant ([`KernelDefinition::in_bounds`](crate::kernel::KernelDefinition::in_bounds) is `false`).
    Checked(&'static [Segment]),
    /// Present only in a program in which the threads of the grid wait for each other.
    Cooperative(&'static [Segment]),
    /// Alternatives, in a kernel that [may run for several elements](SourceUnit::several_elements).
    Elements {
        /// Where a thread does the element with its own number.
        one: &'static [Segment],
        /// Where a thread does [`ELEMENTS_PER_THREAD`](crate::kernel::ELEMENTS_PER_THREAD) elements. A grid of that many times fewer blocks,
        /// each of [`FORALL_BLOCK`](crate::kernel::FORALL_BLOCK) threads, then does what blocks of that size do with one element each.
        several: &'static [Segment],
    },
    /// The next line of C comes from this line of the Rust file.
    Line(u32),
}

/// A place in a kernel or device function that can fail at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    /// The Rust file, from `file!()`.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What goes wrong there.
    pub kind: SiteKind,
}

/// What can go wrong at a [`Site`]. On the GPU a failure carries two 64-bit values beside the site's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteKind {
    /// An index at or past the length. Values: index, length.
    Index,
    /// An index at or past the extent of this axis of a view. Values: index, extent.
    AxisIndex(u8),
    /// Integer division or remainder. Values: 0 for a zero divisor, 1 for an overflow (`MIN / -1`); unused.
    Division,
    /// `panic!`, with its message.
    Panic(&'static str),
    /// `assert!`, with its message (the condition's text where the user gave none).
    Assert(&'static str),
    /// `sync_threads()` that the threads of a block reached at different places. (Only the CPU backend notices.)
    Barrier,
    /// `sync_grid()` that the blocks of a grid reached at different places. Values: the number of the site where the others wait; unused.
    GridBarrier,
    /// A function of a warp that its threads reached at different places, or with masks by which they cannot meet. Values: the mask;
    /// unused. (Only the CPU backend notices.)
    Warp,
    /// `print!` or `println!`, where nothing goes wrong.
    Print(PrintFormat),
}
