//! Views: their extents in the proofs, and accesses with one index per axis.

use super::effects::AxisIndex;
use super::walker::Walker;
use crate::check::values::form::{Symbol, Uniformity};
use crate::check::values::interval::Interval;
use crate::check::values::value::{Exact, Kind, Node, Value};
use crate::model::*;

impl<'f> Walker<'f> {
    /// `view.shape()[axis]`. A view is a parameter and never assigned, so the host knows it.
    ///
    /// An empty or repeated view may have any number of indices along an axis: all 64 bits can be in use.
    pub(crate) fn extent(&mut self, view: &'f Expr, axis: usize) -> Value {
        match self.view_param(view) {
            Some(param) => Node::symbol(Symbol::launch(Atom::Extent(param, axis), u64::MAX)),
            None => self.fresh(Uniformity::Thread, Interval::WORD),
        }
    }

    /// The number of elements: the product of the extents. The host has seen that no product of any of them wraps around, also where another
    /// is 0: see `Shape::checked_len`.
    pub(crate) fn length_of_view(&mut self, view: &'f Expr, rank: usize) -> Value {
        let first = self.extent(view, 0);
        (1..rank).fold(first, |product, axis| {
            let extent = self.extent(view, axis);
            let form = product.form.times(&extent.form);
            self.node(Kind::Product { of: [product, extent], exact: Exact::Always }, form, Interval::WORD)
        })
    }

    /// `view[[i, j]]`, which is `whole`, read or (also) written.
    pub(crate) fn element_of_view(
        &mut self,
        whole: &'f Expr,
        view: &'f Expr,
        indices: &'f [Expr],
        sites: &'f [SiteId],
        writes: bool,
    ) -> Value {
        let values: Vec<Value> = indices.iter().map(|index| self.expr(index)).collect();
        let param = self.view_param(view);
        let indices = indices.iter().zip(&values).zip(sites).enumerate().map(|(axis, ((expr, value), site))| AxisIndex {
            expr,
            value: value.clone(),
            length: param.map(|param| Polynomial::atom(Atom::Extent(param, axis))),
            site: *site,
        });
        let indices = indices.collect();
        self.note_access(view, indices, writes);
        for (axis, (value, site)) in values.iter().zip(sites).enumerate() {
            let extent = self.extent(view, axis);
            self.pass_check(*site, value, &extent);
        }
        let range = Interval::of_type(whole.ty.as_scalar());
        // Nothing writes to what a kernel has as a `View`: an element is a function of its indices.
        if let (Some(param), Type::View { mutable: false, .. }, FunctionKind::Kernel(_)) = (param, &view.ty, &self.function.kind)
            && !writes
        {
            return self.operation(Kind::Unknown, format!("element of {param}"), &values.iter().collect::<Vec<_>>(), range);
        }
        self.fresh(Uniformity::Thread, range)
    }

    /// `array[index]` of an array that was made of known values and never changes, such as `a.shape()`.
    pub(crate) fn element_of_constant(&self, array: LocalId, index: &Value) -> Option<Value> {
        let Local { mutable: false, ty: Type::Array(..), .. } = self.function.local(array) else { return None };
        let index = usize::try_from(index.form.as_constant()?).ok()?;
        match &self.values.get(&array)?.kind {
            Kind::Tuple(elements) => elements.get(index).cloned(),
            _ => None,
        }
    }

    /// An integer in an array that never changes, at an index that is not known: threads with the same index have the same one. `of_type`: what
    /// its type has.
    pub(crate) fn any_element(&mut self, array: LocalId, index: &Value, of_type: Interval) -> Option<Value> {
        let Local { mutable: false, ty: Type::Array(..), .. } = self.function.local(array) else { return None };
        let Kind::Tuple(elements) = &self.values.get(&array)?.kind else { return None };
        let spread = elements.iter().map(|element| element.spread).max()?.max(index.spread);
        let range = elements.iter().map(|element| element.interval).reduce(Interval::join)?;
        Some(self.fresh(spread, range.meet(of_type)))
    }

    /// The number of the parameter that `view` is.
    fn view_param(&self, view: &Expr) -> Option<usize> {
        let ExprKind::Local(local) = view.kind else { return None };
        match self.function.local(local) {
            Local { kind: LocalKind::Param(param), ty: Type::View { .. }, .. } => Some(*param),
            _ => None,
        }
    }
}
