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
        let mut index = Box::new(args.next().expect("the arguments were counted"));
        let value = args.next();
        // An assignment computes its value first, and a call its first argument.
        let mut before = Vec::new();
        if value.as_ref().is_some_and(|value| index.writes() || value.writes()) {
            let local = self.hold_as(&self.own_name("index"), false, Type::USIZE, *index, &mut before);
            index = Box::new(self.use_of(local));
        }
        let site = self.site(span, SiteKind::Index);
        let place = self.expr(ExprKind::Index { base: Box::new(base), index, site }, span);
        if hint.stores {
            self.check_place(&place);
        }
        self.sites[site.0].cache = Some(hint);
        let Some(value) = value else { return place };
        let stored = self.expr(ExprKind::Assign { target: Target::Place(Box::new(place)), value: Box::new(value) }, span);
        if before.is_empty() { stored } else { self.block_of(before, Some(stored), call) }
    }
}
