//! `print!` and `println!`.

use super::Lowerer;
use crate::model::*;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    /// `end` follows the text.
    pub(super) fn lower_print(&mut self, call: &syn::Macro, end: &str) -> Expr {
        let span = call.span();
        if self.is_array_function {
            return self.refuse(
                span,
                "printing is not supported in array functions because their calls have no order\nhelp: remove it; to see values, call the function on the host as plain Rust, or print in a `#[gpu_kernel]`",
            );
        }
        let mut arguments = self.parse_arguments(call).into_iter();
        let (literal, text) = match arguments.next() {
            None => (span, String::new()),
            Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })) => (text.span(), text.value()),
            Some(other) => {
                return self.refuse_invalid(other.span(), "the text to print must be a string literal\nhelp: write `println!(\"{}\", x)`");
            }
        };
        let placeholders = match parse_placeholders(&text) {
            Ok(placeholders) => placeholders,
            Err(message) => return self.refuse_invalid(literal, message),
        };
        let (mut names, mut args) = (Vec::new(), Vec::new());
        for argument in arguments {
            let (name, value) = match argument {
                syn::Expr::Assign(syn::ExprAssign { left, right, .. }) => match &*left {
                    syn::Expr::Path(path) if path.path.get_ident().is_some() => {
                        (path.path.get_ident().map(|name| name.unraw().to_string()), *right)
                    }
                    other => return self.refuse_invalid(other.span(), "an argument's name is an identifier"),
                },
                value => (None, value),
            };
            args.push(self.lower_dereferenced(&value));
            names.push(name);
        }
        // Variables that the text names are arguments of that name.
        for Placeholder { argument, .. } in &placeholders {
            let PlaceholderArgument::Name(name) = argument else { continue };
            if names.iter().flatten().any(|known| known == name) {
                continue;
            }
            // `{match}` means `r#match`.
            let variable = syn::parse_str::<syn::Ident>(name).or_else(|_| syn::parse_str(&format!("r#{name}")));
            let Ok(mut variable) = variable else {
                return self.refuse_invalid(
                    literal,
                    format!("`{{{name}}}` does not name a variable\nhelp: write `{{}}`, and the value after the text"),
                );
            };
            variable.set_span(literal);
            args.push(self.lower_dereferenced(&syn::parse_quote!(#variable)));
            names.push(Some(name.clone()));
        }
        let site = self.site(literal, SiteKind::Print(PrintText { text: text + end, names, placeholders }));
        self.expr(ExprKind::Intrinsic { intrinsic: Intrinsic::Print(site), path: call.path.clone(), args }, span)
    }
}
