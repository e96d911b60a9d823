//! Where syntax starts.
//!
//! A stable compiler joins no spans, so that syn's `Spanned::span` is the span of the first token, and prints everything to find it. Every
//! expression is asked, so that the time would grow with the depth of the syntax.

use proc_macro2::Span;
use syn::spanned::Spanned;

pub(crate) trait Start {
    /// The span of the first token.
    fn start(&self) -> Span;
}

/// Implements `Start` for the operators, whose tokens have a span for each character.
macro_rules! operators_start {
    ($($operator:ident)*) => {
        impl Start for syn::BinOp {
            fn start(&self) -> Span {
                match self {
                    $(syn::BinOp::$operator(token) => token.spans[0],)*
                    other => other.span(),
                }
            }
        }
    };
}

operators_start! {
    Add Sub Mul Div Rem And Or BitXor BitAnd BitOr Shl Shr Eq Lt Le Ne Ge Gt
    AddAssign SubAssign MulAssign DivAssign RemAssign BitXorAssign BitAndAssign BitOrAssign ShlAssign ShrAssign
}

/// The start of what begins with outer attributes, which are printed first.
fn after_attributes(attributes: &[syn::Attribute], start: impl FnOnce() -> Span) -> Span {
    let outer = attributes.iter().find(|attribute| matches!(attribute.style, syn::AttrStyle::Outer));
    outer.map_or_else(start, |attribute| attribute.pound_token.span)
}

/// Implements `Start` for forms of syntax with attributes, each with where it starts without them.
macro_rules! starts {
    ($($form:ident: $this:ident => $start:expr;)*) => {
        $(
            impl Start for syn::$form {
                fn start(&self) -> Span {
                    let $this = self;
                    after_attributes(&self.attrs, || $start)
                }
            }
        )*
    };
}

starts! {
    ExprArray: it => it.bracket_token.span.join();
    ExprAssign: it => it.left.start();
    ExprAwait: it => it.base.start();
    ExprBinary: it => it.left.start();
    ExprBlock: it => start_of_labelled(it.label.as_ref(), it.block.start());
    ExprBreak: it => it.break_token.span;
    ExprCall: it => it.func.start();
    ExprCast: it => it.expr.start();
    ExprContinue: it => it.continue_token.span;
    ExprField: it => it.base.start();
    ExprForLoop: it => start_of_labelled(it.label.as_ref(), it.for_token.span);
    ExprGroup: it => it.group_token.span;
    ExprIf: it => it.if_token.span;
    ExprIndex: it => it.expr.start();
    ExprLet: it => it.let_token.span;
    ExprLit: it => it.lit.span();
    ExprLoop: it => start_of_labelled(it.label.as_ref(), it.loop_token.span);
    ExprMatch: it => it.match_token.span;
    ExprMethodCall: it => it.receiver.start();
    ExprParen: it => it.paren_token.span.join();
    ExprPath: it => it.qself.as_ref().map_or_else(|| it.path.start(), |qself| qself.lt_token.span);
    ExprReference: it => it.and_token.span;
    ExprRepeat: it => it.bracket_token.span.join();
    ExprReturn: it => it.return_token.span;
    ExprStruct: it => it.qself.as_ref().map_or_else(|| it.path.start(), |qself| qself.lt_token.span);
    ExprTry: it => it.expr.start();
    ExprTuple: it => it.paren_token.span.join();
    ExprUnary: it => it.op.span();
    ExprUnsafe: it => it.unsafe_token.span;
    ExprWhile: it => start_of_labelled(it.label.as_ref(), it.while_token.span);
    Local: it => it.let_token.span;
    PatIdent: it => {
        let before = it.by_ref.as_ref().map(|token| token.span).or(it.mutability.as_ref().map(|token| token.span));
        before.unwrap_or_else(|| it.ident.span())
    };
    PatTuple: it => it.paren_token.span.join();
    PatType: it => it.pat.start();
    PatWild: it => it.underscore_token.span;
}

impl Start for syn::Expr {
    fn start(&self) -> Span {
        match self {
            syn::Expr::Array(it) => it.start(),
            syn::Expr::Assign(it) => it.start(),
            syn::Expr::Await(it) => it.start(),
            syn::Expr::Binary(it) => it.start(),
            syn::Expr::Block(it) => it.start(),
            syn::Expr::Break(it) => it.start(),
            syn::Expr::Call(it) => it.start(),
            syn::Expr::Cast(it) => it.start(),
            syn::Expr::Continue(it) => it.start(),
            syn::Expr::Field(it) => it.start(),
            syn::Expr::ForLoop(it) => it.start(),
            syn::Expr::Group(it) => it.start(),
            syn::Expr::If(it) => it.start(),
            syn::Expr::Index(it) => it.start(),
            syn::Expr::Let(it) => it.start(),
            syn::Expr::Lit(it) => it.start(),
            syn::Expr::Loop(it) => it.start(),
            syn::Expr::Match(it) => it.start(),
            syn::Expr::MethodCall(it) => it.start(),
            syn::Expr::Paren(it) => it.start(),
            syn::Expr::Path(it) => it.start(),
            syn::Expr::Reference(it) => it.start(),
            syn::Expr::Repeat(it) => it.start(),
            syn::Expr::Return(it) => it.start(),
            syn::Expr::Struct(it) => it.start(),
            syn::Expr::Tuple(it) => it.start(),
            syn::Expr::Unary(it) => it.start(),
            syn::Expr::Unsafe(it) => it.start(),
            syn::Expr::While(it) => it.start(),
            rare => rare.span(),
        }
    }
}

impl Start for syn::Pat {
    fn start(&self) -> Span {
        match self {
            syn::Pat::Ident(it) => it.start(),
            syn::Pat::Tuple(it) => it.start(),
            syn::Pat::Type(it) => it.start(),
            syn::Pat::Wild(it) => it.start(),
            rare => rare.span(),
        }
    }
}

impl Start for syn::Block {
    fn start(&self) -> Span {
        self.brace_token.span.join()
    }
}

impl Start for syn::Macro {
    fn start(&self) -> Span {
        self.path.start()
    }
}

impl Start for syn::Path {
    fn start(&self) -> Span {
        match (&self.leading_colon, self.segments.first()) {
            (Some(colons), _) => colons.spans[0],
            (None, Some(first)) => first.ident.span(),
            (None, None) => Span::call_site(),
        }
    }
}

fn start_of_labelled(label: Option<&syn::Label>, start: Span) -> Span {
    label.map_or(start, |label| label.name.apostrophe)
}

#[cfg(test)]
mod tests {
    use super::Start;
    use proc_macro2::{Span, TokenStream, TokenTree};
    use quote::ToTokens;
    use std::str::FromStr;

    fn first_byte(span: Span) -> usize {
        span.byte_range().start
    }

    #[track_caller]
    fn check(syntax: &(impl Start + ToTokens)) {
        let first: TokenTree = syntax.to_token_stream().into_iter().next().expect("syntax has tokens");
        assert_eq!(first_byte(syntax.start()), first_byte(first.span()), "{}", syntax.to_token_stream());
    }

    #[test]
    fn syntax_starts_with_its_first_token() {
        for text in [
            "[1, 2]",
            "x = 1",
            "x.await",
            "a + b * c",
            "'a: { 1 }",
            "{ 1 }",
            "break 'a 1",
            "f(x)",
            "::m::f(x)",
            "<T as U>::f(x)",
            "x as f32",
            "continue",
            "(a.b).c.0",
            "for i in 0..n {}",
            "'a: for i in 0..n {}",
            "if let Some(x) = y { 1 } else { 2 }",
            "x[i][j]",
            "1.5",
            "true",
            "loop {}",
            "match x { _ => 1 }",
            "x.sqrt().max(1.0)",
            "&mut x",
            "[0; 4]",
            "return",
            "S { a: 1 }",
            "(1, 2)",
            "-x",
            "*x",
            "unsafe { 1 }",
            "while a < b {}",
            "0..n",
            "|x| x",
            "println!(\"\")",
            "#[allow(unused)] (x + 1)",
        ] {
            check(&syn::parse_str::<syn::Expr>(text).expect(text));
        }
        for text in ["let x = 1;", "#[allow(unused)] let (mut a, ref b, _, [c, ..]): T = d;", "unsafe { f() };"] {
            let block: syn::Block = syn::parse2(TokenStream::from_str(&format!("{{ {text} }}")).unwrap()).expect(text);
            check(&block);
            let [syn::Stmt::Local(local)] = &block.stmts[..] else { continue };
            check(local);
            check(&local.pat);
            if let syn::Pat::Type(syn::PatType { pat, .. }) = &local.pat
                && let syn::Pat::Tuple(tuple) = &**pat
            {
                tuple.elems.iter().for_each(check);
            }
        }
    }
}
