//! Patterns.
//!
//! Without the definitions of constants, a name alone does not tell whether it binds a variable or is compared with. Its spelling
//! does: a name that begins with a capital is a constant, as is every path of several segments. The twin keeps rustc to that.

use super::Lowerer;
use crate::first_span::Start;
use crate::model::*;
use proc_macro2::Span;
use quote::ToTokens;
use std::collections::HashMap;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// What is known while one pattern is lowered.
pub(super) struct Names {
    /// For `let` without `else`, where a name is a variable in any spelling.
    all_bind: bool,
    /// The variables so far: the alternatives of an or-pattern have them in common.
    bound: HashMap<String, LocalId>,
}

impl Lowerer<'_> {
    /// A pattern that not every value may match. Declares its names in the innermost scope.
    pub(super) fn lower_refutable(&mut self, pattern: &syn::Pat, ty: Type) -> Pattern {
        self.lower_pattern(pattern, ty, &mut Names { all_bind: false, bound: HashMap::new() })
    }

    /// The pattern of a `let` without `else`.
    pub(super) fn lower_irrefutable(&mut self, pattern: &syn::Pat, ty: Type) -> Pattern {
        self.lower_pattern(pattern, ty, &mut Names { all_bind: true, bound: HashMap::new() })
    }

    fn lower_pattern(&mut self, pattern: &syn::Pat, ty: Type, names: &mut Names) -> Pattern {
        let span = pattern.start();
        // What the parts of a refused value are follows from the mistake.
        if ty == Type::Refused && !matches!(pattern, syn::Pat::Ident(_)) {
            return self.refused_pattern(pattern, names);
        }
        match self.lower_pattern_kind(pattern, &ty, names) {
            Some(kind) => Pattern { kind, ty, span, end: end_of(pattern).unwrap_or(span) },
            None => self.refused_pattern(pattern, names),
        }
    }

    /// Declares the names in a pattern that was refused, so that their uses give no further errors.
    pub(super) fn declare_refused(&mut self, pattern: &syn::Pat) {
        self.refused_pattern(pattern, &mut Names { all_bind: true, bound: HashMap::new() });
    }

    /// The node for a pattern that was refused, with its names declared.
    fn refused_pattern(&mut self, pattern: &syn::Pat, names: &mut Names) -> Pattern {
        for ident in names_in(pattern) {
            if (names.all_bind || !begins_with_capital(ident)) && !names.bound.contains_key(&ident.unraw().to_string()) {
                let local = self.declare(ident, true, Type::Refused, LocalKind::Let);
                names.bound.insert(ident.unraw().to_string(), local);
            }
        }
        Pattern::new(PatternKind::Refused, Type::Refused, pattern.start())
    }

    /// `None` after an error in the pattern itself. A part of it that was refused is a node of its own.
    fn lower_pattern_kind(&mut self, pattern: &syn::Pat, ty: &Type, names: &mut Names) -> Option<PatternKind> {
        let span = pattern.start();
        Some(match pattern {
            syn::Pat::Wild(_) => PatternKind::Wildcard,
            syn::Pat::Paren(paren) => return self.lower_pattern_kind(&paren.pat, ty, names),
            syn::Pat::Ident(ident) => self.lower_name(ident, ty, names)?,
            syn::Pat::Lit(literal) => PatternKind::Value(Box::new(self.lower_pattern_literal(&literal.lit))),
            syn::Pat::Path(path) if self.std_variant(&path.path) == Some(StdVariant::None) => PatternKind::NONE,
            syn::Pat::Path(path) => PatternKind::Value(Box::new(self.lower_constant(path))),
            syn::Pat::Range(range) => {
                let mut end = |end: &Option<Box<syn::Expr>>| end.as_ref().map(|end| Box::new(self.lower_range_end(end)));
                let (start, end) = (end(&range.start), end(&range.end));
                PatternKind::Range { start, end, inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)) }
            }
            syn::Pat::Or(or) => {
                let cases: Vec<Pattern> = or.cases.iter().map(|case| self.lower_pattern(case, ty.clone(), names)).collect();
                self.check_same_names(&cases)?;
                PatternKind::Or(cases)
            }
            syn::Pat::Tuple(tuple) => {
                let has_rest = tuple.elems.iter().any(|part| matches!(part, syn::Pat::Rest(_)));
                if let Type::Tuple(types) = ty
                    && types.len() != tuple.elems.len()
                    && !has_rest
                {
                    self.errors.push_invalid(
                        tuple.start(),
                        format!(
                            "this pattern has {} elements, but the type has {}\nhelp: write one name or `_` for each element, or `..` for the others",
                            tuple.elems.len(),
                            types.len()
                        ),
                    );
                    return None;
                }
                PatternKind::Tuple(self.lower_sequence(&tuple.elems, names)?)
            }
            syn::Pat::Slice(slice) => PatternKind::Array(self.lower_sequence(&slice.elems, names)?),
            syn::Pat::Struct(pattern) => self.lower_struct_pattern(pattern, names)?,
            syn::Pat::TupleStruct(pattern) => match (self.std_variant(&pattern.path), pattern.elems.first()) {
                (None, _) => self.lower_tuple_struct_pattern(pattern, names)?,
                (Some(variant), Some(part)) if pattern.elems.len() == 1 && variant.argument().is_some() => {
                    let inner = self.fresh();
                    PatternKind::variant(variant, self.lower_pattern(part, inner, names))
                }
                (Some(variant), _) => return self.refuse_invalid_pattern(span, &takes(variant)),
            },
            other => return self.refuse_pattern(other),
        })
    }

    /// Checks that all alternatives of an or-pattern bind the same names. `None` after an error.
    fn check_same_names(&self, cases: &[Pattern]) -> Option<()> {
        let bound: Vec<Vec<LocalId>> = cases.iter().map(Pattern::bindings).collect();
        for (case, own) in cases.iter().zip(&bound) {
            let mut is_refused = false;
            case.walk(&mut |part| is_refused |= matches!(part.kind, PatternKind::Refused));
            if let (false, Some(missing)) = (is_refused, bound.iter().flatten().find(|local| !own.contains(local))) {
                let name = &self.locals[missing.0].name;
                self.errors.push_invalid(
                    case.span,
                    format!("this alternative of the pattern does not bind `{name}`\nhelp: bind `{name}` in every alternative, or write an arm for each"),
                );
                return None;
            }
        }
        Some(())
    }

    /// `Point { x, y: 0.0, .. }` or `Shape::Circle { r }`
    fn lower_struct_pattern(&mut self, pattern: &syn::PatStruct, names: &mut Names) -> Option<PatternKind> {
        if let Some(qself) = &pattern.qself {
            return self.refuse_qualified_path(qself.span());
        }
        let fields: Vec<_> = pattern
            .fields
            .iter()
            .map(|field| {
                self.check_attributes(&field.attrs);
                let member = match &field.member {
                    syn::Member::Named(name) => Member::Name(name.clone()),
                    syn::Member::Unnamed(index) => Member::Position(index.index as usize, index.span),
                };
                let ty = self.fresh();
                (member, self.lower_pattern(&field.pat, ty, names))
            })
            .collect();
        Some(PatternKind::Struct(StructPattern {
            constructor: self.constructor(&pattern.path),
            fields,
            rest: pattern.rest.is_some(),
            positional: false,
        }))
    }

    /// `Pair(a, b)` or `Shape::Rect(a, ..)`
    fn lower_tuple_struct_pattern(&mut self, pattern: &syn::PatTupleStruct, names: &mut Names) -> Option<PatternKind> {
        if let Some(qself) = &pattern.qself {
            return self.refuse_qualified_path(qself.span());
        }
        let Sequence { parts, rest } = self.lower_sequence(&pattern.elems, names)?;
        if rest.is_some_and(|before| before < parts.len()) {
            self.errors.push(
                pattern.span(),
                "`..` must come last here, because the macro cannot see the number of fields\nhelp: write a `_` for each field instead of `..`",
            );
            return None;
        }
        let fields = parts.into_iter().enumerate().map(|(index, part)| (Member::Position(index, part.span), part)).collect();
        let constructor = self.constructor(&pattern.path);
        Some(PatternKind::Struct(StructPattern { constructor, fields, rest: rest.is_some(), positional: true }))
    }

    fn refuse_qualified_path<T>(&mut self, span: Span) -> Option<T> {
        self.errors.push(span, "a qualified path is not supported in kernels\nhelp: name the type");
        None
    }

    fn lower_name(&mut self, ident: &syn::PatIdent, ty: &Type, names: &mut Names) -> Option<PatternKind> {
        if let Some(by_ref) = &ident.by_ref {
            self.errors.push(by_ref.span(), "`ref` is not supported in kernels\nhelp: remove `ref`");
        }
        let is_plain = ident.by_ref.is_none() && ident.mutability.is_none() && ident.subpat.is_none();
        if is_plain && ident.ident == "None" {
            return Some(PatternKind::NONE);
        }
        if is_plain && self.const_param(&ident.ident).is_some() {
            let name = &ident.ident;
            let message = format!("a const parameter cannot be a pattern\nhelp: compare with it in a guard, `n if n == {name}`");
            return self.refuse_invalid_pattern(name.span(), &message);
        }
        if is_plain && !names.all_bind && begins_with_capital(&ident.ident) {
            let path = syn::Path::from(ident.ident.clone());
            let constant = self.lower_constant(&syn::ExprPath { attrs: Vec::new(), qself: None, path });
            return Some(PatternKind::Value(Box::new(constant)));
        }
        let name = ident.ident.unraw().to_string();
        let local = match names.bound.get(&name) {
            Some(&local) => local,
            None => {
                let local = self.declare(&ident.ident, ident.mutability.is_some(), ty.clone(), LocalKind::Let);
                self.locals[local.0].mut_token = ident.mutability.map(|token| token.span);
                names.bound.insert(name, local);
                local
            }
        };
        let sub = match &ident.subpat {
            Some((_, sub)) if matches!(**sub, syn::Pat::Rest(_)) => {
                return self.refuse_pattern(sub);
            }
            Some((_, sub)) => Some(Box::new(self.lower_pattern(sub, ty.clone(), names))),
            None => None,
        };
        Some(PatternKind::Bind { local, sub })
    }

    /// The parts of a tuple or array, with at most one `..` among them.
    fn lower_sequence<P>(&mut self, parts: &syn::punctuated::Punctuated<syn::Pat, P>, names: &mut Names) -> Option<Sequence> {
        let (mut lowered, mut rest) = (Vec::new(), None);
        let mut is_sound = true;
        for part in parts.iter() {
            if let syn::Pat::Rest(dots) = part {
                if rest.replace(lowered.len()).is_some() {
                    self.errors.push_invalid(dots.span(), "`..` can only be used once in a pattern");
                    is_sound = false;
                }
                continue;
            }
            let ty = self.fresh();
            lowered.push(self.lower_pattern(part, ty, names));
        }
        is_sound.then_some(Sequence { parts: lowered, rest })
    }

    /// An end of a range: a literal or a constant.
    fn lower_range_end(&mut self, end: &syn::Expr) -> Expr {
        match end {
            syn::Expr::Lit(literal) => self.lower_pattern_literal(&literal.lit),
            syn::Expr::Path(path) => self.lower_constant(path),
            other => self.refuse(
                other.span(),
                "the end of a range pattern must be a literal or the name of a constant\nhelp: name it with a `const` item",
            ),
        }
    }

    /// A literal of a pattern, which syn gives a sign.
    fn lower_pattern_literal(&mut self, literal: &syn::Lit) -> Expr {
        let span = literal.span();
        if !matches!(literal, syn::Lit::Int(_) | syn::Lit::Float(_) | syn::Lit::Bool(_) | syn::Lit::Byte(_)) {
            let what = if let syn::Lit::Char(_) = literal { "characters" } else { "strings" };
            return self.refuse_invalid(span, format!("{what} are not supported in kernels\nhelp: compare bytes, such as `b'x'`"));
        }
        let digits = literal.to_token_stream().to_string().replace(' ', "");
        let Some(digits) = digits.strip_prefix('-') else { return self.lower_literal(literal) };
        let literal = match literal {
            syn::Lit::Int(_) => syn::Lit::Int(syn::LitInt::new(digits, span)),
            _ => syn::Lit::Float(syn::LitFloat::new(digits, span)),
        };
        let operand = Box::new(self.lower_literal(&literal));
        self.expr(ExprKind::Unary { op: UnaryOp::Negate, operand }, span)
    }

    fn refuse_invalid_pattern<T>(&mut self, span: Span, message: &str) -> Option<T> {
        self.errors.push_invalid(span, message);
        None
    }

    fn refuse_pattern<T>(&mut self, pattern: &syn::Pat) -> Option<T> {
        let span = pattern.start();
        let message = match pattern {
            syn::Pat::Reference(_) => {
                return self.refuse_invalid_pattern(
                    span,
                    "this value is not a reference in kernels, so its pattern cannot have a `&`\nhelp: remove the `&`",
                );
            }
            syn::Pat::Rest(_) => {
                "the remaining elements cannot have a name in this pattern\nhelp: name each element, such as `[first, second, third]`, or bind the array with `let` and index it; match a `&[T]` in `let … else`, `if let` or `match`"
            }
            syn::Pat::Macro(_) => "macros are not supported in patterns\nhelp: write the pattern without the macro",
            _ => {
                return self.refuse_invalid_pattern(
                    span,
                    "this pattern is not supported in kernels\nhelp: patterns are literals, ranges, constants, names, tuples, arrays, structs and enums",
                );
            }
        };
        self.errors.push(span, message);
        None
    }
}

/// The names that a pattern would bind.
pub(super) fn names_in(pattern: &syn::Pat) -> Vec<&syn::Ident> {
    fn all<'p>(patterns: impl IntoIterator<Item = &'p syn::Pat>) -> Vec<&'p syn::Ident> {
        patterns.into_iter().flat_map(names_in).collect()
    }
    match pattern {
        syn::Pat::Ident(ident) => {
            let sub = ident.subpat.iter().flat_map(|(_, sub)| names_in(sub));
            std::iter::once(&ident.ident).chain(sub).collect()
        }
        syn::Pat::Or(or) => all(&or.cases),
        syn::Pat::Paren(paren) => names_in(&paren.pat),
        syn::Pat::Reference(reference) => names_in(&reference.pat),
        syn::Pat::Slice(slice) => all(&slice.elems),
        syn::Pat::Struct(whole) => all(whole.fields.iter().map(|field| &*field.pat)),
        syn::Pat::Tuple(tuple) => all(&tuple.elems),
        syn::Pat::TupleStruct(tuple) => all(&tuple.elems),
        syn::Pat::Type(typed) => names_in(&typed.pat),
        _ => Vec::new(),
    }
}

/// The parentheses or braces that a pattern ends with.
fn end_of(pattern: &syn::Pat) -> Option<Span> {
    match pattern {
        syn::Pat::TupleStruct(pattern) => Some(pattern.paren_token.span.join()),
        syn::Pat::Struct(pattern) => Some(pattern.brace_token.span.join()),
        syn::Pat::Tuple(pattern) => Some(pattern.paren_token.span.join()),
        _ => None,
    }
}

/// What is wrong with another number of values.
pub(super) fn takes(variant: StdVariant) -> String {
    match variant.argument() {
        Some(_) => format!("`{}` takes one value", variant.name()),
        None => format!("`{}` takes no value", variant.name()),
    }
}
