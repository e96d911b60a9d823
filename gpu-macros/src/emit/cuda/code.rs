//! Expressions of C.

use super::text::{CText, c};

/// How tightly the outermost operator of an expression binds, loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    /// `?:`, shifts and bit operations: always in parentheses as an operand.
    Loose,
    Or,
    And,
    Comparison,
    Sum,
    Product,
    /// Prefix operators.
    Unary,
    /// Calls, casts, members, elements.
    Atom,
    /// A name or literal, free to be written twice.
    Word,
}

/// A C expression without effects.
#[derive(Clone)]
pub(super) struct Code {
    pub(super) text: CText,
    binding: Binding,
    /// Reads nothing that can change: a literal or an immutable variable.
    constant: bool,
    /// Calls a device function: must be evaluated once, and in its place.
    pub(super) calls: bool,
}

impl Code {
    pub(super) fn bound(binding: Binding, text: impl Into<CText>) -> Code {
        Code { text: text.into(), binding, constant: false, calls: false }
    }

    pub(super) fn atom(text: impl Into<CText>) -> Code {
        Code::bound(Binding::Atom, text)
    }

    /// One that reads nothing that can change.
    pub(super) fn constant(text: impl Into<CText>) -> Code {
        Code::atom(text).with_constant(true)
    }

    /// A name.
    pub(super) fn word(text: impl Into<CText>) -> Code {
        Code::bound(Binding::Word, text)
    }

    /// A literal, or the name of what never changes.
    pub(super) fn constant_word(text: impl Into<CText>) -> Code {
        Code::word(text).with_constant(true)
    }

    /// A call with an effect, or of a function of the user's.
    pub(super) fn call(text: impl Into<CText>) -> Code {
        Code { calls: true, ..Code::atom(text) }
    }

    pub(super) fn with_constant(self, constant: bool) -> Code {
        Code { constant, ..self }
    }

    /// The same expression, spelled in another way that binds as tightly.
    pub(super) fn with_text(self, text: CText) -> Code {
        Code { text, ..self }
    }

    /// The text as an operand of a prefix, cast or member operator.
    pub(super) fn operand(&self) -> CText {
        self.operand_of(Binding::Unary)
    }

    /// The text as an operand of an operator that binds like `outer`.
    pub(super) fn operand_of(&self, outer: Binding) -> CText {
        let stands = self.binding >= Binding::Atom || (outer != Binding::Loose && self.binding > outer);
        if stands { self.text.clone() } else { c!["(", self.text, ")"] }
    }

    /// The text as the left operand of an operator that groups from the left.
    pub(super) fn left_operand_of(&self, outer: Binding) -> CText {
        if self.binding == outer && matches!(outer, Binding::Sum | Binding::Product | Binding::And | Binding::Or) {
            self.text.clone()
        } else {
            self.operand_of(outer)
        }
    }

    pub(super) fn negated(&self) -> CText {
        c!["!", self.operand()]
    }

    pub(super) fn is(&self, binding: Binding) -> bool {
        self.binding == binding
    }

    pub(super) fn is_constant(&self) -> bool {
        self.constant
    }

    /// A name or literal, free to be written twice.
    pub(super) fn is_word(&self) -> bool {
        self.binding == Binding::Word
    }
}
