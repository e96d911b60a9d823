//! Run-time checks: each is a line that ends the thread through `gr_panic`.

use super::code::Code;
use super::text::{Append, CText, c};
use super::types::length;
use super::{Emitter, cache};
use crate::emit::{Known, Operands, OperatorCallee, Overload, Piece};
use crate::model::*;
use proc_macro2::{Literal, TokenStream};
use std::collections::HashMap;

/// Where an index is checked that is not checked in its place.
#[derive(Clone)]
pub(super) enum CheckedAt {
    /// Before it is evaluated.
    Before,
    /// The same, and the index is this C expression.
    Index(CText),
    /// The same, and the element is loaded by then: a C expression.
    Loaded(CText),
    /// After it is used: the largest one, in this C variable.
    After(String),
}

pub(super) type Checked = HashMap<SiteId, CheckedAt>;

/// The values of a failure that has none.
pub(super) const NO_VALUES: [&str; 2] = ["0", "0"];

impl Emitter<'_> {
    /// `gr_panic(site, a, b);`
    pub(super) fn panic_call(&mut self, site: SiteId, [a, b]: [impl Append; 2]) -> CText {
        self.need("panic");
        c!["gr_panic(", CText::hole(Piece::Site(site.0)), ", ", a, ", ", b, ");"]
    }

    pub(super) fn write_panic(&mut self, site: SiteId) {
        let call = self.panic_call(site, NO_VALUES);
        self.writer.line(call);
    }

    /// Ends the thread if the C condition `failed` holds.
    pub(super) fn write_check(&mut self, failed: impl Append, site: SiteId, values: [&str; 2]) {
        let call = self.panic_call(site, values);
        self.writer.line(c!["if (", failed, ") ", call]);
    }

    /// The same, unless it is shown that it does not.
    pub(super) fn write_check_of_operation(&mut self, failed: impl Append, site: SiteId, values: [&str; 2]) {
        let bound = if self.is_in_place { self.analysis.bound(site).clone() } else { Bound::Unknown };
        if bound != Bound::Below(Vec::new()) {
            let call = self.panic_call(site, values);
            self.write_unless(&bound, c!["if (", failed, ") ", call]);
        }
    }

    /// Writes a check that is redundant as `bound` says.
    pub(super) fn write_unless(&mut self, bound: &Bound, check: CText) {
        match bound {
            Bound::Unknown => self.writer.line(check),
            Bound::Below(needs) if needs.is_empty() => {}
            Bound::Below(needs) => self.writer.checked_line(self.analysis.conditions.bits_of(needs), check),
        }
    }

    /// `if (index >= length) gr_panic(…);`
    pub(super) fn index_check(&mut self, index: &CText, length: &CText, site: SiteId) -> CText {
        let call = self.panic_call(site, [index, length]);
        c!["if (", index, " >= ", length, ") ", call]
    }

    /// `base[index]` behind its check.
    pub(super) fn write_index(&mut self, base: &Expr, index: &Expr, site: SiteId) -> Code {
        if let Some(CheckedAt::Loaded(element)) = self.checked.get(&site) {
            return Code::atom(element.clone());
        }
        if self.function.may_be_own_index(base, site) {
            let base_text = self.base_place(base, index.writes());
            let place = self.index_into(base, base_text, index, site, false);
            // A user's function is called once, where it stands.
            return if self.function.site(site).is_changed { Code::atom(place) } else { Code::call(place) };
        }
        let base_text = self.base_place(base, index.writes());
        let place = self.index_into(base, base_text, index, site, false);
        Code::atom(match self.function.site(site).cache {
            Some(hint) if !hint.stores => c![cache::function(hint), "(&", place, ")"],
            _ => place,
        })
    }

    /// Checks `index` against the length of `base` and returns the element's place. `pinned`: the index goes into a temporary.
    pub(super) fn index_into(&mut self, base: &Expr, base_text: CText, index: &Expr, site: SiteId, pinned: bool) -> CText {
        match self.checked.get(&site).cloned() {
            Some(CheckedAt::Index(index)) => return c![base_text, "[", index, "]"],
            Some(CheckedAt::After(most)) => return self.clamped_index(base, base_text, index, site, &most),
            Some(CheckedAt::Before | CheckedAt::Loaded(_)) | None => {}
        }
        let bound = self.bound(site);
        if bound == Bound::Below(Vec::new()) && !pinned {
            let code = self.value(index);
            return c![base_text, "[", self.array_index(base, index, code.text), "]"];
        }
        if bound == Bound::Unknown
            && let Some(cast) = self.cast_index(base, index, site)
        {
            let length = self.checked_length(base, &base_text);
            let key = self.check_cast_index(index, &cast, length, site);
            return c![base_text, "[", self.array_index(base, index, key), "]"];
        }
        let write_key = |emitter: &mut Self| {
            let code = emitter.value(index);
            match pinned {
                true => emitter.spill(code, &index.ty, "value").text,
                false => emitter.spill_unless_word(code, &index.ty, "index").text,
            }
        };
        let is_checked = bound == Bound::Unknown;
        let key = if is_checked { self.in_checked_index(index, write_key) } else { write_key(self) };
        let length = self.checked_length(base, &base_text);
        let check = self.index_check(&key, &length, site);
        if let Some(callee) = self.own_index(base, index, site) {
            let races = self.may_tear(base);
            return self.own_or_array_index(&callee, base_text, races, key, check);
        }
        self.write_unless(&bound, check);
        let key = if is_checked { self.element_index(index, key) } else { key };
        c![base_text, "[", self.array_index(base, index, key), "]"]
    }

    /// What an index of `base`, which is `text`, must be below.
    pub(super) fn checked_length(&self, base: &Expr, text: &CText) -> CText {
        if base.ty.is_followed() { c![text.clone(), ".length"] } else { self.length_of(base).text }
    }

    /// A name for a place that is written more than once, if what it says may be a call of a user's function.
    pub(super) fn bind_place(&mut self, place: &Expr, text: CText) -> CText {
        let is_own = |expr: &Expr| matches!(&expr.kind, ExprKind::Index { base, site, .. } if self.function.may_be_own_index(base, *site));
        if !place.any(&is_own) {
            return text;
        }
        let name = self.namer.temporary("element");
        // What it is an element of may be a copy.
        let is_changed = |expr: &Expr| matches!(expr.kind, ExprKind::Index { site, .. } if self.function.site(site).is_changed);
        let is_copied = self.is_racing(place) && !place.any(&is_changed);
        self.writer.line(c![if is_copied { "auto " } else { "auto&& " }, name, " = ", text, ";"]);
        name.into()
    }

    /// The `Index` of the user's that `base[index]` may be.
    fn own_index(&self, base: &Expr, index: &Expr, site: SiteId) -> Option<Overload> {
        if !self.function.may_be_own_index(base, site) {
            return None;
        }
        let key = if matches!(index.ty, Type::Tuple(_)) { Known::Type(index.ty.clone()) } else { self.known(index) };
        let callee = match (self.known(base), key) {
            (Known::Nothing, _) | (_, Known::Nothing) => return None,
            operands => OperatorCallee { op: "Index", by_reference: [false; 2], operands: Operands::Two(Box::new(operands)) },
        };
        Some(if self.function.site(site).is_changed { Overload::IndexMut(callee) } else { Overload::Index(callee) })
    }

    /// A call of the user's function, or the element of an array behind its check.
    fn own_or_array_index(&mut self, callee: &Overload, base: CText, races: bool, key: CText, check: CText) -> CText {
        self.writer.line_unless(callee.clone(), check);
        let function = CText::hole(Piece::Operator(callee.clone(), String::new()));
        // A user's function reads what it likes of the value.
        let value = if races && matches!(callee, Overload::Index(_)) { self.copied(&base).text } else { base.clone() };
        let own = c![function, "(", value, ", ", key.clone(), ")"].into_pieces();
        CText::hole(Piece::Overloaded { callee: callee.clone(), own, otherwise: c![base, "[", key, "]"].into_pieces() })
    }

    /// `base[start..end]` behind its check, as the arguments that a slice is: a pointer and a length.
    pub(super) fn subslice(&mut self, base: &Expr, (start, end): (&Expr, Option<&Expr>), site: SiteId, pinned: bool) -> CText {
        let is_pinned = pinned || start.writes() || end.is_some_and(Expr::writes);
        let array = self.base_place(base, is_pinned);
        let length = if base.ty.is_followed() { Code::atom(c![array.clone(), ".length"]) } else { self.length_of(base) };
        let ends: Vec<&Expr> = std::iter::once(start).chain(end).collect();
        let codes = self.operands(&ends).into_iter().zip(["start", "end"]);
        let mut codes = codes.map(|(code, name)| match pinned {
            true => self.spill(code, &Type::USIZE, name),
            false => self.spill_unless_word(code, &Type::USIZE, name),
        });
        let start_code = codes.next().expect("a range starts somewhere");
        let end_code = codes.next();
        drop(codes);
        let literals = (literal(start), end.and_then(literal));
        let from_zero = literals.0 == Some(0);
        if self.function.site(site).kind != SiteKind::Unchecked {
            let in_order = from_zero || matches!(literals, (Some(start), Some(end)) if start <= end);
            let start = (!in_order).then_some(&start_code.text);
            let failed = match &end_code {
                Some(end) => Some(beyond(start, &end.text, &length.text)),
                None => start.map(|start| c![start, " > ", length.text]),
            };
            if let Some(failed) = failed {
                self.write_check(failed, site, NO_VALUES);
            }
        }
        let pointer = if matches!(base.ty, Type::Slice { .. }) { array } else { c![array, ".data"] };
        let end = end_code.unwrap_or(length).text;
        match literals {
            (Some(0), _) => c![pointer, ", ", end],
            (Some(start), Some(end)) if start <= end => c![pointer, " + ", start_code.text, ", ", (end - start).to_string(), "ull"],
            _ => c![pointer, " + ", start_code.text, ", ", end, " - ", start_code.text],
        }
    }

    /// When the check at `site` is redundant, where the emitter is.
    pub(super) fn bound(&self, site: SiteId) -> Bound {
        if self.checked.contains_key(&site) { Bound::Below(Vec::new()) } else { self.analysis.bound(site).clone() }
    }

    /// The number of elements of an indexable expression.
    pub(super) fn length_of(&self, base: &Expr) -> Code {
        match (&base.kind, base.ty.element()) {
            (_, Some((_, Some(count)))) => Code::constant_word(length(count)),
            _ if base.ty.view().is_some() => Code::constant(c![self.layout_of(base), ".len()"]),
            (ExprKind::Local(local), _) => Code::constant_word(self.lengths[local.0].as_str()),
            _ => unreachable!("a slice is always a variable"),
        }
    }

    /// What an index of `base` must be below: of a view, the one for this axis.
    pub(super) fn length_at(&mut self, base: &Expr, axis: Option<usize>) -> CText {
        match axis {
            Some(axis) => c![self.layout_of(base), ".shape[", axis, "]"],
            None => self.length_of(base).text,
        }
    }

    /// Writes the check of an integer division, which reads its operands once more. A division by a literal or of floats needs none.
    pub(super) fn check_division(
        &mut self,
        left: Code,
        ty: &Type,
        right_expr: &Expr,
        right: Code,
        site: Option<SiteId>,
        overloads: &[Overload],
    ) -> (Code, Code) {
        let Some(site) = site.filter(|_| division_can_fail(ty, right_expr)) else { return (left, right) };
        if constant_divisor(right_expr).is_some() {
            // Of unsigned numbers, which do not overflow.
            return (left, self.check_divisor(ty, right_expr, right, Some(site), overloads));
        }
        let left = self.division_operand(left, ty, "value");
        let right = self.check_divisor(ty, right_expr, right, Some(site), overloads);
        let may_overflow = ty.as_scalar().is_none_or(Scalar::is_signed_integer);
        if may_overflow {
            self.need("ops");
            let overflows = c!["gr_division_overflows(", left.text, ", ", right.text, ")"];
            self.write_check_of_operation(unless_own(overflows, overloads), site, ["1", "0"]);
        }
        (left, right)
    }

    /// Writes the check that a divisor is not zero, which reads it once more.
    pub(super) fn check_divisor(
        &mut self,
        ty: &Type,
        right_expr: &Expr,
        right: Code,
        site: Option<SiteId>,
        overloads: &[Overload],
    ) -> Code {
        let Some(site) = site.filter(|_| division_can_fail(ty, right_expr)) else { return right };
        if let Some(divisor) = constant_divisor(right_expr) {
            // rustc knows whether the check is needed.
            let call = self.panic_call(site, NO_VALUES);
            self.writer.line_if(quote::quote!((#divisor) == 0), call);
            return right;
        }
        let right_type = if right_expr.ty.is_followed() || right_expr.ty.as_scalar().is_some() { &right_expr.ty } else { ty };
        let right = self.division_operand(right, right_type, "divisor");
        let zero = if ty.is_picked_by_c() {
            self.need("ops");
            c!["gr_is_zero_divisor(", right.text, ")"]
        } else {
            c![right.text, " == 0"]
        };
        self.write_check_of_operation(unless_own(zero, overloads), site, NO_VALUES);
        right
    }

    /// An operand to be read twice. A literal that is combined with a complex number is a real number, so it needs another type of variable.
    fn division_operand(&mut self, operand: Code, ty: &Type, name: &str) -> Code {
        if ty.is_followed() && operand.is_constant() { operand } else { self.spill_unless_word(operand, ty, name) }
    }

    pub(super) fn write_assert(&mut self, condition: &Expr, site: SiteId, debug: bool) {
        if debug {
            let enabled = CText::hole(Piece::Constant(quote::quote!(::core::cfg!(debug_assertions))));
            self.writer.line(c!["if (", enabled, ") {"]);
            self.writer.indent();
        }
        let failed = match range_within(condition) {
            Some(ends) => {
                let codes = self.operands(&ends).into_iter().zip(["start", "end", "length"]);
                let texts: Vec<CText> = codes.map(|(code, name)| self.spill_unless_word(code, &Type::USIZE, name).text).collect();
                beyond((literal(ends[0]) != Some(0)).then_some(&texts[0]), &texts[1], &texts[2])
            }
            None => self.value(condition).negated(),
        };
        self.write_check(failed, site, NO_VALUES);
        if debug {
            self.writer.dedent();
            self.writer.line("}");
        }
    }
}

/// That `start..end` is not a range of an array with `length` elements, or `..end` is not, where the start is not above the end anyway.
/// NVRTC 13.0 compiles a loop wrong that is left where `start > end`, and `end` is the sum of `start` and a counter: it runs the loop once.
/// It does not for these differences.
fn beyond(start: Option<&CText>, end: &CText, length: &CText) -> CText {
    match start {
        Some(start) => c![start, " > ", length, " || ", end, " - ", start, " > ", length, " - ", start],
        None => c![end, " > ", length],
    }
}

/// The ends of a range and the length of the array, where `condition` says that the one is within the other.
fn range_within(condition: &Expr) -> Option<[&Expr; 3]> {
    fn at_most(expr: &Expr) -> Option<[&Expr; 2]> {
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::LessEqual, left, right, .. } if left.ty == Type::USIZE => Some([left, right]),
            _ => None,
        }
    }
    let ExprKind::Logical { op: LogicalOp::And, left, right } = &condition.kind else { return None };
    let ([start, end], [same, length]) = (at_most(left)?, at_most(right)?);
    let is_same = matches!((&end.kind, &same.kind), (ExprKind::Local(end), ExprKind::Local(same)) if end == same);
    is_same.then_some([start, end, length])
}

/// The condition of a check. A user's function has its own.
fn unless_own(condition: CText, overloads: &[Overload]) -> CText {
    overloads.iter().fold(condition, |condition, callee| {
        let own = vec![Piece::Text("false".into())];
        CText::hole(Piece::Overloaded { callee: callee.clone(), own, otherwise: condition.into_pieces() })
    })
}

/// An unsigned constant, or one that is divided by a literal, as a Rust expression.
fn constant_divisor(divisor: &Expr) -> Option<TokenStream> {
    let is_unsigned = divisor.ty.as_scalar().is_some_and(Scalar::is_unsigned_integer);
    match &divisor.kind {
        ExprKind::Constant(path) if is_unsigned => Some(quote::quote!(#path)),
        ExprKind::Binary { op: BinaryOp::Divide, left, right, .. } if is_unsigned => {
            let ExprKind::Int(IntLiteral { value, .. }) = right.kind else { return None };
            let (left, value) = (constant_divisor(left)?, Literal::u128_unsuffixed(value));
            (value.to_string() != "0").then(|| quote::quote!(#left / #value))
        }
        _ => None,
    }
}

/// The value of an integer literal.
fn literal(expr: &Expr) -> Option<u128> {
    match &expr.kind {
        ExprKind::Int(literal) => Some(literal.value),
        _ => None,
    }
}
