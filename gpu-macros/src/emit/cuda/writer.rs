//! Lines of C with indentation, and holes in text.

use crate::emit::Piece;

/// First of the private-use characters that stand for holes in text under construction. Identifiers are ASCII and literals
/// are numbers, so no user text can contain one.
const FIRST_MARKER: u32 = 0xF_0000;

/// The marker of the hole with this index.
pub(super) fn marker(index: usize) -> String {
    char::from_u32(FIRST_MARKER + index as u32).expect("a function has fewer holes than the private use plane has characters").to_string()
}

pub(super) fn is_marker(character: char) -> bool {
    u32::from(character) >= FIRST_MARKER
}

enum Line {
    Text(String),
    /// A check that a launch may make redundant.
    Checked(String),
    /// Source line of what follows.
    Origin(u32),
}

pub(super) struct Writer {
    lines: Vec<Line>,
    depth: usize,
}

/// Lines taken out of the writer, to be put back or dropped.
pub(super) struct Captured(Vec<Line>);

impl Captured {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Writer {
    pub(super) fn new() -> Writer {
        Writer { lines: Vec::new(), depth: 0 }
    }

    pub(super) fn indent(&mut self) {
        self.depth += 1;
    }

    pub(super) fn dedent(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(Line::Text(format!("{}{}\n", "  ".repeat(self.depth), text.as_ref())));
    }

    pub(super) fn checked_line(&mut self, text: impl AsRef<str>) {
        self.lines.push(Line::Checked(format!("{}{}\n", "  ".repeat(self.depth), text.as_ref())));
    }

    /// A C label stands one step out.
    pub(super) fn label(&mut self, name: &str) {
        self.lines.push(Line::Text(format!("{}{name}:;\n", "  ".repeat(self.depth.saturating_sub(1)))));
    }

    pub(super) fn origin(&mut self, line: u32) {
        if matches!(self.lines.last(), Some(Line::Origin(_))) {
            self.lines.pop();
        }
        self.lines.push(Line::Origin(line));
    }

    /// Starts collecting lines apart; give the result to [`Writer::end_capture`].
    pub(super) fn begin_capture(&mut self) -> Captured {
        Captured(std::mem::take(&mut self.lines))
    }

    /// Ends collecting: returns the collected lines and puts `outer` back.
    pub(super) fn end_capture(&mut self, outer: Captured) -> Captured {
        Captured(std::mem::replace(&mut self.lines, outer.0))
    }

    pub(super) fn append(&mut self, captured: Captured) {
        self.lines.extend(captured.0);
    }

    /// Puts captured lines back, one step further in.
    pub(super) fn append_indented(&mut self, captured: Captured) {
        self.lines.extend(captured.0.into_iter().map(|line| match line {
            Line::Text(text) => Line::Text(format!("  {text}")),
            Line::Checked(text) => Line::Checked(format!("  {text}")),
            origin => origin,
        }));
    }

    pub(super) fn finish(self, holes: &[Piece], pieces: &mut Vec<Piece>) {
        for line in self.lines {
            match line {
                Line::Text(text) => split_holes(&text, holes, pieces),
                Line::Checked(text) => {
                    let mut inner = Vec::new();
                    split_holes(&text, holes, &mut inner);
                    pieces.push(Piece::Checked(inner));
                }
                Line::Origin(line) => pieces.push(Piece::Line(line)),
            }
        }
    }
}

/// Appends `text` to `pieces`, with markers replaced by their holes.
pub(super) fn split_holes(text: &str, holes: &[Piece], pieces: &mut Vec<Piece>) {
    for character in text.chars() {
        match u32::from(character).checked_sub(FIRST_MARKER) {
            Some(index) => pieces.push(holes[index as usize].clone()),
            None => match pieces.last_mut() {
                Some(Piece::Text(last)) => last.push(character),
                _ => pieces.push(Piece::Text(character.to_string())),
            },
        }
    }
}
