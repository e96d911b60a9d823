//! Expressions that have no derivative, or whose value alone is needed, as Rust.

use super::activity::is_stop_gradient;
use super::reverse::Reverse;
use super::step::Code;
use crate::gradient::inward::two_modules_in;
use crate::gradient::{MODULE, STEPS, message_of_step};
use crate::model::*;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

/// Whether what varies may be lost in an expression.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Loss {
    /// In a comparison, which decides and has no derivative, and in the argument of `stop_gradient`.
    Allowed,
    Refused,
}

impl Reverse<'_> {
    /// The expression as it is. `None` after an error.
    pub(super) fn primal(&mut self, expr: &Expr, loss: Loss) -> Option<Code> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Int(literal) => Some(Code::constant(self.integer(literal, &expr.ty, span))),
            ExprKind::Float(literal) => Some(Code::constant(float(literal, &expr.ty, span))),
            ExprKind::Bool(value) => Some(Code::constant(quote_spanned!(span=> #value))),
            ExprKind::Start(start) => self.start(*start, &expr.ty, span),
            ExprKind::Local(local) => self.primal_local(*local, span),
            ExprKind::Constant(path) => Some(Code::constant(two_modules_in(path.to_token_stream()))),
            ExprKind::Unary { op, operand } => {
                let operand = self.primal(operand, loss)?;
                let tokens = &operand.tokens;
                let op = match op {
                    UnaryOp::Negate => quote!(-),
                    UnaryOp::Not => quote!(!),
                };
                Some(Code::of(quote_spanned!(span=> (#op #tokens)), [&operand]))
            }
            ExprKind::Binary { op, left, right, .. } if !op.is_order() => {
                let loss = if op.is_comparison() { Loss::Allowed } else { loss };
                let (left, right) = (self.primal(left, loss)?, self.primal(right, loss)?);
                Some(binary(op.symbol(), &left, &right, expr.operator))
            }
            ExprKind::Logical { op, left, right } => {
                let left = self.primal(left, loss)?;
                let right = self.lazily(|reverse| reverse.primal(right, loss))?;
                Some(binary(if *op == LogicalOp::And { "&&" } else { "||" }, &left, &right, expr.operator))
            }
            ExprKind::Cast { operand, to } => {
                if loss == Loss::Refused && self.activity.is_active(operand) && !to.is_float() {
                    let to = to.name();
                    return self.refuse(
                        span,
                        format!("a conversion to `{to}` loses the derivative of this value\nhelp: if the result is to count as a constant, write `stop_gradient(x) as {to}`"),
                    );
                }
                let operand = self.primal(operand, loss)?;
                let (tokens, to) = (&operand.tokens, Ident::new(to.name(), span));
                Some(Code::of(quote_spanned!(span=> (#tokens as #to)), [&operand]))
            }
            ExprKind::Convert { conversion: Conversion::From, to: Type::Scalar(to), operand } => {
                let operand = self.primal(operand, loss)?;
                let (tokens, to) = (&operand.tokens, Ident::new(to.name(), span));
                Some(Code::of(quote_spanned!(span=> #to::from(#tokens)), [&operand]))
            }
            ExprKind::Index { .. } if self.own_element(expr).is_some() => {
                let (array, indices) = self.own_element(expr)?;
                self.own_code(expr, array, &indices)
            }
            ExprKind::Index { .. } | ExprKind::Element { .. } => {
                let (base, index) = self.element(expr)?;
                let (array, brackets) = (&base.tokens, &index.tokens);
                Some(Code::of(quote_spanned!(span=> #array[#brackets]), [&base, &index]).unstable())
            }
            ExprKind::Extent { base, axis } => {
                let base = self.measured(base)?;
                let (tokens, axis) = (&base.tokens, Literal::usize_unsuffixed(*axis));
                Some(Code::of(quote_spanned!(span=> #tokens.shape()[#axis]), [&base]))
            }
            ExprKind::Axis { base, name, .. } => {
                let base = self.primal(base, loss)?;
                let tokens = &base.tokens;
                Some(Code::of(quote_spanned!(span=> #tokens.#name), [&base]))
            }
            ExprKind::Field { base, name } => {
                let base = self.primal(base, loss)?;
                let tokens = &base.tokens;
                Some(Code::of(quote_spanned!(span=> #tokens.#name), [&base]))
            }
            ExprKind::TupleField { base, index } => {
                let base = self.primal(base, loss)?;
                let (tokens, index) = (&base.tokens, Literal::usize_unsuffixed(*index));
                Some(Code::of(quote_spanned!(span=> #tokens.#index), [&base]))
            }
            ExprKind::Tuple(elements) => {
                let elements = self.primal_all(elements, loss)?;
                let tokens = elements.iter().map(|element| &element.tokens);
                Some(Code::of(quote_spanned!(span=> (#(#tokens,)*)), &elements))
            }
            ExprKind::Array(elements) => {
                let elements = self.primal_all(elements, loss)?;
                let tokens = elements.iter().map(|element| &element.tokens);
                Some(Code::of(quote_spanned!(span=> [#(#tokens),*]), &elements).unstable())
            }
            ExprKind::Method { method: Method::Len, receiver, .. } if self.own_element(receiver).is_some() => self.own_length(receiver),
            ExprKind::Method { method, name, receiver, args, .. } => {
                let gives_float = expr.ty.as_scalar().is_some_and(Scalar::is_float);
                let is_test = method.result == Operand::Bool || method.receiver == Receiver::Array;
                let has_active = self.activity.is_active(receiver) || args.iter().any(|arg| self.activity.is_active(arg));
                if loss == Loss::Refused && has_active && !gives_float && !is_test {
                    return self.refuse(name.span(), unsupported_method(&name.to_string()));
                }
                let loss = if is_test { Loss::Allowed } else { loss };
                let of_array = method.receiver == Receiver::Array;
                let receiver = if of_array { self.measured(receiver)? } else { self.primal(receiver, loss)? };
                let args = self.primal_all(args, loss)?;
                let (of, with) = (&receiver.tokens, args.iter().map(|arg| &arg.tokens));
                let code = Code::of(quote_spanned!(name.span()=> #of.#name(#(#with),*)), [&receiver].into_iter().chain(&args));
                Some(if of_array { code } else { code.unstable() })
            }
            ExprKind::Intrinsic { intrinsic, args, .. } => {
                let name = match intrinsic {
                    Intrinsic::ThreadIdx => "thread_idx",
                    Intrinsic::BlockIdx => "block_idx",
                    Intrinsic::BlockDim => "block_dim",
                    Intrinsic::GridDim => "grid_dim",
                    Intrinsic::Grid1d => "grid_1d",
                    Intrinsic::Grid2d => "grid_2d",
                    Intrinsic::Grid3d => "grid_3d",
                    Intrinsic::Shared(_) | Intrinsic::DynamicShared(_) => return self.unsupported(expr),
                    Intrinsic::Print(_) => return self.refuse(span, "a kernel with a gradient does not print\nhelp: remove this line"),
                    Intrinsic::Builtin { builtin: Builtin::SyncWarp, .. } if self.has_shared_memory() => {
                        return self.refuse(
                            span,
                            "the gradient of `sync_warp` in a kernel with shared memory is not supported\nhelp: write `sync_threads()`",
                        );
                    }
                    Intrinsic::Builtin { builtin, .. } if matches!(builtin.effect, Effect::Reads | Effect::WarpCollective) => {
                        if loss == Loss::Refused && args.iter().any(|arg| self.activity.is_active(arg)) {
                            let name = builtin.name;
                            return self.refuse(span, format!("the gradient of `{name}` is not supported\nhelp: of the functions of a warp, `warp_sum` has one; if its result is to count as a constant, write `stop_gradient({name}(…))`"));
                        }
                        self.has_collectives |= builtin.is_collective();
                        builtin.name
                    }
                    Intrinsic::Builtin { builtin, .. } => {
                        let name = builtin.name;
                        return self.refuse(span, format!("the gradient of `{name}` is not supported\nhelp: of barriers, `sync_threads()` is supported; sums of threads are `warp_sum` and `block_sum`"));
                    }
                };
                let args = self.primal_all(args, loss)?;
                let (runtime, name, with) = (&self.function.runtime, Ident::new(name, span), args.iter().map(|arg| &arg.tokens));
                let code = Code::of(quote_spanned!(span=> #runtime::prelude::#name(#(#with),*)), &args);
                Some(if args.is_empty() { code } else { code.unstable() })
            }
            ExprKind::Call { path, explicit, args, awaited: true } if explicit.is_empty() && is_of_block(path) => {
                if loss == Loss::Refused && args.iter().any(|arg| self.activity.is_active(arg)) {
                    let name = &path.segments.last().expect("a path has a name").ident;
                    return self.refuse(span, format!("the gradient of `{name}` is not supported\nhelp: of the functions of a block, `block_sum` has one; if its result is to count as a constant, write `stop_gradient({name}(…).await)`"));
                }
                let args = self.primal_all(args, loss)?;
                let (path, with) = (self.block_function(path), args.iter().map(|arg| &arg.tokens));
                Some(Code::of(quote_spanned!(span=> #path(#(#with),*).await), &args).unstable())
            }
            ExprKind::Call { path, explicit, args, awaited: false } if explicit.is_empty() => {
                let stops = is_stop_gradient(path);
                let loss = if stops { Loss::Allowed } else { loss };
                if !stops && loss == Loss::Refused && args.iter().any(|arg| self.activity.is_active(arg)) {
                    return self.unsupported(expr);
                }
                let args = self.primal_all(args, loss)?;
                let path = two_modules_in(path.to_token_stream());
                if stops {
                    let module = Ident::new(MODULE, Span::call_site());
                    let runtime = &self.function.runtime;
                    self.asserted.push(quote_spanned!(span=>
                        const _: fn(#runtime::gradient::Dual64) -> #runtime::gradient::Dual64 = #path::#module::dual_of_f64;
                    ));
                }
                let tokens = args.iter().map(|arg| &arg.tokens);
                Some(Code::of(quote_spanned!(span=> #path(#(#tokens),*)), &args).unstable())
            }
            ExprKind::If { condition, then, otherwise: Some(otherwise) }
                if !condition.any(&|part| matches!(part.kind, ExprKind::Let { .. })) =>
            {
                let condition = self.primal(condition, Loss::Allowed)?;
                let (then, otherwise) =
                    self.lazily(|reverse| Some((reverse.primal_block(then, loss)?, reverse.primal(otherwise, loss)?)))?;
                let (c, t, o) = (&condition.tokens, &then.tokens, &otherwise.tokens);
                Some(Code::of(quote_spanned!(span=> if #c { #t } else { #o }), [&condition, &then, &otherwise]).unstable())
            }
            ExprKind::Block { label: None, block } => self.primal_block(block, loss),
            _ => self.unsupported(expr),
        }
    }

    /// The path of a function of the runtime that all threads of a block compute together, as the adjoint has it.
    pub(super) fn block_function(&mut self, path: &syn::Path) -> TokenStream {
        let runtime = &self.function.runtime;
        let (name, span) = (&path.segments.last().expect("a path has a name").ident, path.span());
        let own = two_modules_in(path.to_token_stream());
        self.asserted.push(quote_spanned!(span=>
            const _: () = #runtime::calls::same_function(#own::<f32>, #runtime::block::#name::<f32>);
        ));
        self.has_collectives = true;
        // Its barriers are some that the kernel may rely on.
        self.barrier(span);
        own
    }

    /// A block that is a value and nothing else.
    fn primal_block(&mut self, block: &Block, loss: Loss) -> Option<Code> {
        match &block.value {
            Some(value) if block.stmts.is_empty() => self.primal(value, loss),
            _ => self.refuse(
                block.span,
                "the gradient of a block with statements and a value is not supported\nhelp: declare a variable before it, and assign the value in the block",
            ),
        }
    }

    pub(super) fn primal_all(&mut self, exprs: &[Expr], loss: Loss) -> Option<Vec<Code>> {
        exprs.iter().map(|expr| self.primal(expr, loss)).collect()
    }

    fn primal_local(&mut self, local: LocalId, span: Span) -> Option<Code> {
        if let Some(place) = self.places.get(&local).cloned() {
            if self.parameters[place.param].is_written {
                let name = self.parameters[place.param].user_name.clone();
                return self.refuse_read(&name, span);
            }
            return Some(self.code_at(&place, span));
        }
        if let LocalKind::Param(param) = self.function.local(local).kind {
            let name = self.parameters[param].name.clone();
            if !self.parameters[param].is_array() && !self.parameters[param].is_of_parts() {
                let var = self.var_of(local);
                return Some(self.read(var, span));
            }
            // As an argument of a function, say.
            if self.parameters[param].is_written {
                let name = self.parameters[param].user_name.clone();
                return self.refuse_read(&name, span);
            }
            return Some(Code::constant(quote_spanned!(span=> #name)));
        }
        if self.arrays.get(&local).is_some_and(|array| array.is_shared) {
            let name = self.function.local(local).name.clone();
            return self.refuse(
                span,
                format!("the gradient of a kernel: `{name}` as a whole is not supported\nhelp: use its elements, one by one"),
            );
        }
        let var = self.var_of(local);
        Some(self.read(var, span))
    }

    /// An array of which the extents are asked for, not the elements.
    fn measured(&mut self, array: &Expr) -> Option<Code> {
        if let ExprKind::Local(local) = array.kind
            && let LocalKind::Param(param) = self.function.local(local).kind
            && self.parameters[param].is_array()
        {
            let name = &self.parameters[param].name;
            return Some(Code::constant(quote_spanned!(array.span=> #name)));
        }
        self.primal(array, Loss::Allowed)
    }

    /// The array and the index of `array[index]` or `view[[i, j]]`.
    pub(super) fn element(&mut self, expr: &Expr) -> Option<(Code, Code)> {
        match &expr.kind {
            ExprKind::Index { base, index, .. } => {
                self.check_read(base)?;
                let (base, index) = (self.primal(base, Loss::Allowed)?, self.primal(index, Loss::Refused)?);
                Some((base, index))
            }
            ExprKind::Element { base, indices, .. } => {
                self.check_read(base)?;
                let (base, indices) = (self.primal(base, Loss::Allowed)?, self.primal_all(indices, Loss::Refused)?);
                let tokens = indices.iter().map(|index| &index.tokens);
                Some((base, Code::of(quote!([#(#tokens),*]), &indices)))
            }
            _ => self.unsupported(expr),
        }
    }

    /// Refuses to read what the kernel writes.
    fn check_read(&mut self, base: &Expr) -> Option<()> {
        if let Some(local) = base.place().variable()
            && let LocalKind::Param(param) = self.function.local(local).kind
            && self.parameters[param].is_written
        {
            let name = self.parameters[param].user_name.clone();
            return self.refuse_read(&name, base.span);
        }
        Some(())
    }

    pub(super) fn refuse_read<T>(&mut self, name: &Ident, span: Span) -> Option<T> {
        self.refuse(
            span,
            format!("`{name}` is written and read: its old values are needed for the gradient, and the kernel overwrites them\nhelp: read from one array and write to another; keep a value in a variable"),
        )
    }

    fn integer(&self, literal: &IntLiteral, ty: &Type, span: Span) -> TokenStream {
        let suffix = ty.as_scalar().filter(|scalar| *scalar != Scalar::Bool).map_or("", Scalar::name);
        let text = if suffix.starts_with('f') { format!("{}.0{suffix}", literal.value) } else { format!("{}{suffix}", literal.value) };
        let mut literal: Literal = text.parse().expect("digits and a suffix are a literal");
        literal.set_span(span);
        literal.into_token_stream()
    }

    /// The number that a sum or a product starts with.
    fn start(&mut self, start: StartOf, ty: &Type, span: Span) -> Option<Code> {
        let Some(scalar) = ty.as_scalar() else {
            return self.refuse(span, "the type of this value is not known\nhelp: declare a variable with its type");
        };
        let (zero, one) = if scalar.is_float() { ("-0.0", "1.0") } else { ("0", "1") };
        let text = match start {
            StartOf::Product => one,
            StartOf::Sum => zero,
            StartOf::Default => zero.trim_start_matches('-'),
        };
        if scalar == Scalar::Bool {
            return Some(Code::constant(quote_spanned!(span=> false)));
        }
        let negative = text.starts_with('-').then(|| quote!(-));
        let literal: Literal = format!("{}{}", text.trim_start_matches('-'), scalar.name()).parse().expect("it is a number");
        Some(Code::constant(quote_spanned!(span=> (#negative #literal))))
    }
}

/// Whether it is a call of a function of the runtime's module `block`, by its name. The adjoint kernel asserts that it is that.
fn is_of_block(path: &syn::Path) -> bool {
    let names = ["block_sum", "block_min", "block_max", "block_scan", "block_scan_exclusive"];
    path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name))
}

pub(super) fn binary(symbol: &str, left: &Code, right: &Code, span: Span) -> Code {
    let op: TokenStream = symbol.parse().expect("an operator consists of tokens");
    let (l, r) = (&left.tokens, &right.tokens);
    Code::of(quote_spanned!(span=> (#l #op #r)), [left, right])
}

pub(super) fn float(literal: &FloatLiteral, ty: &Type, span: Span) -> TokenStream {
    let suffix = literal.suffix.or_else(|| ty.as_scalar()).map_or("", Scalar::name);
    let mut literal: Literal = format!("{}{suffix}", literal.digits_with_fraction()).parse().expect("it is a number");
    literal.set_span(span);
    literal.into_token_stream()
}

pub(super) fn unsupported_method(name: &str) -> String {
    let help = match name {
        _ if STEPS.contains(&name) => return message_of_step(name),
        "sin_cos" => "write `x.sin()` and `x.cos()`",
        "signum" => "compare in an `if`, such as `if x < 0.0 { -1.0 } else { 1.0 }`",
        _ => "call a method that has one; the chapter \"Gradients\" of the book lists them",
    };
    format!("the derivative of `{name}` is not supported\nhelp: {help}")
}
