//! What a walk records about places: elements of arrays, which are read and written, and variables, which assignments change.

use super::effects::{Access, AxisIndex};
use super::walker::Walker;
use crate::check::clients::shared_memory::is_shared_array;
use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::values::interval::Interval;
use crate::check::values::value::{Exact, Kind, Node, Value};
use crate::model::*;

impl<'f> Walker<'f> {
    /// The length of a slice variable: of a parameter that is never assigned, the host knows it; a dynamic shared array is bound to it.
    pub(crate) fn length_of_slice(&self, local: LocalId) -> Option<Value> {
        match self.function.local(local) {
            Local { kind: LocalKind::Param(index), ty: Type::Slice { .. }, .. } if !self.assigned.contains(&local) => {
                // No array on a device is larger than `isize::MAX` bytes, and each element has at least one.
                let most = if self.findings.assumed.fits { u32::MAX.into() } else { i64::MAX.cast_unsigned() };
                Some(Node::symbol(Symbol::launch(Atom::Len(*index), most)))
            }
            Local { kind, ty: Type::Slice { .. }, .. } if !matches!(kind, LocalKind::Param(_)) => {
                // The handle is never assigned; what it is lent to has another.
                self.dynamic_lengths.get(&local).cloned()
            }
            _ => None,
        }
    }

    /// The length of an array that is a constant: at most `isize::MAX`, which `array_length` asserts.
    pub(crate) fn length_of_table(&self, path: &syn::Path) -> Value {
        let runtime = &self.function.runtime;
        Node::symbol(Symbol::launch(Atom::constant(quote::quote!(#runtime::__private::array_length(&#path))), i64::MAX.cast_unsigned()))
    }

    /// `base[index]`, read or (also) written.
    pub(crate) fn index(&mut self, whole: &'f Expr, base: &'f Expr, index: &'f Expr, site: SiteId, writes: bool) -> Value {
        // `a[i][j]` and `a[i].x[j]`: what is around is read, or written to.
        let (slice, around) = match &base.kind {
            ExprKind::Local(local) => (Some(*local), Uniformity::Thread),
            _ => (None, self.base(base, writes)),
        };
        let index_expr = index;
        let index = self.expr(index);
        let (length, extent) = match (base.ty.element(), slice) {
            _ if matches!(base.ty, Type::Table(_)) => {
                let length = self.length_of(base);
                (Some(length.clone()), length.form.to_polynomial())
            }
            (Some((_, Some(length))), _) => (Some(self.constants.length(length)), self.constants.exact_length(length)),
            (_, Some(local)) => {
                let length = self.length_of_slice(local);
                (length.clone(), length.and_then(|length| integer_length(&length)))
            }
            _ => (None, None),
        };
        let indices = vec![AxisIndex { expr: index_expr, value: index.clone(), length: extent, site }];
        self.note_access(base, indices, writes);
        if writes {
            self.note_write(base);
        }
        if let Some(length) = length {
            self.pass_check(site, &index, &length);
        }
        if let Some(element) = slice.filter(|_| !writes).and_then(|array| self.element_of_constant(array, &index)) {
            return element;
        }
        let range = Interval::of_type(whole.ty.as_scalar());
        if whole.ty.as_scalar().is_some_and(Scalar::is_integer)
            && let Some(element) = slice.filter(|_| !writes).and_then(|array| self.any_element(array, &index, range))
        {
            return element;
        }
        if let Type::Table(table) = &base.ty {
            return self.operation(Kind::Unknown, format!("element of {table:?}"), &[&index], range);
        }
        // Nothing writes to what a kernel has behind a shared reference: an element is a function of its index. (A device function
        // may be given shared memory, which other threads write to.)
        if let Some(local) = slice
            && matches!(self.function.kind, FunctionKind::Kernel(_))
            && !self.assigned.contains(&local)
            && let Local { ty: Type::Slice { mutable: false, .. }, kind: LocalKind::Param(param), .. } = self.function.local(local)
            && !writes
        {
            return self.operation(Kind::Unknown, format!("element of {param}"), &[&index], range);
        }
        // A user's `Index` is a function, which may ask for its thread.
        if base.ty.element().is_none() {
            return self.result_of_function(&whole.ty);
        }
        let spread = match slice {
            _ if writes || matches!(whole.ty, Type::Atomic(_)) => Uniformity::Thread,
            Some(array) => self.spread_of_shared(array).max(index.spread),
            // There may be a barrier in the index.
            None => match base.place().variable().filter(|array| is_shared_array(self.function.local(*array))) {
                Some(array) => self.spread_of_shared(array).max(around).max(index.spread),
                None => around.max(index.spread),
            },
        };
        self.fresh(spread, range)
    }

    /// `base[start..end]`, which is `whole`: a function reads or (also) writes any of its elements.
    pub(crate) fn subslice(&mut self, whole: &'f Expr, base: &'f Expr, (start, end): (&'f Expr, Option<&'f Expr>), site: SiteId) {
        let ExprKind::Subslice { mutable: writes, .. } = whole.kind else { unreachable!("the caller has matched it") };
        let slice = match &base.kind {
            ExprKind::Local(local) => Some(*local),
            _ => {
                self.base(base, writes);
                None
            }
        };
        if writes {
            self.note_write(base);
        }
        let start = self.expr(start);
        let length = match (base.ty.element(), slice) {
            (Some((_, Some(length))), _) => Some(self.constants.length(length)),
            (_, Some(local)) => self.length_of_slice(local),
            _ => None,
        };
        let end = match end {
            Some(end) => Some(self.expr(end)),
            None => length.clone(),
        };
        // The element is any of them.
        let number = self.number();
        let symbol = Symbol::new(SymbolKind::Fresh(number), Uniformity::Thread, u64::MAX);
        let position = Node::within(Kind::Unknown, NormalForm::symbol(symbol), Interval::WORD);
        let outside = self.facts.clone();
        let usize_type = &Type::USIZE;
        if let Some(end) = end {
            let count = self.binary(BinaryOp::Subtract, [usize_type; 2], Some(Scalar::Usize), end, start.clone());
            let is_inside = self.binary(BinaryOp::Less, [usize_type; 2], Some(Scalar::Bool), position.clone(), count);
            self.facts.assume(&is_inside, true);
        }
        let value = self.binary(BinaryOp::Add, [usize_type; 2], Some(Scalar::Usize), start, position);
        // The thread has ended where the range is not within the array.
        if let Some(length) = length {
            self.facts.add_check(&value, &length);
        }
        let indices = vec![AxisIndex { expr: whole, value, length: None, site }];
        self.note_access(base, indices, writes);
        self.facts = outside;
    }

    /// The arguments of a function in which no thread waits for others. One that takes a shared array reads or (also) writes any of its
    /// elements, and keeps no reference to them.
    pub(crate) fn arguments(&mut self, args: &'f [Expr]) {
        for arg in args {
            let ExprKind::Borrow { operand, mutable: writes } = &arg.kind else {
                self.expr(arg);
                continue;
            };
            match operand.kind {
                ExprKind::Local(array) if is_shared_array(self.function.local(array)) => {
                    self.note_access(operand, Vec::new(), *writes);
                    if *writes {
                        self.note_write(operand);
                    }
                }
                _ => {
                    self.expr(arg);
                }
            }
        }
    }

    /// The thread accesses an element of `base` here.
    pub(crate) fn note_access(&mut self, base: &'f Expr, indices: Vec<AxisIndex<'f>>, writes: bool) {
        let (facts, ways, loops) = (self.facts.clone(), self.ways_here(), self.enclosing.clone());
        self.findings.accesses.push(Access { base, indices, writes, facts, ways, loops });
    }

    /// A thread whose index is not below `length` ends at `site`.
    pub(crate) fn pass_check(&mut self, site: SiteId, index: &Value, length: &Value) {
        if self.function.site(site).kind != SiteKind::Unchecked && !self.findings.assumed.goes_on {
            self.facts.add_check(index, length);
        }
    }

    /// What an index goes into, other than by its name: a part of it is read or (also) written. Gives which threads agree on it.
    fn base(&mut self, base: &'f Expr, writes: bool) -> Uniformity {
        match &base.kind {
            ExprKind::Index { base: outer, index, site } => return self.index(base, outer, index, *site, writes).spread,
            ExprKind::Element { base: view, indices, sites } => {
                self.element_of_view(base, view, indices, sites, writes);
            }
            ExprKind::TupleField { base: outer, .. } | ExprKind::Field { base: outer, .. } if writes => {
                self.base(outer, writes);
            }
            ExprKind::Local(_) if writes => {}
            _ => {
                self.expr(base);
            }
        }
        Uniformity::Thread
    }

    /// What a method is called on: it may write to it.
    pub(crate) fn receiver(&mut self, receiver: &'f Expr) {
        match receiver.place().whole_variable() {
            Some(local) if !self.assigned.contains(&local) => {
                self.expr(receiver);
            }
            _ => {
                self.place(receiver, Uniformity::Thread);
                self.store(receiver, None, Uniformity::Thread);
            }
        }
    }

    pub(crate) fn assign(&mut self, target: &'f Target, value: &Value) {
        match target {
            Target::Wildcard(_) => {}
            Target::Place(place) => {
                self.place(place, value.spread);
                self.store(place, Some(value.clone()), value.spread);
            }
            Target::Tuple(targets, _) => {
                for (index, target) in targets.iter().enumerate() {
                    let element = match &value.kind {
                        Kind::Tuple(elements) if elements.len() == targets.len() => elements[index].clone(),
                        _ => self.fresh(value.spread, Interval::ANY),
                    };
                    self.assign(target, &element);
                }
            }
        }
    }

    /// `place op= operand`, where the operand is `value`: the new value, where it is known.
    pub(crate) fn compound_assign(&mut self, op: BinaryOp, place: &'f Expr, operand: &'f Expr, value: &Value) -> Option<Value> {
        let spread = self.place(place, value.spread).max(value.spread);
        let variable = match place.kind {
            // What is behind a reference may be another thread's.
            ExprKind::Local(local) if !self.function.local(local).is_reference() => Some(local),
            _ => None,
        };
        let Some(local) = variable else {
            // A user's `AddAssign`.
            let is_known = place.ty.is_scalar() && operand.ty.is_scalar();
            self.store(place, None, if is_known { spread } else { Uniformity::Thread });
            return None;
        };
        let old = self.version(local);
        let new = match place.ty.is_scalar() && operand.ty.is_scalar() {
            true => self.binary(op, [&place.ty, &operand.ty], place.ty.as_scalar(), old, value.clone()),
            false => self.result_of_operator(&[(place, &old), (operand, value)], &place.ty),
        };
        self.store(place, Some(new.clone()), spread.max(new.spread));
        Some(new)
    }

    /// Evaluates the parts of a place that is written. Gives the spread of its old value.
    fn place(&mut self, place: &'f Expr, written: Uniformity) -> Uniformity {
        match &place.kind {
            ExprKind::Local(local) => self.variable_spread.get(local).copied().unwrap_or(Uniformity::Grid).max(written),
            ExprKind::TupleField { base, .. } | ExprKind::Field { base, .. } | ExprKind::Axis { base, .. } => self.place(base, written),
            ExprKind::Index { base, index, site } => {
                self.index(place, base, index, *site, true);
                Uniformity::Thread
            }
            ExprKind::Element { base, indices, sites } => {
                self.element_of_view(place, base, indices, sites, true);
                Uniformity::Thread
            }
            _ => {
                self.expr(place);
                Uniformity::Thread
            }
        }
    }

    /// Gives a variable the new value, where `place` is one and its value is known.
    pub(crate) fn store(&mut self, place: &Expr, value: Option<Value>, spread: Uniformity) {
        if let Some(local) = place.place().whole_variable() {
            let value = value.filter(|_| matches!(place.kind, ExprKind::Local(_)));
            self.assign_version(local, value, spread);
        }
    }
}

/// A length over the integers. The host has computed it, operator by operator, without overflow.
fn integer_length(length: &Value) -> Option<Polynomial> {
    let parts = |[a, b]: &[Value; 2]| {
        let is_natural = a.interval.is_natural() && b.interval.is_natural();
        is_natural.then(|| integer_length(a).zip(integer_length(b))).flatten()
    };
    let by_parts = match &length.kind {
        Kind::Sum { exact: Exact::Unknown, .. } | Kind::Product { exact: Exact::Unknown, .. } => None,
        Kind::Sum { of, .. } => parts(of).and_then(|(a, b)| a.plus(&b)),
        Kind::Product { of, .. } => parts(of).and_then(|(a, b)| a.times(&b)),
        Kind::Difference { of, .. } => parts(of).and_then(|(a, b)| a.minus(&b)),
        _ => None,
    };
    by_parts.or_else(|| length.form.to_exact_polynomial())
}
