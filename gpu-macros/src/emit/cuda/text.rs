//! C text with holes for parts that only rustc or the launch knows.

use crate::emit::Piece;
use std::rc::Rc;

/// A text, and a table of the holes in it. [`c!`](super::c) puts it together.
#[derive(Clone, Default)]
pub(super) struct CText {
    text: String,
    /// Each with the byte that it stands in front of, in order.
    holes: Vec<(usize, Rc<Piece>)>,
}

impl CText {
    pub(super) fn hole(piece: Piece) -> CText {
        CText { text: String::new(), holes: vec![(0, Rc::new(piece))] }
    }

    pub(super) fn push(&mut self, part: impl Append) {
        part.append_to(self);
    }

    pub(super) fn push_hole(&mut self, piece: Piece) {
        self.holes.push((self.text.len(), Rc::new(piece)));
    }

    pub(super) fn into_pieces(self) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(2 * self.holes.len() + 1);
        let mut start = 0;
        for (end, hole) in self.holes {
            if start < end {
                pieces.push(Piece::Text(self.text[start..end].to_owned()));
            }
            pieces.push(Rc::unwrap_or_clone(hole));
            start = end;
        }
        if start < self.text.len() {
            pieces.push(Piece::Text(self.text[start..].to_owned()));
        }
        pieces
    }
}

impl PartialEq for CText {
    /// Whether the two say the same in every program: holes are the same if one is a copy of the other.
    fn eq(&self, other: &CText) -> bool {
        let key = |(at, hole): &(usize, Rc<Piece>)| (*at, Rc::as_ptr(hole));
        self.text == other.text && self.holes.iter().map(key).eq(other.holes.iter().map(key))
    }
}

impl From<&str> for CText {
    fn from(text: &str) -> CText {
        CText { text: text.to_owned(), holes: Vec::new() }
    }
}

impl From<String> for CText {
    fn from(text: String) -> CText {
        CText { text, holes: Vec::new() }
    }
}

/// What a [`CText`] is made of.
pub(super) trait Append {
    fn append_to(&self, text: &mut CText);
}

impl Append for CText {
    fn append_to(&self, text: &mut CText) {
        let start = text.text.len();
        text.text.push_str(&self.text);
        text.holes.extend(self.holes.iter().map(|(at, hole)| (start + at, hole.clone())));
    }
}

impl Append for str {
    fn append_to(&self, text: &mut CText) {
        text.text.push_str(self);
    }
}

impl Append for String {
    fn append_to(&self, text: &mut CText) {
        self.as_str().append_to(text);
    }
}

impl Append for usize {
    fn append_to(&self, text: &mut CText) {
        self.to_string().append_to(text);
    }
}

impl Append for u64 {
    fn append_to(&self, text: &mut CText) {
        self.to_string().append_to(text);
    }
}

impl<T: Append + ?Sized> Append for &T {
    fn append_to(&self, text: &mut CText) {
        (**self).append_to(text);
    }
}

/// `c!["if (", condition, ") return;"]`: a [`CText`] of these parts.
macro_rules! c {
    ($($part:expr),* $(,)?) => {{
        let mut text = $crate::emit::cuda::text::CText::default();
        $(text.push(&$part);)*
        text
    }};
}
pub(super) use c;

/// The parts with `separator` between them.
pub(super) fn join(parts: impl IntoIterator<Item = impl Append>, separator: &str) -> CText {
    let mut joined = CText::default();
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            joined.push(separator);
        }
        joined.push(part);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_stay_where_they_are_put() {
        let site = CText::hole(Piece::Site(7));
        let call = c!["gr_panic(", site, ", ", 3_usize, ");"];
        let lines = c![call, join([&call, &site], "\n")];
        let show = |piece| match piece {
            Piece::Text(text) => text,
            Piece::Site(number) => format!("#{number}"),
            _ => unreachable!("no other hole was put in"),
        };
        let shown: Vec<String> = lines.into_pieces().into_iter().map(show).collect();
        assert_eq!(shown, ["gr_panic(", "#7", ", 3);gr_panic(", "#7", ", 3);\n", "#7"]);
    }

    #[test]
    fn texts_are_the_same_where_their_holes_are_copies_of_one() {
        let (a, b) = (CText::hole(Piece::Site(7)), CText::hole(Piece::Site(7)));
        assert!(c!["x", a] == c!["x", a]);
        assert!(c!["x", a] != c!["x", b] && c!["x", a] != c![a, "x"]);
    }
}
