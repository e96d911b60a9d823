//! The programs that a kernel can be compiled to: with all checks, with some, with none, for several elements, in 32 bits.
//!
//! Where a kernel has a `usize` of 32 bits, so have the device functions that say so, if what calls them has. All others have 64 bits, also what
//! they call: they may pass more than 32. A function that is called by both is in the program twice.

use std::any::TypeId;

use super::program::linked_units;
use super::snippets;
use crate::source::template::{flat, kept, kept_with_marks};
use crate::source::{Callee, Region, Segment, SourceUnit};

/// Which variant of a kernel to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variant {
    /// With every check.
    Checked,
    /// Without the checks that are redundant under these conditions of the kernel, a bit for each.
    Partly(u32),
    /// Without the checks that are redundant under any of its conditions.
    Unchecked,
    /// Without those checks, and a thread does several elements.
    SeveralElements,
    /// Without the checks that are redundant under these conditions, and with a `usize` of 32 bits.
    Narrow(u32),
}

impl Variant {
    /// This one, or where the kernel `root` has no such variant, the one with as many checks and nothing else.
    pub(crate) fn available(self, root: &'static SourceUnit) -> Self {
        match self {
            Self::SeveralElements if !has_variant_for_several_elements(root) => Self::Unchecked,
            Self::Narrow(_) if !has_own_region(root, |region| region == Region::Narrow) || !is_right_to_rely(root) => self.wide(),
            variant => variant,
        }
    }

    /// The variant with a `usize` of 64 bits.
    fn wide(self) -> Self {
        match self {
            Self::Narrow(u32::MAX) => Self::Unchecked,
            Self::Narrow(holding) => Self::Partly(holding),
            variant => variant,
        }
    }

    /// The variant that is [available](Self::available), or an earlier one which is the same program.
    pub(crate) fn distinct(self, root: &'static SourceUnit) -> Self {
        match self.available(root) {
            Self::Unchecked if !has_region(root, |region| matches!(region, Region::Checked(_) | Region::Proved)) => Self::Checked,
            Self::Partly(holding) if !has_region(root, |region| matches!(region, Region::Checked(unless) if unless & !holding == 0)) => {
                Self::Checked
            }
            variant => variant,
        }
    }

    /// A small number that tells it from most others.
    pub(crate) const fn number(self) -> usize {
        match self {
            Self::Checked => 0,
            Self::Unchecked => 1,
            Self::SeveralElements => 2,
            Self::Partly(holding) => 3 + !holding as usize % 13,
            Self::Narrow(holding) => 16 + !holding as usize % 13,
        }
    }

    /// Whether programs of this variant have such regions.
    pub(super) fn keeps(self, region: Region) -> bool {
        match region {
            Region::Checked(unless) => match self {
                Self::Checked => true,
                Self::Partly(holding) | Self::Narrow(holding) => unless & !holding != 0,
                Self::Unchecked | Self::SeveralElements => false,
            },
            Region::Shown(holding) => !self.keeps(Region::Checked(holding)),
            Region::Proved => matches!(self, Self::Unchecked | Self::SeveralElements | Self::Narrow(u32::MAX)),
            Region::OneElement => self != Self::SeveralElements,
            Region::SeveralElements => self == Self::SeveralElements,
            Region::Wide => !matches!(self, Self::Narrow(_)),
            Region::Narrow => matches!(self, Self::Narrow(_)),
            // Nothing in it depends on anything: it is looked at where a program is written.
            Region::Cooperative => false,
        }
    }

    /// What a function of this variant calls by such a segment, and the variant of that.
    pub(super) fn callee(self, segment: Segment) -> Option<(Callee, Self)> {
        match segment {
            Segment::Function(callee) => Some((callee(), self.wide())),
            Segment::Overload(callee) => callee().map(|callee| (callee, self.wide())),
            Segment::NarrowFunction { callee, .. } => {
                let callee = callee();
                Some((callee, if is_narrow(callee.unit) { self } else { self.wide() }))
            }
            _ => None,
        }
    }

    /// The segments of `unit` in this variant.
    pub(super) fn segments(self, unit: &'static SourceUnit) -> impl Iterator<Item = Segment> {
        [unit.prototype, unit.body].into_iter().flat_map(move |segments| kept(segments, move |region| self.keeps(region)))
    }

    /// Whether a thread can fail in `unit` itself.
    pub(super) fn can_fail(self, unit: &'static SourceUnit) -> bool {
        self.segments(unit).any(|segment| matches!(segment, Segment::Site(_)))
    }

    /// The snippets that `unit` uses. One that has lost its checks does not report failures: then each queue would load the program for
    /// itself, to find out whose they are.
    pub(super) fn snippets(self, unit: &'static SourceUnit) -> impl Iterator<Item = &'static str> {
        let can_fail = self.can_fail(unit);
        unit.snippets.iter().copied().filter(move |name| *name != snippets::PANIC || can_fail)
    }
}

/// Whether a device function does the same with a `usize` of 32 bits, where its arguments fit.
fn is_narrow(unit: &'static SourceUnit) -> bool {
    says_to_be_narrow(unit) && is_right_to_rely(unit)
}

fn says_to_be_narrow(unit: &'static SourceUnit) -> bool {
    flat(unit.prototype).any(|segment| matches!(segment, Segment::NarrowIf(holds) if holds()))
}

/// Whether all functions have 32 bits which `unit` relies on to have them, and those that these rely on.
fn is_right_to_rely(unit: &'static SourceUnit) -> bool {
    let mut reached = vec![Callee { id: TypeId::of::<()>(), unit }];
    let mut next = 0;
    while let Some(&caller) = reached.get(next) {
        next += 1;
        for segment in flat(caller.unit.body) {
            let Segment::NarrowFunction { callee, relies: true } = segment else { continue };
            let callee = callee();
            if !says_to_be_narrow(callee.unit) {
                return false;
            }
            if !reached.iter().any(|known| known.id == callee.id) {
                reached.push(callee);
            }
        }
    }
    true
}

/// Whether a thread may run the kernel `root` for several elements: neither it nor a function that it calls wants to know its thread
/// otherwise, and none of them can fail, which would end the thread.
fn has_variant_for_several_elements(root: &'static SourceUnit) -> bool {
    let variant = Variant::SeveralElements;
    linked_units(root, variant).iter().all(|unit| unit.several_elements && !variant.can_fail(unit))
}

/// Whether the kernel or a function that it calls has such regions.
fn has_region(root: &'static SourceUnit, is_sought: impl Fn(Region) -> bool) -> bool {
    linked_units(root, Variant::Checked).iter().any(|unit| has_own_region(unit, &is_sought))
}

fn has_own_region(unit: &'static SourceUnit, is_sought: impl Fn(Region) -> bool) -> bool {
    let is_mark = |segment| matches!(segment, Segment::Begin(found) if is_sought(found));
    let marks = |segments| kept_with_marks(segments, |_| true).any(&is_mark);
    marks(unit.prototype) || marks(unit.body)
}
