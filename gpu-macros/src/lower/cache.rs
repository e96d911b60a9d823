//! Loads and stores with a cache hint: index expressions that the CUDA emitter writes as function calls.

use super::Lowerer;
use crate::first_span::Start;
use crate::model::*;
use crate::unsupported_methods::wrong_count;

impl Lowerer<'_> {
    pub(super) fn lower_cache_hint(&mut self, hint: CacheHint, call: &syn::ExprMethodCall, base: Expr) -> Expr {
        let (name, span) = (hint.name, call.start());
        let plain = if hint.stores { "x[i] = v" } else { "x[i]" };
        if !self.is_kernel {
            return self.refuse(
                call.method.span(),
                format!("`{name}` is not supported in device functions, where the slice may be in shared memory\nhelp: write `{plain}`"),
            );
        }
        let element = match &base.kind {
            ExprKind::Local(local) => match &self.locals[local.0] {
                Local { ty: Type::Slice { element, .. }, kind: LocalKind::Param(_), .. } => Some((**element).clone()),
                _ => None,
            },
            _ => None,
        };
        let is_number = |ty: &Type| matches!(ty, Type::Parameter(_)) || ty.as_scalar().is_some_and(|scalar| scalar != Scalar::Bool);
        if !element.as_ref().is_some_and(is_number) {
            return self.refuse(
                call.receiver.start(),
                format!("`{name}` is only supported on a slice parameter whose elements are numbers\nhelp: write `{plain}`"),
            );
        }
        let count = if hint.stores { 2 } else { 1 };
        if call.args.len() != count {
            let message = wrong_count(name, "x.", count, call.args.len());
            return self.refuse_invalid(call.method.span(), message);
        }
        let mut args = call.args.iter().map(|arg| self.lower_expr(arg)).collect::<Vec<_>>().into_iter();
        let index = Box::new(args.next().expect("the arguments were counted"));
        let site = self.site(span, SiteKind::Index);
        let place = self.expr(ExprKind::Index { base: Box::new(base), index, site }, span);
        if hint.stores {
            self.check_place(&place);
        }
        self.sites[site.0].cache = Some(hint);
        match args.next() {
            Some(value) => self.expr(ExprKind::Assign { target: Target::Place(Box::new(place)), value: Box::new(value) }, span),
            None => place,
        }
    }
}
