//! Expressions that vary: each operation becomes a variable, and what brings the gradient of its result to its operands.

use super::primal::{Loss, binary, unsupported_method};
use super::reverse::Reverse;
use super::step::{Code, Place, Projection, Step, Var};
use crate::gradient::inward::two_modules_in;
use crate::gradient::{MODULE, STEPS};
use crate::idents::idents_of;
use crate::infer::DUAL_METHODS;
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

/// A value, and where its gradient goes, if it varies.
#[derive(Clone)]
pub(super) struct Value {
    pub(super) code: Code,
    pub(super) gradient: Option<Gradient>,
}

/// The variable with the gradient of a value.
#[derive(Clone, Copy)]
pub(super) struct Gradient {
    pub(super) var: Var,
    pub(super) scalar: Scalar,
    /// The value is used once, so that its gradient is not a sum.
    pub(super) is_used_once: bool,
}

/// What an operand's gradient gets, of the gradient and the value of the result.
type Slope<'s> = &'s dyn Fn(&TokenStream, &TokenStream) -> TokenStream;

impl Reverse<'_> {
    /// The value of an expression, in variables that do not change.
    pub(super) fn value(&mut self, expr: &Expr) -> Option<Value> {
        if !self.activity.is_active(expr) {
            let code = self.primal(expr, Loss::Refused)?;
            return Some(Value { code: self.stable(code), gradient: None });
        }
        let span = expr.span;
        match &expr.kind {
            ExprKind::Local(local) => self.local_value(*local, span),
            ExprKind::Index { .. } if self.own_element(expr).is_some() => {
                let (array, indices) = self.own_element(expr)?;
                self.own_value(expr, array, &indices)
            }
            ExprKind::Index { .. } | ExprKind::Element { .. } | ExprKind::Field { .. } | ExprKind::TupleField { .. } => {
                if expr.place().variable().is_some_and(|local| self.results.contains_key(&local)) {
                    return self.returned_value(expr);
                }
                if self.param_of(expr).is_none() {
                    let is_refused = expr.place().variable().is_some_and(|local| self.refused.contains(&local));
                    return if is_refused { None } else { self.unsupported(expr) };
                }
                let place = self.place_of(expr)?;
                self.value_at(place, expr)
            }
            ExprKind::Unary { op: UnaryOp::Negate, operand } => {
                let operand = self.value(operand)?;
                let tokens = &operand.code.tokens;
                let code = Code::of(quote_spanned!(span=> -#tokens), [&operand.code]);
                let scalar = self.scalar_of(expr)?;
                self.operation(code, &[(&operand, &|g, _| quote!(-#g))], scalar, span)
            }
            ExprKind::Binary { op, left, right, .. } => {
                let scalar = self.scalar_of(expr)?;
                // Next to another type, the operator may be the user's.
                self.scalar_of(left).and(self.scalar_of(right))?;
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.binary_value(*op, &left, &right, scalar, expr.operator)
            }
            ExprKind::Cast { operand, to } => self.conversion(operand, *to, span),
            ExprKind::Convert { conversion: Conversion::From, to: Type::Scalar(to), operand } => self.conversion(operand, *to, span),
            ExprKind::Method { name, receiver, args, .. } => {
                let scalar = self.scalar_of(expr)?;
                self.method_value(name, receiver, args, scalar)
            }
            ExprKind::Call { path, explicit, args, awaited: false } if explicit.is_empty() => self.call_value(path, args, expr),
            ExprKind::Call { path, explicit, args, awaited: true } if explicit.is_empty() && is_block_sum(path) => {
                let path = self.block_function(path);
                self.sum_of_threads(&args[0], &|value| quote_spanned!(span=> #path(#value).await), span)
            }
            ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin: Builtin::WarpSum, .. }, args, .. } => {
                let runtime = self.function.runtime.clone();
                self.sum_of_threads(&args[0], &|value| quote_spanned!(span=> #runtime::prelude::warp_sum(#value)), span)
            }
            ExprKind::If { condition, then, otherwise: Some(otherwise) } => {
                let scalar = self.scalar_of(expr)?;
                let (result, gradient) = self.declare_result(scalar);
                self.branch(condition, &mut |reverse| reverse.assign_block(result, gradient, then), &mut |reverse| {
                    reverse.assign_value(result, gradient, otherwise);
                });
                Some(self.mutable_value(result, gradient, span))
            }
            // It says what has no gradient.
            ExprKind::Intrinsic { .. } | ExprKind::Call { awaited: true, .. } => {
                self.primal(expr, Loss::Refused).and_then(|_| self.unsupported(expr))
            }
            ExprKind::Block { label: None, block } => {
                self.statements(&block.stmts, None, super::reverse::Tail::None);
                let Some(value) = &block.value else { return self.unsupported(expr) };
                self.value(value)
            }
            _ => self.unsupported(expr),
        }
    }

    pub(super) fn assign_block(&mut self, result: Var, gradient: Gradient, block: &Block) {
        self.statements(&block.stmts, None, super::reverse::Tail::None);
        if let Some(value) = &block.value {
            self.assign_value(result, gradient, value);
        }
    }

    /// `result = value`
    pub(super) fn assign_value(&mut self, result: Var, gradient: Gradient, value: &Expr) {
        if let Some(value) = self.value(value) {
            self.assign(result, Some(gradient), &value);
        }
    }

    /// The parameter of which it is an element, or a part of one.
    pub(super) fn param_of(&self, expr: &Expr) -> Option<usize> {
        let local = expr.place().variable()?;
        match self.function.local(local).kind {
            LocalKind::Param(param) => Some(param),
            _ => self.places.get(&local).map(|place| place.param),
        }
    }

    /// The element of a parameter, or the part of one, with the indices as they are now.
    pub(super) fn place_of(&mut self, expr: &Expr) -> Option<Place> {
        let span = expr.span;
        let (base, part) = match &expr.kind {
            ExprKind::Local(local) => {
                if let Some(place) = self.places.get(local) {
                    return Some(place.clone());
                }
                return self.param_of(expr).map(|param| Place::of_number(param, span));
            }
            ExprKind::Field { base, name } => (base, Projection::Field(Member::Name(name.clone()))),
            ExprKind::TupleField { base, index } => (base, Projection::Field(Member::Position(*index, span))),
            ExprKind::Index { base, index, .. } => {
                let index = self.primal(index, Loss::Refused)?;
                let index = self.stable(index);
                if let Some(param) = self.array_of(base) {
                    return Some(Place { param, indices: vec![index], is_view: false, path: Vec::new() });
                }
                (base, Projection::Index(index))
            }
            ExprKind::Element { base, indices, .. } => {
                let indices = self.primal_all(indices, Loss::Refused)?;
                let indices: Vec<_> = indices.into_iter().map(|index| self.stable(index)).collect();
                return self.array_of(base).map(|param| Place { param, indices, is_view: true, path: Vec::new() });
            }
            _ => return self.unsupported(expr),
        };
        let mut place = self.place_of(base)?;
        place.path.push(part);
        Some(place)
    }

    /// The parameter that is this array.
    fn array_of(&self, base: &Expr) -> Option<usize> {
        match base.kind {
            ExprKind::Local(local) => self.function.local(local).param().filter(|param| self.parameters[*param].is_array()),
            _ => None,
        }
    }

    fn local_value(&mut self, local: LocalId, span: Span) -> Option<Value> {
        if let Some(place) = self.places.get(&local).cloned() {
            let ty = self.function.local(local).ty.clone();
            return self.value_at(place, &Expr::new(ExprKind::Local(local), ty, span));
        }
        let var = self.var_of(local);
        let gradient = self.gradient_of(local, span)?;
        if self.is_mutable(var) {
            return Some(self.mutable_value(var, gradient, span));
        }
        Some(Value { code: self.read(var, span), gradient: Some(gradient) })
    }

    /// What a variable that changes has now.
    pub(super) fn mutable_value(&mut self, var: Var, gradient: Gradient, span: Span) -> Value {
        let code = self.read(var, span);
        let now = self.fresh_like(var);
        let of_now = self.gradient_var(now, gradient.scalar, true);
        let grown = Code::of(self.name_tokens(of_now.var), []).reading(of_now.var);
        self.push(vec![let_step(now, None, code)], vec![Step::Set { var: gradient.var, is_sum: true, value: grown }]);
        Value { code: self.read(now, span), gradient: Some(of_now) }
    }

    /// The number at this place, which is `expr`.
    fn value_at(&mut self, place: Place, expr: &Expr) -> Option<Value> {
        let span = expr.operator;
        let parameter = &self.parameters[place.param];
        if parameter.is_written {
            let name = parameter.user_name.clone();
            return self.refuse_read(&name, expr.span);
        }
        let scalar = self.scalar_of(expr)?;
        let element = self.code_at(&place, span);
        let temp = self.fresh("t");
        let gradient = self.gradient_var(temp, scalar, true);
        let grown = self.read(gradient.var, span);
        self.push(vec![let_step(temp, Some(scalar), element)], vec![Step::Add { place, value: grown, span }]);
        Some(Value { code: self.read(temp, span), gradient: Some(gradient) })
    }

    /// What the kernel has at this place.
    pub(super) fn code_at(&self, place: &Place, span: Span) -> Code {
        let parameter = &self.parameters[place.param];
        let name = &parameter.name;
        let tokens = match parameter.is_array() {
            true => place.tokens(name, span),
            false => {
                let path = place.path.iter().map(Projection::tokens);
                quote_spanned!(span=> #name #(#path)*)
            }
        };
        Code::of(tokens, place.codes()).unstable()
    }

    /// `result = code`, whose operands' gradients are functions of the gradient and the value of the result.
    fn operation(&mut self, code: Code, operands: &[(&Value, Slope<'_>)], scalar: Scalar, span: Span) -> Option<Value> {
        let temp = self.fresh("t");
        let gradient = self.gradient_var(temp, scalar, true);
        let (g, t) = (self.read(gradient.var, span), self.read(temp, span));
        let mut reads = code.clone();
        reads.reads.extend([gradient.var, temp]);
        let reads = |tokens: TokenStream| {
            // A slope needs only some of the values.
            let names = idents_of(tokens.clone());
            let is_read = |var: &Var| names.contains(&self.variables[var.0].name);
            Code { tokens, reads: reads.reads.iter().copied().filter(is_read).collect(), is_stable: false }
        };
        let mut reverse = Vec::new();
        for (operand, slope) in operands {
            if let Some(to) = operand.gradient {
                let tokens = slope(&g.tokens, &t.tokens);
                reverse.push(self.contribute(to, reads(tokens)));
            }
        }
        self.push(vec![let_step(temp, Some(scalar), code)], reverse);
        Some(Value { code: t, gradient: Some(gradient) })
    }

    /// The gradient of a value gets `code`.
    pub(super) fn contribute(&self, to: Gradient, code: Code) -> Step {
        match to.is_used_once {
            true => let_step(to.var, Some(to.scalar), code),
            false => Step::Set { var: to.var, is_sum: true, value: code },
        }
    }

    pub(super) fn binary_value(&mut self, op: BinaryOp, left: &Value, right: &Value, scalar: Scalar, span: Span) -> Option<Value> {
        let code = binary(op.symbol(), &left.code, &right.code, span);
        let (l, r) = (&left.code.tokens, &right.code.tokens);
        match op {
            BinaryOp::Add => self.operation(code, &[(left, &|g, _| g.clone()), (right, &|g, _| g.clone())], scalar, span),
            BinaryOp::Subtract => self.operation(code, &[(left, &|g, _| g.clone()), (right, &|g, _| quote!(-#g))], scalar, span),
            BinaryOp::Multiply => self.operation(code, &[(left, &|g, _| quote!(#g * #r)), (right, &|g, _| quote!(#g * #l))], scalar, span),
            BinaryOp::Divide => {
                self.operation(code, &[(left, &|g, _| quote!(#g / #r)), (right, &|g, q| quote!(-(#g * (#q / #r))))], scalar, span)
            }
            BinaryOp::Remainder => {
                let function = |args: &[TokenStream]| quote_spanned!(span=> (#(#args)%*));
                self.by_duals(code, &[left.clone(), right.clone()], &[true, true], &function, scalar, span)
            }
            _ => self.refuse(span, format!("the derivative of `{}` is not supported", op.symbol())),
        }
    }

    fn conversion(&mut self, operand: &Expr, to: Scalar, span: Span) -> Option<Value> {
        let operand = self.value(operand)?;
        let Some(from) = operand.gradient else {
            return self.refuse(span, "the gradient of this conversion is not supported\nhelp: compute with floats of one type");
        };
        let (tokens, target, back) = (&operand.code.tokens, Ident::new(to.name(), span), Ident::new(from.scalar.name(), span));
        let code = Code::of(quote_spanned!(span=> (#tokens as #target)), [&operand.code]);
        self.operation(code, &[(&operand, &|g, _| quote!(#g as #back))], to, span)
    }

    pub(super) fn dual(&self, scalar: Scalar) -> TokenStream {
        let runtime = &self.function.runtime;
        let dual = format_ident!("Dual{}", &scalar.name()[1..]);
        quote!(#runtime::gradient::#dual)
    }

    /// The sum of the values of several threads, which each of them gets: a value's gradient is the sum of the gradients of their results.
    fn sum_of_threads(&mut self, value: &Expr, sum: &dyn Fn(&TokenStream) -> TokenStream, span: Span) -> Option<Value> {
        let scalar = self.scalar_of(value)?;
        let value = self.value(value)?;
        self.has_collectives = true;
        let code = Code::of(sum(&value.code.tokens), [&value.code]);
        self.operation(code, &[(&value, &|g, _| sum(g))], scalar, span)
    }

    /// A method of floats, by the dual numbers' method of that name.
    fn method_value(&mut self, name: &Ident, receiver: &Expr, args: &[Expr], scalar: Scalar) -> Option<Value> {
        let span = name.span();
        let of_dual = match name.to_string().as_str() {
            "clamp" => "clamp_of_float".to_owned(),
            "rem_euclid" => "rem_euclid_of_float".to_owned(),
            other => other.to_owned(),
        };
        if !DUAL_METHODS.contains(&&*of_dual) || STEPS.contains(&&*of_dual) {
            return self.refuse(span, unsupported_method(&name.to_string()));
        }
        let mut operands = vec![self.value(receiver)?];
        for arg in args {
            operands.push(self.value(arg)?);
        }
        let tokens: Vec<_> = operands.iter().map(|operand| operand.code.tokens.clone()).collect();
        let (first, rest) = tokens.split_first().expect("a method has a receiver");
        let primal = Code::of(quote_spanned!(span=> #first.#name(#(#rest),*)), operands.iter().map(|operand| &operand.code));
        let is_float: Vec<bool> =
            std::iter::once(true).chain(args.iter().map(|arg| arg.ty.as_scalar().is_none_or(Scalar::is_float))).collect();
        let of_dual = Ident::new(&of_dual, span);
        let dual = self.dual(scalar);
        self.by_duals(primal, &operands, &is_float, &|args| quote_spanned!(span=> #dual::#of_dual(#(#args),*)), scalar, span)
    }

    /// A call of a device function, by its copy of dual numbers.
    fn call_value(&mut self, path: &syn::Path, args: &[Expr], expr: &Expr) -> Option<Value> {
        if self.has_parts(args, &expr.ty) {
            return self.number_by_adjoint(path, args, expr);
        }
        let span = expr.span;
        let mut operands = Vec::new();
        for arg in args {
            let is_array = arg.ty.element().is_some() || arg.ty.view().is_some();
            if is_array || arg.by_reference || matches!(arg.kind, ExprKind::Borrow { .. }) {
                let message = "the gradient of a call with an array or a reference is not supported\nhelp: pass the numbers themselves";
                return self.refuse(arg.span, message);
            }
            if self.activity.is_active(arg) {
                self.scalar_of(arg)?;
            }
            operands.push(self.value(arg)?);
        }
        let Some(scalar) = operands.iter().find_map(|operand| operand.gradient.map(|gradient| gradient.scalar)) else {
            return self.unsupported(expr);
        };
        if let Some(unknown) = args.iter().find(|arg| is_float_argument(arg).is_none()) {
            return self.refuse(
                unknown.span,
                "the type of this argument is not known\nhelp: declare a variable with its type, such as `let n: u32 = …`",
            );
        }
        let is_float: Vec<bool> = args.iter().map(|arg| is_float_argument(arg) == Some(true)).collect();
        let module = Ident::new(MODULE, span);
        let path = two_modules_in(path.to_token_stream());
        let tokens = operands.iter().map(|operand| &operand.code.tokens);
        let primal = Code::of(quote_spanned!(span=> #path(#(#tokens),*)), operands.iter().map(|operand| &operand.code));
        self.by_duals(primal, &operands, &is_float, &|args| quote_spanned!(span=> #path::#module::dual(#(#args),*)), scalar, span)
    }

    /// A function whose slopes are those of a function of dual numbers, called once for each operand that varies.
    fn by_duals(
        &mut self,
        primal: Code,
        operands: &[Value],
        is_float: &[bool],
        function: &dyn Fn(&[TokenStream]) -> TokenStream,
        scalar: Scalar,
        span: Span,
    ) -> Option<Value> {
        let dual = self.dual(scalar);
        let temp = self.fresh("t");
        let gradient = self.gradient_var(temp, scalar, true);
        let g = self.read(gradient.var, span);
        let mut reverse = Vec::new();
        for (by, operand) in operands.iter().enumerate() {
            let Some(to) = operand.gradient else { continue };
            let arg = |(index, (operand, &is_float)): (usize, (&Value, &bool))| {
                let value = &operand.code.tokens;
                match is_float {
                    true if index == by => quote_spanned!(span=> #dual::variable(#value, 1.0)),
                    true => quote_spanned!(span=> #dual::constant(#value)),
                    false => value.clone(),
                }
            };
            let args: Vec<_> = operands.iter().zip(is_float).enumerate().map(arg).collect();
            let slope = self.fresh("slope");
            let value = Code::of(function(&args), operands.iter().map(|operand| &operand.code));
            reverse.push(Step::Let { var: slope, ty: Some(dual.clone()), value });
            let slope = self.read(slope, span);
            let (g_tokens, slope_tokens) = (&g.tokens, &slope.tokens);
            reverse.push(self.contribute(to, Code::of(quote!(#g_tokens * #slope_tokens.tangent), [&g, &slope])));
        }
        self.push(vec![let_step(temp, Some(scalar), primal)], reverse);
        Some(Value { code: self.read(temp, span), gradient: Some(gradient) })
    }

    /// The type of a float.
    pub(super) fn scalar_of(&mut self, expr: &Expr) -> Option<Scalar> {
        match expr.ty.as_scalar() {
            Some(scalar) if scalar.is_float() => Some(scalar),
            _ => self
                .refuse(expr.span, "the type of this value is not known\nhelp: declare a variable with its type, such as `let y: f32 = …`"),
        }
    }
}

/// Whether it is a call of the runtime's `block_sum`, by its name. The adjoint kernel asserts that it is that.
fn is_block_sum(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "block_sum")
}

/// Whether an argument is a float, by its type or as a literal. `None` if that is not known.
pub(super) fn is_float_argument(arg: &Expr) -> Option<bool> {
    match (&arg.kind, arg.ty.as_scalar()) {
        (_, Some(scalar)) => Some(scalar.is_float()),
        (ExprKind::Int(_), None) => Some(false),
        (ExprKind::Float(_), None) => Some(true),
        (ExprKind::Unary { operand, .. }, None) => is_float_argument(operand),
        _ => None,
    }
}

impl Code {
    pub(super) fn reading(mut self, var: Var) -> Code {
        self.reads.push(var);
        self
    }
}

pub(super) fn let_step(var: Var, scalar: Option<Scalar>, value: Code) -> Step {
    let ty = scalar.map(|scalar| {
        let name = Ident::new(scalar.name(), Span::call_site());
        quote!(#name)
    });
    Step::Let { var, ty, value }
}
