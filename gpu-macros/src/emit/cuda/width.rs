//! A `usize` in CUDA C: 64 bits, or 32 in the variant of a kernel that [computes the same](crate::check::Analysis::narrow) with them.
//!
//! A device function that does is there twice, if it has callers of both widths.
//!
//! In that variant, every C expression for a `usize` has the type `u32`, or an operation of 32 bits could meet one of 64: the high bits of
//! `n + (i - k)` would be wrong. A parameter is a `u32` too, which takes the low half of what the launch passes: of all hosts that CUDA has,
//! the first bytes of an integer are its low ones.

use super::Emitter;
use super::code::Code;
use super::operators::binding;
use super::text::{CText, c};
use super::types::integer_literal;
use crate::check::{complement_of, is_wide_comparison, wide_operands};
use crate::emit::{Callee, Piece};
use crate::model::*;

pub(super) fn width(wide: impl Into<CText>, narrow: impl Into<CText>) -> CText {
    CText::hole(Piece::Width { wide: wide.into().into_pieces(), narrow: narrow.into().into_pieces() })
}

impl Emitter<'_> {
    pub(super) fn has_narrow_variant(&self) -> bool {
        self.analysis.narrow.is_ok()
    }

    /// What a device function must know of constants to have 32 bits. Nothing for others.
    pub(super) fn condition_of_narrow(&self) -> CText {
        let is_device_function = matches!(self.function.kind, FunctionKind::Device);
        match self.analysis.narrow.as_ref().ok().filter(|_| is_device_function) {
            Some(needs) => CText::hole(Piece::NarrowIf(needs.clone())),
            None => CText::default(),
        }
    }

    /// The C name of the `callee` of `call`, which passes arrays that may race or not.
    pub(super) fn function_of_width(&self, call: &Expr, callee: Callee, races: bool) -> CText {
        let function = Piece::Function { callee: callee.clone(), races };
        CText::hole(match self.analysis.narrow_calls.get(&(&raw const *call)) {
            Some(relies) if self.has_narrow_variant() => {
                Piece::Width { wide: vec![function], narrow: vec![Piece::NarrowFunction { callee, races, relies: *relies }] }
            }
            _ => function,
        })
    }

    /// The C type of a `usize`.
    pub(super) fn index_type(&self) -> CText {
        if self.has_narrow_variant() && !self.wide { width("usize", "u32") } else { "usize".into() }
    }

    /// A literal of type `usize`.
    pub(super) fn index_literal(&self, value: u128) -> Code {
        match u32::try_from(value) {
            Ok(small) if self.has_narrow_variant() && !self.wide => Code::constant_word(c![small.to_string(), width("ull", "u")]),
            _ => integer_literal(value, Some(Scalar::Usize)),
        }
    }

    /// The `index` of an element of `base`, whose C expression is `code`. No array has more than 2³¹ elements where a `usize` has 32 bits, so it can be
    /// a number with a sign: the compiler adds the `+ 1` of `a[i + 1]` to the address of `a[i]` only if the sum cannot wrap around. Of arrays in
    /// global memory, if it is a cast of such a number, which may be [exact](crate::check::Analysis::exact_operations), or computed of an element: the
    /// compiler extends a product without a sign to 64 bits before it multiplies.
    pub(super) fn array_index(&self, base: &Expr, index: &Expr, code: CText) -> CText {
        let has_sign = base.place().variable().is_some_and(|array| {
            let local = self.function.local(array);
            match local.ty {
                Type::Shared(_) => !local.is_reference(),
                Type::Array(..) => true,
                Type::Slice { .. } => {
                    self.analysis.signed_locals.is_signed(index) || self.is_small_index(index) || self.is_of_element(index, 2)
                }
                _ => false,
            }
        });
        if has_sign && self.has_narrow_variant() { c![width("", "(i32)("), code, width("", ")")] } else { code }
    }

    /// Whether an operation is exact with a sign where a `usize` has 32 bits, if it is evaluated here.
    pub(super) fn is_small(&self, expr: &Expr) -> bool {
        self.has_narrow_variant() && !self.wide && self.is_in_place && self.analysis.small_operations.has(expr)
    }

    /// Whether an index is the result of one, or a variable that is.
    fn is_small_index(&self, index: &Expr) -> bool {
        let init = match index.kind {
            ExprKind::Local(local) if !self.function.local(local).mutable => self.function.body.initial_value(local),
            _ => None,
        };
        self.is_small(init.unwrap_or(index))
    }

    /// Whether an index is computed of an element that is read, here or in the `let` of a variable: so many of them, one in the other.
    fn is_of_element(&self, index: &Expr, lets: usize) -> bool {
        index.any(&|part| match part.kind {
            ExprKind::Index { .. } | ExprKind::Element { .. } => true,
            ExprKind::Local(local) if lets > 0 && !self.function.local(local).mutable => {
                self.function.body.initial_value(local).is_some_and(|init| self.is_of_element(init, lets - 1))
            }
            _ => false,
        })
    }

    /// The code of such an operation.
    pub(super) fn small(&mut self, op: BinaryOp, left: &Code, right: &Code) -> Code {
        self.need("small");
        let helper = match op {
            BinaryOp::Add => "gr_small_add(",
            BinaryOp::Subtract => "gr_small_sub(",
            _ => "gr_small_mul(",
        };
        let (binding, then) = (binding(op), width(format!(" {} ", op.symbol()), ", "));
        let operands = c![left.left_operand_of(binding), then, right.operand_of(binding)];
        Code::bound(binding, c![width("", helper), operands, width("", ")")])
    }

    /// The function that gives the offset of a view's element. With indices of 32 bits, the view lies compactly.
    pub(super) fn offset_function(&self) -> CText {
        if self.has_narrow_variant() { width(".offset", ".compact_offset") } else { ".offset".into() }
    }

    /// What `write` writes of an index that is checked: wide if it is computed of something.
    pub(super) fn in_checked_index<R>(&mut self, index: &Expr, write: impl FnOnce(&mut Self) -> R) -> R {
        self.in_width(self.is_wide_index(index), write)
    }

    /// What `write` writes of the operands of a binary operator.
    pub(super) fn in_width_of_comparison<R>(&mut self, op: BinaryOp, left: &Expr, right: &Expr, write: impl FnOnce(&mut Self) -> R) -> R {
        let is_wide = self.has_narrow_variant() && is_wide_comparison(op, left, right, &self.analysis.signed_locals);
        self.in_width(self.wide || is_wide, write)
    }

    fn in_width<R>(&mut self, wide: bool, write: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.wide, wide);
        let written = write(self);
        self.wide = outer;
        written
    }

    /// Whether an index has 64 bits in every variant where it is checked.
    pub(super) fn is_wide_index(&self, index: &Expr) -> bool {
        self.has_narrow_variant() && wide_operands(index, &self.analysis.signed_locals).is_some() && !matches!(index.kind, ExprKind::Int(_))
    }

    /// A checked index as an index of elements, of which there are fewer than 2³².
    pub(super) fn element_index(&mut self, index: &Expr, code: CText) -> CText {
        if !self.is_wide_index(index) {
            return code;
        }
        self.need("low_half");
        c![width("", "gr_low_half("), code, width("", ")")]
    }

    /// The function and arguments of a `method` that counts bits of `receiver`, named `name`. Of a word of 32 bits, the high ones count too.
    pub(super) fn of_all_bits(&self, method: Method, receiver: &Expr, name: String, mut codes: Vec<Code>) -> (CText, Vec<Code>) {
        if receiver.ty != Type::USIZE || !self.has_narrow_variant() {
            return (name.into(), codes);
        }
        let word = codes[0].text.clone();
        let (name, word) = match method {
            Method::TrailingZeros => {
                let low_zeros = if complement_of(method, receiver).is_some() { ", 32u" } else { ", 64u" };
                (width(name.as_str(), "gr_low_trailing_zeros"), c![word, width("", low_zeros)])
            }
            _ => (name.into(), c![width("", "(usize)("), word, width("", ")")]),
        };
        codes[0] = codes[0].clone().with_text(word);
        (name, codes)
    }

    /// The C expression that `write` writes for `expr`, in the width that it has where it stands.
    pub(super) fn in_its_width(&mut self, expr: &Expr, write: impl FnOnce(&mut Self) -> Code) -> Code {
        if !self.wide || expr.ty != Type::USIZE {
            let outer = std::mem::replace(&mut self.wide, false);
            let code = write(self);
            self.wide = outer;
            return self.as_wide_as_an_index(code, expr);
        }
        // The arguments of a call have the width of any others.
        let is_signed = self.analysis.signed_locals.has(expr);
        if !is_signed && wide_operands(expr, &self.analysis.signed_locals).is_some() && !matches!(expr.kind, ExprKind::Call { .. }) {
            return write(self);
        }
        self.wide = false;
        let code = write(self);
        let is_call = matches!(expr.kind, ExprKind::Call { .. });
        let code = if is_call { code } else { self.as_wide_as_an_index(code, expr) };
        self.wide = true;
        let cast = if is_signed { "(usize)(i32)(" } else { "(usize)(" };
        let text = c![width("", cast), code.text, width("", ")")];
        code.with_text(text)
    }

    /// The C expression `code` for `expr`, with a cast to the type of a `usize` where it may have another.
    fn as_wide_as_an_index(&self, code: Code, expr: &Expr) -> Code {
        let is_wide = match &expr.kind {
            ExprKind::Int(literal) => u32::try_from(literal.value).is_err(),
            ExprKind::Constant(_)
            | ExprKind::Cast { .. }
            | ExprKind::Call { .. }
            | ExprKind::Method { .. }
            | ExprKind::Axis { .. }
            | ExprKind::Extent { .. }
            | ExprKind::Field { .. }
            | ExprKind::TupleField { .. }
            | ExprKind::Intrinsic { .. } => true,
            _ => false,
        };
        if !is_wide || expr.ty != Type::USIZE || !self.has_narrow_variant() {
            return code;
        }
        let text = c![width("", "(u32)("), code.text, width("", ")")];
        code.with_text(text)
    }
}
