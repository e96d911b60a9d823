//! Run-time checks: each a line that ends the thread through `gr_panic`.

use super::Emitter;
use super::expr::Code;
use crate::emit::Piece;
use crate::model::*;

impl Emitter<'_> {
    /// `gr_panic(site, a, b);`
    pub(super) fn panic_call(&mut self, site: SiteId, values: [&str; 2]) -> String {
        self.need("panic");
        let site = self.hole(Piece::Site(site.0));
        format!("gr_panic({site}, {}, {});", values[0], values[1])
    }

    pub(super) fn write_panic(&mut self, site: SiteId) {
        let call = self.panic_call(site, ["0", "0"]);
        self.writer.line(call);
    }

    /// Ends the thread if the C condition `failed` holds.
    pub(super) fn write_check(&mut self, failed: &str, site: SiteId, values: [&str; 2]) {
        let call = self.panic_call(site, values);
        self.writer.line(format!("if ({failed}) {call}"));
    }

    /// `base[index]` behind its check.
    pub(super) fn write_index(&mut self, base: &Expr, index: &Expr, site: SiteId) -> Code {
        let base_text = self.base_place(base, index.writes());
        let place = self.index_into(base, base_text, index, site, false);
        match self.function.site(site).cache {
            Some(CacheHint { stores: false, cuda, .. }) => Code::atom(format!("{cuda}(&{place})")),
            _ => Code::place(place),
        }
    }

    /// Checks `index` against the length of `base` and returns the element's place. `pinned`: the index goes into a temporary.
    pub(super) fn index_into(&mut self, base: &Expr, base_text: String, index: &Expr, site: SiteId, pinned: bool) -> String {
        let index_code = self.value(index);
        let bound = self.function.site(site).bound.clone();
        if bound == Bound::Below(Vec::new()) && !pinned {
            return format!("{base_text}[{}]", index_code.text);
        }
        let index_text =
            if pinned { self.spill(index_code, &Type::USIZE) } else { self.spill_unless_simple(index_code, &Type::USIZE, "index") };
        let length = if base.ty.is_followed() { format!("{base_text}.length") } else { self.length_of(base) };
        let call = self.panic_call(site, [&index_text, &length]);
        let check = format!("if ({index_text} >= {length}) {call}");
        match bound {
            Bound::Unknown => self.writer.line(check),
            Bound::Below(inequalities) if inequalities.is_empty() => {}
            Bound::Below(_) => self.writer.checked_line(check),
        }
        format!("{base_text}[{index_text}]")
    }

    /// The number of elements of an indexable expression.
    pub(super) fn length_of(&mut self, base: &Expr) -> String {
        match (&base.kind, base.ty.element()) {
            (_, Some((_, Some(length)))) => {
                let length = length.clone();
                self.length(&length)
            }
            _ if base.ty.view().is_some() => format!("{}.len()", self.layout_of(base)),
            (ExprKind::Local(local), _) => self.lengths[local.0].clone(),
            _ => unreachable!("a slice is always a variable"),
        }
    }

    /// Writes the check of an integer division, which reads its operands once more. A division by a literal or of floats needs none.
    pub(super) fn check_division(&mut self, left: Code, ty: &Type, right_expr: &Expr, right: Code, site: Option<SiteId>) -> (Code, Code) {
        let by_literal = matches!(&right_expr.kind, ExprKind::Int(literal) if literal.value != 0);
        let by_float =
            matches!(ty, Type::Parameter(TypeParam { class: Some(Class::Float), .. })) || ty.as_scalar().is_some_and(Scalar::is_float);
        let Some(site) = site.filter(|_| !by_literal && !by_float) else { return (left, right) };
        let right_type = if right_expr.ty.is_followed() || right_expr.ty.as_scalar().is_some() { &right_expr.ty } else { ty };
        let left = self.division_operand(left, ty, "value");
        let right = self.division_operand(right, right_type, "divisor");
        let zero = if ty.is_picked_by_c() {
            self.need("ops");
            format!("gr_is_zero_divisor({right})")
        } else {
            format!("{right} == 0")
        };
        self.write_check(&zero, site, ["0", "0"]);
        let may_overflow = match ty {
            Type::Scalar(scalar) => scalar.is_signed_integer(),
            _ => true,
        };
        if may_overflow {
            self.need("ops");
            self.write_check(&format!("gr_division_overflows({left}, {right})"), site, ["1", "0"]);
        }
        (Code::atom(left), Code::atom(right))
    }

    /// An operand to be read twice. A literal beside a complex number is none, so it goes into no variable of that type.
    fn division_operand(&mut self, operand: Code, ty: &Type, name: &str) -> String {
        if ty.is_followed() && operand.is_constant() { operand.text } else { self.spill_unless_simple(operand, ty, name) }
    }

    pub(super) fn write_assert(&mut self, condition: &Expr, site: SiteId, debug: bool) {
        let condition = if debug {
            let enabled = self.hole(Piece::Constant(quote::quote!(::core::cfg!(debug_assertions))));
            self.writer.line(format!("if ({enabled}) {{"));
            self.writer.indent();
            self.value(condition)
        } else {
            self.value(condition)
        };
        let negated = condition.negated();
        self.write_check(&negated, site, ["0", "0"]);
        if debug {
            self.writer.dedent();
            self.writer.line("}");
        }
    }
}
