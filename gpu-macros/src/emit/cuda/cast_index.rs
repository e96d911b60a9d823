//! Indices that are [casts](crate::check::CastIndex), which have 32 bits where a `usize` does:
//!
//! ```text
//! const u32 index = (u32)(state) * 256u + (u32)(value);
//! if ((u32)(state) >= 8388608u || index >= next_len) gr_panic(1, (usize)(state) * 256ull + (usize)(value), next_len);
//! ```

use super::Emitter;
use super::text::{CText, c, join};
use super::width::width;
use crate::check::{CastIndex, LONGEST};
use crate::emit::Piece;
use crate::model::*;
use std::collections::HashMap;

/// What is cast in an index, in C variables.
type Numbers = HashMap<*const Expr, CText>;

/// An expression of C where a `usize` has 64 bits, where it has 32, and its 64 bits there.
struct Widths {
    wide: CText,
    narrow: CText,
    shown: CText,
}

impl Widths {
    /// A number with at most 32 bits.
    fn of(number: &CText) -> Widths {
        let wide = c!["(usize)(", number.clone(), ")"];
        Widths { wide: wide.clone(), narrow: c!["(u32)(", number.clone(), ")"], shown: wide }
    }

    fn literal(value: u128) -> Widths {
        let wide = c![value.to_string(), "ull"];
        Widths { wide: wide.clone(), narrow: c![value.to_string(), "u"], shown: wide }
    }

    fn times(self, factor: Widths) -> Widths {
        let of = |left: CText, right: CText| c![left, " * ", right];
        Widths { wide: of(self.wide, factor.wide), narrow: of(self.narrow, factor.narrow), shown: of(self.shown, factor.shown) }
    }

    fn plus(self, addend: Widths) -> Widths {
        let of = |left: CText, right: CText| join([left, right], " + ");
        Widths { wide: of(self.wide, addend.wide), narrow: of(self.narrow, addend.narrow), shown: of(self.shown, addend.shown) }
    }
}

impl Emitter<'_> {
    /// The cast that `index` is, where its check has 32 bits.
    pub(super) fn cast_index<'e>(&self, base: &Expr, index: &'e Expr, site: SiteId) -> Option<CastIndex<'e>> {
        let is_plain = !self.function.may_be_own_index(base, site) && !base.ty.is_followed() && !index.writes();
        let is_checked = self.has_narrow_variant() && is_plain;
        self.analysis.signed_locals.cast_index(index).filter(|_| is_checked)
    }

    /// Checks `index` against the length of an array, and returns it.
    pub(super) fn check_cast_index(&mut self, index: &Expr, cast: &CastIndex<'_>, length: CText, site: SiteId) -> CText {
        let numbers = self.numbers_of_casts(index);
        let number = self.number_of_widths(cast.cast, &numbers);
        let guard = if cast.may_wrap() { c![number.narrow.clone(), " >= ", least(cast), " || "] } else { CText::default() };
        let product = match cast.factor {
            Some(factor) => number.times(factor_of_widths(factor)),
            None => number,
        };
        let sum = cast.addends.iter().fold(product, |sum, addend| sum.plus(addend_of_widths(addend, &numbers)));
        let name = self.namer.temporary("index");
        self.writer.line(c!["const ", width("usize ", "u32 "), name.as_str(), " = ", width(sum.wide, sum.narrow), ";"]);
        let shown = width(c![name.as_str()], sum.shown);
        let call = self.panic_call(site, [shown, length.clone()]);
        self.writer.line(c!["if (", width(CText::default(), guard), name.as_str(), " >= ", length, ") ", call]);
        name.into()
    }

    /// What is cast in `index`, in the order of evaluation.
    fn numbers_of_casts(&mut self, index: &Expr) -> Numbers {
        let mut casts = Vec::new();
        collect_casts(index, &mut casts);
        let operands: Vec<&Expr> = casts.iter().map(|cast| operand_of(cast)).collect();
        let codes = self.operands(&operands);
        let named = casts.into_iter().zip(operands).zip(codes);
        named.map(|((cast, operand), code)| (std::ptr::from_ref(cast), self.spill_unless_word(code, &operand.ty, "value").text)).collect()
    }

    fn number_of_widths(&self, cast: &Expr, numbers: &Numbers) -> Widths {
        let number = &numbers[&std::ptr::from_ref(cast)];
        let widths = Widths::of(number);
        match self.analysis.signed_locals.has(cast) {
            true => Widths { shown: c!["(usize)(i32)(", number.clone(), ")"], ..widths },
            false => widths,
        }
    }
}

/// A variable that holds a cast is one itself.
fn operand_of(cast: &Expr) -> &Expr {
    match &cast.kind {
        ExprKind::Cast { operand, .. } => operand,
        _ => cast,
    }
}

fn collect_casts<'e>(index: &'e Expr, casts: &mut Vec<&'e Expr>) {
    match &index.kind {
        ExprKind::Binary { left, right, .. } => {
            collect_casts(left, casts);
            collect_casts(right, casts);
        }
        ExprKind::Int(_) | ExprKind::Constant(_) => {}
        _ => casts.push(index),
    }
}

fn addend_of_widths(addend: &Expr, numbers: &Numbers) -> Widths {
    match &addend.kind {
        ExprKind::Int(literal) => Widths::literal(literal.value),
        _ => Widths::of(&numbers[&std::ptr::from_ref(addend)]),
    }
}

fn factor_of_widths(factor: &Expr) -> Widths {
    match &factor.kind {
        ExprKind::Int(literal) => Widths::literal(literal.value),
        _ => {
            let value = constant(factor);
            Widths { wide: value.clone(), narrow: c!["(u32)(", value.clone(), ")"], shown: value }
        }
    }
}

/// The least number that the factor makes 2³¹ or more.
fn least(cast: &CastIndex<'_>) -> CText {
    match cast.factor.map(|factor| (&factor.kind, factor)) {
        None => c![LONGEST.to_string(), "u"],
        Some((ExprKind::Int(literal), _)) => c![LONGEST.cast_unsigned().div_ceil(literal.value).to_string(), "u"],
        Some((_, factor)) => {
            let value = constant(factor);
            c!["(u32)((", (LONGEST - 1).to_string(), "ull + ", value.clone(), ") / ", value, ")"]
        }
    }
}

fn constant(factor: &Expr) -> CText {
    let ExprKind::Constant(path) = &factor.kind else { unreachable!("a factor is a literal or a constant") };
    CText::hole(Piece::Value(quote::quote!(#path)))
}
