//! Where the elements of a chain are.

use super::Preparation;
use super::elements::Elements;
use crate::lower::Lowerer;
use crate::lower::reference::Shape;
use crate::model::*;
use proc_macro2::Span;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    /// `a..b` or `a..=b`, with ends that are evaluated once.
    pub(super) fn lower_range_of_elements(&mut self, range: &syn::ExprRange, before: &mut Preparation) -> Option<Elements> {
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            self.errors.push(range.span(), "a range in a kernel needs both ends\nhelp: write the end, such as `0..x.len()`, or use `loop` with a counter if there is none");
            return None;
        };
        let start = self.evaluate_first(start, "start", &mut before.lets)?;
        let end = self.evaluate_first(end, "end", &mut before.lets)?;
        Some(Elements::Range { start, end, inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)) })
    }

    /// Where the elements are. `by_reference` is `None` where Rust decides by the type.
    pub(super) fn lower_source(&mut self, source: &syn::Expr, by_reference: Option<bool>, before: &mut Preparation) -> Option<Elements> {
        let source = match source {
            syn::Expr::Paren(paren) => return self.lower_source(&paren.expr, by_reference, before),
            syn::Expr::Group(group) => return self.lower_source(&group.expr, by_reference, before),
            source => source,
        };
        if let Some(part) = self.part_named(source) {
            // The name of a `&mut` part stands for its elements, as `iter_mut()` has them.
            let is_changed = by_reference.is_none() && !part.is_shared();
            let elements = Elements::OfPart(part);
            return Some(if is_changed { Elements::Mutable(Box::new(elements)) } else { elements });
        }
        if by_reference == Some(true)
            && let Some((part, root)) = self.lower_part(source, &mut before.lets)
        {
            before.borrowed.extend(root);
            return Some(Elements::OfPart(part));
        }
        if let syn::Expr::Path(path) = source {
            let Some(local) = path.path.get_ident().and_then(|name| self.lookup(name)) else {
                // A constant.
                return Some(Elements::Of { place: source.clone(), by_reference: by_reference.unwrap_or(false) });
            };
            return self.lower_source_of_local(source, local, by_reference, before);
        }
        if let syn::Expr::Call(syn::ExprCall { func, .. }) = source
            && let syn::Expr::Path(function) = &**func
            && function.path.is_ident("range")
        {
            self.errors.push_invalid(
                function.span(),
                "there is no function `range` in kernels\nhelp: write `for i in 0..n`, or `(a..b).step_by(k)`",
            );
            return None;
        }
        if by_reference == Some(true)
            && let Some((place, root)) = self.lower_place(source, &mut before.lets)
        {
            before.borrowed.extend(root);
            return Some(Elements::Of { place, by_reference: true });
        }
        let place = self.evaluate_first(source, "elements", &mut before.lets)?;
        Some(Elements::Of { place, by_reference: by_reference.unwrap_or(false) })
    }

    fn lower_source_of_local(
        &mut self,
        source: &syn::Expr,
        local: LocalId,
        by_reference: Option<bool>,
        before: &mut Preparation,
    ) -> Option<Elements> {
        let Local { name, mutable, ty, .. } = &self.locals[local.0];
        let element = match ty {
            Type::Slice { element, .. } => Some(&**element),
            Type::Shared(array) => match &**array {
                Type::Array(element, _) => Some(&**element),
                _ => None,
            },
            _ => None,
        };
        let message = match (ty, by_reference) {
            (Type::Scalar(_), _) => Some(format!("`{name}` is a number, which has no elements\nhelp: write `for i in 0..{name}`")),
            (Type::View { .. }, _) => Some(format!(
                "`{name}` is a view, and an element of it needs an index for each axis\nhelp: write a loop for each axis: `for i in 0..{name}.shape()[0] {{ for j in 0..{name}.shape()[1] {{ … {name}[[i, j]] … }} }}`"
            )),
            _ if matches!(element, Some(Type::Atomic(_))) => Some(format!(
                "a loop over the elements of `{name}` would copy them, but atomics cannot be copied\nhelp: write `for i in 0..{name}.len()`, and `{name}[i].load(Ordering::Relaxed)` in the loop"
            )),
            (Type::Shared(_), None) => {
                Some(format!("`{name}` is a shared array, which cannot be moved into a loop\nhelp: write `{name}.iter()`"))
            }
            _ => None,
        };
        if let Some(message) = message {
            // Nor has Rust elements of these.
            if matches!(ty, Type::Scalar(_) | Type::View { .. } | Type::Shared(_)) {
                self.errors.mark_invalid();
            }
            self.errors.push(source.span(), message);
            return None;
        }
        if let (Type::Slice { mutable: true, .. }, None) = (ty, by_reference) {
            return Some(Elements::Mutable(Box::new(Elements::Of { place: source.clone(), by_reference: true })));
        }
        let is_reference = matches!(ty, Type::Slice { .. }) || self.shape_of(source) != Shape::Value;
        let mutable = *mutable;
        match by_reference {
            Some(true) => before.borrowed.push(local),
            // The body may change the variable, and not what the loop runs over.
            _ if !is_reference && mutable => {
                let place = self.evaluate_first(source, "elements", &mut before.lets)?;
                return Some(Elements::Of { place, by_reference: false });
            }
            _ => {}
        }
        Some(Elements::Of { place: source.clone(), by_reference: by_reference.unwrap_or(is_reference) })
    }

    /// Elements that the body of a `for` changes through references. It may not use the array otherwise, which rustc checks.
    pub(super) fn lower_mutable_source(&mut self, source: &syn::Expr, before: &mut Preparation) -> Option<Elements> {
        let borrowed = before.borrowed.len();
        let elements = self.lower_source(source, Some(true), before)?;
        before.borrowed.truncate(borrowed);
        Some(Elements::Mutable(Box::new(elements)))
    }

    pub(super) fn refuse_mutable_elements<T>(&mut self, span: Span, array: &syn::Expr) -> Option<T> {
        let name = match array {
            syn::Expr::Path(path) => path.path.get_ident().map_or_else(|| "x".to_owned(), ToString::to_string),
            _ => "x".to_owned(),
        };
        self.errors.push(
            span,
            format!("only a `for` loop can change elements by reference in kernels\nhelp: write `for v in {name}.iter_mut()` and `*v = …`, or `for i in 0..{name}.len()` and `{name}[i] = …`"),
        );
        None
    }
}
