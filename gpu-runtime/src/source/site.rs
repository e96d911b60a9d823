//! Where a function can fail at run time, and what goes wrong there.

use std::fmt;

use super::PrintFormat;

/// The places of one function that can fail.
///
/// Generated code has them as one text, of which nothing is read until a thread fails. The text has the line, column and kind of each,
/// as in `12:9i 14:5a1 15:5k0`:
///
/// | kind | is |
/// |---|---|
/// | `i` | [`SiteKind::Index`] |
/// | `a1` | [`SiteKind::AxisIndex`] of axis 1 |
/// | `d` | [`SiteKind::Division`] |
/// | `b` | [`SiteKind::Barrier`] |
/// | `g` | [`SiteKind::GridBarrier`] |
/// | `w` | [`SiteKind::Warp`] |
/// | `k0` | the first of `kinds`, which hold more than a number |
#[derive(Debug)]
pub struct Sites {
    /// The Rust file, from `file!()`.
    file: &'static str,
    text: &'static str,
    kinds: &'static [SiteKind],
}

impl Sites {
    /// Those of a function of the runtime that cannot fail.
    pub const NONE: Self = Self::none_in("");

    /// Those of a function in `file` that cannot fail.
    #[must_use]
    pub const fn none_in(file: &'static str) -> Self {
        Self::new(file, "", &[])
    }

    /// The places in `file` that `text` describes.
    #[must_use]
    pub const fn new(file: &'static str, text: &'static str, kinds: &'static [SiteKind]) -> Self {
        Self { file, text, kinds }
    }

    /// The Rust file.
    #[must_use]
    pub const fn file(&self) -> &'static str {
        self.file
    }

    /// The place with this index.
    #[inline]
    #[must_use]
    pub const fn at(&'static self, index: u32) -> Site {
        Site { sites: self, index }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.text.split_whitespace().count()
    }

    /// All of them, in order.
    pub(crate) fn all(&'static self) -> impl Iterator<Item = Site> {
        (0..self.len()).map(|index| self.at(index as u32))
    }

    /// Line, column and kind of the place with this index.
    fn read(&self, index: u32) -> Option<(u32, u32, SiteKind)> {
        let entry = self.text.split_whitespace().nth(index as usize)?;
        let (line, rest) = entry.split_once(':')?;
        let (column, kind) = rest.split_at(rest.find(|c: char| c.is_ascii_alphabetic())?);
        let (kind, number) = kind.split_at(1);
        let kind = match kind {
            "i" => SiteKind::Index,
            "a" => SiteKind::AxisIndex(number.parse().ok()?),
            "d" => SiteKind::Division,
            "b" => SiteKind::Barrier,
            "g" => SiteKind::GridBarrier,
            "w" => SiteKind::Warp,
            "k" => *self.kinds.get(number.parse::<usize>().ok()?)?,
            _ => return None,
        };
        Some((line.parse().ok()?, column.parse().ok()?, kind))
    }
}

/// File, line and column, both from 1.
pub(crate) type Place = (&'static str, u32, u32);

/// A place in a kernel or device function that can fail at run time.
#[derive(Clone, Copy)]
pub struct Site {
    sites: &'static Sites,
    index: u32,
}

impl Site {
    /// The Rust file.
    #[must_use]
    pub fn file(self) -> &'static str {
        self.sites.file
    }

    /// The line, from 1.
    #[must_use]
    pub fn line(self) -> u32 {
        self.read().0
    }

    /// The column, from 1.
    #[must_use]
    pub fn column(self) -> u32 {
        self.read().1
    }

    /// All three.
    pub(crate) fn place(self) -> Place {
        let (line, column, _) = self.read();
        (self.file(), line, column)
    }

    /// What goes wrong there.
    #[must_use]
    pub fn kind(self) -> SiteKind {
        self.read().2
    }

    /// A place of its own.
    #[cfg(test)]
    pub(crate) fn of_test(file: &'static str, line: u32, column: u32, kind: SiteKind) -> Self {
        let text = format!("{line}:{column}k0").leak();
        Box::leak(Box::new(Sites::new(file, text, Box::leak(Box::new([kind]))))).at(0)
    }

    fn read(self) -> (u32, u32, SiteKind) {
        let Some(place) = self.sites.read(self.index) else {
            panic!("there is no site {} in `{}`: gpu-macros and gpu-runtime are of different versions", self.index, self.sites.text)
        };
        place
    }
}

/// A function has one table, so its address tells it from those of others.
impl PartialEq for Site {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.sites, other.sites) && self.index == other.index
    }
}

impl Eq for Site {}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column, kind) = self.read();
        write!(f, "{}:{line}:{column} {kind:?}", self.file())
    }
}

/// What can go wrong at a [`Site`]. On the GPU, a failure has two 64-bit values besides the number of the site.
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
    /// A function of a warp that its threads reached at different places, or with masks by which they cannot synchronize. Values: the mask;
    /// unused. (Only the CPU backend notices.)
    Warp,
    /// `print!` or `println!`, where nothing goes wrong.
    Print(PrintFormat),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_read_from_their_text() {
        static SITES: Sites = Sites::new("k.rs", "12:9i 14:15a1 7:100k1 8:1b", &[SiteKind::Panic("zero"), SiteKind::Panic("one")]);
        let places: Vec<_> = SITES.all().map(|site| (site.line(), site.column(), site.kind())).collect();
        let expected =
            [(12, 9, SiteKind::Index), (14, 15, SiteKind::AxisIndex(1)), (7, 100, SiteKind::Panic("one")), (8, 1, SiteKind::Barrier)];
        assert_eq!(places, expected);
        assert_eq!(SITES.at(2).file(), "k.rs");
        assert!(Sites::NONE.is_empty());
        assert_eq!(Sites::NONE.len(), 0);
    }

    #[test]
    #[should_panic(expected = "different versions")]
    fn a_site_that_is_not_there_is_refused() {
        static SITES: Sites = Sites::new("k.rs", "12:9i", &[]);
        let _ = SITES.at(1).kind();
    }
}
