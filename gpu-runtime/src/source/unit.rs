//! One function's CUDA C: a list of [`Segment`]s, in which holes stand for everything only rustc can resolve (the value of a constant, the
//! device function that a path names, the type that a type parameter stands for). A generic device function has one unit for each list
//! of types that it is called with.

use std::any::TypeId;

use super::{CType, Sites};
use crate::constant::ConstantText;

/// A device function that a unit calls.
#[derive(Debug, Clone, Copy)]
pub struct Callee {
    /// Its identity: no other has the same. The address of a constant is none: it may have several, or share one.
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
    /// The forward declaration, without the closing `;`. Empty for a kernel.
    pub prototype: &'static [Segment],
    /// The definition.
    pub body: &'static [Segment],
    /// Names of the helper snippets that the body uses.
    pub snippets: &'static [&'static str],
    /// The Rust file it was written in, and where the function can fail at run time; [`Segment::Site`] indexes this.
    pub sites: &'static Sites,
    /// Whether a thread may run the function for several elements: nothing tells it which thread it is but the index that
    /// [`Region::SeveralElements`] computes.
    pub several_elements: bool,
}

impl SourceUnit {
    /// That of a function without CUDA C.
    pub const NONE: Self = Self { name: "", prototype: &[], body: &[], snippets: &[], sites: &Sites::NONE, several_elements: false };
}

/// A piece of CUDA C source.
#[derive(Debug, Clone, Copy)]
pub enum Segment {
    /// Literal text.
    Text(&'static str),
    /// PTX that the machine code is linked with, or, of a kernel, that is the kernel. Nothing of it stands in the text.
    Linked(&'static str),
    /// The value of a Rust constant as a C literal, such as `16ull` or `0.5f`.
    Constant(fn() -> String),
    /// The value of a Rust constant of any type, such as `Point{0.5f, 1.0f}`.
    Value(fn() -> ConstantText),
    /// The C name of a device function.
    Function(fn() -> Callee),
    /// The C name of a device function, in a function that computes with a `usize` of 32 bits: of that function in 32 bits, if it has them.
    NarrowFunction {
        /// As of [`Function`](Self::Function).
        callee: fn() -> Callee,
        /// Whether the caller has 32 bits only if the callee does.
        relies: bool,
    },
    /// Of a device function: where this is true, it does the same with a `usize` of 32 bits in callers that have such.
    NarrowIf(fn() -> bool),
    /// The C name of the user's function for an operator, which some types have. Where there is none, no program has this.
    Overload(fn() -> Option<Callee>),
    /// The C name of the type that a type parameter stands for, or of the user's.
    Type(fn() -> CType),
    /// The C name of the unit itself.
    OwnName,
    /// The first statement of a kernel: it waits for what the kernel before it on the stream has written, so that the driver may start it
    /// before that is done.
    Start,
    /// The program-wide number of the unit's failure site with this index.
    Site(u32),
    /// The next line of C comes from this line of the Rust file.
    Line(u32),
    /// The next function is called at this place of the Rust file.
    Call {
        /// From 1.
        line: u32,
        /// From 1.
        column: u32,
    },
    /// Here begins what only some programs have, up to the [`End`](Self::End) that belongs to it.
    Begin(Region),
    /// Here begins what only programs have for which this is true, up to its end.
    BeginIf(fn() -> bool),
    /// Here begins what only programs have in which there is such a function, up to its end.
    BeginOwn(fn() -> Option<Callee>),
    /// Here begins what only programs have in which there is none, up to its end.
    BeginOther(fn() -> Option<Callee>),
    /// The end of a region.
    End,
    /// Many segments in one text, as the macros write them: see [`template`](super::template).
    Template {
        /// CUDA C with tags.
        text: &'static str,
        /// What the tags with numbers stand for.
        holes: &'static [Segment],
    },
}

impl Segment {
    /// Whether it begins or ends a region.
    pub(super) fn is_mark(&self) -> bool {
        matches!(self, Self::Begin(_) | Self::BeginIf(_) | Self::BeginOwn(_) | Self::BeginOther(_) | Self::End)
    }
}

/// What only some of the programs have that are made of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// Only where one of these conditions of the kernel does not hold, a bit for each: under them, the check is redundant
    /// ([`Shown::holding`](crate::kernel::Shown::holding)).
    Checked(u32),
    /// Only where all of these conditions hold: what stands there instead.
    Shown(u32),
    /// Only where the launch has proved all checks redundant that it may, and where its [arrays are aligned](crate::kernel::Arguments::are_aligned).
    Proved,
    /// Only where the threads of the grid wait for each other.
    Cooperative,
    /// Of a kernel that [may run for several elements](SourceUnit::several_elements): where a thread does the element with its own
    /// number.
    OneElement,
    /// Of such a kernel: where a thread does [`ELEMENTS_PER_THREAD`](crate::dims::ELEMENTS_PER_THREAD) elements. A grid of that many
    /// times fewer blocks, each of [`FORALL_BLOCK`](crate::dims::FORALL_BLOCK) threads, then does what blocks of that size do with one
    /// element each.
    SeveralElements,
    /// Where a `usize` of the function has 64 bits.
    Wide,
    /// Where it has 32, which does the same: in a kernel where
    /// [`Shown::is_narrow`](crate::kernel::Shown::is_narrow) is `true`, and in what it calls.
    Narrow,
}
