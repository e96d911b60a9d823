//! `u32::try_from(x)` and `x.try_into()` of integers: a `Result`, whose error has no content in kernels.
//!
//! ```text
//! let value = x;
//! if value fits in u32 { Ok(value.cast::<u32>()) } else { Err(0u8) }
//! ```

use super::Lowerer;
use crate::first_span::Start;
use crate::model::*;
use syn::parse_quote;

impl Lowerer<'_> {
    /// `u32::try_from(x)`
    pub(super) fn lower_try_from(&mut self, call: &syn::ExprCall, path: &syn::Path) -> Option<Expr> {
        let [owner, name] = &path.segments.iter().collect::<Vec<_>>()[..] else { return None };
        let is_integer = Scalar::from_name(&owner.ident.to_string()).is_some_and(Scalar::is_integer);
        if name.ident != "try_from" || !is_integer || call.args.len() != 1 {
            return None;
        }
        let owner = &owner.ident;
        let to = self.lower_type(&parse_quote!(#owner))?;
        Some(self.lower_integer_conversion(&call.args[0], to, call))
    }

    /// `x.try_into()`, whose type is inferred.
    pub(super) fn lower_try_into(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        if call.method != "try_into" || !call.args.is_empty() || call.turbofish.is_some() {
            return None;
        }
        let receiver = &call.receiver;
        let value = if self.is_reference(receiver) { parse_quote!((*#receiver)) } else { (**receiver).clone() };
        let to = self.fresh();
        Some(self.lower_integer_conversion(&value, to, call))
    }

    fn lower_integer_conversion(&mut self, value: &syn::Expr, to: Type, call: &impl Start) -> Expr {
        let at = call.start();
        let name = self.own_name("value");
        let mut stmts = Vec::new();
        let value = self.lower_expr(value);
        if value.is_refused() {
            return value;
        }
        let value = self.hold_value(&name, value, &mut stmts);
        let mut convert = |conversion| {
            let operand = Box::new(self.use_of(value));
            self.expr(ExprKind::Convert { conversion, to: to.clone(), operand }, at)
        };
        let (fits, converted) = (convert(Conversion::Fits), convert(Conversion::Cast));
        let error = self.expr(ExprKind::Int(IntLiteral { value: 0, suffix: Some(Scalar::U8) }), at);
        let mut block_of = |variant, value| {
            let value = Some(Box::new(self.expr(ExprKind::variant(variant, value), at)));
            Block { stmts: Vec::new(), value, is_unsafe: false, span: at }
        };
        let (then, block) = (block_of(StdVariant::Ok, converted), block_of(StdVariant::Err, error));
        let otherwise = Some(Box::new(self.expr(ExprKind::Block { label: None, block }, at)));
        let result = self.expr(ExprKind::If { condition: Box::new(fits), then, otherwise }, at);
        self.block_of(stmts, Some(result), call)
    }
}
