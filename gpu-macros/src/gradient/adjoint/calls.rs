//! Calls of functions that take or return structs, tuples and arrays, by their adjoints.
//!
//! ```text
//! let r = turned(Point { x: a, y: b }, angle);                                            // forward
//! let (g, g_2) = turned::…::adjoint(Point { x: a, y: b }, angle, Point { x: d_r_x, y: d_r_y }); // backward
//! d_a += g.x; d_b += g.y; d_angle += g_2;
//! ```

use super::ADJOINT;
use super::reverse::Reverse;
use super::step::{Code, Step, Var};
use super::tokens_of;
use super::values::{Gradient, Value, is_float_argument};
use crate::gradient::MODULE;
use crate::gradient::inward::two_modules_in;
use crate::model::*;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

/// What a function returned.
pub(super) struct Returned {
    var: Var,
    /// The gradients by the floats in it, each with what leads there.
    gradients: Vec<(Vec<Key>, Gradient)>,
}

#[derive(Clone, PartialEq)]
pub(super) enum Key {
    Field(Member),
    Index(u64),
}

impl ToTokens for Key {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Key::Field(member) => quote!(.#member),
            Key::Index(index) => {
                let index = Literal::u64_unsuffixed(*index);
                quote!([#index])
            }
        }
        .to_tokens(tokens);
    }
}

/// An argument: its value, and where the gradients by the numbers in it go.
struct Argument {
    code: Code,
    gradients: Vec<(Vec<Key>, Gradient)>,
}

impl Reverse<'_> {
    /// Whether it is a call that takes or returns other things than numbers.
    pub(super) fn has_parts(&self, args: &[Expr], ty: &Type) -> bool {
        let is_of_parts = |ty: &Type| matches!(ty, Type::Tuple(_) | Type::Named(_) | Type::Array(..));
        is_of_parts(ty) || args.iter().any(|arg| is_of_parts(&arg.ty) && !matches!(arg.kind, ExprKind::Borrow { .. }))
    }

    /// `let local = path(args);`
    pub(super) fn bind_call(&mut self, local: LocalId, path: &syn::Path, args: &[Expr], span: Span) -> Option<()> {
        let ty = self.function.local(local).ty.clone();
        let var = self.var_of(local);
        let mut gradients = Vec::new();
        let of_result = self.written_out(&ty, &mut Vec::new(), &mut |reverse, keys, scalar| {
            if !scalar.is_float() {
                return Code::constant(super::statements::zero_of(scalar));
            }
            let gradient = reverse.gradient_var(var, scalar, false);
            gradients.push((keys.to_vec(), gradient));
            reverse.read(gradient.var, span)
        });
        let Some(of_result) = of_result else {
            self.refused.insert(local);
            return self.refuse(span, super::apart::unknown_parts("the type that this function returns"));
        };
        self.results.insert(local, Returned { var, gradients });
        if self.call_by_adjoint(var, Some(tokens_of(&ty)), &of_result, path, args, span).is_none() {
            self.refused.insert(local);
        }
        Some(())
    }

    /// The number that a function of structs returns.
    pub(super) fn number_by_adjoint(&mut self, path: &syn::Path, args: &[Expr], expr: &Expr) -> Option<Value> {
        let span = expr.span;
        let result = self.fresh("t");
        let scalar = match expr.ty.as_scalar() {
            Some(scalar) => scalar,
            None => {
                let known = args.iter().find_map(|arg| self.float_in(&arg.ty));
                known.or_else(|| self.scalar_of(expr))?
            }
        };
        let gradient = self.gradient_var(result, scalar, true);
        let of_result = self.read(gradient.var, span);
        self.call_by_adjoint(result, Some(tokens_of(&Type::Scalar(scalar))), &of_result, path, args, span)?;
        Some(Value { code: self.read(result, span), gradient: Some(gradient) })
    }

    fn float_in(&mut self, ty: &Type) -> Option<Scalar> {
        let leaves = self.shapes.of_type(ty)?.into_leaves();
        leaves.iter().filter_map(|leaf| leaf.innermost().as_scalar()).find(|scalar| scalar.is_float())
    }

    fn call_by_adjoint(
        &mut self,
        result: Var,
        ty: Option<TokenStream>,
        of_result: &Code,
        path: &syn::Path,
        args: &[Expr],
        span: Span,
    ) -> Option<()> {
        let mut arguments = Vec::new();
        for arg in args {
            if arg.by_reference || matches!(arg.kind, ExprKind::Borrow { .. }) || arg.ty.view().is_some() {
                let message = "the gradient of a call with a reference is not supported\nhelp: pass the value itself";
                return self.refuse(arg.span, message);
            }
            arguments.push(self.argument(arg)?);
        }
        let (module, adjoint) = (Ident::new(MODULE, span), Ident::new(ADJOINT, span));
        let path = two_modules_in(path.to_token_stream());
        let codes = arguments.iter().map(|argument| &argument.code.tokens).collect::<Vec<_>>();
        let forward = Code::of(quote_spanned!(span=> #path(#(#codes),*)), arguments.iter().map(|argument| &argument.code));
        // The adjoint returns the gradients by the parameters with floats.
        let mut returned = Vec::new();
        for (arg, argument) in args.iter().zip(&arguments) {
            let (has_floats, ty) = match self.shapes.of_type(&arg.ty) {
                Some(shape) => (shape.any(&|ty| ty.innermost().as_scalar().is_some_and(Scalar::is_float)), tokens_of(&arg.ty)),
                // A literal.
                None => (is_float_argument(arg) == Some(true), quote!(_)),
            };
            if has_floats {
                returned.push((self.fresh("g"), ty, argument));
            }
        }
        let (names, types): (Vec<_>, Vec<_>) = returned.iter().map(|(var, ty, _)| (self.name_tokens(*var), ty)).unzip();
        let pattern = match &names[..] {
            [name] => quote!(#name: #(#types)*),
            names => quote!((#(#names),*): (#(#types),*)),
        };
        let tokens = &of_result.tokens;
        let value = Code::of(
            quote_spanned!(span=> #path::#module::#adjoint(#(#codes,)* #tokens)),
            arguments.iter().map(|argument| &argument.code).chain([of_result]),
        );
        let mut reverse = vec![Step::Parts { vars: returned.iter().map(|(var, ..)| *var).collect(), pattern, value: value.unstable() }];
        for (var, _, argument) in &returned {
            for (keys, to) in &argument.gradients {
                let name = self.name_tokens(*var);
                reverse.push(self.contribute(*to, Code::of(quote_spanned!(span=> #name #(#keys)*), []).reading(*var)));
            }
        }
        self.push(vec![Step::Let { var: result, ty, value: forward.unstable() }], reverse);
        Some(())
    }

    fn argument(&mut self, arg: &Expr) -> Option<Argument> {
        let span = arg.span;
        let parts: Vec<(Key, &Expr)> = match &arg.kind {
            ExprKind::Struct { fields, .. } => fields.iter().map(|(member, field)| (Key::Field(member.clone()), field)).collect(),
            ExprKind::Tuple(elements) => {
                elements.iter().enumerate().map(|(index, element)| (Key::Field(Member::Position(index, span)), element)).collect()
            }
            ExprKind::Array(elements) => elements.iter().enumerate().map(|(index, element)| (Key::Index(index as u64), element)).collect(),
            _ => {
                if self.activity.is_active(arg) {
                    self.scalar_of(arg)?;
                }
                let value = self.value(arg)?;
                return Some(Argument { code: value.code, gradients: value.gradient.map(|to| (Vec::new(), to)).into_iter().collect() });
            }
        };
        let (mut codes, mut gradients) = (Vec::new(), Vec::new());
        for (key, part) in &parts {
            let argument = self.argument(part)?;
            codes.push(argument.code);
            gradients.extend(argument.gradients.into_iter().map(|(keys, to)| ([vec![key.clone()], keys].concat(), to)));
        }
        let parts = parts.into_iter().zip(&codes).map(|((key, _), code)| (key, code.tokens.clone())).collect();
        Some(Argument { code: Code::of(put_together(&arg.ty, parts), &codes), gradients })
    }

    /// A value of this type, of numbers that `number` makes of what leads to each. `None` where its parts are not known.
    pub(super) fn written_out(
        &mut self,
        ty: &Type,
        keys: &mut Vec<Key>,
        number: &mut dyn FnMut(&mut Self, &[Key], Scalar) -> Code,
    ) -> Option<Code> {
        if let Some(scalar) = ty.as_scalar() {
            return Some(number(self, keys, scalar));
        }
        let parts: Vec<(Key, Type)> = match ty {
            Type::Array(element, length) => (0..length.value()?).map(|index| (Key::Index(index), (**element).clone())).collect(),
            ty => self.shapes.members(ty)?.into_iter().map(|(member, ty)| (Key::Field(member), ty)).collect(),
        };
        let (mut tokens, mut codes) = (Vec::new(), Vec::new());
        for (key, ty) in parts {
            keys.push(key.clone());
            let code = self.written_out(&ty, keys, number)?;
            keys.pop();
            tokens.push((key, code.tokens.clone()));
            codes.push(code);
        }
        Some(Code::of(put_together(ty, tokens), &codes))
    }

    /// The number in what a function returned.
    pub(super) fn returned_value(&mut self, expr: &Expr) -> Option<Value> {
        let (local, keys) = keys_of(expr)?;
        let Returned { var, gradients } = self.results.get(&local)?;
        let gradient = gradients.iter().find(|(known, _)| *known == keys).map(|(_, gradient)| *gradient);
        let (var, span) = (*var, expr.span);
        let name = self.name_tokens(var);
        let code = Code::of(quote_spanned!(span=> #name #(#keys)*), []).reading(var);
        Some(Value { code, gradient })
    }
}

/// The variable of which this is a part, and what leads there.
fn keys_of(expr: &Expr) -> Option<(LocalId, Vec<Key>)> {
    let (base, key) = match &expr.kind {
        ExprKind::Local(local) => return Some((*local, Vec::new())),
        ExprKind::Field { base, name } => (base, Key::Field(Member::Name(name.clone()))),
        ExprKind::TupleField { base, index } => (base, Key::Field(Member::Position(*index, expr.span))),
        ExprKind::Index { base, index, .. } => match &index.kind {
            ExprKind::Int(index) => (base, Key::Index(index.value.try_into().ok()?)),
            _ => return None,
        },
        _ => return None,
    };
    let (local, mut keys) = keys_of(base)?;
    keys.push(key);
    Some((local, keys))
}

/// `Point { x: …, y: … }`, `Pair(…, …)`, `(…, …)` or `[…, …]`.
fn put_together(ty: &Type, parts: Vec<(Key, TokenStream)>) -> TokenStream {
    let is_named = matches!(parts.first(), Some((Key::Field(Member::Name(_)), _)));
    let fields = parts.iter().map(|(key, value)| match key {
        Key::Field(member) => quote!(#member: #value),
        Key::Index(_) => value.clone(),
    });
    let values = parts.iter().map(|(_, value)| value);
    match ty {
        Type::Array(..) => quote!([#(#values),*]),
        Type::Tuple(_) => quote!((#(#values,)*)),
        ty => {
            let path = tokens_of(ty);
            if is_named { quote!(#path { #(#fields),* }) } else { quote!(#path(#(#values),*)) }
        }
    }
}
