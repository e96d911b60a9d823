//! Quantities that a kernel derives from those of the launch: `let wide = w + 2 * pad - k + 1;`.
//!
//! A form is a sum of terms. In the one of `y * wide + x`, a row is `w + 2 * pad - k + 1` elements long, and no term says so: its
//! [`Digits`](crate::check::prove::mixed_radix::Digits) cannot be read. So where the sums prove nothing, a second walk gives each such variable a symbol of its own,
//! and forms have it as a factor, as if it were a parameter. The symbol is the word that the variable has on every launch: the host
//! computes it as the device does, modulo 2^64. Nothing that is true of all words becomes false, and the conditions on the launch name it
//! like any other quantity. The second walk no longer knows that `wide - w` is `2 * pad - k + 1`, which is why it is not the first one.
//!
//! It names the values of threads too that are products and sums of what nothing is known of, such as `let cell = y[i] as usize * width + x[i] as usize;`:
//! the sum may wrap around, so it is not the integer that `cell < counts.len()` is about. A fresh symbol is always right.

use super::walker::Walker;
use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::values::value::{Node, Value};
use crate::model::Atom;

impl Walker<'_> {
    /// `value`, which a variable gets that never changes: as a quantity of its own if it is one.
    pub(crate) fn quantity(&mut self, value: &Value) -> Value {
        let word = derived(&value.form).filter(|_| value.spread == Uniformity::Launch);
        if word.is_none() && !is_combined(&value.form) {
            return value.clone();
        }
        self.findings.derives_quantities = true;
        match word {
            _ if !self.names_quantities => value.clone(),
            Some(word) => {
                let symbol = Symbol::launch(word, value.interval.largest_word());
                Node::within(value.kind.clone(), NormalForm::symbol(symbol), value.interval)
            }
            None => self.fresh(value.spread, value.interval),
        }
    }
}

/// Whether it is a sum or product, which may wrap around, of values that tell nothing about the thread, and not of the launch alone.
fn is_combined(form: &NormalForm) -> bool {
    let is_one = form.terms.len() == 1 && form.as_symbol().is_some();
    !is_one && form.spread() != Uniformity::Launch && !form.never_wraps() && form.terms.keys().flatten().all(tells_nothing)
}

fn tells_nothing(symbol: &Symbol) -> bool {
    match &symbol.kind {
        SymbolKind::Launch(_) | SymbolKind::Passed(_) | SymbolKind::Fresh(_) => true,
        SymbolKind::Operation(name, operands) => {
            name.is_element() || operands.iter().all(|form| form.terms.keys().flatten().all(tells_nothing))
        }
        _ => false,
    }
}

/// The word of a sum of quantities of the launch. Those of constants alone are for rustc to compare.
fn derived(form: &NormalForm) -> Option<Atom> {
    let is_constant = |symbol: &Symbol| matches!(symbol.kind, SymbolKind::Launch(Atom::Constant(_)));
    let is_sum = form.terms.len() > 1 && !form.terms.keys().flatten().all(is_constant);
    is_sum.then(|| form.to_word()).flatten()
}
