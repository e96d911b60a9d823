//! `panic!`, `assert!` and similar macros.

use super::Lowerer;
use crate::first_span::Start;
use crate::model::*;
use crate::source_scope::Surroundings;
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    pub(super) fn lower_macro(&mut self, call: &syn::Macro) -> Expr {
        let span = call.start();
        let name = call.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let is_of_std = self.may_be_of_std(&call.path);
        let known = MACROS.iter().find(|(known, _)| is_of_std && name == *known);
        if let (Some((_, arguments)), Some(name)) = (known, call.path.get_ident()) {
            self.remember_known(KnownName::Macro(name.clone(), arguments));
        }
        match if is_of_std { name.as_str() } else { "" } {
            "panic" | "unreachable" | "todo" | "unimplemented" => {
                let arguments = self.parse_arguments(call);
                let fallback = match name.as_str() {
                    "panic" => "explicit panic",
                    "unreachable" => "internal error: entered unreachable code",
                    "todo" => "not yet implemented",
                    _ => "not implemented",
                };
                let message = self.lower_message(&arguments).unwrap_or_else(|| fallback.to_owned());
                let site = self.site(span, SiteKind::Panic(message));
                self.expr(ExprKind::Panic { site }, span)
            }
            "ptx" => self.lower_assembly(call),
            "assert" | "debug_assert" => self.lower_assert(call, name == "debug_assert"),
            "assert_eq" | "debug_assert_eq" => self.lower_assert_comparison(call, BinaryOp::Equal, name.starts_with("debug")),
            "assert_ne" | "debug_assert_ne" => self.lower_assert_comparison(call, BinaryOp::NotEqual, name.starts_with("debug")),
            "matches" => self.lower_matches(call),
            "println" => self.lower_print(call, "\n"),
            "print" => self.lower_print(call, ""),
            "eprintln" | "eprint" | "dbg" if self.is_array_function => self.lower_print(call, ""),
            "eprintln" | "eprint" | "dbg" => {
                self.refuse(span, format!("`{name}!` is not supported in kernels\nhelp: write `println!(\"{{}}\", x)`"))
            }
            "vec" | "format" => {
                self.refuse(span, format!("`{name}!` needs an allocator, which kernels do not have\nhelp: use an array `[T; N]`"))
            }
            _ => {
                let help = match name.as_str() {
                    "line" | "column" | "file" | "module_path" | "stringify" | "concat" | "env" | "include_str" | "cfg" => {
                        "write the value itself, or a `const` of it; a failing `assert!` reports its line"
                    }
                    _ => "write a `#[gpu_device]` function, or let the macro write the whole kernel with its attribute",
                };
                let message = format!("the macro `{name}!` is not supported in kernels: the attribute sees the call, not its expansion");
                self.refuse(span, format!("{message}\nhelp: {help}"))
            }
        }
    }

    /// Whether it is no macro of another module, and the file declares none of its name.
    fn may_be_of_std(&self, path: &syn::Path) -> bool {
        match path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>().as_slice() {
            [name] => !Surroundings::of(&self.source.sig.ident).declares_macro(name),
            [of, name] => matches!(of.as_str(), "std" | "core") || name == "ptx",
            _ => false,
        }
    }

    pub(super) fn parse_arguments(&mut self, call: &syn::Macro) -> Vec<syn::Expr> {
        let parsed = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated.parse2(call.tokens.clone());
        parsed.map(|arguments| arguments.into_iter().collect()).unwrap_or_else(|error| {
            self.errors.push_syn(error);
            Vec::new()
        })
    }

    fn lower_assert(&mut self, call: &syn::Macro, debug: bool) -> Expr {
        let span = call.start();
        let mut arguments = self.parse_arguments(call);
        if arguments.is_empty() {
            return self.refuse_invalid(
                span,
                "`assert!` needs a condition\nhelp: write `assert!(i < x.len())`, and a message after it if you like",
            );
        }
        let condition = arguments.remove(0);
        // Without a message the condition is all there is; these tokens come from the compiler itself, which prints them as written.
        let message = self.lower_message(&arguments).unwrap_or_else(|| call.tokens.to_string().trim_end_matches(',').to_owned());
        let condition = Box::new(self.lower_expr(&condition));
        let site = self.site(span, SiteKind::Assert(message));
        self.expr(ExprKind::Assert { condition, site, debug }, span)
    }

    fn lower_assert_comparison(&mut self, call: &syn::Macro, op: BinaryOp, debug: bool) -> Expr {
        let span = call.start();
        let mut arguments = self.parse_arguments(call);
        if arguments.len() < 2 {
            return self.refuse_invalid(span, "this assertion needs two values to compare");
        }
        let (left, right) = (arguments.remove(0), arguments.remove(0));
        let fallback = format!("{} {} {}", source_text(&left), op.symbol(), source_text(&right));
        let message = self.lower_message(&arguments).unwrap_or(fallback);
        let (left, right) = (Box::new(self.lower_expr(&left)), Box::new(self.lower_expr(&right)));
        let condition = Box::new(self.expr(ExprKind::Binary { op, left, right, site: None }, span));
        let site = self.site(span, SiteKind::Assert(message));
        self.expr(ExprKind::Assert { condition, site, debug }, span)
    }

    /// The message of a panic: a plain string literal.
    pub(super) fn lower_message(&mut self, arguments: &[syn::Expr]) -> Option<String> {
        let first = arguments.first()?;
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = first else {
            self.errors.push_invalid(first.span(), "the message must be a string literal");
            return None;
        };
        let message = text.value();
        let plain = message.replace("{{", "").replace("}}", "");
        if arguments.len() > 1 || plain.contains('{') || plain.contains('}') {
            self.errors.push(first.span(), "formatted messages are not supported in kernels yet\nhelp: use a plain message; the failing line, block and thread are reported anyway");
            return None;
        }
        Some(message.replace("{{", "{").replace("}}", "}"))
    }
}

/// The user's tokens. Not `Span::source_text`: on stable Rust the span of an expression is that of its first token.
fn source_text(expr: &syn::Expr) -> String {
    expr.to_token_stream().to_string()
}
