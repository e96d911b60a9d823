//! Lines of C with indentation.

use super::text::CText;
use crate::emit::{Overload, Piece};
use proc_macro2::TokenStream;

enum Line {
    Text {
        depth: usize,
        text: CText,
        only: Option<Only>,
    },
    /// Lines for launches that do not satisfy all of these conditions.
    Checked {
        unless: u32,
        lines: Vec<Line>,
    },
    /// The source line of the code that follows.
    Origin(u32),
}

/// When a line is part of the program.
enum Only {
    /// It is a check that is redundant under these conditions of the launch.
    Checked(u32),
    /// It is for launches that make those redundant.
    Proved,
    /// Where this constant expression holds.
    If(TokenStream),
    /// Where there is no such function of the user's.
    Unless(Box<Overload>),
    /// Where a `usize` has 64 bits, or with `true` 32.
    Width(bool),
}

pub(super) struct Writer {
    lines: Vec<Line>,
    depth: usize,
}

/// Lines taken out of the writer, to be put back or dropped.
pub(super) struct Captured(Vec<Line>);

impl Line {
    fn indented(self) -> Line {
        match self {
            Line::Text { depth, text, only } => Line::Text { depth: depth + 1, text, only },
            Line::Checked { unless, lines } => Line::Checked { unless, lines: lines.into_iter().map(Line::indented).collect() },
            Line::Origin(line) => Line::Origin(line),
        }
    }
}

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

    pub(super) fn line(&mut self, text: impl Into<CText>) {
        self.lines.push(Line::Text { depth: self.depth, text: text.into(), only: None });
    }

    /// A line for launches that do not satisfy all of these conditions, a bit for each.
    pub(super) fn checked_line(&mut self, unless: u32, text: impl Into<CText>) {
        self.lines.push(Line::Text { depth: self.depth, text: text.into(), only: Some(Only::Checked(unless)) });
    }

    /// A line for launches that do not satisfy all of these conditions, if there are any.
    pub(super) fn line_unless_proved(&mut self, unless: Option<u32>, text: impl Into<CText>) {
        match unless {
            Some(unless) => self.checked_line(unless, text),
            None => self.line(text),
        }
    }

    /// A line for launches that make checks redundant.
    pub(super) fn proved_line(&mut self, text: impl Into<CText>) {
        self.lines.push(Line::Text { depth: self.depth, text: text.into(), only: Some(Only::Proved) });
    }

    /// A line for where the constant expression `condition` holds.
    pub(super) fn line_if(&mut self, condition: TokenStream, text: impl Into<CText>) {
        self.lines.push(Line::Text { depth: self.depth, text: text.into(), only: Some(Only::If(condition)) });
    }

    /// A line for where a `usize` has 64 bits, or with `narrow` 32.
    pub(super) fn line_of_width(&mut self, narrow: bool, text: impl Into<CText>) {
        self.lines.push(Line::Text { depth: self.depth, text: text.into(), only: Some(Only::Width(narrow)) });
    }

    /// A line for where there is no such function of the user's.
    pub(super) fn line_unless(&mut self, own: Overload, text: impl Into<CText>) {
        self.lines.push(Line::Text { depth: self.depth, text: text.into(), only: Some(Only::Unless(Box::new(own))) });
    }

    /// A C label is indented one step less.
    pub(super) fn label(&mut self, name: &str) {
        let depth = self.depth.saturating_sub(1);
        self.lines.push(Line::Text { depth, text: format!("{name}:;").into(), only: None });
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

    /// Puts captured lines back, for launches that do not satisfy all of these conditions.
    pub(super) fn append_checked(&mut self, unless: u32, captured: Captured) {
        self.lines.push(Line::Checked { unless, lines: captured.0 });
    }

    /// Puts captured lines back, one step further in.
    pub(super) fn append_indented(&mut self, captured: Captured) {
        self.lines.extend(captured.0.into_iter().map(Line::indented));
    }

    /// Appends the lines to `out`.
    pub(super) fn finish(self, out: &mut CText) {
        for line in self.lines {
            match line {
                Line::Text { depth, text, only } => {
                    let mut line = CText::default();
                    write_line(depth, &text, &mut line);
                    match only {
                        None => out.push(line),
                        Some(Only::Checked(unless)) => out.push_hole(Piece::Checked(unless, line.into_pieces())),
                        Some(Only::Proved) => out.push_hole(Piece::Proved(line.into_pieces())),
                        Some(Only::If(condition)) => out.push_hole(Piece::If(condition, line.into_pieces())),
                        Some(Only::Width(false)) => out.push_hole(Piece::Width { wide: line.into_pieces(), narrow: Vec::new() }),
                        Some(Only::Width(true)) => out.push_hole(Piece::Width { wide: Vec::new(), narrow: line.into_pieces() }),
                        Some(Only::Unless(callee)) => {
                            out.push_hole(Piece::Overloaded { callee: *callee, own: Vec::new(), otherwise: line.into_pieces() });
                        }
                    }
                }
                Line::Checked { unless, lines } => {
                    let mut text = CText::default();
                    Writer { lines, depth: 0 }.finish(&mut text);
                    out.push_hole(Piece::Checked(unless, text.into_pieces()));
                }
                Line::Origin(line) => out.push_hole(Piece::Line(line)),
            }
        }
    }
}

fn write_line(depth: usize, text: &CText, out: &mut CText) {
    (0..depth).for_each(|_| out.push("  "));
    out.push(text);
    out.push("\n");
}
