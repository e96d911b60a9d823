//! The arrays that a kernel declares, in variables and in shared memory, and their elements.
//!
//! The gradient of an array is an array of the same shape, which begins with zero. A write takes what is there, `d = da[i]; da[i] = 0`, and a read adds,
//! `da[i] += d`. An array in a variable is copied as other variables are, where it is needed again; [`memory`](super::memory) is about shared memory.

use super::own::{Access, Element, Extents, Zeroed};
use super::primal::Loss;
use super::reverse::{Reverse, Variable, zero};
use super::statements::zero_of;
use super::step::{Code, Step, Var};
use super::values::{Value, let_step};
use crate::idents::word;
use crate::model::*;
use proc_macro2::{Ident, Literal, Span};
use quote::{format_ident, quote, quote_spanned};

/// An array that the kernel declares.
#[derive(Clone)]
pub(super) struct OwnArray {
    /// What is in it. A loop that writes all of a shared array again has other variables for that, of the same name.
    pub(super) var: Var,
    declared: Var,
    pub(super) scalar: Scalar,
    pub(super) extents: Extents,
    /// With the gradient, if it is of floats that vary.
    pub(super) gradient: Option<Var>,
    pub(super) lengths: Vec<Length>,
    pub(super) is_shared: bool,
    /// A dynamic shared array of `block_dim().x` elements, or along another axis.
    pub(super) as_long_as_block: Option<Axis>,
}

/// The lengths of an array of arrays, the outermost first, and what it consists of.
pub(super) fn shape_of(mut element: &Type) -> (Vec<Length>, &Type) {
    let mut lengths = Vec::new();
    while let Type::Array(inner, length) = element {
        lengths.push(length.clone());
        element = inner;
    }
    (lengths, element)
}

impl Reverse<'_> {
    /// `let mut s = shared::<[f32; 64]>();`
    pub(super) fn declare_shared(&mut self, local: LocalId, init: &Expr) -> Option<()> {
        let span = init.span;
        if self.frames.len() > 1 || self.current().branches > 0 || self.current().has_exits {
            self.refused.insert(local);
            let message = "the gradient of a kernel: shared memory that is declared here is not supported\nhelp: declare it at the beginning of the kernel, outside of loops and branches, and before each `return`";
            return self.refuse(span, message);
        }
        let (lengths, element) = match &init.ty {
            Type::Shared(array) => shape_of(array),
            Type::Slice { element, .. } => shape_of(element),
            other => shape_of(other),
        };
        let is_dynamic = matches!(init.ty, Type::Slice { .. });
        let scalar = match element.as_scalar() {
            Some(scalar) if !is_dynamic || lengths.is_empty() => scalar,
            _ => {
                let name = self.function.local(local).name.clone();
                self.refused.insert(local);
                return self.refuse(
                    span,
                    format!("the gradient of a kernel: a shared array with elements of the type of `{name}` is not supported\nhelp: use elements of type `f32`, `f64` or integers"),
                );
            }
        };
        let mut as_long_as_block = None;
        let extents = match (&init.kind, is_dynamic) {
            (ExprKind::Intrinsic { args, .. }, true) => {
                as_long_as_block = self.axis_of(&args[0], &|intrinsic| matches!(intrinsic, Intrinsic::BlockDim));
                let mut length = self.primal(&args[0], Loss::Refused)?;
                let tokens = &length.tokens;
                length.tokens = quote!((#tokens));
                Extents::Dynamic(length)
            }
            _ => Extents::Constant(lengths.iter().map(Length::tokens).collect()),
        };
        let declared = self.var_of(local);
        // Each thread changes it: it is not copied as a variable is.
        self.variables[declared.0].is_mutable = false;
        let var = self.same_name(declared);
        self.versions.insert(var);
        let element = Ident::new(scalar.name(), span);
        let prelude = {
            let runtime = &self.function.runtime;
            quote!(#runtime::prelude)
        };
        let value = extents.declare(&quote!(#element), &prelude);
        let mut forward = vec![let_step(declared, None, Code { tokens: value, reads: extents.reads(), is_stable: false })];
        let gradient = (scalar.is_float() && self.activity.varies(local)).then(|| {
            let name = format!("d_{}", word(&self.variables[var.0].name));
            let name = Ident::new(&self.unique(&name), Span::mixed_site());
            self.variable(Variable { name, is_mutable: false, of: Some(local), is_gradient: true })
        });
        if let Some(gradient) = gradient {
            let (runtime, atomic) = (&self.function.runtime, format_ident!("{}", scalar.atomic_name()));
            forward.push(Step::Zeroed(Zeroed {
                var: gradient,
                element: quote!(#element),
                atomic: quote!(#runtime::atomic::#atomic),
                zero: zero(scalar).tokens,
                extents: extents.clone(),
            }));
            forward.push(Step::Barrier(vec![gradient]));
        }
        self.push(forward, Vec::new());
        self.arrays.insert(local, OwnArray { var, declared, scalar, extents, gradient, lengths, is_shared: true, as_long_as_block });
        Some(())
    }

    pub(super) fn is_array_of_numbers(&self, local: LocalId) -> bool {
        let ty = &self.function.local(local).ty;
        matches!(ty, Type::Array(..)) && shape_of(ty).1.as_scalar().is_some() && !self.function.local(local).is_reference()
    }

    /// `let mut a = [0.0; 4];`
    pub(super) fn declare_array(&mut self, local: LocalId, init: &Expr) -> Option<()> {
        let (span, ty) = (init.span, &self.function.local(local).ty);
        let (lengths, element) = shape_of(ty);
        let scalar = element.as_scalar()?;
        let varies = scalar.is_float() && self.activity.varies(local);
        let mut grown = Vec::new();
        let Some(value) = self.array_value(init, &lengths, &mut Vec::new(), &mut grown) else {
            self.refused.insert(local);
            return None;
        };
        let var = self.var_of(local);
        let element = Ident::new(scalar.name(), span);
        let ty = lengths.iter().rev().fold(quote!(#element), |inner, length| {
            let length = length.tokens();
            quote!([#inner; #length])
        });
        let gradient = varies.then(|| {
            let name = format!("d_{}", word(&self.variables[var.0].name));
            let name = Ident::new(&self.unique(&name), Span::mixed_site());
            let gradient = self.variable(Variable { name, is_mutable: true, of: Some(local), is_gradient: true });
            let zero = lengths.iter().rev().fold(zero(scalar).tokens, |inner, length| {
                let length = length.tokens();
                quote!([#inner; #length])
            });
            self.begun.push(Step::Let { var: gradient, ty: None, value: Code::constant(zero) });
            gradient
        });
        let mut reverse = Vec::new();
        for (indices, part) in grown {
            let (Some(gradient), Some(to)) = (gradient, part.gradient) else { continue };
            let taken = self.fresh("g");
            let access = Access::Take { var: taken, zero: zero(scalar).tokens, clears: false };
            let mut indices: Vec<Code> = indices.iter().map(|index| Code::constant(quote!(#index))).collect();
            indices[0].reads.push(gradient);
            reverse.push(Step::Element(Element { array: gradient, indices, access, span }));
            let taken = self.read(taken, span);
            reverse.push(self.contribute(to, taken));
        }
        self.push(vec![Step::Let { var, ty: Some(ty), value }], reverse);
        let extents = Extents::Constant(lengths.iter().map(Length::tokens).collect());
        self.arrays
            .insert(local, OwnArray { var, declared: var, scalar, extents, gradient, lengths, is_shared: false, as_long_as_block: None });
        Some(())
    }

    /// An array that is written out. `grown`: its elements that vary, each with its indices, of which `outer` are those of the arrays around.
    fn array_value(
        &mut self,
        init: &Expr,
        lengths: &[Length],
        outer: &mut Vec<Literal>,
        grown: &mut Vec<(Vec<Literal>, Value)>,
    ) -> Option<Code> {
        if lengths.is_empty() {
            let value = self.value(init)?;
            let code = value.code.clone();
            grown.push((outer.clone(), value));
            return Some(code);
        }
        match &init.kind {
            ExprKind::Array(elements) => {
                let mut codes = Vec::new();
                for (at, element) in elements.iter().enumerate() {
                    outer.push(Literal::usize_unsuffixed(at));
                    codes.push(self.array_value(element, &lengths[1..], outer, grown)?);
                    outer.pop();
                }
                let tokens = codes.iter().map(|code| &code.tokens);
                Some(Code::of(quote!([#(#tokens),*]), &codes).unstable())
            }
            ExprKind::Repeat { element, length } if !self.activity.is_active(element) => {
                let code = self.array_value(element, &lengths[1..], outer, &mut Vec::new())?;
                let (tokens, length) = (&code.tokens, length.tokens());
                Some(Code::of(quote!([#tokens; #length]), [&code]).unstable())
            }
            _ if !self.activity.is_active(init) => self.primal(init, Loss::Refused),
            _ => self.refuse(
                init.span,
                "the gradient of a kernel: an array with this value is not supported\nhelp: begin with zeros, `let mut a = [0.0; 4];`, and assign each element",
            ),
        }
    }

    // Elements.

    /// The array in which an element is, and its indices.
    pub(super) fn own_element<'e>(&self, expr: &'e Expr) -> Option<(LocalId, Vec<&'e Expr>)> {
        match &expr.kind {
            ExprKind::Local(local) if self.arrays.contains_key(local) => Some((*local, Vec::new())),
            ExprKind::Index { base, index, .. } => {
                let (local, mut indices) = self.own_element(base)?;
                indices.push(index);
                Some((local, indices))
            }
            _ => None,
        }
    }

    /// Of an element: the array, and its indices as they are now.
    fn own_place(&mut self, place: &Expr, local: LocalId, indices: &[&Expr]) -> Option<(OwnArray, Vec<Code>)> {
        let array = self.arrays[&local].clone();
        let rank = array.lengths.len().max(1);
        if indices.len() != rank {
            let name = self.function.local(local).name.clone();
            return self.refuse(
                place.span,
                format!(
                    "the gradient of a kernel: `{name}` as a whole, or a row of it, is not supported\nhelp: use its elements, one by one"
                ),
            );
        }
        let mut codes = Vec::new();
        for index in indices {
            let code = self.primal(index, Loss::Refused)?;
            codes.push(if self.is_lazy { code } else { self.stable(code) });
        }
        Some((array, codes))
    }

    /// The length of an array, or of a row of it.
    pub(super) fn own_length(&mut self, array: &Expr) -> Option<Code> {
        let (local, indices) = self.own_element(array)?;
        match &self.arrays[&local].extents {
            Extents::Dynamic(length) => Some(length.clone()),
            Extents::Constant(lengths) => lengths.get(indices.len()).map(|length| Code::constant(quote!((#length)))),
        }
    }

    /// `s[i]`, as it is now.
    pub(super) fn own_code(&mut self, expr: &Expr, local: LocalId, indices: &[&Expr]) -> Option<Code> {
        let (array, indices) = self.own_place(expr, local, indices)?;
        let code = self.read_own(&array, &indices, expr.operator);
        if !array.is_shared {
            return Some(code);
        }
        if !self.is_lazy {
            let temp = self.fresh("t");
            self.keep(&array, temp, code);
            return Some(self.read(temp, expr.span));
        }
        if self.current().is_in_branch() {
            let name = self.function.local(local).name.clone();
            return self.refuse(
                expr.span,
                format!("the gradient of a kernel: an element of the shared array `{name}` in a part of an expression that is not always computed is not supported here\nhelp: use `if` statements"),
            );
        }
        Some(code)
    }

    fn read_own(&mut self, array: &OwnArray, indices: &[Code], span: Span) -> Code {
        if array.is_shared {
            self.current().expose(array.var);
        }
        let (name, brackets) = (self.name_tokens(array.var), indices.iter().map(|index| &index.tokens));
        Code::of(quote_spanned!(span=> #name #([#brackets])*), indices).unstable().reading(array.var).reading(array.declared)
    }

    /// `let name = code;`, of what is in the array now.
    fn keep(&mut self, array: &OwnArray, var: Var, code: Code) {
        if !(array.is_shared && self.current().is_in_branch()) {
            self.push(vec![let_step(var, Some(array.scalar), code)], Vec::new());
            return;
        }
        let zero = Code::constant(zero_of(array.scalar));
        self.current().kept.push(let_step(var, Some(array.scalar), zero));
        self.push(vec![Step::Keep { var, value: code }], Vec::new());
    }

    /// `s[i]`, of floats that vary.
    pub(super) fn own_value(&mut self, expr: &Expr, local: LocalId, indices: &[&Expr]) -> Option<Value> {
        let (array, indices) = self.own_place(expr, local, indices)?;
        self.own_value_at(&array, indices, expr.operator)
    }

    fn own_value_at(&mut self, array: &OwnArray, indices: Vec<Code>, span: Span) -> Option<Value> {
        let code = self.read_own(array, &indices, span);
        let temp = self.fresh("t");
        let gradient = self.gradient_var(temp, array.scalar, true);
        self.keep(array, temp, code);
        let grown = self.read(gradient.var, span);
        let of_array = array.gradient.expect("it varies");
        let add = Element { array: of_array, indices, access: Access::Add { value: grown }, span };
        self.push(Vec::new(), vec![Step::Element(add)]);
        Some(Value { code: self.read(temp, span), gradient: Some(gradient) })
    }

    /// `s[i] = value`, or with `op` `s[i] op= value`.
    pub(super) fn write_own(&mut self, place: &Expr, value: &Expr, op: Option<BinaryOp>) -> Option<()> {
        let (local, indices) = self.own_element(place)?;
        let span = place.operator;
        // As in Rust, the value comes before the place: it may change what the index consists of.
        let Some(gradient) = self.arrays[&local].gradient else {
            let code = self.primal(value, Loss::Refused)?;
            let code = self.stable(code);
            let (array, codes) = self.own_place(place, local, &indices)?;
            self.store(local, &array, &indices, codes, op.map(BinaryOp::symbol), code, span)?;
            return Some(());
        };
        let mut value = self.value(value)?;
        let (array, codes) = self.own_place(place, local, &indices)?;
        let operator = match op {
            None => None,
            Some(BinaryOp::Add | BinaryOp::Subtract) => op,
            Some(other) => {
                let now = self.own_value_at(&array, codes.clone(), span)?;
                value = self.binary_value(other, &now, &value, array.scalar, span)?;
                None
            }
        };
        let taken = self.fresh("g");
        let access = Access::Take { var: taken, zero: zero(array.scalar).tokens, clears: operator.is_none() };
        // What is read is the gradient as it is then.
        let mut taken_at = codes.clone();
        taken_at[0].reads.push(gradient);
        let mut reverse = vec![Step::Element(Element { array: gradient, indices: taken_at, access, span })];
        if let Some(to) = value.gradient {
            let g = self.read(taken, span);
            let (tokens, sign) = (&g.tokens, (operator == Some(BinaryOp::Subtract)).then(|| quote!(-)));
            reverse.push(self.contribute(to, Code::of(quote!(#sign #tokens), [&g])));
        }
        self.store(local, &array, &indices, codes, operator.map(BinaryOp::symbol), value.code, span)?;
        self.push(Vec::new(), reverse);
        Some(())
    }

    #[allow(clippy::too_many_arguments)]
    fn store(
        &mut self,
        local: LocalId,
        array: &OwnArray,
        indices: &[&Expr],
        mut codes: Vec<Code>,
        operator: Option<&'static str>,
        value: Code,
        span: Span,
    ) -> Option<()> {
        codes[0].reads.push(array.declared);
        if array.is_shared {
            let covers = operator.is_none() && self.covers(local, indices);
            self.note_store(array.var, span)?;
            self.current().store(array.var, operator.is_some(), covers);
        }
        self.push(
            vec![Step::Element(Element { array: array.var, indices: codes, access: Access::Store { operator, value }, span })],
            Vec::new(),
        );
        Some(())
    }
}
